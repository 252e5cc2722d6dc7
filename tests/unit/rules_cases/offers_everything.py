"""A server that does all a `Server` can do; run as a program, it speaks stdio.

Its conversations with our client are judged by the rules, in `test_rules_on_ours`.
"""

import asyncio
import base64
from typing import Any

from mcp_lesson import Context, Server, ToolError, run

PIXEL = base64.b64encode(b"\x89PNG\r\n").decode()
FORM = {"type": "object", "properties": {"name": {"type": "string", "default": "Ada"}}}
RESOURCE = {"uri": "note://1", "mimeType": "text/plain", "text": "a note"}

server = Server("everything", logging=True, page_size=3, instructions="Try it all.")


@server.tool
def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


@server.tool(
    outputSchema={
        "type": "object",
        "properties": {"degrees": {"type": "number"}},
        "required": ["degrees"],
    }
)
def weather(city: str) -> dict[str, Any]:
    """Tell the weather."""
    return {"degrees": 21.5}


@server.tool(
    inputSchema={
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    }
)
def book(region: str = "") -> str:
    """Book a journey; the region is repeated in a header."""
    return f"booked for {region}"


@server.tool
def fail() -> str:
    """Fail."""
    raise ToolError("no luck")


@server.tool
def show_all() -> list[Any]:
    """Give one block of each kind."""
    return [
        {"type": "text", "text": "größer 你好"},
        {"type": "image", "data": PIXEL, "mimeType": "image/png"},
        {"type": "audio", "data": PIXEL, "mimeType": "audio/wav"},
        {"type": "resource", "resource": RESOURCE},
        {"type": "resource_link", "uri": "note://1", "name": "note"},
    ]


@server.tool
async def work(steps: int, ctx: Context) -> str:
    """Work a while: report and log."""
    for step in range(steps):
        await ctx.progress(step + 1, steps, f"step {step + 1}")
        await ctx.log("info", {"step": step})
    return "done"


@server.tool
async def wait(ctx: Context) -> str:
    """Wait for ever."""
    await ctx.log("info", "waiting")
    await asyncio.sleep(600)
    return "done"


@server.tool
async def ask(ctx: Context) -> str:
    """Ask the client all there is to ask."""
    answer = await ctx.elicit("Who are you?", FORM)
    said = await ctx.sample([{"role": "user", "content": {"type": "text", "text": "Hello?"}}])
    roots = await ctx.roots()
    return f"{answer['action']}, {said['model']}, {len(roots)}"


@server.tool
async def change(ctx: Context) -> str:
    """Change what is offered."""
    server.changed("tools")
    server.updated("note://1")
    return "changed"


@server.resource("note://1", mimeType="text/plain")
def note() -> str:
    """A note."""
    return "a note"


@server.resource("picture://1", mimeType="image/png")
def picture() -> bytes:
    """A picture."""
    return b"\x89PNG\r\n"


@server.resource("order://{number}")
def order(number: str) -> str:
    """An order."""
    return f"order {number}"


@server.prompt
def greet(name: str) -> str:
    """Greet somebody."""
    return f"Greet {name}."


@server.prompt
def look() -> list[Any]:
    """Look at a picture and a note."""
    picture = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
    return [
        {"role": "user", "content": picture},
        {"role": "user", "content": {"type": "resource", "resource": RESOURCE}},
    ]


@server.completion("greet", "name")
def names(typed: str) -> list[str]:
    """Whom to greet."""
    return [name for name in ("Ada", "Alan", "Grace") if name.startswith(typed)]


if __name__ == "__main__":
    run(server)
