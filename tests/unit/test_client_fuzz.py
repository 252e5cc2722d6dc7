"""Whatever a server sends: our client never breaks, never answers wrongly, and goes on asking."""

import asyncio
import contextlib
import logging
from typing import Any

import pytest
import strange
from by_hand import PATIENCE, ClientByHand, complete
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wire_guard import GUARD

from mcp_lesson import ConnectionLost, HandshakeError, Limits, McpError, RequestTimeout, jsonrpc
from mcp_lesson.answers import accept_defaults

quick = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)

CLEAR = (McpError, ConnectionLost, RequestTimeout, HandshakeError)
"""The errors a caller is told about: a misbehaving server ends in one of these and no other."""


def client_by_hand(era: str) -> ClientByHand:
    limits = Limits(request=PATIENCE, start=PATIENCE, probe=0.2)
    return ClientByHand(era, elicitation=accept_defaults, roots=["file:///a"], limits=limits)


async def ended(work: Any) -> None:
    """Wait for what may fail, but only in a clear way."""
    with contextlib.suppress(*CLEAR):
        await work


async def said_to(era: str, said: list[Any]) -> None:
    """Feed messages while a call waits; afterwards another call is answered."""
    hand = client_by_hand(era)
    client = await hand.shake()
    waiting = asyncio.ensure_future(client.call_tool("t", progress=lambda params: None))
    await asyncio.sleep(0)
    for message in said:
        hand.feed(message)
    await asyncio.sleep(0)
    again = asyncio.ensure_future(client.request("tools/list"))
    answered = False
    while not answered:
        message = await hand.next()
        if message.get("method") == "tools/list":
            hand.answer(message, complete(tools=[], ttlMs=0, cacheScope="public"))
            answered = True
    assert (await again)["tools"] == []
    waiting.cancel()
    await asyncio.wait({waiting})
    assert waiting.cancelled() or isinstance(waiting.exception(), (*CLEAR, type(None)))
    client.lost("enough")


@pytest.mark.parametrize("era", ["2025-03-26", "legacy", "modern"])
@quick
@given(said=st.lists(strange.messages, max_size=5))
def test_anything_may_be_said(caplog, era: str, said: list) -> None:
    caplog.set_level(logging.CRITICAL)
    GUARD.begin()
    asyncio.run(asyncio.wait_for(said_to(era, said), PATIENCE))
    assert not GUARD.complaints


async def answered_with(era: str, asking: Any, values: list[Any]) -> None:
    """One operation, every request of which is answered by the next of these values."""
    hand = client_by_hand(era)
    client = await hand.shake({"tools": {}, "resources": {}, "prompts": {}, "completions": {}})
    work = asyncio.ensure_future(asking(client))
    for value in values:
        getting = asyncio.ensure_future(hand.next())
        await asyncio.wait({work, getting}, return_when=asyncio.FIRST_COMPLETED)
        if not getting.done():
            getting.cancel()
            break
        message = getting.result()
        if "id" in message and "method" in message:
            hand.feed({"jsonrpc": "2.0", "id": message["id"], **value})
    client.lost("enough")
    await ended(work)
    if not work.exception():
        repr(work.result())


ASKING = [
    lambda client: client.list_tools(),
    lambda client: client.call_tool("t", {"a": 1}),
    lambda client: client.list_resources(),
    lambda client: client.read_resource("a://b"),
    lambda client: client.get_prompt("p", {"a": "b"}),
    lambda client: client.complete({"type": "ref/prompt", "name": "p"}, "a", ""),
]

outcomes = st.fixed_dictionaries({"result": strange.results}) | st.fixed_dictionaries(
    {"error": strange.errors}
)


@pytest.mark.parametrize("era", ["legacy", "modern"])
@quick
@given(asking=st.sampled_from(ASKING), values=st.lists(outcomes, max_size=4))
def test_anything_may_be_answered(caplog, era: str, asking: Any, values: list) -> None:
    caplog.set_level(logging.CRITICAL)
    GUARD.begin()
    asyncio.run(asyncio.wait_for(answered_with(era, asking, values), PATIENCE))
    assert not GUARD.complaints


@pytest.mark.parametrize("era", ["auto", "legacy", "modern"])
@quick
@given(values=st.lists(outcomes, min_size=1, max_size=3))
def test_any_handshake_ends_in_agreement_or_in_a_clear_error(
    caplog, era: str, values: list
) -> None:
    caplog.set_level(logging.CRITICAL)
    GUARD.begin()

    async def shake() -> None:
        hand = client_by_hand(era)
        starting = asyncio.ensure_future(hand.client.start())
        for value in values:
            getting = asyncio.ensure_future(hand.next())
            await asyncio.wait({starting, getting}, return_when=asyncio.FIRST_COMPLETED)
            if not getting.done():
                getting.cancel()
                break
            message = getting.result()
            if "id" in message:
                hand.feed({"jsonrpc": "2.0", "id": message["id"], **value})
        await asyncio.wait({starting}, timeout=0.01)
        hand.client.lost("enough")
        await ended(starting)

    asyncio.run(asyncio.wait_for(shake(), PATIENCE))
    assert not GUARD.complaints


def test_the_strange_messages_are_strange_enough() -> None:
    """They reach the places they are meant for: valid calls, answers, and plain nonsense."""
    kinds: set[str] = set()

    @settings(max_examples=500, deadline=None, database=None, derandomize=True)
    @given(strange.messages)
    def look(message: Any) -> None:
        valid = jsonrpc.check(message) is None
        kinds.add(f"{jsonrpc.kind(message)} {valid}")

    look()
    assert {"request True", "request False", "notification True", "result True"} <= kinds
    assert {"result False", "batch False", "invalid False"} <= kinds
