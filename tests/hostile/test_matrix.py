"""Misbehaving servers: each ends in one clear error inside its limit, or is survived.

A row of the table is one fault: the program in `peers/` that commits it, the step at which the
client notices, the error, a part of its text, and what the trace must show. Every conversation is
the same: connect, list the tools, call one, close. After it nothing is left running (`conftest`).
"""

import asyncio
import os
import time
from dataclasses import dataclass, field
from typing import Any

import pytest
from processes import PEERS, is_gone, peer, until

from mcp_lesson import ConnectionLost, HandshakeError, Limits, McpError, RequestTimeout, Trace
from mcp_lesson import connect as connected
from mcp_lesson.client import Client
from mcp_lesson.transports import lines

POSIX = os.name == "posix"
WAYS = ("watched", "threads") if POSIX else ("threads",)

BOTH = ("legacy", "auto")
PATIENT = {"start": 10.0, "probe": 5.0, "request": 10.0, "leave": 5.0, "terminate": 5.0}
"""Limits that no fault waits for; a row that does names its own."""

Seen = tuple[str, str]
"""A frame the trace must have: its kind, and a part of its text or line."""


@dataclass(frozen=True)
class Fault:
    """One row. `step` and `error` are None where the fault is to be survived."""

    peer: str
    step: str | None = None
    error: type[Exception] | None = None
    text: str = ""
    seen: tuple[Seen, ...] = ()
    eras: tuple[str, ...] = BOTH
    speaks: str = ""
    arguments: Any = None
    timeout: float = 10.0
    limits: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.peer.replace(" ", "-")


OVER = ("lifecycle", "the server ended with exit status 0")
TERM = ("lifecycle", "did not leave and was " + ("told to go (SIGTERM)" if POSIX else "ended"))
KILL = ("lifecycle", "did not leave and was ended" + (" (SIGKILL)" if POSIX else ""))
SHOT = "was ended by SIGKILL" if POSIX else "ended with exit status 15"
AGAIN = ("lifecycle", "started again")
CANCELLED = ("message", '"method":"notifications/cancelled"')
DONE = ("message", '"text": "done"')
INITIALIZE = ("message", '"method":"initialize"')
INITIALIZED = ("message", '"method":"notifications/initialized"')
IMPATIENT = {"leave": 0.3, "terminate": 0.3, "drain": 0.2}
SMALL = {"line": 100_000, "drain": 0.2}
LONG = "a line longer than 100,000 bytes (limits.line)"
AUTO, MODERN = ("auto",), ("modern",)

