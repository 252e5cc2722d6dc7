"""The official SDK's client meets a server of ours, over stdio and HTTP, in both eras."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from strangers import SKELETON, need_sdk

from mcp_lesson import serve

sys.path.insert(0, str(SKELETON.parent))
import skeleton

every_way = pytest.mark.parametrize(
    ("wire", "mode"), [(wire, mode) for wire in ("stdio", "http") for mode in ("legacy", "auto")]
)


@asynccontextmanager
async def met(wire: str, mode: str, **callbacks: Any) -> AsyncIterator[Any]:
    """The SDK's client, connected to the skeleton."""
    need_sdk()
    import mcp
    from mcp.client.stdio import stdio_client

    if wire == "http":
        async with serve(skeleton.server) as url, mcp.Client(url, mode=mode, **callbacks) as client:
            yield client
        return
    parameters = mcp.StdioServerParameters(command=sys.executable, args=[str(SKELETON)])
    with open(os.devnull, "w") as nowhere:  # noqa: ASYNC230 -- pytest's stderr is no real file
        wires = stdio_client(parameters, errlog=nowhere)
        async with mcp.Client(wires, mode=mode, **callbacks) as client:
            yield client


def spoken(mode: str) -> str:
    return "2025-11-25" if mode == "legacy" else "2026-07-28"


@every_way
async def test_everything_we_offer(wire: str, mode: str) -> None:
    from mcp.types import PromptReference

    async with met(wire, mode) as client:
        assert client.protocol_version == spoken(mode)
        assert client.server_info.name == "skeleton"
        names, cursor = [], None
        while True:
            page = await client.list_tools(cursor=cursor)
            names += [tool.name for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert names == ["add", "report", "ask", "wait", "fail", "change", "echo"]
        assert await text(client, "add", a=1, b=2) == ("3", False)
        assert await text(client, "fail") == ("no paper", True)
        for words in ("你好 ★ 😀", "\u2028\x85", "a\r\nb", ""):
            assert await text(client, "echo", words=words) == (words, False)
        heard: list[tuple[float, float | None, str | None]] = []

        async def progress(done: float, total: float | None, message: str | None) -> None:
            heard.append((done, total, message))

        await client.call_tool("report", progress_callback=progress)
        assert heard == [(1, 2, "half"), (2, 2, None)]
        [resource] = (await client.list_resources()).resources
        [contents] = (await client.read_resource(resource.uri)).contents
        assert (contents.text, contents.mime_type) == ("Buy paper.", "text/plain")
        [template] = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "memo://{day}/{+rest}"
        [prompt] = (await client.list_prompts()).prompts
        [message] = (await client.get_prompt(prompt.name, {"name": "Bob"})).messages
        assert message.content.text == "Greet Bob."
        reference = PromptReference(type="ref/prompt", name="greet")
        found = await client.complete(reference, {"name": "name", "value": "A"})
        assert found.completion.values == ["Ada", "Alan"]
        calls = (client.call_tool("add", {"a": n, "b": n}) for n in range(50))
        results = await asyncio.gather(*calls)
        assert [int(r.content[0].text) for r in results] == [2 * n for n in range(50)]


async def text(client: Any, name: str, **arguments: Any) -> tuple[str, bool]:
    result = await client.call_tool(name, arguments)
    return result.content[0].text, bool(result.is_error)


@every_way
async def test_our_server_asks_back(wire: str, mode: str) -> None:
    from mcp.types import CreateMessageResult, ElicitResult, ListRootsResult, Root, TextContent

    async def elicitation(context: Any, params: Any) -> Any:
        assert params.message == "Name?"
        return ElicitResult(action="accept", content={"name": "Ada"})

    async def sampling(context: Any, params: Any) -> Any:
        content = TextContent(type="text", text="hello")
        return CreateMessageResult(role="assistant", content=content, model="m")

    async def roots(context: Any) -> Any:
        return ListRootsResult(roots=[Root(uri="file:///home")])

    callbacks = {
        "elicitation_callback": elicitation,
        "sampling_callback": sampling,
        "list_roots_callback": roots,
    }
    async with met(wire, mode, **callbacks) as client:
        assert await text(client, "ask") == ("Ada, hello, file:///home", False)


@every_way
async def test_what_a_client_did_not_declare_is_not_asked(wire: str, mode: str) -> None:
    import mcp

    async with met(wire, mode) as client:
        if mode == "legacy":
            words, failed = await text(client, "ask")
            assert failed
            assert "needs the client capability elicitation" in words
        else:
            with pytest.raises(mcp.MCPError, match="elicitation"):
                await client.call_tool("ask")


@pytest.mark.parametrize("wire", ["stdio", "http"])
async def test_the_sdk_hears_changes_by_listening(wire: str) -> None:
    async with met(wire, "auto") as client:
        kinds = set()
        async with client.listen(
            tools_list_changed=True, resource_subscriptions=["memo://today"]
        ) as subscription:
            await client.call_tool("change")
            async with asyncio.timeout(10):
                async for event in subscription:
                    kinds.add(type(event).__name__)
                    if len(kinds) == 2:
                        break
        assert kinds == {"ToolsListChanged", "ResourceUpdated"}


@pytest.mark.filterwarnings("ignore:.* as of 2026-07-28")
@pytest.mark.parametrize("wire", ["stdio", "http"])
async def test_the_sdk_hears_log_lines_and_changes_in_a_session(wire: str) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()

    async def handler(message: Any) -> None:
        heard.put_nowait(getattr(message, "method", None) or type(message).__name__)

    async with met(wire, "legacy", message_handler=handler) as client:
        await client.set_logging_level("info")
        await client.subscribe_resource("memo://today")
        await client.call_tool("report")
        await client.call_tool("change")
        wanted = {"notifications/message", "notifications/resources/updated"}
        wanted.add("notifications/tools/list_changed")
        async with asyncio.timeout(10):
            while wanted:
                wanted.discard(await heard.get())
        await client.unsubscribe_resource("memo://today")
