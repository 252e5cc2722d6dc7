"""Tool calls a second over HTTP, 16 at once, one server process: ours against the SDK's.

Run me: python tests/benchmarks/http_calls.py [--rounds 8] [--calls 800] [--era modern]

The generator writes the bytes of a request and reads those of its answer, nothing else, in a
process of its own: a real client would be slower than either server. Each server is run the way
its own project runs it; both stand on uvicorn, which picks the same parser for both, and both
answer in one JSON body. Both are up at once, on one core, the generator on another where there is
one, and they are measured in turns. Beside the speed stands what a call costs the server's
processor, which a busy machine changes least.
"""

import argparse
import asyncio
import json
import re
import socket
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil
from tables import on_core, table, verdict

PROMISE = 2.5
"""How many times more calls a second than the SDK's server."""

AT_ONCE = 16
PATIENCE = 60.0
HERE = Path(__file__).parent
SERVERS = {"ours": HERE / "add_ours.py", "the SDK's": HERE / "add_sdk.py"}
MODERN = "2026-07-28"
BLANK = b"--------"
META = "io.modelcontextprotocol/"
WHO = {"name": "generator", "version": "1"}


def post(port: int, message: dict[str, Any], **headers: str) -> bytes:
    """The bytes of one POST."""
    body = json.dumps(message).encode()
    lines = [
        "POST /mcp HTTP/1.1",
        f"host: 127.0.0.1:{port}",
        "accept: application/json, text/event-stream",
        "content-type: application/json",
        f"content-length: {len(body)}",
        *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


def call(port: int, era: str, session: str) -> bytes:
    """The bytes of one tool call, with a place for its id."""
    params: dict[str, Any] = {"name": "add", "arguments": {"a": 3, "b": 4}}
    message = {"jsonrpc": "2.0", "id": BLANK.decode(), "method": "tools/call", "params": params}
    if era == "legacy":
        return post(port, message, mcp_session_id=session, mcp_protocol_version="2025-11-25")
    params["_meta"] = {
        META + "protocolVersion": MODERN,
        META + "clientInfo": WHO,
        META + "clientCapabilities": {},
    }
    routed = {"mcp_method": "tools/call", "mcp_name": "add", "mcp_protocol_version": MODERN}
    return post(port, message, **routed)


class Caller(asyncio.Protocol):
    """One connection: asks, and asks again when it is answered, as long as there is work left."""

    def __init__(self, request: bytes, left: list[int], done: "asyncio.Future[None]") -> None:
        self.request, self.left, self.done, self.data = request, left, done, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: Any = transport
        self.next()

    def next(self) -> None:
        if self.left[0] > 0:
            self.left[0] -= 1
            self.transport.write(self.request.replace(BLANK, b"%08d" % self.left[0]))
        else:
            self.done.set_result(None)
            self.transport.close()

    def data_received(self, data: bytes) -> None:
        self.data += data
        head, found, body = self.data.partition(b"\r\n\r\n")
        if not found:
            return
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        if len(body) >= length:
            if b'"7"' not in body or not head.startswith(b"HTTP/1.1 200"):
                self.done.set_exception(RuntimeError(self.data.decode()))
                return
            self.data = b""
            self.next()


async def burst(port: int, request: bytes, calls: int) -> float:
    """Calls a second."""
    loop = asyncio.get_running_loop()
    left, ends = [calls], [loop.create_future() for _ in range(AT_ONCE)]
    begun = time.perf_counter()
    for end in ends:
        await loop.create_connection(lambda end=end: Caller(request, left, end), "127.0.0.1", port)
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*ends)
    return calls / (time.perf_counter() - begun)


def open_session(port: int) -> str:
    """The id of a new session (legacy)."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": WHO}
    message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}
    found = re.search(r"mcp-session-id: *(\S+)", exchange(port, post(port, message)), re.IGNORECASE)
    session = found[1] if found else ""
    told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    exchange(port, post(port, told, mcp_session_id=session, mcp_protocol_version="2025-11-25"))
    return session


def exchange(port: int, request: bytes) -> str:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as wire:
        wire.sendall(request)
        data = b""
        while b"\r\n\r\n" not in data:
            data += wire.recv(65536)
        return data.decode("latin-1")


def start(script: Path, stack: ExitStack) -> tuple[int, psutil.Process]:
    """Start a server on a free port; wait until it listens."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    command = [sys.executable, str(script), "--http", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    stack.callback(process.wait, 10)
    stack.callback(process.terminate)
    on_core(0, process.pid)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return port, psutil.Process(process.pid)
    raise RuntimeError(f"{script.name} does not listen")


def spent(process: psutil.Process) -> float:
    """Seconds of the processor that a process has used so far."""
    times = process.cpu_times()
    return float(times.user + times.system)


def measure(era: str, rounds: int, calls: int) -> dict[str, tuple[float, float]]:
    """Calls a second, the median of so many bursts in turns; microseconds that each call cost."""
    with ExitStack() as stack:
        servers = {name: start(script, stack) for name, script in SERVERS.items()}
        requests = {
            name: call(port, era, open_session(port) if era == "legacy" else "")
            for name, (port, _) in servers.items()
        }
        for name, (port, _) in servers.items():  # warm up
            asyncio.run(burst(port, requests[name], calls))
        before = {name: spent(process) for name, (_, process) in servers.items()}
        speeds: dict[str, list[float]] = {name: [] for name in servers}
        for _ in range(rounds):
            for name, (port, _) in servers.items():
                speeds[name].append(asyncio.run(burst(port, requests[name], calls)))
        cost = {
            name: (spent(process) - before[name]) * 1e6 / (rounds * calls)
            for name, (_, process) in servers.items()
        }
    return {name: (statistics.median(speeds[name]), cost[name]) for name in speeds}


def main() -> bool:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--calls", type=int, default=800)
    parser.add_argument("--era", choices=["modern", "legacy"], default="modern")
    given = parser.parse_args()
    on_core(1)
    found = measure(given.era, given.rounds, given.calls)
    print(f"\nTool calls over HTTP, {AT_ONCE} at once, {given.era}\n")
    head = ["server", "calls a second", "processor, µs a call"]
    print(table(head, [[name, *figures] for name, figures in found.items()]))
    ratio = found["ours"][0] / found["the SDK's"][0]
    return verdict("our server does more calls a second", ratio, PROMISE)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
