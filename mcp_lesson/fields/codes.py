"""What an error code means in a revision: a code of JSON-RPC, of MCP, or of nobody."""

from typing import Any

from .. import jsonrpc
from .guess import revision_for
from .notation import Field
from .table import elsewhere, pick, types

_RANGES = (
    (-32099, -32020, "Reserved for MCP, which has not given it a meaning so far."),
    (-32019, -32000, "A code of the sender's own: another program may mean something else by it."),
    (-32768, -32100, "Reserved by JSON-RPC, which has not given it a meaning."),
)


def code_meaning(code: Any, revision: str | None) -> str:
    """A sentence or two on what an error code means in this revision. Never raises."""
    speaks = revision_for(revision)
    if not isinstance(code, int) or isinstance(code, bool):
        return "A code has to be an integer."
    row, known = _row(code, speaks)
    if row is None:
        texts = (text for low, high, text in _RANGES if low <= code <= high)
        return next(texts, types()["ErrorCode"].meaning)
    return row.meaning if known else f"{elsewhere('ErrorCode', row.name, speaks)} {row.meaning}"


def code_is_known(code: Any, revision: str) -> bool:
    """False for a code that only other revisions have; anybody may use a code of nobody's."""
    row, known = _row(code, revision)
    return known or row is None


def code_name(code: Any) -> str:
    """The usual name of a code, such as "Invalid params", or "" if it has none."""
    return jsonrpc.CODES.get(code, "") if isinstance(code, int) else ""


def _row(code: Any, revision: str) -> tuple[Field | None, bool]:
    small = isinstance(code, int) and abs(code) < 10**6
    return pick("ErrorCode", str(code) if small else "", revision)
