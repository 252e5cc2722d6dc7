"""The eighty-line server, met by strangers: the official SDK's client, the Inspector."""

import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import node
import pytest
from linewise import ROOT

sdk = pytest.importorskip("mcp", reason="the official SDK is missing: pip install 'mcp>=2.3,<3'")

SCRIPT = ROOT / "servers" / "eighty_lines.py"
NOTES = "docs://demo/protocol-notes"
PROBE_LIMIT = 10.0
"""Seconds that the SDK's client waits on a server that is silent to `server/discover`."""


# --- the official SDK's client ------------------------------------------------------------------


@asynccontextmanager
async def connected(mode: str, log: Path) -> AsyncIterator[Any]:
    """The SDK's client, connected; afterwards the server must have said nothing on stderr."""
    from mcp.client.stdio import stdio_client

    parameters = sdk.StdioServerParameters(command=sys.executable, args=[str(SCRIPT)])
    with log.open("w+", encoding="utf-8") as stderr:
        wire = stdio_client(parameters, errlog=stderr)
        async with sdk.Client(wire, mode=mode) as client:
            yield client
        stderr.seek(0)
        assert stderr.read() == ""


modes = pytest.mark.parametrize("mode", ["auto", "legacy"])


@modes
async def test_sdk_agrees_on_a_version_without_waiting(mode: str, tmp_path: Path) -> None:
    begun = time.perf_counter()
    async with connected(mode, tmp_path / "stderr") as client:
        assert time.perf_counter() - begun < PROBE_LIMIT / 2
        assert client.protocol_version == "2025-11-25"
        assert client.server_info.name == "eighty_lines"
        offered = client.server_capabilities
        assert offered.tools is not None
        assert offered.resources is not None
        assert offered.prompts is None


@modes
async def test_sdk_lists_and_calls_each_tool(mode: str, tmp_path: Path) -> None:
    async with connected(mode, tmp_path / "stderr") as client:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == ["echo", "add", "get_time"]
        assert listed.next_cursor is None
        assert await text_of(client, "echo", {"text": "你好 ★ 😀"}) == ("你好 ★ 😀", False)
        assert await text_of(client, "add", {"a": 3, "b": 4}) == ("7", False)
        now, failed = await text_of(client, "get_time", {})
        assert datetime.fromisoformat(now).tzinfo
        assert not failed


async def text_of(client: Any, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
    answer = await client.call_tool(name, arguments)
    [content] = answer.content
    return content.text, answer.is_error


@modes
async def test_sdk_reads_the_resource(mode: str, tmp_path: Path) -> None:
    async with connected(mode, tmp_path / "stderr") as client:
        [listed] = (await client.list_resources()).resources
        [contents] = (await client.read_resource(NOTES)).contents
        assert str(listed.uri) == str(contents.uri) == NOTES
        assert contents.text
        assert (await client.list_resource_templates()).resource_templates == []


@modes
async def test_sdk_tells_a_refusal_from_a_tool_that_failed(mode: str, tmp_path: Path) -> None:
    async with connected(mode, tmp_path / "stderr") as client:
        text, failed = await text_of(client, "add", {"a": "3", "b": 4})
        assert failed
        assert "the arguments must be" in text
        with pytest.raises(sdk.MCPError) as unknown_tool:
            await client.call_tool("no_such_tool", {})
        assert unknown_tool.value.code == -32602
        with pytest.raises(sdk.MCPError) as unknown_resource:
            await client.read_resource("docs://demo/none")
        assert unknown_resource.value.code == -32002
        assert unknown_resource.value.data == {"uri": "docs://demo/none"}


# --- the Inspector's command line ---------------------------------------------------------------


def inspect(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Let the Inspector start the server, ask one thing, and print the result."""
    command = node.program("@modelcontextprotocol/inspector", "mcp-inspector")
    return subprocess.run(
        [*command, "--cli", sys.executable, str(SCRIPT), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        env=node.environment(),
        check=False,
    )


def printed(*arguments: str) -> Any:
    done = inspect(*arguments)
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    return json.loads(done.stdout.decode("utf-8"))


def test_inspector_lists() -> None:
    tools = printed("--method", "tools/list")["tools"]
    assert [tool["name"] for tool in tools] == ["echo", "add", "get_time"]
    assert [one["uri"] for one in printed("--method", "resources/list")["resources"]] == [NOTES]
    assert printed("--method", "resources/templates/list") == {"resourceTemplates": []}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--tool-name", "add", "--tool-arg", "a=3", "b=4"], "7"),
        (["--tool-name", "echo", "--tool-arg", "text=你好 ★"], "你好 ★"),
        (["--tool-name", "get_time"], None),
    ],
)
def test_inspector_calls(arguments: list[str], text: str | None) -> None:
    [content] = printed("--method", "tools/call", *arguments)["content"]
    assert content["type"] == "text"
    assert content["text"] == text if text else datetime.fromisoformat(content["text"])


def test_inspector_reads() -> None:
    [contents] = printed("--method", "resources/read", "--uri", NOTES)["contents"]
    assert contents["uri"] == NOTES
    assert contents["text"]


def test_inspector_reports_a_refusal() -> None:
    done = inspect("--method", "resources/read", "--uri", "docs://demo/none")
    assert done.returncode != 0
    assert b"Resource not found" in done.stderr + done.stdout
