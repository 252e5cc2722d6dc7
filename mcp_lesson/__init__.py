"""mcp_lesson: talk the Model Context Protocol by hand, see every message, judge it by its rules.

The names a notebook uses are imported when first asked for, so that importing the package costs
next to nothing.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "Trace": ".trace",
    "Frame": ".trace",
    "Client": ".client",
    "Server": ".server",
    "Context": ".context",
    "Limits": ".limits",
    "McpError": ".peer",
    "ConnectionLost": ".peer",
    "RequestTimeout": ".peer",
    "HandshakeError": ".negotiation",
    "ToolError": ".context",
    "NotFound": ".context",
    "connect": ".doors",
    "serve": ".doors",
    "run": ".doors",
    "show": ".views",
    "explain": ".views",
    "lint": ".rules",
    "predict": ".views",
    "life_cycle": ".views",
    "handshake_explorer": ".views",
    "tool_form": ".views",
    "ask_human": ".views",
    "approve": ".views",
    "adapters": ".views",
    "bars": ".views",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name], __name__), name)


def __dir__() -> list[str]:
    return __all__
