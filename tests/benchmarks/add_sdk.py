"""The server that is measured, the official SDK's: one tool. Speaks stdio, or `--http PORT`.

Over HTTP it answers as ours does, in one JSON body.
"""

import sys

from mcp.server import MCPServer

mcp = MCPServer("add", log_level="ERROR")


@mcp.tool()
async def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


if __name__ == "__main__":
    if sys.argv[1:2] == ["--http"]:
        mcp.run("streamable-http", port=int(sys.argv[2]), json_response=True)
    else:
        mcp.run("stdio")
