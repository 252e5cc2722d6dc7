"""The HTTP headers of an exchange, read like the fields of a message."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from .guess import revision_for
from .notation import Field
from .reader import MEMBERS, Row
from .table import clause, elsewhere, pick, rows, types
from .values import name_text, value_text

TABLE = "headers"
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
    shown, text = name_text(name), _value(str(name).lower(), value)
    row, known = _find(str(name).lower(), revision)
    if row is None:
        return Row(shown, 0, shown, text, types()[TABLE].meaning)
    meaning = row.meaning if known else f"{elsewhere(TABLE, row.name, revision)} {row.meaning}"
    page = clause(row.facts.page, revision) if known else ""
    return Row(
        shown,
        0,
        shown,
        text,
        meaning,
        revision in row.facts.required,
        row.facts.setter,
        page,
        known,
    )


def _find(name: str, revision: str) -> tuple[Field | None, bool]:
    for listed in rows(TABLE):
        if name == listed.lower() or (listed[-1] == "*" and name.startswith(listed[:-1].lower())):
            return pick(TABLE, listed, revision)
    return None, False


def _value(name: str, value: Any) -> str:
    if name in _SECRET and isinstance(value, str):
        scheme = value.partition(" ")[0] if " " in value[:20] else ""
        return f"{name_text(scheme)} (not shown)".strip()
    return name_text(value) if isinstance(value, str) else value_text(value)
