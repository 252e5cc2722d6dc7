"""Which revision a conversation speaks, told from its messages.

The handshake settles it for a whole session. Where there is none, every request names its
revision, and a `resultType`, a modern error code or a method that no older revision has gives
2026-07-28 away. A refused probe counts for nothing once a handshake has followed.
"""

from collections.abc import Callable, Iterable
from typing import Any

from ..jsonrpc import MODERN_CODES
from ..revisions import ALL, LATEST_LEGACY, META, NEWEST
from .notation import REVISIONS

_MODERN_METHODS = ALL[NEWEST].methods.keys() - ALL[LATEST_LEGACY].methods.keys()


def guess_revision(messages: Iterable[Any]) -> str | None:
    """The revision that these messages speak, or None where nothing tells. Never raises."""
    found: dict[str, str] = {}
    for message in messages:
        for sign, look in _SIGNS.items():
            revision = look(message)
            if isinstance(revision, str) and revision in REVISIONS:
                found[sign] = revision
    return next((found[sign] for sign in _SIGNS if sign in found), None)


def revision_for(revision: Any, message: Any = None) -> str:
    """The revision to read by: the one named, or the newest known before it.

    None: the one the message gives away, or else the latest legacy revision.
    """
    if not isinstance(revision, str):
        return guess_revision([message]) or LATEST_LEGACY
    return max((name for name in REVISIONS if name <= revision), default=REVISIONS[0])


def _at(message: Any, *path: str) -> Any:
    for name in path:
        message = message.get(name) if isinstance(message, dict) else None
    return message


def _modern(message: Any) -> str | None:
    code, method = _at(message, "error", "code"), _at(message, "method")
    coded = isinstance(code, int) and code in MODERN_CODES
    named = isinstance(method, str) and method in _MODERN_METHODS
    return NEWEST if coded or named or _at(message, "result", "resultType") else None


def _offered(message: Any) -> Any:
    asks = _at(message, "method") == "initialize"
    return _at(message, "params", "protocolVersion") if asks else None


_SIGNS: dict[str, Callable[[Any], Any]] = {
    "agreed": lambda message: _at(message, "result", "protocolVersion"),
    "named": lambda message: _at(message, "params", "_meta", META + "protocolVersion"),
    "answered": _modern,
    "offered": _offered,
}
"""The signs, the strongest first: each takes a message and may find a revision in it."""
