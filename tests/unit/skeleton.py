"""One server with one of each, for every wire and both eras. Run as a program it speaks stdio."""

import asyncio

from mcp_lesson import Context, Server, ToolError, run

server = Server("skeleton", "1.0", logging=True, page_size=3)

FORM = {"type": "object", "properties": {"name": {"type": "string", "default": "Ada"}}}


@server.tool
def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


@server.tool
async def report(ctx: Context) -> str:
    """Say how far it is, and a line for the log."""
    await ctx.progress(1, 2, "half")
    await ctx.log("warning", {"at": "half"})
    await ctx.progress(2, 2)
    return "reported"


@server.tool
async def ask(ctx: Context) -> str:
    """Ask everything that can be asked."""
    person = await ctx.elicit("Name?", FORM)
    said = await ctx.sample([{"role": "user", "content": {"type": "text", "text": "Hi"}}])
    roots = await ctx.roots()
    return f"{person['content']['name']}, {said['content']['text']}, {roots[0]['uri']}"


@server.tool
async def wait() -> str:
    """Never answer."""
    await asyncio.Event().wait()
    return "never"


@server.tool
def fail() -> None:
    """Fail in words."""
    raise ToolError("no paper")


@server.tool
def change() -> str:
    """Make the server say that something changed."""
    server.changed("tools")
    server.updated("memo://today")
    return "changed"


@server.tool
def echo(words: str) -> str:
    """Give back the same words."""
    return words


@server.resource("memo://today", mimeType="text/plain")
def memo() -> str:
    """A memo."""
    return "Buy paper."


@server.resource("memo://{day}/{+rest}", mimeType="text/plain")
def memos(day: str, rest: str) -> str:
    """A memo for every day."""
    return f"{day}: {rest}"


@server.prompt
def greet(name: str) -> str:
    """A greeting."""
    return f"Greet {name}."


@server.completion("greet", "name")
def names(typed: str) -> list[str]:
    """Names that begin so."""
    return [name for name in ("Ada", "Alan", "Bob") if name.startswith(typed)]


if __name__ == "__main__":
    run(server)