FAULTS = [
    # silence
    Fault("silent", "connect", RequestTimeout, "its handshake within 0.6 s", (INITIALIZE, OVER),
          limits={"start": 0.6, "probe": 0.2}),
    Fault("slow_handshake", "connect", RequestTimeout, "its handshake within 0.6 s", (KILL,),
          limits={"start": 0.6, "probe": 0.2, "leave": 0.1, "terminate": 0.0}),
    Fault("silent_to_probe", seen=(INITIALIZE, DONE, OVER), eras=AUTO, speaks="2025-11-25",
          limits={"probe": 0.2}),
    Fault("slow", "call", RequestTimeout, "no answer to tools/call", (CANCELLED, TERM),
          timeout=0.3, limits=IMPATIENT),
    Fault("forgets_first_call", "call", RequestTimeout, "no answer to tools/call", (CANCELLED,),
          timeout=0.3),
    Fault("reads_nothing", "call", RequestTimeout, "within 0.3 s", (TERM,),
          arguments={"text": "x" * 10_000_000}, timeout=0.3, limits=IMPATIENT),
    # death
    Fault("dies_at_once", "connect", ConnectionLost,
          "ended with exit status 3; its last words: no configuration found",
          (("stderr", "no configuration found"), ("lifecycle", "exit status 3"))),
    Fault("dies_reading_initialize", "connect", ConnectionLost,
          "ended with exit status 1; its last words: initialize was too much",
          (INITIALIZE, ("stderr", "too much"))),
    Fault("dies_in_silence", "connect", ConnectionLost, "its last words: I have had enough",
          (INITIALIZE, AGAIN), eras=AUTO, limits={"probe": 0.2}),
    Fault("dies_after_handshake", "list", ConnectionLost, "ended with exit status 0", (OVER,)),
    Fault("dies_in_call", "call", ConnectionLost, SHOT, (("lifecycle", SHOT),)),
    Fault("dies_raising", "call", ConnectionLost, "RuntimeError: the tool fell over",
          (("stderr", "Traceback"), ("lifecycle", "exit status 1"))),
    Fault("half_a_line", "call", ConnectionLost, "ended with exit status 0",
          (("noise", '{"jsonrpc": "2.0", "id":'), OVER)),
    Fault("no_last_newline", seen=(DONE, OVER)),
    Fault("closes_stdout", "call", ConnectionLost, "closed its output and is still running",
          (("lifecycle", "closed its output"), TERM), limits=IMPATIENT),
    Fault("closes_stdin", "list", ConnectionLost, "reads no more and is still running",
          (("lifecycle", "reads no more"), TERM), limits=IMPATIENT),
    # lines
    Fault("banner", seen=(("noise", "MCP server running on stdio"), DONE)),
    Fault("noise", seen=(("noise", "DEBUG got a request"), ("noise", ""), ("message", "42"), DONE)),
    Fault("crlf", seen=(DONE,)),
    Fault("bom", seen=(DONE,)),
    Fault("pieces", seen=(("message", "Größe, 你好, 😀"), DONE)),
    Fault("huge_line", "call", ConnectionLost, LONG, (("noise", LONG), OVER), limits=SMALL),
    Fault("endless_line", "call", ConnectionLost, LONG, (("noise", LONG),),
          limits=SMALL | IMPATIENT),
    Fault("bad_utf8", "call", RequestTimeout, "not UTF-8: byte 0xf6", (("noise", '"Gr'),),
          timeout=0.3),
    Fault("deep", "call", RequestTimeout, "nested too deeply", (("noise", "[[["),), timeout=0.3),
    Fault("long_number", "call", RequestTimeout, "number too", (("noise", "11111"),),
          timeout=0.3),
    Fault("floods_stdout", "call", RequestTimeout, "what came was no message: not JSON",
          (("noise", "noise on stdout"),), timeout=0.3, limits=IMPATIENT),
    Fault("chatters_on_stderr", seen=(("stderr", "a line of chatter"), ("stderr", "goodbye"),
                                      ("stderr", "(a line too long to show)"), DONE)),
    # ids
    Fault("wrong_id", "call", RequestTimeout, "an answer came with id 999", (CANCELLED,),
          timeout=0.3),
    Fault("string_id", "call", RequestTimeout, "an answer came with id '", (CANCELLED,),
          timeout=0.3),
    Fault("true_id", seen=(("message", '"id": true'), DONE)),
    Fault("duplicate", seen=(("message", "a second answer"), DONE)),
    Fault("error_without_id", "call", McpError, "-32600 I cannot read you"),
    Fault("error_null_id", "call", McpError, "-32600 I am lost"),
    # versions and the probe
    Fault("unsupported_version", "connect", HandshakeError, "wants version '2099-01-01'", (OVER,)),
    Fault("refuses_version", seen=(("message", '"protocolVersion":"2025-06-18"'), DONE),
          speaks="2025-06-18"),
    Fault("refuses_all_versions", "connect", HandshakeError,
          "refused the handshake: -32602 Unsupported protocol version", (OVER,)),
    Fault("exits_on_probe", seen=(("stderr", "unknown method"), AGAIN, INITIALIZE, DONE),
          eras=AUTO, speaks="2025-11-25"),
    *(Fault(f"late_probe {order}", seen=(INITIALIZE, DONE), eras=AUTO, speaks="2026-07-28",
            limits={"probe": 0.2}) for order in ("d", "di")),
    Fault("late_probe id", seen=(INITIALIZED, DONE), eras=AUTO, speaks="2025-11-25",
          limits={"probe": 0.2}),
    *(Fault(f"refuses_probe {code}", seen=(INITIALIZED, DONE), eras=AUTO, speaks="2025-11-25")
      for code in ("-32601", "-32602", "-32000", "null")),
    # too much, and what nobody asked for
    Fault("asks_undeclared", seen=(("message", '"code":-32601'), ("message", '"id":"ask-4"'),
                                   DONE)),
    Fault("asks_without_end", "call", RequestTimeout, "within 0.3 s",
          timeout=0.3, limits=IMPATIENT | {"concurrent": 50}),
    Fault("many_notifications", seen=(("message", '"data": 9999'), DONE)),
    Fault("wild_notifications", seen=(DONE,)),
    Fault("modern_asks", seen=(("message", "sampling/createMessage"), DONE), eras=MODERN),
    # leaving
    Fault("stays_at_eof", seen=(DONE, TERM), limits=IMPATIENT),
    Fault("stays_at_sigterm", seen=(DONE, TERM, KILL), limits=IMPATIENT),
    # shapes: all of them are in test_shapes
    Fault("wrong_shape initialize protocolVersion GONE", "connect", HandshakeError,
          "the server names no version"),
    Fault('wrong_shape initialize "" []'.replace('""', ""), "connect", ConnectionLost,
          "a result must be an object, not an array"),
    Fault("wrong_shape tools/list tools null", seen=(("message", '"tools": null'), DONE)),

    # children left behind: found where there are process groups
    *([Fault("leaves_child", "call", ConnectionLost, "ended with exit status 0", (OVER,),
             limits=IMPATIENT),
       Fault("leaves_child_at_eof", seen=(DONE, OVER))] if POSIX else []),
]  # fmt: skip

