"""Our client meets servers made with the official SDK, over stdio and HTTP, in both eras."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from strangers import SDK_SERVER, free_port, listening, need_sdk, python

from mcp_lesson import Client, McpError, RequestTimeout, connect
from mcp_lesson.client import NotDeclared

HANDLERS: dict[str, Any] = {
    "elicitation": lambda params: {"name": "Ada"},
    "sampling": lambda params: "hello",
    "roots": ["file:///home"],
}

every_way = pytest.mark.parametrize(
    ("wire", "era"),
    [(wire, era) for wire in ("stdio", "http") for era in ("legacy", "modern", "auto")],
)


@asynccontextmanager
async def met(wire: str, era: str) -> AsyncIterator[Client]:
    need_sdk()
    if wire == "stdio":
        async with connect(SDK_SERVER, era=era, **HANDLERS) as client:
            yield client
        return
    port = free_port()
    command = python(SDK_SERVER, "--http", str(port))
    async with listening(command, port) as url, connect(url, era=era, **HANDLERS) as client:
        yield client


@every_way
async def test_everything_the_sdk_offers(wire: str, era: str) -> None:
    async with met(wire, era) as client:
        spoken = "2025-11-25" if era == "legacy" else "2026-07-28"
        assert client.revision.name == spoken
        assert client.server_info["name"] == "sdk"
        assert client.instructions == "Be kind."
        await tools(client)
        await the_rest(client)
        assert not client.strays, "nothing it said was strange to us"


async def tools(client: Client) -> None:
    names = (await client.list_tools()).names
    assert names == ["add", "echo", "fail", "report", "wait", "ask", "change"]
    result = await client.call_tool("add", {"a": 1, "b": 2})
    assert result.structured == {"total": 3}
    for words in ("你好 ★ 😀", "\u2028\x85", "a\r\nb", ""):
        assert (await client.call_tool("echo", {"words": words})).text == words
    failed = await client.call_tool("fail")
    assert failed.is_error
    assert "fail" in failed.text
    heard: list[float] = []
    await client.call_tool("report", progress=lambda params: heard.append(params["progress"]))
    assert heard == [1, 2, 3]
    assert (await client.call_tool("ask")).text == "Ada, hello, file:///home"


async def the_rest(client: Client) -> None:
    assert [entry["uri"] for entry in await client.list_resources()] == ["memo://today"]
    assert len(await client.list_resource_templates()) == 1
    assert (await client.read_resource("memo://today")).text == "Buy paper."
    assert (await client.read_resource("memo://monday/text")).text == "Memo of monday."
    with pytest.raises(McpError, match="-3260"):
        await client.read_resource("memo://nowhere/else/text")
    assert (await client.list_prompts()).names == ["greet"]
    assert (await client.get_prompt("greet", {"name": "Bob"})).text == "Greet Bob."
    ref = {"type": "ref/prompt", "name": "greet"}
    assert await client.complete(ref, "name", "A") == ["Ada", "Alan"]
    calls = (client.call_tool("add", {"a": n, "b": n}) for n in range(50))
    results = await asyncio.gather(*calls)
    assert [result.structured["total"] for result in results] == [2 * n for n in range(50)]


@pytest.mark.parametrize("wire", ["stdio", "http"])
@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_a_call_that_takes_too_long_is_left_and_the_server_lives_on(
    wire: str, era: str
) -> None:
    async with met(wire, era) as client:
        with pytest.raises(RequestTimeout):
            await client.call_tool("wait", timeout=0.2)
        assert (await client.call_tool("echo", {"words": "still here"})).text == "still here"


@pytest.mark.parametrize("wire", ["stdio", "http"])
async def test_changes_are_heard_by_listening(wire: str) -> None:
    async with met(wire, "modern") as client:
        heard: asyncio.Queue[str] = asyncio.Queue()
        for method in ("tools/list_changed", "resources/updated"):
            name = f"notifications/{method}"
            client.on(name, lambda params, method=method: heard.put_nowait(method))
        filters = {"toolsListChanged": True, "resourceSubscriptions": ["memo://today"]}
        stream = await client.listen(filters)
        await client.call_tool("change")
        async with asyncio.timeout(10):
            assert {await heard.get(), await heard.get()} == {
                "tools/list_changed",
                "resources/updated",
            }
        stream.cancel()
        assert (await client.call_tool("echo", {"words": "x"})).text == "x"


async def test_what_the_sdk_does_not_declare_is_not_asked() -> None:
    async with met("stdio", "legacy") as client:
        with pytest.raises(NotDeclared, match="logging"):
            await client.request("logging/setLevel", {"level": "debug"})
        assert await client.request("ping") == {}
