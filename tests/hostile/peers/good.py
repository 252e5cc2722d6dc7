"""Does nothing wrong: a small server of both eras, for the misbehaving ones to spoil."""

import json
import sys
from collections.abc import Iterator
from typing import Any

TOOL = {"name": "wait", "description": "Does nothing.", "inputSchema": {"type": "object"}}

RESULTS: dict[str, dict[str, Any]] = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "peer", "version": "1"},
    },
    "server/discover": {
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}},
        "resultType": "complete",
    },
    "ping": {},
    "tools/list": {"tools": [TOOL]},
    "tools/call": {"content": [{"type": "text", "text": "done"}]},
}


def messages() -> Iterator[dict[str, Any]]:
    """What the client says, until it says no more."""
    for line in sys.stdin.buffer:
        yield json.loads(line)


def requests() -> Iterator[dict[str, Any]]:
    """What the client asks."""
    return (message for message in messages() if "method" in message and "id" in message)


def answer(message: dict[str, Any], legacy: bool = True) -> dict[str, Any]:
    """The right answer of a legacy server; it knows no server/discover."""
    method, reply = message["method"], {"jsonrpc": "2.0", "id": message["id"]}
    if method not in RESULTS or (legacy and method == "server/discover"):
        return {**reply, "error": {"code": -32601, "message": "Method not found"}}
    return {**reply, "result": RESULTS[method]}


def write(data: bytes) -> None:
    """Put bytes on stdout, at once."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def say(message: Any) -> None:
    """Put a message on stdout."""
    write(json.dumps(message).encode() + b"\n")


def serve() -> None:
    """Answer everything as it should be."""
    for message in requests():
        say(answer(message))
