"""Draws the picture that opens the README, from a conversation that this script holds itself.

    python docs/make_picture.py

starts `servers/eighty_lines.py` with a careless `print` in it, calls two tools, one of which does
not exist, and writes what crossed the wire as `diagram.svg` and `diagram-dark.svg` beside itself.
Every run draws the same: times and process numbers are in no picture.
"""

import asyncio
import contextlib
import sys
from pathlib import Path

from mcp_lesson import McpError, Trace, connect, show

HERE = Path(__file__).resolve().parent
CARELESS = f"""
import sys
sys.path.insert(0, {str(HERE.parent / "servers")!r})
import eighty_lines as server

exact = server.call_tool

def call_tool(name, arguments):
    if name == "add":
        print("adding two numbers", flush=True)  # on standard output, which is for messages alone
    return exact(name, arguments)

server.call_tool = call_tool
server.loop()
"""


async def talk() -> Trace:
    """One short conversation with a real server: a greeting, a call, noise, an error, the end."""
    trace = Trace()
    command = [sys.executable, "-c", CARELESS]
    async with connect(command, era="legacy", trace=trace) as client:
        await client.call_tool("add", {"a": 3, "b": 4})
        with contextlib.suppress(McpError):
            await client.call_tool("multiply", {"a": 3, "b": 4})
    return trace


def draw() -> dict[str, str]:
    """The pictures by the name of their file."""
    drawing = show(asyncio.run(talk()))
    return {"diagram.svg": drawing.svg(), "diagram-dark.svg": drawing.svg(dark=True)}


if __name__ == "__main__":
    for name, svg in draw().items():
        (HERE / name).write_text(svg + "\n", encoding="utf-8", newline="\n")
        print(f"wrote docs/{name}")
