"""Which type of the table a piece of a message is: told by method, answer, code or looks.

A message says by its method what its params are. A result does not say what it is; the request
that it answers does. Where several types are possible (a block of content, a form or a web page),
the one whose fixed words match wins, and among those the one that explains most of the object.

Nothing here raises, whatever the value is: in the end there is always a type to read it by.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

from .. import jsonrpc
from .notation import Field
from .table import flat, members, rows, types

_ENVELOPES = {
    "request": "JSONRPCRequest",
    "notification": "JSONRPCNotification",
    "result": "JSONRPCResultResponse",
    "error": "JSONRPCErrorResponse",
    "invalid": "JSONRPCRequest",
}


def message_type(message: dict[Any, Any], revision: str) -> str:
    """The type of a message, such as "CallToolRequest", or the bare envelope."""
    shape = jsonrpc.kind(message)
    error, named = message.get("error"), None
    if shape in ("request", "notification"):
        named = _by_method().get((shape, _key(message["method"])))
    elif shape == "error" and isinstance(error, dict):
        named = _by_code(revision).get(_key(error.get("code")))
    return named or _ENVELOPES[shape]


def result_types(answers: Any) -> tuple[str, ...]:
    """The types a result may have: those of the request it answers, or if that is unknown, all."""
    request = _by_method().get(("request", _key(answers)))
    if request:
        return types()[request].facts.answers
    asked = (types()[name].facts.answers for name in _by_method().values())
    return tuple(dict.fromkeys(name for names in asked for name in names))


def choose(value: Any, candidates: Iterable[str], revision: str) -> str | None:
    """Which of these types an object is; None if it is no object or there is nothing to choose."""
    names = [name for candidate in candidates for name in flat(candidate)]
    if not names or not isinstance(value, dict):
        return None
    return max(names, key=lambda name: _likeness(value, name, revision))


def _likeness(value: dict[Any, Any], name: str, revision: str) -> tuple[int, ...]:
    """How much an object looks like a type; the first figure that differs decides."""
    exists = revision in types()[name].facts.revisions
    fields = _fields(name, revision if exists else "")
    there = [row for row in fields if row.name in value]
    fixed = [value[row.name] == row.literal for row in there if row.literal is not None]
    missing = sum(row.name not in value for row in fields if revision in row.facts.required)
    explained = len(there) + sum(_explained(value[row.name], row, revision) for row in there)
    return (-fixed.count(False), fixed.count(True), exists, explained, -missing)


def _explained(value: Any, row: Field, revision: str) -> int:
    """How many members of an object inside the object are explained: a look one step ahead."""
    if not isinstance(value, dict) or len(row.one) != 1:
        return 0
    return sum(inner.name in value for inner in _fields(row.one[0], revision))


@cache
def _fields(name: str, revision: str) -> tuple[Field, ...]:
    """The fields of a type in this revision, or where it has none in whichever revision has."""
    found = members(name, revision).values()
    return tuple(found) or tuple(versions[-1] for versions in rows(name).values())


def _key(value: Any) -> Any:
    return value if isinstance(value, str | int) else None


@cache
def _by_method() -> dict[tuple[str, Any], str]:
    """The type of each method; a request's has an id."""
    shapes = {name: "request" if "id" in rows(name) else "notification" for name in types()}
    found = ((name, row) for name in types() for row in rows(name).get("method", ()))
    return {(shapes[name], row.literal): name for name, row in found if row.literal}


@cache
def _by_code(revision: str) -> dict[Any, str]:
    """The type of each error of this revision whose data has a form."""
    return {
        rows(name)["code"][0].literal: name.removesuffix(".error")
        for name in types()
        if name.endswith(".error") and revision in types()[name].facts.revisions
    }
