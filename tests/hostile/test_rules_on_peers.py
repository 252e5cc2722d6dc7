"""The rules find what the misbehaving servers do, where it shows on the wire.

The conversations are those of `test_matrix`: connect, list the tools, call one, close. A peer
stands in one of two tables: which rule names its fault, or why there is none to name.
"""

import asyncio

import pytest
from test_matrix import FAULTS, MODERN, Fault, converse

from mcp_lesson import Trace, lint

NAMED = {
    "asks_undeclared": "lifecycle.capabilities-kept",
    "bad_utf8": "jsonrpc.utf8",
    "banner": "stdio.server-only-messages",
    "bom": "stdio.no-byte-order-mark",
    "duplicate": "answers.id",
    "error_null_id": "answers.error-id",
    "error_without_id": "answers.error-for-request",
    "floods_stdout": "stdio.server-only-messages",
    "half_a_line": "stdio.server-only-messages",
    "many_notifications": "logging.declared",
    "modern_asks": "stateless.no-server-requests",
    "noise": "stdio.server-only-messages",
    "refuses_all_versions": "lifecycle.version-answered",
    "refuses_probe null": "answers.error-id",
    "refuses_version": "lifecycle.version-answered",
    "string_id": "answers.id",
    "true_id": "answers.result-id",
    "unsupported_version": "lifecycle.version-exists",
    "wild_notifications": "form.type",
    "wrong_id": "answers.id",
    "wrong_shape initialize protocolVersion GONE": "lifecycle.server-introduces-itself",
    "wrong_shape initialize  []": "answers.result-object",
    "wrong_shape tools/list tools null": "form.type",
}
"""The rule that each fault breaks."""

SILENCE = "nothing obliges a server to answer within any time; the client's limit is its own"
DEATH = "that a process ends is no message"
SIZE = "no revision limits a line; the limit is the client's own"
ALLOWED = "this is allowed"
PROBE = "a server of the old era may do with the probe what it likes"

UNNAMED = {
    "asks_without_end": "each ping is right; no number says how many are too many",
    "chatters_on_stderr": ALLOWED,
    "closes_stdin": DEATH,
    "closes_stdout": DEATH,
    "crlf": ALLOWED,
    "deep": SIZE,
    "dies_after_handshake": DEATH,
    "dies_at_once": DEATH,
    "dies_in_call": DEATH,
    "dies_in_silence": DEATH,
    "dies_raising": DEATH,
    "dies_reading_initialize": DEATH,
    "endless_line": SIZE,
    "exits_on_probe": PROBE,
    "forgets_first_call": SILENCE,
    "huge_line": SIZE,
    "late_probe": PROBE,
    "leaves_child": DEATH,
    "leaves_child_at_eof": DEATH,
    "long_number": SIZE,
    "no_last_newline": DEATH,
    "pieces": ALLOWED,
    "reads_nothing": SILENCE,
    "refuses_probe": PROBE,
    "silent": SILENCE,
    "silent_to_probe": PROBE,
    "slow": SILENCE,
    "slow_handshake": SILENCE,
    "stays_at_eof": DEATH,
    "stays_at_sigterm": DEATH,
}
"""Why no rule names a fault: it does not show in any message, or it is none."""

INCOMPLETE = {"caching.hints", "results.type", "form.missing"}
"""What the peers leave out when they speak 2026-07-28, whatever their fault is."""


def rule_for(fault: Fault) -> str | None:
    name = fault.peer.replace('""', "")
    found = NAMED.get(name) or NAMED.get(name.split(" ")[0])
    assert found or name.split(" ")[0] in UNNAMED, f"which rule does {name} break?"
    return found


@pytest.mark.broken_messages
@pytest.mark.parametrize("fault", FAULTS, ids=str)
async def test_what_shows_is_named(fault: Fault) -> None:
    trace, rule = Trace(), rule_for(fault)
    async with asyncio.timeout(30):
        await converse(fault, fault.eras[-1], trace)
    found = {finding.rule for finding in lint(trace)}
    if rule:
        assert rule in found
    else:
        modern = fault.eras == MODERN or fault.peer.startswith("late_probe")
        assert found <= (INCOMPLETE if modern else set())
