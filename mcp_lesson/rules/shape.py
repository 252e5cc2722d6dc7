"""The shape of a message: a walk along the table of fields.

`fields` says what each type of thing has, what it must have, and what may stand there. The walk
goes through a message with that table beside it and stops at every member: at one that is missing,
at one that holds what it cannot, and at one that is well, of which some rule may ask more.

JSON Schemas inside messages are not walked through: they have a language of their own.
"""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from ..fields.notation import JSON_WORDS, Field
from ..fields.shapes import choose, message_type, result_types
from ..fields.table import pick, rows, types
from ..fields.values import name_text
from ..revisions import ALL
from .conditions import is_type, same
from .conversation import Event

_ENVELOPE = frozenset({"jsonrpc", "id", "method"})
"""Members of a message itself that have rules of their own."""

_PLAIN = {"LoggingLevel": "string", "ErrorCode": "integer"}


class Spot(NamedTuple):
    """One member of a message.

    owner   the type that has it, and `row` what the table says of it
    name    what it is called; `path` says where it stands
    value   what stands there
    fault   "missing", "wrong", or "" where the table has nothing against it
    """

    owner: str
    row: Field
    name: str
    path: str
    value: Any
    fault: str = ""


def spots(event: Event) -> Iterator[Spot]:
    """Every member of a message that its revision knows, and every one that is missing.

    Where several revisions are possible, only what all of them refuse is at fault.
    """
    revisions, todo = tuple(sorted(event.revisions)), [_start(event)]
    while todo:
        value, owner, path = todo.pop()
        if owner is None or not isinstance(value, dict):
            continue
        slots = _slots(owner, revisions)
        judged = frozenset() if path else _ENVELOPE
        for name, versions in slots.items():
            missing = name not in value and name != "*" and name not in judged
            if missing and all(map(_requires, versions, revisions)):
                yield Spot(owner, versions[-1], name, path, None, "missing")
        for name, inner in value.items() if slots else ():
            versions = slots.get(name) or slots.get("*", ())
            if versions and name not in judged:
                where = f"{path}.{name_text(name)}" if path else name_text(name)
                fault = "" if any(fits(inner, row.type) for row in versions) else "wrong"
                yield Spot(owner, versions[-1], name, where, inner, fault)
                todo += _inside(inner, versions[-1], revisions[-1], where)


def _start(event: Event) -> tuple[Any, str | None, str]:
    """Where the walk begins: a value, its type, and its path."""
    revision = max(event.revisions)
    if event.shape != "result":
        return event.message, message_type(event.message, revision), ""
    known = event.asked and any(event.method in ALL[name].methods for name in event.revisions)
    result = event.message["result"]
    return result, choose(result, result_types(event.method), revision) if known else None, "result"


def _inside(value: Any, row: Field, revision: str, path: str) -> list[tuple[Any, str | None, str]]:
    """The objects in a member, each with its type."""
    if isinstance(value, dict):
        return [(value, choose(value, row.one, revision), path)]
    items = enumerate(value if isinstance(value, list) and row.many else ())
    return [(item, choose(item, row.many, revision), f"{path}[{n}]") for n, item in items]


@cache
def _slots(owner: str, revisions: tuple[str, ...]) -> dict[str, tuple[Field, ...]]:
    """The members that a type has in all of these revisions, each as each of them has it."""
    named = types()[owner].fields if "JSONSchema" in kin(owner) else rows(owner)
    picked = {name: [pick(owner, name, revision) for revision in revisions] for name in named}
    return {
        name: tuple(row for row, _ in found if row)
        for name, found in picked.items()
        if owner != "JSONSchema" and all(known for _, known in found)
    }


@cache
def kin(owner: str) -> tuple[str, ...]:
    """A type and all that it is based on."""
    bases = types()[owner].bases if owner in types() else ()
    return (owner, *(name for base in bases for name in kin(base)))


def _requires(row: Field, revision: str) -> bool:
    return revision in row.facts.required


def fits(value: Any, kind: str) -> bool:
    """True for a value that a type of the table's notation allows: "string|Icon[]"."""
    return any(_fits(value, part) for part in kind.split("|"))


def _fits(value: Any, part: str) -> bool:
    if part.endswith("[]"):
        return isinstance(value, list) and all(_fits(item, part[:-2]) for item in value)
    if part[0] in '"-':
        return same(value, json.loads(part))
    if part in JSON_WORDS - {"null", "any"} or part in _PLAIN:
        return is_type(value, _PLAIN.get(part, part))
    return part == "any" or (value is None if part == "null" else isinstance(value, dict))
