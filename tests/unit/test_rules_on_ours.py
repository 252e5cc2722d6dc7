"""Our own client and `Server` break no rule: in every revision, over memory, stdio and HTTP."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from rules_cases import offers_everything
from rules_cases.offers_everything import server

from mcp_lesson import McpError, Trace, connect, lint, serve
from mcp_lesson.answers import accept_defaults
from mcp_lesson.client import Client
from mcp_lesson.revisions import ALL
from mcp_lesson.trace import Frame

PROGRAM = Path(offers_everything.__file__)
HANDLERS: dict[str, Any] = {
    "sampling": lambda params: "hello",
    "elicitation": accept_defaults,
    "roots": ["file:///home"],
}


@asynccontextmanager
async def reached(wire: str) -> AsyncIterator[Any]:
    """What to connect to, for each wire."""
    if wire == "http":
        async with serve(server) as url:
            yield url
    else:
        yield {"memory": server, "stdio": PROGRAM}[wire]


async def converse(client: Client) -> None:
    """Everything that a client can do with a server."""
    for listing in (client.list_tools, client.list_resources, client.list_prompts):
        assert await listing()
    await client.list_resource_templates()
    await call_tools(client)
    for uri in ("note://1", "picture://1", "order://7"):
        await client.read_resource(uri)
    with contextlib.suppress(McpError):
        await client.read_resource("note://none")
    for name, arguments in (("greet", {"name": "Ada"}), ("look", None)):
        await client.get_prompt(name, arguments)
    await client.complete({"type": "ref/prompt", "name": "greet"}, "name", "A")
    await subscribe(client)
    await cancel(client)


async def call_tools(client: Client) -> None:
    await client.call_tool("add", {"a": 1, "b": 2})
    await client.call_tool("weather", {"city": "Köln"})
    await client.call_tool("book", {"region": "Größe"})
    assert (await client.call_tool("fail")).is_error
    await client.call_tool("show_all")
    with contextlib.suppress(McpError):
        await client.call_tool("add", {"a": "one"})
    with contextlib.suppress(McpError):
        await client.call_tool("no such tool")
    client.log_level = "info"
    if client.era == "legacy":
        await client.request("ping")
        await client.request("logging/setLevel", {"level": "info"})
    await client.call_tool("work", {"steps": 3}, progress=lambda params: None)
    await client.call_tool("ask")


async def subscribe(client: Client) -> None:
    """Hear of changes, and change something."""
    heard = asyncio.Event()
    await client.subscribe("note://1", lambda params: heard.set())
    if client.era == "modern":
        stream = await client.listen({"toolsListChanged": True})
    await client.call_tool("change")
    async with asyncio.timeout(10):
        await heard.wait()
    if client.era == "modern":
        stream.cancel()
        await asyncio.wait([stream])
    else:
        await client.request("resources/unsubscribe", {"uri": "note://1"})


async def cancel(client: Client) -> None:
    """Begin a call and give it up."""
    waiting = asyncio.Event()
    stop = client.on("notifications/message", lambda params: waiting.set())
    call = asyncio.ensure_future(client.call_tool("wait"))
    async with asyncio.timeout(10):
        await waiting.wait()
    stop()
    call.cancel()
    await asyncio.wait([call])
    await client.list_tools()


@pytest.mark.parametrize("wire", ["memory", "stdio", "http"])
@pytest.mark.parametrize("era", [*ALL, "auto"])
async def test_our_own_conversations_break_no_rule(era: str, wire: str) -> None:
    old = era < "2025-06-18"  # has no elicitation
    trace = Trace()
    async with reached(wire) as target, connect(target, era=era, trace=trace, **HANDLERS) as client:
        await converse(client)
    assert lint(trace) == []
    methods = {frame.message["method"] for frame in trace if "method" in (frame.message or {})}
    assert {"tools/call", "completion/complete", "notifications/progress"} <= methods
    assert old or "elicitation/create" in methods or "server/discover" in methods


@pytest.mark.broken_messages
async def test_our_server_alone_is_judged_as_well() -> None:
    """A client that breaks rules does not make the server break any."""
    trace = Trace()
    async with connect(server, era="legacy", trace=trace) as client:
        for method in ("tools/call", "resources/read", "prompts/get", "no/such/method"):
            with contextlib.suppress(McpError):
                await client.request(method, {"name": "none"}, unchecked=True)
    said = [frame for frame in trace if frame.sender == "server"]
    found = {finding.frame for finding in lint(trace)}
    assert said
    assert [frame for frame in said if index(trace, frame) in found] == []


def index(trace: Trace, frame: Frame) -> int:
    return next(number for number, other in enumerate(trace) if other is frame)
