"""Our client meets server-everything, the specification's own showcase in TypeScript."""

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from strangers import everything, free_port, listening

from mcp_lesson import Client, McpError, connect
from mcp_lesson.answers import accept_defaults

HANDLERS: dict[str, Any] = {
    "elicitation": accept_defaults,
    "sampling": lambda params: "hello",
    "roots": ["file:///home"],
}

every_way = pytest.mark.parametrize(
    ("wire", "era"), [("stdio", "legacy"), ("stdio", "auto"), ("http", "legacy"), ("http", "auto")]
)


@asynccontextmanager
async def met(wire: str, era: str, **more: Any) -> AsyncIterator[Client]:
    handlers = HANDLERS | more
    if wire == "stdio":
        async with connect(everything("stdio"), era=era, **handlers) as client:
            yield client
        return
    port = free_port()
    command = everything("streamableHttp")
    async with (
        listening(command, port, env={"PORT": str(port)}) as url,
        connect(url, era=era, **handlers) as client,
    ):
        yield client


@every_way
async def test_everything(wire: str, era: str) -> None:
    heard: asyncio.Queue[dict] = asyncio.Queue()
    async with met(wire, era) as client:
        assert (client.era, client.revision.name) == ("legacy", "2025-11-25")
        client.on("notifications/message", heard.put_nowait)
        await tools(client)
        await questions(client)
        await resources(client)
        await prompts(client)
        await log_lines(client, heard)
        assert await client.request("ping") == {}
        assert not client.strays, "nothing it said was strange to us"


async def tools(client: Client) -> None:
    names = (await client.list_tools()).names
    assert {"echo", "get-sum", "get-tiny-image", "trigger-long-running-operation"} <= set(names)
    assert (await client.call_tool("echo", {"message": "你好 ★ 😀"})).text == "Echo: 你好 ★ 😀"
    assert "is 3" in (await client.call_tool("get-sum", {"a": 1, "b": 2})).text
    picture = (await client.call_tool("get-tiny-image"))["content"][1]
    assert base64.b64decode(picture["data"]).startswith(b"\x89PNG")
    weather = await client.call_tool("get-structured-content", {"location": "New York"})
    assert weather.structured["conditions"]
    links = (await client.call_tool("get-resource-links", {"count": 2}))["content"]
    assert [block["type"] for block in links[1:]] == ["resource_link", "resource_link"]
    heard: list[float] = []
    work = {"duration": 0.2, "steps": 4}
    await client.call_tool(
        "trigger-long-running-operation",
        work,
        progress=lambda params: heard.append(params["progress"]),
    )
    assert heard == [1, 2, 3, 4]
    assert (await client.call_tool("nothing")).is_error, "its own way to say an unknown tool"


async def questions(client: Client) -> None:
    said = await client.call_tool("trigger-sampling-request", {"prompt": "x", "maxTokens": 5})
    assert "hello" in said.text
    person = await client.call_tool("trigger-elicitation-request")
    assert '"action": "accept"' in person.text
    assert "file:///home" in (await client.call_tool("get-roots-list")).text


async def resources(client: Client) -> None:
    found = await client.list_resources()
    assert len(found) >= 5
    assert (await client.read_resource(found[0]["uri"])).text
    templates = await client.list_resource_templates()
    assert templates
    one = templates[0]["uriTemplate"].replace("{resourceId}", "1")
    assert (await client.read_resource(one))["contents"][0]["uri"] == one
    await client.subscribe(found[0]["uri"])
    await client.request("resources/unsubscribe", {"uri": found[0]["uri"]})
    with pytest.raises(McpError):
        await client.read_resource("nothing://here")


async def prompts(client: Client) -> None:
    names = (await client.list_prompts()).names
    assert names == ["simple-prompt", "args-prompt", "completable-prompt", "resource-prompt"]
    assert (await client.get_prompt("simple-prompt")).text
    assert "Berlin" in (await client.get_prompt("args-prompt", {"city": "Berlin"})).text
    with pytest.raises(McpError, match="-32602"):
        await client.get_prompt("args-prompt", {})
    ref = {"type": "ref/prompt", "name": "completable-prompt"}
    assert await client.complete(ref, "department", "E") == ["Engineering"]


async def log_lines(client: Client, heard: asyncio.Queue) -> None:
    await client.request("logging/setLevel", {"level": "debug"})
    await client.call_tool("toggle-simulated-logging")
    async with asyncio.timeout(15):
        line = await heard.get()
    assert line["level"]
    await client.call_tool("toggle-simulated-logging")


async def test_a_client_without_handlers_is_asked_nothing() -> None:
    none: dict[str, Any] = {"elicitation": None, "sampling": None, "roots": None}
    async with met("stdio", "legacy", **none) as client:
        names = (await client.list_tools()).names
        asking = {"trigger-sampling-request", "trigger-elicitation-request", "get-roots-list"}
        assert not asking & set(names), "it offers only what the client can answer"


async def test_many_calls_at_once() -> None:
    async with met("http", "legacy") as client:
        calls = (client.call_tool("echo", {"message": str(n)}) for n in range(50))
        results = await asyncio.gather(*calls)
        assert [result.text for result in results] == [f"Echo: {n}" for n in range(50)]
