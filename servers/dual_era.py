# snippet: dual_era; mcp_lesson
"""One server, both eras: the same tools for clients that greet and for clients that do not.

The new idea of this rung: there is nothing to do. Which era is spoken is settled by how a client
opens, message by message, and a handler need not know. A client of 2026-07-28 may keep what it read
as long as `ttl_ms` allows; one of 2025-11-25 is told of changes instead.
"""

from datetime import UTC, datetime

from mcp_lesson import Server, run

server = Server("dual-era", "1.0.0", ttl_ms=60_000, cache_scope="public")


@server.tool
async def echo(text: str) -> str:
    """Say a text back."""
    return text


@server.tool
async def add(a: float, b: float) -> str:
    """Add two numbers."""
    return f"{a + b:.15g}"


@server.tool
async def get_time() -> str:
    """The time now, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@server.resource("docs://demo/protocol-notes", name="protocol-notes", mimeType="text/plain")
async def notes() -> str:
    """Three rules of the wire."""
    return "One message is one line.\nstdout is the protocol.\nstderr is for people."


if __name__ == "__main__":
    run(server)
