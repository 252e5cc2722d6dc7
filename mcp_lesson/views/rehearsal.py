"""Two strangers with chosen settings greet each other, and what crossed the wire is recorded.

Nothing is imitated: `Client` and `Connection`, the very peers of every lesson, speak over a wire in
memory. They know every revision; to play one that knows fewer, each is told here which ones to
pretend to know. What they can do follows from what they are given: handlers make a client's
capabilities, offers make a server's.

What never enters here: a picture, or a sentence about the outcome; see `outcome`.
"""

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from .. import jsonrpc, modern, revisions
from ..client import Client
from ..connection import Connection
from ..jsonrpc import Message
from ..negotiation import HandshakeError
from ..peer import ConnectionLost, Envelope, McpError, RequestTimeout
from ..revisions import LEGACY, MODERN
from ..server import Server
from ..trace import TO_SERVER, Trace
from ..transports.memory import MemoryWire

CLIENT_CAN = ("elicitation", "sampling", "roots")
SERVER_CAN = ("tools", "resources", "prompts", "completions", "logging")

KNOWN = {"legacy": LEGACY, "modern": MODERN, "both": tuple(revisions.ALL)}
"""Short names for what a side knows. A client that knows both eras is what `era="auto"` makes."""

SECONDS = 20
"""No rehearsal takes longer than this; it takes milliseconds."""


@dataclass(frozen=True)
class Settings:
    """What each side knows (dates of revisions, oldest first) and can do (capabilities)."""

    client: tuple[str, ...] = LEGACY
    server: tuple[str, ...] = LEGACY
    client_can: tuple[str, ...] = ("elicitation",)
    server_can: tuple[str, ...] = ("tools", "resources")


@dataclass
class Rehearsal:
    """What came of it: the trace, the client as it was left, and what went wrong, if anything."""

    settings: Settings
    trace: Trace = field(default_factory=Trace)
    client: Client | None = None
    problem: Exception | None = None


def known(versions: str | Iterable[str]) -> tuple[str, ...]:
    """Dates, or "legacy", "modern", "both", as dates from old to new. Raises ValueError."""
    listed = (versions,) if isinstance(versions, str) else tuple(versions)
    dates = [date for name in listed for date in KNOWN.get(name, (name,))]
    return tuple(sorted({revisions.find(date).name for date in dates}))


def able(names: str | Iterable[str], possible: Iterable[str]) -> tuple[str, ...]:
    """Capabilities in their usual order. Raises ValueError that lists those there are."""
    wanted = {names} if isinstance(names, str) else set(names)
    unknown = wanted.difference(possible)
    if unknown:
        listed = ", ".join(possible)
        raise ValueError(f"{min(unknown)!r} is no capability that can be chosen here; try {listed}")
    return tuple(name for name in possible if name in wanted)


def rehearse(settings: Settings) -> Rehearsal:
    """Let them greet each other, in a thread with a loop of its own: it can be called anywhere."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(_rehearse(settings))).result(SECONDS)


async def _rehearse(settings: Settings) -> Rehearsal:
    played = Rehearsal(settings)
    if not settings.client or not settings.server:
        return played
    wire = MemoryWire(_offers(settings.server_can), played.trace)
    wire.connection = _Server(wire, settings.server)
    played.client = client = _Client(wire, settings)
    try:
        await client.start()
    except (HandshakeError, McpError, ConnectionLost, RequestTimeout) as problem:
        played.problem = problem
        played.trace.noted("lifecycle", "the client leaves", TO_SERVER)
    await client.close()
    return played


# -- the two sides ------------------------------------------------------------------------------


class _Client(Client):
    """A client that knows only some revisions: it offers its newest and leaves for any other."""

    def __init__(self, wire: MemoryWire, settings: Settings) -> None:
        self._known = settings.client
        handlers = {name: _HANDLERS[name] for name in settings.client_can}
        super().__init__(wire, era=_era(settings.client), info=_INFO["client"], **handlers)
        legacy = [date for date in settings.client if date in LEGACY]
        if legacy:
            self.offered = legacy[-1]

    def met(self, result: Message, info: object) -> None:
        """Leave, if the server settled on what this client does not know."""
        if self.revision and self.revision.name not in self._known:
            wanted = self.revision.name
            raise HandshakeError(
                f"the server wants version {wanted!r}; this client knows {', '.join(self._known)}"
            )
        super().met(result, info)


class _Server(Connection):
    """A server that knows only some revisions. What it says otherwise is `Connection`'s own."""

    def __init__(self, wire: MemoryWire, dates: tuple[str, ...]) -> None:
        super().__init__(wire.connection.server, wire.connection.deliver)
        self._legacy = [date for date in dates if date in LEGACY]
        self._modern = [date for date in dates if date in MODERN]

    async def answer(self, envelope: Envelope) -> Message:
        """Serve an era that this server knows as always; refuse the other as such servers do."""
        if modern.is_modern(envelope) and not self._modern:
            return await self._answer_legacy(envelope)
        if envelope.message["method"] == "initialize":
            return await super().answer(Envelope(self._greeted(envelope.message)))
        return await super().answer(envelope)

    def _greeted(self, message: Message) -> Message:
        """The greeting as a server hears it that takes what it does not know for unknown.

        A modern server knows no `initialize`; in refusing it SHOULD name the versions it knows.
        Clause: 2026-07-28 basic/versioning (backward compatibility)
        """
        offered = message["params"]["protocolVersion"]
        if not self._legacy:
            data = {"supported": self._modern, "requested": offered}
            raise McpError(jsonrpc.UNSUPPORTED_VERSION, data=data)
        heard = offered if offered in self._legacy else self._legacy[-1]
        return message | {"params": message["params"] | {"protocolVersion": heard}}


def _era(dates: tuple[str, ...]) -> str:
    """How a client opens that knows these revisions."""
    eras = {revisions.ALL[date].era for date in dates}
    return "auto" if len(eras) == 2 else eras.pop()


_INFO = {
    "client": {"name": "my-client", "version": "1.0.0"},
    "server": {"name": "my-server", "version": "1.0.0"},
}

_HANDLERS: dict[str, Any] = {
    "elicitation": lambda params: None,
    "sampling": lambda params: "",
    "roots": list,
}
"""Nobody is asked during a greeting: to have a handler is to declare the capability."""


def _offers(can: Iterable[str]) -> Server:
    """A server with one thing of each kind that it should declare."""
    server = Server(_INFO["server"]["name"], logging="logging" in can)

    def demo(topic: str = "") -> str:
        return topic

    offer: dict[str, Callable[[], object]] = {
        "tools": lambda: server.tool(demo),
        "resources": lambda: server.resource("docs://demo/protocol-notes")(lambda: ""),
        "prompts": lambda: server.prompt(demo),
        "completions": lambda: server.completion("demo", "topic")(lambda value: []),
    }
    for name in offer.keys() & set(can):
        offer[name]()
    return server
