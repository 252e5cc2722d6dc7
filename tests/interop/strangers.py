"""How the tests reach what others made, and say what is missing."""

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import node
from linewise import ROOT

PATIENCE = 30.0
"""Seconds until a program must listen: node and the SDK take one to start, or ten when busy."""

SKELETON = ROOT / "tests" / "unit" / "skeleton.py"
"""Our own server with one of each."""

SDK_SERVER = Path(__file__).with_name("sdk_server.py")


def need(module: str, package: str) -> Any:
    """Skip the running test, or fail it in CI, if a module is not installed."""
    if find_spec(module) is None:
        node.missing(f"the module {module}: pip install '{package}'")


def need_sdk() -> None:
    need("mcp", "mcp>=2.3,<3")


def everything(*arguments: str) -> list[str]:
    """The command for npm's server-everything."""
    home = "@modelcontextprotocol/server-everything"
    return [*node.program(home, "mcp-server-everything"), *arguments]


def python(script: Path, *arguments: str) -> list[str]:
    return [sys.executable, str(script), *arguments]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@asynccontextmanager
async def listening(
    command: Sequence[str], port: int, env: Mapping[str, str] | None = None
) -> AsyncIterator[str]:
    """A program that serves MCP over HTTP at this port; it is ended on leaving."""
    process = subprocess.Popen(  # noqa: ASYNC220 -- as everywhere here: any event loop will do
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ | dict(env or {}),
    )
    try:
        await _until_open(process, port)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)
        process.kill()
        process.wait(5)
        process.stderr.close()  # type: ignore[union-attr]


async def _until_open(process: "subprocess.Popen[bytes]", port: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                assert process.poll() is None, process.stderr.read().decode()  # type: ignore
                await asyncio.sleep(0.05)
            else:
                writer.close()
                return
