"""HTTP by hand, both ways: a caller that writes what it likes, and a server that answers by script.

Over HTTP/1.0 a body ends with its connection, so that nothing needs to be unframed.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

PATIENCE = 10.0

BOTH = "application/json, text/event-stream"


@dataclass
class Response:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes = b""

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def events(self) -> list[Any]:
        """The messages of a whole stream."""
        lines = self.body.decode().split("\n")
        return [json.loads(line[6:]) for line in lines if line.startswith("data: {")]


@dataclass
class Exchange:
    """One request under way: its response is read piece by piece."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    response: Response = field(default_factory=lambda: Response(0, {}))

    async def head(self) -> Response:
        """Wait for the status and the headers."""
        async with asyncio.timeout(PATIENCE):
            raw = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        self.response.status = int(raw[0].split()[1])
        pairs = (line.partition(":") for line in raw[1:] if line)
        self.response.headers = {name.lower(): value.strip() for name, _, value in pairs}
        return self.response

    async def event(self) -> Any:
        """The next message of a stream."""
        async with asyncio.timeout(PATIENCE):
            while True:
                line = (await self.reader.readline()).decode()
                if line.startswith("data: {"):
                    return json.loads(line[6:])
                if not line:
                    raise EOFError("the stream is over")

    async def rest(self) -> Response:
        """Everything to the end."""
        async with asyncio.timeout(PATIENCE):
            self.response.body = await self.reader.read()
        self.close()
        return self.response

    def close(self) -> None:
        self.writer.close()


def bytes_of(url: str, method: str, headers: Mapping[str, str | None], body: bytes) -> bytes:
    """A whole HTTP/1.0 request; a header that is None is left out."""
    parts = urlsplit(url)
    defaults = {
        "Host": parts.netloc,
        "Accept": BOTH,
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
    }
    lower = {name.lower() for name in headers}
    kept = {name: value for name, value in defaults.items() if name.lower() not in lower}
    lines = [f"{n}: {v}" for n, v in {**kept, **headers}.items() if v is not None]
    head = "\r\n".join([f"{method} {parts.path} HTTP/1.0", *lines, "", ""])
    return head.encode("utf-8") + body


async def begin(url: str, method: str = "POST", body: Any = b"", **headers: str | None) -> Exchange:
    """Send a request; names of headers are written with underscores."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    writer.write(bytes_of(url, method, named, raw))
    return Exchange(reader, writer)


async def send(url: str, method: str = "POST", body: Any = b"", **headers: str | None) -> Response:
    """One whole exchange."""
    exchange = await begin(url, method, body, **headers)
    await exchange.head()
    return await exchange.rest()


# -- a server that answers by script ---------------------------------------------------------------


@dataclass
class Request:
    """What a client sent to a scripted server."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body) if self.body else None


Script = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def scripted(script: Script) -> AsyncIterator[str]:
    """A server on loopback that lets `script` answer each request; one request a connection."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await script(await read_request(reader), writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client left
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        host, port = server.sockets[0].getsockname()
        yield f"http://{host}:{port}/mcp"


async def read_request(reader: asyncio.StreamReader) -> Request:
    raw = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = raw[0].split()
    pairs = (line.partition(":") for line in raw[1:] if line)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(method, path, headers, body)


def respond(
    writer: asyncio.StreamWriter,
    body: Any = b"",
    status: int = 200,
    kind: str = "application/json",
    **headers: str,
) -> None:
    """Write a whole response, or the head of one whose body follows (kind text/event-stream)."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if kind != "text/event-stream":
        named["content-length"] = str(len(raw))
    lines = [f"{name}: {value}" for name, value in named.items()]
    head = [f"HTTP/1.1 {status} X", f"content-type: {kind}", "connection: close", *lines, "", ""]
    writer.write("\r\n".join(head).encode() + raw)


def event(message: Any = None, **members: object) -> bytes:
    """One server-sent event."""
    lines = [f"{name}: {value}" for name, value in members.items()]
    lines.append("data: " + ("" if message is None else json.dumps(message, ensure_ascii=False)))
    return ("\n".join(lines) + "\n\n").encode()
