"""The server that is measured, ours: one tool. Speaks stdio, or HTTP with `--http PORT`."""

from mcp_lesson import Server, run

server = Server("add")


@server.tool
async def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


if __name__ == "__main__":
    run(server)
