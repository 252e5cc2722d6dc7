"""Small JSON values in few characters: `add(a=3, b=4)`, “Hello”, {…}.

The grey words beside a method are built from these. Each function takes any JSON whatever, also a
wrong one, and never looks at more than the first few members, so that a message of 16 MB costs no
more than a small one.
"""

import json
import re
from collections.abc import Iterable
from itertools import islice
from typing import Any

FEW = 6
"""How many members or names are written out before an ellipsis."""

_TEXT = 160


_BLANKS = re.compile(r"[ \t]{2,}|[ \t]*\n[ \t\r\n]*")


def quoted(text: object) -> str:
    """A text as people quote it, runs of blanks made one; a value that is no text as JSON."""
    if not isinstance(text, str):
        return value(text)
    short = _BLANKS.sub(_one_blank, text[:_TEXT].strip())
    return f"“{short}{'…' if len(text) > _TEXT else ''}”"


def _one_blank(found: re.Match[str]) -> str:
    return "↵ " if "\n" in found.group() else " "


_LIKE_ANOTHER = re.compile(r"\s*(-?\d[\d.eE+-]*|true|false|null)?\s*")


def id_text(id: object) -> str:
    """An id in few characters: a text has quotes only where it could be taken for another value."""
    if isinstance(id, str) and not _LIKE_ANOTHER.fullmatch(id[:_TEXT]):
        return id[:_TEXT]
    return value(id)


def value(item: Any) -> str:
    """One JSON value in a few characters: scalars as JSON, the rest as {…} or […]."""
    if isinstance(item, dict):
        return "{…}" if item else "{}"
    if isinstance(item, list):
        return "[…]" if item else "[]"
    if isinstance(item, str):
        return json.dumps(item[:_TEXT], ensure_ascii=False)
    return json.dumps(item)[:_TEXT]


def members(body: Any) -> str:
    """The members of an object as `a=3, b="x"`; "" for an empty object or none."""
    if not isinstance(body, dict):
        return "" if body is None else value(body)
    shown = [f"{str(name)[:40]}={value(body[name])}" for name in islice(body, FEW)]
    return ", ".join(shown + ["…"] * (len(body) > FEW))


def call(name: object, arguments: Any) -> str:
    """A call as a programmer writes it: `add(a=3, b=4)`."""
    return f"{plain_name(name)}({members(arguments)})"


def plain_name(name: object) -> str:
    """A name without quotes; a value that is no text as JSON."""
    return name[:_TEXT] if isinstance(name, str) else value(name)


def names(items: Any, key: str = "name") -> str:
    """The names of a list of objects: `echo, add, get_time`."""
    if not isinstance(items, list):
        return ""
    found = (item.get(key, "?") if isinstance(item, dict) else item for item in items[:FEW])
    return joined([plain_name(name) for name in found], len(items) > FEW)


def joined(parts: Iterable[str], more: bool = False) -> str:
    """Parts with commas between, and an ellipsis when there are more."""
    return ", ".join([*parts, *(["…"] if more else [])])


def counted(items: Any, noun: str) -> str:
    """`3 tools`, `1 tool`, `no tools`."""
    count = len(items) if isinstance(items, list) else 0
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"


def dotted(*parts: str) -> str:
    """The parts that are not empty, with a middle dot between."""
    return " · ".join(part for part in parts if part)


def get(body: Any, *path: str) -> Any:
    """The member at the end of a path of names, or None where the path breaks off."""
    for name in path:
        body = body.get(name) if isinstance(body, dict) else None
    return body


def keys(body: Any) -> str:
    """The names of an object's members: `tools, resources`."""
    if not isinstance(body, dict):
        return ""
    return joined([str(name)[:40] for name in islice(body, FEW)], len(body) > FEW)


def content(blocks: Any) -> str:
    """What content blocks say: their text quoted, other kinds by name, a count when many."""
    listed = blocks if isinstance(blocks, list) else [blocks]
    shown = [block(item) for item in listed[:2]]
    return dotted(*shown, f"{len(listed) - 2} more" if len(listed) > 2 else "")


def block(item: Any) -> str:
    """One content block: “text”, or its kind and what it carries."""
    kind = get(item, "type")
    if kind in ("text", None) and get(item, "text") is not None:
        return quoted(item["text"])
    inner = get(item, "resource")
    carried = get(item, "uri") or get(inner, "uri") or get(item, "mimeType") or get(item, "name")
    return f"{plain_name(kind or '?')} {plain_name(carried)}" if carried else plain_name(kind)


def duration(seconds: float) -> str:
    """A length of time as people say it: `2.3 ms`, `1.25 s`."""
    if seconds < 0.00005:
        return "< 0.1 ms"
    if seconds < 0.9995:
        return f"{seconds * 1000:.1f} ms" if seconds < 0.1 else f"{seconds * 1000:.0f} ms"
    return f"{seconds:.2f} s" if seconds < 100 else f"{seconds:.0f} s"
