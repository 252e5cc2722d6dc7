"""Which phase of its life a conversation is in, told from the frames alone.

    handshake   from `initialize` to `notifications/initialized` (revisions up to 2025-11-25)
    discovery   `server/discover` and its answer (since 2026-07-28)
    operation   all that follows, and every request that carries its own version
    shutdown    from the step that ends the connection: standard input closed, DELETE, an exit

Before a first word on versions there is no phase, and the band of such rows has no name.
Clauses: https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle and
https://modelcontextprotocol.io/specification/2026-07-28/server/discover
"""

import re

from ..trace import Frame
from .rows import Row
from .values import get

_VERSION = "io.modelcontextprotocol/protocolVersion"
_ENDS = re.compile(
    r"clos|exit|ended|ends|kill|terminat|stop|gone|died|shut|leave|lost", re.IGNORECASE
)
_AFTER_REQUEST = {"initialize": "handshake", "server/discover": "discovery"}
_OUTSIDE = ("speech", "stderr", "noise")


class Phases:
    """The phase of each peer's conversation so far."""

    def __init__(self) -> None:
        self._now: dict[str | None, str] = {}
        self._last = ""

    def of(self, row: Row, frame: Frame) -> str:
        """The phase this row belongs to; call once for each row, in order."""
        if frame.kind in _OUTSIDE:
            return self._last
        before = self._now.get(frame.peer, "")
        phase, after = _step(before, row, frame)
        self._now[frame.peer] = self._last = after
        return phase


def _step(before: str, row: Row, frame: Frame) -> tuple[str, str]:
    """The phase of this row, and the phase that holds after it."""
    ends = frame.kind == "lifecycle" and frame.x is None  # with x, one exchange alone ended
    if ends and _ENDS.search(frame.text or ""):
        return ("shutdown", "shutdown") if before else ("", "")
    if (frame.http or "").startswith("DELETE"):
        return "shutdown", "shutdown"
    if row.look == "request":
        return _asked(before, row.method, frame)
    if row.method == "notifications/initialized":
        return "handshake", "operation"
    if row.method == "server/discover" and row.look in ("answer", "error"):
        return before, "operation" if row.look == "answer" else ""
    if row.method == "initialize" and row.look == "error":
        return before, ""
    return before, before


def _asked(before: str, method: str, frame: Frame) -> tuple[str, str]:
    if method in _AFTER_REQUEST:
        phase = _AFTER_REQUEST[method]
        return phase, phase
    carries_version = get(frame.message, "params", "_meta", _VERSION) is not None
    if before == "shutdown" or (before in ("", "discovery") and carries_version):
        return "operation", "operation"
    return before, before
