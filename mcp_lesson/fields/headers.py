"""The HTTP headers of an exchange, read like the fields of a message."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from .guess import revision_for
from .notes import Note, note_of_field
from .reader import MEMBERS, Place, Row, row
from .table import rows, types
from .values import name_text, value_text

_TABLE = "headers"
_SECRET = frozenset({"authorization", "cookie", "set-cookie", "proxy-authorization"})


def read_headers(headers: Mapping[str, str] | None, revision: str | None = None) -> list[Row]:
    """Explain the headers of an HTTP request or response, in their own order. Never raises.

    A line's name is the header's; "required" holds wherever the header applies. The value of a
    header that carries a secret is not shown.
    """
    if not isinstance(headers, Mapping):
        return []
    speaks = revision_for(revision)
    return [_row(name, value, speaks) for name, value in islice(headers.items(), MEMBERS)]


def _row(name: Any, value: Any, revision: str) -> Row:
    shown, lower = name_text(name), name_text(name).lower()
    listed = _listed(lower)
    note = Note(types()[_TABLE].meaning)
    if listed:
        note = note_of_field(_TABLE, listed, None, revision)
    return row(Place(shown, 0, shown), _value(lower, value), note)


def _listed(name: str) -> str:
    """The name under which the table has a header, or "" if it has not; "Mcp-Param-*" has many."""
    for listed in rows(_TABLE):
        start, star, _ = listed.lower().partition("*")
        if name == start or (star and name.startswith(start)):
            return listed
    return ""


def _value(name: str, value: Any) -> str:
    if not isinstance(value, str):
        return value_text(value)
    if name in _SECRET:
        scheme = value.partition(" ")[0] if " " in value[:20] else ""
        return f"{name_text(scheme)} (not shown)".strip()
    return name_text(value)
