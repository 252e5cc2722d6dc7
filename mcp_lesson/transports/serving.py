"""The program around an ASGI application: uvicorn on a socket that was bound before.

Bound first, so that a port that is taken is an error here and now, and port 0 has a number by the
time anyone asks. It lasts as long as a block, and leaves nothing behind.
"""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn

from ..limits import DEFAULT, Limits
from ..server import Server
from .asgi import application


class _Uvicorn(uvicorn.Server):
    """uvicorn without its hands on our signals: in a notebook, Ctrl-C is the kernel's."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serving(
    server: Server, *, host: str, port: int, limits: Limits = DEFAULT, **more: Any
) -> AsyncIterator[str]:
    """Serve while the block lasts; gives the URL once it answers. Raises OSError: port taken."""
    app = application(server, limits=limits, **more)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=1024)
    # Or else the second half of an answer waits 40 ms for the first half to be acknowledged.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        proxy_headers=False,  # nothing that a proxy says of a caller is used here
        server_header=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=1,
    )
    http = _Uvicorn(config)
    running = asyncio.get_running_loop().create_task(http.serve(sockets=[listener]))
    try:
        while not (http.started or running.done()):  # noqa: ASYNC110 -- uvicorn has no event
            await asyncio.sleep(0.005)
        name = f"[{host}]" if ":" in host else host
        yield f"http://{name}:{listener.getsockname()[1]}{more.get('path', '/mcp')}"
    finally:
        await app.close()
        http.should_exit = True
        await running
        listener.close()
