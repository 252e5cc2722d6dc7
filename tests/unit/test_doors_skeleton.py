"""The walking skeleton: the same server over memory, stdio and HTTP, in every revision."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import skeleton
from by_hand import PATIENCE
from wire_guard import broken_on_purpose

from mcp_lesson import Client, Limits, McpError, RequestTimeout, Trace, connect, serve
from mcp_lesson.answers import accept_defaults
from mcp_lesson.revisions import LEGACY, META, NEWEST

HANDLERS = {
    "elicitation": accept_defaults,
    "sampling": lambda params: "hello",
    "roots": ["file:///home"],
}

every_wire = pytest.mark.parametrize("wire", ["memory", "stdio", "http"])
both_eras = pytest.mark.parametrize("era", ["legacy", "modern"])


@asynccontextmanager
async def opened(wire: str, era: str = "auto", **more: Any) -> AsyncIterator[Client]:
    """A client of the skeleton over this wire."""
    more = HANDLERS | more
    if wire == "http":
        async with serve(skeleton.server) as url, connect(url, era=era, **more) as client:
            yield client
    else:
        target = skeleton.server if wire == "memory" else Path(skeleton.__file__)
        async with connect(target, era=era, **more) as client:
            yield client


@every_wire
@pytest.mark.parametrize("era", [*LEGACY, NEWEST, "auto"])
async def test_everything_that_can_be_asked(wire: str, era: str) -> None:
    trace = Trace()
    async with opened(wire, era, trace=trace) as client:
        assert client.revision.name == (NEWEST if era == "auto" else era)
        tools = await client.list_tools()
        assert tools.names == ["add", "report", "ask", "wait", "fail", "change", "echo"]
        assert (await client.call_tool("add", {"a": 1, "b": 2})).text == "3"
        failed = await client.call_tool("fail")
        assert (failed.is_error, failed.text) == (True, "no paper")
        assert [r["uri"] for r in await client.list_resources()] == ["memo://today"]
        assert (await client.read_resource("memo://today")).text == "Buy paper."
        assert len(await client.list_resource_templates()) == 1
        assert (await client.read_resource("memo://monday/a/b%20c")).text == "monday: a/b c"
        assert (await client.list_prompts()).names == ["greet"]
        assert (await client.get_prompt("greet", {"name": "Bob"})).text == "Greet Bob."
        ref = {"type": "ref/prompt", "name": "greet"}
        assert await client.complete(ref, "name", "A") == ["Ada", "Alan"]
        with pytest.raises(McpError, match="-32602 Unknown tool: nothing"):
            await client.call_tool("nothing")
    assert len(trace.messages()) > 20
    assert Trace.loads(trace.dumps()) == trace


@every_wire
@both_eras
async def test_progress_and_log_lines_come_before_the_answer(wire: str, era: str) -> None:
    async with opened(wire, era) as client:
        client.log_level = "info"  # since 2026-07-28 each request asks for its lines
        heard: list[tuple[str, Any]] = []
        client.on("notifications/message", lambda params: heard.append(("log", params["data"])))
        result = await client.call_tool(
            "report", progress=lambda params: heard.append(("progress", params["progress"]))
        )
        assert result.text == "reported"
        assert heard == [("progress", 1), ("log", {"at": "half"}), ("progress", 2)]


@every_wire
@pytest.mark.parametrize("era", ["2025-06-18", "legacy", "modern"])
async def test_the_server_asks_back(wire: str, era: str) -> None:
    async with opened(wire, era) as client:
        assert (await client.call_tool("ask")).text == "Ada, hello, file:///home"


@every_wire
@both_eras
async def test_a_handler_may_call_tools_while_its_own_call_waits(wire: str, era: str) -> None:
    async def person(params: dict) -> dict:
        return {"name": (await client.call_tool("echo", {"words": "Bob"})).text}

    async with opened(wire, era, elicitation=person) as client:
        assert (await client.call_tool("ask")).text == "Bob, hello, file:///home"


@every_wire
@both_eras
async def test_changes_are_told(wire: str, era: str) -> None:
    async with opened(wire, era) as client:
        heard: asyncio.Queue[tuple[str, dict]] = asyncio.Queue()
        for method in ("tools/list_changed", "resources/updated"):
            name = f"notifications/{method}"
            client.on(name, lambda params, method=method: heard.put_nowait((method, params)))
        if era == "modern":
            filters = {"toolsListChanged": True, "resourceSubscriptions": ["memo://today"]}
            await client.listen(filters)
        else:
            await client.subscribe("memo://today")
            if wire == "http":  # the stream for what is unsolicited is opened beside everything
                await has_stream(client)
        await client.call_tool("change")
        async with asyncio.timeout(PATIENCE):
            told = dict([await heard.get(), await heard.get()])
        assert told["resources/updated"]["uri"] == "memo://today"
        ids = {params.get("_meta", {}).get(META + "subscriptionId") for params in told.values()}
        assert (ids == {None}) is (era == "legacy")


async def has_stream(client: Client) -> None:
    """Wait until the GET stream stands."""
    opened = asyncio.Event()
    stop = client.trace.watch(lambda frame: frame.sse == "open" and opened.set())
    if not [frame for frame in client.trace if frame.sse == "open"]:
        async with asyncio.timeout(PATIENCE):
            await opened.wait()
    stop()


@every_wire
@both_eras
async def test_a_slow_tool_delays_nobody_and_can_be_cancelled(wire: str, era: str) -> None:
    async with opened(wire, era) as client:
        slow = asyncio.ensure_future(client.call_tool("wait"))
        for n in range(5):
            assert (await client.call_tool("echo", {"words": str(n)})).text == str(n)
        slow.cancel()
        with pytest.raises(asyncio.CancelledError):
            await slow
        with pytest.raises(RequestTimeout):
            await client.call_tool("wait", timeout=0.05)
        assert (await client.call_tool("echo", {"words": "still here"})).text == "still here"


TEXTS = ["你好 ★ 😀", "\u2028\u2029\x85", "a\nb\r\nc\td", "\ud83d", "\x00", "", "é" * 500_000]


@every_wire
@both_eras
async def test_any_text_survives_and_many_calls_at_once_do_not_mix(wire: str, era: str) -> None:
    async with opened(wire, era) as client:
        for words in TEXTS:
            assert (await client.call_tool("echo", {"words": words})).text == words
        results = await asyncio.gather(
            *(client.call_tool("add", {"a": n, "b": n}) for n in range(200))
        )
    assert [int(result.text) for result in results] == [2 * n for n in range(200)]


@pytest.mark.parametrize("wire", ["stdio", "http"])
@both_eras
async def test_a_text_beyond_the_limit_ends_in_a_clear_error(wire: str, era: str) -> None:
    limits = Limits(line=100_000)
    async with opened(wire, era, limits=limits) as client:
        with pytest.raises(ConnectionError, match="longer than 100,000 bytes"):
            await client.call_tool("echo", {"words": "x" * 200_000})


@every_wire
async def test_ping(wire: str) -> None:
    async with opened(wire, "legacy") as client:
        assert await client.request("ping") == {}
    async with opened(wire, "modern") as client:
        with broken_on_purpose(), pytest.raises(McpError, match="-32601"):
            await client.request("ping")
