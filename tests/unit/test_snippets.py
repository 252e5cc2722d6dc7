"""Each snippet that needs Python alone runs where there is Python alone.

It is copied into an empty folder and started with `python -I -S`, which hides this folder and
every installed package from it; then it is spoken to as a host would speak.
"""

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mcp_lesson.school.checkout import find_checkout
from mcp_lesson.school.snippets import Snippet, copy, read_snippets

LIMIT = 20.0
LEGACY, MODERN = "2025-11-25", "2026-07-28"
WHO = {"name": "stranger", "version": "1"}
INITIALIZE = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": WHO}
META = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": WHO,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}


class Stranger:
    """Talks to a process by lines, without anything of this package."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.ids = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self.lines.put(line)
        self.lines.put(b"")

    def send(self, method: str, params: dict[str, Any], **more: Any) -> None:
        assert self.process.stdin is not None
        message = {"jsonrpc": "2.0", "method": method, "params": params, **more}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return the answer with its id; what else is said is passed over."""
        self.ids += 1
        self.send(method, params, id=self.ids)
        for _ in range(100):
            line = self.lines.get(timeout=LIMIT)
            assert line, f"the server went away instead of answering {method}"
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == self.ids and "method" not in answer:
                return answer
        raise AssertionError(f"a hundred messages, and none of them answers {method}")


@contextmanager
def started(program: Path) -> Iterator[Stranger]:
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", program.name],
        cwd=program.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield Stranger(process)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(LIMIT) == 0, "a server leaves by itself when its input ends"
    finally:
        process.kill()
        process.wait()


def greet(stranger: Stranger) -> tuple[dict[str, Any], dict[str, Any]]:
    """Greet in either era; return what the server said of itself, and what requests must carry."""
    answer = stranger.ask("initialize", INITIALIZE)
    if "result" in answer:
        stranger.send("notifications/initialized", {})
        return answer["result"], {}
    return stranger.ask("server/discover", META)["result"], META


def stdlib_snippets(place: str) -> list[Snippet]:
    found = read_snippets(find_checkout()).values()
    return [one for one in found if one.needs == "stdlib" and one.source.startswith(place)]


def test_each_stdlib_server_greets_and_lists_its_tools_anywhere(tmp_path: Path) -> None:
    servers = stdlib_snippets("servers/")
    assert "eighty_lines" in {server.name for server in servers}
    for server in servers:
        folder = tmp_path / server.name
        folder.mkdir()
        with started(copy(server, folder)) as stranger:
            said, needed = greet(stranger)
            assert said["capabilities"], server.name
            if "tools" in said["capabilities"]:
                tools = stranger.ask("tools/list", needed)["result"]["tools"]
                assert all(tool["inputSchema"]["type"] == "object" for tool in tools), server.name


def test_each_stdlib_cell_runs_anywhere(tmp_path: Path) -> None:
    for cell in stdlib_snippets("notebooks/"):
        folder = tmp_path / cell.name
        folder.mkdir()
        done = subprocess.run(
            [sys.executable, "-I", "-S", copy(cell, folder).name],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LIMIT,
        )
        assert done.returncode == 0, f"{cell.source}: {done.stderr.decode(errors='replace')}"


def test_every_server_is_a_snippet() -> None:
    checkout = find_checkout()
    files = {f"servers/{path.name}" for path in (checkout / "servers").glob("*.py")}
    assert files == {
        snippet.source
        for snippet in read_snippets(checkout).values()
        if snippet.source.startswith("servers/")
    }
