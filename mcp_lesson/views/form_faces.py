"""The fields of a form as text, as HTML, and as what the live view builds its inputs from.

Titles, descriptions and names in a form come from a server, and this is where they pass through
`marks`: what cannot be seen is made visible, and nothing is longer than a line or a few.
"""

import json
import textwrap
from collections.abc import Iterator
from typing import Any, NamedTuple

from .. import jsonrpc
from .form_fields import ABSENT, Field
from .form_values import blank
from .marks import columns, fit, plain
from .shapes import safe

WIDTH = 78
_NAME, _VALUE = 20, 24
_LINES = 12
_PILLS, _PILL_LETTERS = 5, 44
_SHORT = 40


class Row(NamedTuple):
    """One line of a form that is only looked at: `value` is "" where nothing was filled in."""

    depth: int
    name: str
    value: str
    words: str


def lines_of(text: str) -> str:
    """A text from a server, its first lines, each made safe to look at."""
    return "\n".join(plain(line) for line in text.splitlines()[:_LINES])


def pretty(value: Any, margin: str = "", before: str = "") -> str:
    """A value as JSON: what is short on one line, the members of what is long on one each."""
    short = json.dumps(value, ensure_ascii=False)
    if len(margin + before + short) <= _SHORT or not isinstance(value, dict | list) or not value:
        return short
    deeper = margin + "  "
    if isinstance(value, list):
        inside = [pretty(item, deeper) for item in value]
        return _in_lines("[", inside, "]", margin)
    inside = [f"{json.dumps(name)}: {pretty(part, deeper, name)}" for name, part in value.items()]
    return _in_lines("{", inside, "}", margin)


def _in_lines(opening: str, inside: list[str], closing: str, margin: str) -> str:
    lines = ",".join(f"\n{margin}  {one}" for one in inside)
    return f"{opening}{lines}\n{margin}{closing}"


def rows(field: Field, value: Any = ABSENT) -> list[Row]:
    """The fields inside this one, in order; with what was filled in, once something was."""
    return list(_inside(field, value, 0, asking=value is ABSENT))


def _inside(field: Field, value: Any, depth: int, asking: bool) -> Iterator[Row]:
    parts = field.parts or ((field.item,) if field.item else ())
    if depth == 0 and field.kind not in ("object", "list"):
        parts = (field,)
    for part in parts:
        filled = value.get(part.name, ABSENT) if isinstance(value, dict) else ABSENT
        name = plain(part.name) or ("each item" if depth else "the value")
        has_parts = bool(part.parts or (part.item and part.item.parts))
        shown = "" if filled is ABSENT or (has_parts and part.parts) else jsonrpc.dumps(filled)
        yield Row(depth, name, plain(shown), words_of(part, asking))
        if has_parts:
            yield from _inside(part, filled, depth + 1, asking)


def words_of(field: Field, asking: bool = True) -> str:
    """What a form says of one field, in one line; what may be filled in only while it asks."""
    needs = ["required"] if field.required and field.name else []
    if field.default not in (ABSENT, None):
        needs.append(f"{_proposed(field)} unless changed")
    parts = [field.title, field.words, *([", ".join([field.hint, *needs])] if asking else [])]
    return plain(" · ".join(part.strip() for part in parts if part.strip()))


def _proposed(field: Field) -> str:
    """The default, in the words that a person sees."""
    chosen = blank(field)
    if field.kind == "choice" and chosen >= 0:
        return plain(field.options[chosen].label, 40)
    return plain(jsonrpc.dumps(field.default), 40)


def as_text(listed: list[Row], indent: str = "  ") -> list[str]:
    """The rows in columns, wrapped."""
    name = min(_NAME, max((columns("  " * row.depth + row.name) for row in listed), default=0))
    value = min(_VALUE, max((columns(row.value) for row in listed), default=0))
    made = []
    for row in listed:
        cells = [_padded("  " * row.depth + row.name, name)]
        cells += [_padded(row.value, value)] if value else []
        start = indent + "  ".join(cells) + "  "
        rest = " " * columns(start)
        words = textwrap.wrap(row.words, WIDTH, initial_indent=start, subsequent_indent=rest)
        made += words or [start]
    return [line.rstrip() for line in made]


def _padded(text: str, room: int) -> str:
    text = fit(text, room)
    return text + " " * (room - columns(text))


def as_html(listed: list[Row]) -> str:
    """The rows as a list; a list and no table, since some pages turn a table's words round."""
    items = "".join(f"<li>{'&emsp;' * row.depth}{_item(row)}</li>" for row in listed)
    return f"<ul>{items}</ul>" if items else ""


def _item(row: Row) -> str:
    value = f" <strong>{safe(row.value)}</strong>" if row.value else ""
    words = f" · {safe(row.words)}" if row.words else ""
    return f"<code>{safe(row.name)}</code>{value}{words}"


def sent(field: Field) -> dict[str, Any]:
    """What the live view builds the input of one field from."""
    labels = [plain(option.label, 80) for option in field.options]
    few = len(labels) <= _PILLS and sum(map(len, labels)) <= _PILL_LETTERS
    return {
        "name": field.name,
        "label": plain(field.title or field.name),
        "kind": field.kind,
        "words": lines_of(field.words),
        "hint": plain(field.limits),
        "required": field.required and bool(field.name),
        "labels": labels,
        "pills": few or field.kind == "choices",
        "long": field.long,
        "hidden": field.format == "password",
        "parts": [sent(part) for part in field.parts],
        "item": sent(field.item) if field.item else None,
        "blank": blank(field),
    }
