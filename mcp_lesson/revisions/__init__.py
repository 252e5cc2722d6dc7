"""The five revisions of the protocol as tables: what exists, who may send it, what it needs.

A revision is a file in this folder. Each says what it adds to the one before and what it drops,
so that reading the five in order is the history of the protocol. Nothing here runs: the peers, the
rules and the views look things up.

`legacy` revisions open with a handshake; the `modern` one carries all it needs in every request.
Clause: https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#terminology
"""

from collections.abc import Mapping

from . import v2024_11_05, v2025_03_26, v2025_06_18, v2025_11_25, v2026_07_28
from .table import Method, Revision

__all__ = [
    "ALL",
    "LATEST_LEGACY",
    "LEGACY",
    "LOG_LEVELS",
    "META",
    "MODERN",
    "NEWEST",
    "Method",
    "Revision",
    "clause",
    "find",
    "has_capability",
]

_FILES = (v2024_11_05, v2025_03_26, v2025_06_18, v2025_11_25, v2026_07_28)

ALL: Mapping[str, Revision] = {file.REVISION.name: file.REVISION for file in _FILES}
LEGACY = tuple(name for name, revision in ALL.items() if revision.era == "legacy")
MODERN = tuple(name for name, revision in ALL.items() if revision.era == "modern")
LATEST_LEGACY, NEWEST = LEGACY[-1], MODERN[-1]

META = "io.modelcontextprotocol/"
"""The prefix of every `_meta` key that the specification itself defines."""

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""From chatty to catastrophic: the eight severities of RFC 5424."""


def find(name: str) -> Revision:
    """The revision with this date. Raises ValueError that lists the known ones."""
    if name not in ALL:
        raise ValueError(f"{name!r} is no revision of the protocol; known: {', '.join(ALL)}")
    return ALL[name]


def has_capability(capabilities: object, path: str) -> bool:
    """True if capabilities declare this path: "tools", or "resources.subscribe".

    An object, even an empty one, declares; so does `true`; `false` and absence do not.
    """
    for step in path.split("."):
        if not isinstance(capabilities, dict) or step not in capabilities:
            return False
        capabilities = capabilities[step]
    return capabilities is not False and capabilities is not None


def clause(revision: str, page: str) -> str:
    """The address of a page of the specification, such as "server/tools#calling-tools"."""
    return f"https://modelcontextprotocol.io/specification/{revision}/{page}"
