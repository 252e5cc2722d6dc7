"""The server that is measured, ours: one tool. Speaks stdio, or HTTP with `--http PORT`.

Over HTTP it is given h11 to parse with, as the other is, whatever else is installed.
"""

import sys

from mcp_lesson import Server, run

server = Server("add")


@server.tool
async def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


def serve(port: int) -> None:
    """HTTP, without a line of log for each call."""
    import uvicorn

    from mcp_lesson.transports.asgi import application

    app = application(server)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error", http="h11", access_log=False)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--http"]:
        serve(int(sys.argv[2]))
    else:
        run(server)
