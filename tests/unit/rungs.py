"""The programs in `servers/` as a test meets them: started as a program, over stdio or HTTP."""

import asyncio
import contextlib
import os
import queue
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from mcp_lesson import Client, connect, lint

SERVERS = Path(__file__).resolve().parents[2] / "servers"
START = 30.0
"""Seconds until a program must have said its URL; it takes one, or ten when the machine is busy."""

every_way = pytest.mark.parametrize(
    ("wire", "era"),
    [(wire, era) for wire in ("stdio", "http") for era in ("legacy", "modern")],
)


@contextmanager
def listening(name: str, env: Mapping[str, str] | None = None) -> Iterator[str]:
    """A server run with `--http 0`; gives the URL that it prints."""
    process = subprocess.Popen(
        [sys.executable, str(SERVERS / f"{name}.py"), "--http", "0"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | dict(env or {}),
        text=True,
    )
    said: queue.Queue[str] = queue.Queue()
    threading.Thread(target=lambda: said.put(process.stdout.readline()), daemon=True).start()
    try:
        url = said.get(timeout=START).strip()
        assert url.startswith("http://127.0.0.1:"), url
        assert url.endswith("/mcp"), url
        yield url
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)
        process.kill()
        process.communicate()


@asynccontextmanager
async def meeting(
    name: str, wire: str, era: str, env: Mapping[str, str] | None = None, **more: Any
) -> AsyncIterator[Client]:
    """A client of a server of the ladder; on leaving, what was said is judged by the rules."""
    script = SERVERS / f"{name}.py"
    with contextlib.ExitStack() as stack:
        http = wire == "http"
        target = stack.enter_context(listening(name, env)) if http else script
        async with connect(target, era=era, env=None if http else env, **more) as client:
            if http:
                client.wire.command = [str(script)]  # so the guard knows whose words these are
            assert client.era == era
            yield client
            assert not client.strays, "nothing that it said was strange"
    assert not lint(client.trace), lint(client.trace)


class Heard:
    """The notifications of one method, to be awaited one by one."""

    def __init__(self, client: Client, method: str) -> None:
        self.queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        client.on(f"notifications/{method}", self.queue.put_nowait)

    async def next(self) -> dict[str, Any]:
        async with asyncio.timeout(10):
            return await self.queue.get()

    async def uri(self) -> str:
        return str((await self.next())["uri"])

    def nothing_more(self) -> bool:
        return self.queue.empty()
