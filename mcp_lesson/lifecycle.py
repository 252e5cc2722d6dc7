"""The life of a legacy connection as a table: five states, and what moves one to the next.

    new ── initialize ──▶ initializing ── answered ──▶ agreed ── initialized ──▶ operating
     └───────────────────────┴── closed, or initialize refused ──┴──────────────▶ closed

The peers run on this table and the life-cycle view is drawn from it, so they cannot disagree.
A modern connection has no such life: every request stands alone, so its state is always "open".

Clause: https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
"""

from typing import Any

from . import jsonrpc

STATES = {
    "new": "Nothing was said yet. The client speaks first, and its first word is initialize.",
    "initializing": "The client offered a version and its capabilities; the server has not yet"
    " answered.",
    "agreed": "Version and capabilities are settled. The client has one thing left to say:"
    " notifications/initialized.",
    "operating": "Both sides use what they promised each other.",
    "closed": "The wire is closed. Nothing more can be said on this connection.",
}

PHASES = {
    "new": "handshake",
    "initializing": "handshake",
    "agreed": "handshake",
    "operating": "operation",
    "closed": "shutdown",
}

EVENTS = ("initialize", "answered", "refused", "initialized", "closed")

TRANSITIONS = {
    ("new", "initialize"): "initializing",
    ("initializing", "answered"): "agreed",
    ("initializing", "refused"): "new",
    ("agreed", "initialized"): "operating",
    ("new", "closed"): "closed",
    ("initializing", "closed"): "closed",
    ("agreed", "closed"): "closed",
    ("operating", "closed"): "closed",
}

EARLY: dict[str, dict[str, frozenset[str] | None]] = {
    "new": {"client": frozenset({"initialize", "ping"}), "server": frozenset({"ping"})},
    "initializing": {
        "client": frozenset({"ping", "notifications/cancelled"}),
        "server": frozenset({"ping", "notifications/message"}),
    },
    "agreed": {
        "client": None,
        "server": frozenset({"ping", "notifications/message", "notifications/cancelled"}),
    },
}
"""What each side SHOULD limit itself to before operation; None: no limit. Nothing obliges the
receiver to refuse more."""


def step(state: str, event: str) -> str:
    """The state after this event. An event that has no row changes nothing."""
    return TRANSITIONS.get((state, event), state)


def event_of(message: Any, answers: str | None = None) -> str | None:
    """Which event a message is, or None. `answers` is the method that a response answers."""
    shape = jsonrpc.kind(message)
    if answers == "initialize":
        return {"result": "answered", "error": "refused"}.get(shape)
    if shape in ("request", "notification") and isinstance(message["method"], str):
        said = {"initialize": "initialize", "notifications/initialized": "initialized"}
        return said.get(message["method"])
    return None


def is_early(state: str, sender: str, method: str) -> bool:
    """True if this side SHOULD NOT send this method yet."""
    allowed = EARLY.get(state, {}).get(sender)
    return allowed is not None and method not in allowed