CASES = [
    pytest.param(fault, era, way, id=f"{fault}-{era}-{way}")
    for fault in FAULTS
    for era in fault.eras
    for way in (WAYS[:1] if era == "auto" and fault.eras == BOTH else WAYS)
]


@dataclass
class Told:
    """How a conversation went: the steps that were done, and what ended it."""

    done: list[str] = field(default_factory=list)
    problem: Exception | None = None
    state: str = ""
    waiting: int = 0
    client: Client | None = None


async def converse(fault: Fault, era: str, trace: Trace) -> Told:
    """Connect, list, call, close; stop at the first error."""
    told, limits = Told(), Limits(**PATIENT | fault.limits)
    try:
        client = told.client = await connected(
            peer(*fault.peer.split(" ")), era=era, limits=limits, trace=trace
        )
        told.done.append("connect")
        await client.list_tools()
        told.done.append("list")
        await client.call_tool("wait", fault.arguments, timeout=fault.timeout)
        told.done.append("call")
    except Exception as problem:
        told.problem = problem
    if told.client:
        told.state = told.client.state
        told.waiting = len(told.client._tasks)
        await told.client.close()
    return told


@pytest.mark.parametrize(("fault", "era", "way"), CASES)
async def test_one_clear_error(
    fault: Fault, era: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == "threads":
        monkeypatch.setattr(lines, "can_watch", lambda fd: False)
    trace, begun = Trace(), time.perf_counter()
    async with asyncio.timeout(30):
        told = await converse(fault, era, trace)
    steps = ["connect", "list", "call"]
    due = steps if fault.step is None else steps[: steps.index(fault.step)]
    assert told.done == due, told.problem
    assert type(told.problem) is (fault.error or type(None)), told.problem
    assert fault.text in str(told.problem)
    assert len(str(told.problem)) < 1000
    for kind, text in fault.seen:
        assert is_seen(trace, kind, text), f"no {kind} {text!r} in {[*trace][-20:]}"
    assert time.perf_counter() - begun < allowed(fault.limits)
    assert fault.error or told.state not in ("new", "initializing", "agreed")
    assert not fault.speaks or told.client.revision.name == fault.speaks
    assert told.waiting <= 110, "what is never read must not pile up"
    assert not told.client or told.client.state == "closed"
    part = Trace([*trace][:1000])
    assert Trace.loads(part.dumps()) == part
    for pid in pids_said(trace):
        assert await until(lambda pid=pid: is_gone(pid)), f"{pid} is still there"


def is_seen(trace: Trace, kind: str, text: str) -> bool:
    found = (frame for frame in trace if frame.kind == kind)
    return any(text in (frame.text or frame.line.decode("utf-8", "replace")) for frame in found)


def allowed(limits: dict[str, Any]) -> float:
    """How long a conversation may take: the limits that it runs into, and a busy machine."""
    names = ("start", "probe", "request", "leave", "terminate", "drain")
    return 15.0 + 2 * sum(limits.get(name, 0.0) for name in names)


def pids_said(trace: Trace) -> list[int]:
    """The numbers of children that a peer named on stderr."""
    said = (frame.text or "" for frame in trace if frame.kind == "stderr")
    return [int(text) for text in said if text.isdigit()]


def test_every_peer_has_its_row_and_says_what_it_does() -> None:
    programs = {path.stem for path in PEERS.glob("*.py")} - {"good"}
    assert programs == {fault.peer.split(" ")[0] for fault in FAULTS}
    for name in programs:
        first = (PEERS / f"{name}.py").read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith('"""'), name
