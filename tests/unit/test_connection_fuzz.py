"""Whatever a stranger sends: our server neither breaks nor answers wrongly, and goes on serving."""

import asyncio
import logging
from typing import Any

import pytest
import strange
from by_hand import PATIENCE, ServerByHand, meta_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wire_guard import GUARD

from mcp_lesson import Context, Server, jsonrpc
from mcp_lesson.revisions import LEGACY

quick = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def server() -> Server:
    made = Server("fuzzed", logging=True, page_size=1)

    @made.tool
    async def echo(words: str = "") -> str:
        return words

    @made.tool
    async def ask(ctx: Context) -> str:
        await ctx.log("info", 1)
        await ctx.progress(1)
        form = {"type": "object", "properties": {}}
        return str((await ctx.elicit("?", form, key="who"))["action"])

    @made.resource("memo://today")
    async def memo() -> str:
        return "x"

    @made.resource("memo://{+rest}")
    async def memos(rest: str) -> str:
        return rest

    @made.prompt
    async def greet(name: str) -> str:
        return name

    @made.completion("greet", "name")
    async def names(typed: str) -> list[str]:
        return [typed]

    return made


SERVER = server()


async def feed_all(revision: str | None, said: list[Any]) -> list[Any]:
    """Feed messages, then a ping; what was answered until the ping's answer came."""
    hand = ServerByHand(SERVER)
    if revision:
        await hand.shake(revision, elicitation={})
    for message in said:
        hand.feed(message)
    hand.feed(jsonrpc.request("the end", "ping"))
    heard = []
    while not heard or heard[-1] != jsonrpc.result("the end", {}):
        heard.append(await hand.next())
    hand.connection.lost("enough")
    return heard[:-1]


def ids_of(said: list[Any]) -> list[Any]:
    parts = [part for one in said for part in (one if isinstance(one, list) else [one])]
    return [p["id"] for p in parts if isinstance(p, dict) and jsonrpc.is_id(p.get("id"))]


def judge(said: list[Any], heard: list[Any]) -> None:
    asked = ids_of(said)
    for message in (part for one in heard for part in (one if isinstance(one, list) else [one])):
        assert jsonrpc.check(message) is None
        if jsonrpc.is_response(message) and "id" in message:
            assert any(message["id"] == id and type(message["id"]) is type(id) for id in asked)
    assert not GUARD.complaints


@pytest.mark.parametrize("revision", [None, *LEGACY])
@quick
@given(said=st.lists(strange.messages, max_size=5))
def test_anything_may_be_said(caplog, revision: str | None, said: list) -> None:
    caplog.set_level(logging.CRITICAL)
    GUARD.begin()
    judge(said, asyncio.run(asyncio.wait_for(feed_all(revision, said), PATIENCE)))


@quick
@given(said=st.lists(strange.calls, max_size=4), meta=strange.metas)
def test_anything_may_be_asked_of_the_stateless_era(caplog, said: list, meta: Any) -> None:
    caplog.set_level(logging.CRITICAL)
    GUARD.begin()
    for message in said:
        if isinstance(message["params"], dict):
            about = meta if isinstance(meta, dict) else {}
            message["params"]["_meta"] = meta_of({"elicitation": {}}) | about
    judge(said, asyncio.run(asyncio.wait_for(feed_all(None, said), PATIENCE)))


@quick
@given(message=strange.calls, headers=st.dictionaries(
    st.sampled_from(["mcp-protocol-version", "mcp-method", "mcp-name", "mcp-param-x", "x"]),
    st.sampled_from(["2026-07-28", "tools/call", "echo", "=?base64?!?=", "", " ", "é", "x" * 99])
))  # fmt: skip
def test_any_headers_may_come_along(caplog, message: dict, headers: dict) -> None:
    caplog.set_level(logging.CRITICAL)
    GUARD.begin()

    async def talk() -> None:
        hand = ServerByHand(SERVER)
        hand.feed(message, headers)
        hand.feed(jsonrpc.request("the end", "ping"))
        while (await hand.next()) != jsonrpc.result("the end", {}):
            pass
        hand.connection.lost("enough")

    asyncio.run(asyncio.wait_for(talk(), PATIENCE))
    assert not GUARD.complaints
