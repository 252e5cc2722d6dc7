"""The server that is measured, the official SDK's: one tool. Speaks stdio, or `--http PORT`.

Over HTTP it answers as ours does, in one JSON body, and is given h11 to parse with, as ours is.
"""

import sys

from mcp.server import MCPServer

mcp = MCPServer("add", log_level="ERROR")


@mcp.tool()
async def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


def serve(port: int) -> None:
    """HTTP, without a line of log for each call."""
    import uvicorn

    app = mcp.streamable_http_app(json_response=True)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error", http="h11", access_log=False)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--http"]:
        serve(int(sys.argv[2]))
    else:
        mcp.run("stdio")
