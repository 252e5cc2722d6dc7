"""Short text for any JSON value, however large, deep or strange.

What stands in a message was written by a stranger. So nothing here is copied whole, every cut is
marked, and characters that do not show or turn the writing around are spelled out as escapes.
"""

import json
import math
from collections.abc import Iterable
from itertools import islice
from typing import Any

VALUE_LIMIT = 80
"""Characters that the text of a value may have, quotes and cut marks not counted."""

NAME_LIMIT = 60
"""Characters that the text of a name may have."""

_BIG = 10**30


def value_text(value: Any, limit: int = VALUE_LIMIT) -> str:
    """A value in at most about `limit` characters: "…" marks what was cut.

    An object is `{…}`, a list of objects `[3 items]`, a list of plain values is written out as far
    as it goes, and a long text says how long it is.
    """
    if isinstance(value, dict):
        return "{…}" if value else "{}"
    if isinstance(value, list | tuple):
        return _list_text(value, limit)
    return _plain_text(value, limit)


def name_text(name: Any) -> str:
    """The name of a member, made fit to print."""
    text = name if isinstance(name, str) else str(type(name).__name__)
    return _visible(text[:NAME_LIMIT]) + ("…" if len(text) > NAME_LIMIT else "")


def is_plain(value: Any) -> bool:
    """True for what has nothing inside: text, number, true, false, null."""
    return not isinstance(value, dict | list | tuple)


def count(number: int, noun: str) -> str:
    """A number and its noun, such as "1 item" or "3 items"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _list_text(items: list[Any] | tuple[Any, ...], limit: int) -> str:
    if not all(is_plain(item) for item in islice(items, 20)):
        return f"[{count(len(items), 'item')}]"
    text = ""
    for number, item in enumerate(items):
        part = _plain_text(item, limit)
        if number and len(text) + len(part) > limit:
            return f"[{text}, … {len(items) - number:,} more]"
        text += (", " if number else "") + part
    return f"[{text}]"


def _plain_text(value: Any, limit: int) -> str:
    if isinstance(value, str):
        return _string_text(value, limit)
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, int):
        return str(value) if abs(value) < _BIG else f"a number of about {_digits(value):,} digits"
    if isinstance(value, float):
        return repr(float(value))
    return f"({type(value).__name__})"


def _string_text(text: str, limit: int) -> str:
    shown = _visible(json.dumps(text[:limit], ensure_ascii=False)[1:-1])
    if len(text) <= limit:
        return f'"{shown}"'
    return f'"{shown}…" ({count(len(text), "character")})'


def _visible(text: str) -> str:
    return "".join(_escaped(text)) if not text.isprintable() else text


def _escaped(text: str) -> Iterable[str]:
    return (char if char.isprintable() else json.dumps(char)[1:-1] for char in text)


def _digits(value: int) -> int:
    return math.ceil(abs(value).bit_length() * math.log10(2))
