"""A server for the HTTP tests, whose tools wait where a test wants; and what to send it."""

import asyncio

import raw_http
from by_hand import CALLER, meta_of

from mcp_lesson import Context, Server, jsonrpc
from mcp_lesson.revisions import NEWEST

PING = jsonrpc.request(1, "ping")
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {"roots": {}}, "clientInfo": CALLER}


class Office(Server):
    """A server whose tools wait where the tests want, and say how they ended."""

    def __init__(self) -> None:
        super().__init__("office", logging=True)
        self.running, self.ended, self.gate = 0, list[str](), asyncio.Event()
        self.tool(self.echo)
        self.tool(self.wait)
        self.tool(self.steps)
        self.tool(self.flood)
        self.tool(self.ask_back)

    async def echo(self, words: str = "") -> str:
        return words

    async def wait(self) -> str:
        self.running += 1
        try:
            await self.gate.wait()
            self.ended.append("done")
        except asyncio.CancelledError:
            self.ended.append("cancelled")
            raise
        finally:
            self.running -= 1
        return "waited"

    async def steps(self, ctx: Context) -> str:
        await ctx.progress(1)
        await self.wait()
        return "stepped"

    async def flood(self, ctx: Context) -> str:
        self.running += 1
        try:
            for n in range(3_000):
                await ctx.progress(n, message="x" * 20_000)
        except asyncio.CancelledError:
            self.ended.append("cancelled")
            raise
        finally:
            self.running -= 1
        return "flooded"

    async def ask_back(self, ctx: Context) -> str:
        return str(len(await ctx.roots()))


def modern(method: str, params: dict | None = None, id: object = 1) -> dict:
    return jsonrpc.request(id, method, {**(params or {}), "_meta": meta_of()})  # type: ignore


def modern_headers(method: str, name: str | None = None) -> dict[str, str | None]:
    return {"mcp_protocol_version": NEWEST, "mcp_method": method, "mcp_name": name}


def call(name: str, id: object = 1, **more: object) -> dict:
    return jsonrpc.request(id, "tools/call", {"name": name, **more})  # type: ignore


async def open_session(url: str) -> dict[str, str]:
    """The headers of a new session that is ready."""
    response = await raw_http.send(url, body=jsonrpc.request(0, "initialize", HELLO))
    assert response.status == 200
    session = response.headers["mcp-session-id"]
    assert session.isascii()
    assert session.isprintable()
    headers = {"mcp_session_id": session, "mcp_protocol_version": "2025-11-25"}
    initialized = jsonrpc.notification("notifications/initialized")
    assert (await raw_http.send(url, body=initialized, **headers)).status == 202
    return headers
