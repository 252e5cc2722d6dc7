"""How a rule is written: conditions on what is known of an event.

A condition is a path and what must be found there. In the table it looks like this:

    must."error.code" = -32602                                 this value
    must."value" = ["user", "assistant"]                       one of these
    must."reply.content-type" = { match = "application/json.*" }     a test, or several

A path begins with a fact (`facts` lists them) and goes on through objects and events. Where nothing
stands, `ABSENT` is found, which passes no test but `absent`. Where the trace does not tell what
stands there, `UNKNOWN` is found, and then the rule says nothing.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from .. import modern, schema
from .facts import follow
from .gaps import ABSENT, UNKNOWN
from .sequences import results_stand_alone, uses_are_answered

Scope = Mapping[str, Any]
Test = Callable[[Any, Scope], bool]

_LABELS = r"[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?)*/"
_NAME = r"([A-Za-z0-9]([\w.-]*[A-Za-z0-9])?)?"
FORMS = {
    "base64": r"([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?",
    "date and time": r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)",
    "media type": r"[\w.+-]+/[\w.+*-]+(\s*;.*)?",
    "URI": r"[A-Za-z][A-Za-z0-9+.-]*:[!#-;=?-\[\]_a-z~]*",
    "web address": r"[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#]+\S*",
    "visible ASCII": r"[\x21-\x7e]+",
    "header value": r"([\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?)?",
    "_meta key": f"({_LABELS})?{_NAME}",
    "key with a prefix": _LABELS + _NAME,
    "traceparent": r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?",
    "list of pairs": r"[^,=]+=[^,]*(,[^,=]+=[^,]*)*",
}
"""Forms that a text can have, by the names that the rules give them."""

_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "object": dict,
    "array": list,
    "number": (int, float),
    "integer": int,
    "null": type(None),
}


def condition(wanted: Any) -> Test:
    """The test that a condition asks for: a value, one of several conditions, or named tests."""
    if isinstance(wanted, dict):
        tests = [TESTS[name](argument) for name, argument in wanted.items()]
        return lambda value, scope: all(test(value, scope) for test in tests)
    if isinstance(wanted, list):
        options = [condition(option) for option in wanted]
        return lambda value, scope: any(option(value, scope) for option in options)
    return lambda value, scope: same(value, wanted)


def same(one: Any, other: Any) -> bool:
    """Equal as JSON values: true is not 1, though Python says so. Nothing differs from UNKNOWN."""
    if other is UNKNOWN:
        return True
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def is_type(value: Any, name: str) -> bool:
    """True for a value of this JSON type."""
    if isinstance(value, bool) or name not in _TYPES:
        return name == "boolean" and isinstance(value, bool)
    whole = name == "integer" and isinstance(value, float) and value.is_integer()
    return whole or isinstance(value, _TYPES[name])


def _type(names: str | list[str]) -> Test:
    wanted = [names] if isinstance(names, str) else names
    return lambda value, scope: any(is_type(value, name) for name in wanted)


def _match(pattern: str) -> Test:
    compiled = re.compile(pattern, re.DOTALL)
    return lambda value, scope: value is not ABSENT and bool(compiled.fullmatch(_text(value)))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)


def _lists(kinds: list[str]) -> Test:
    """A header that lists all of these media types."""

    def test(value: Any, scope: Scope) -> bool:
        listed = [part.partition(";")[0].strip().lower() for part in _text(value).split(",")]
        return all(kind in listed for kind in kinds)

    return test


def _no_problem(call: Callable[[Any], Any], said: str = "") -> Test:
    """A value that can be read: `call` raises no ValueError that begins so."""

    def test(value: Any, scope: Scope) -> bool:
        try:
            call(value)
        except ValueError as problem:
            return not str(problem).startswith(said)
        except (TypeError, RecursionError):
            return True
        return True

    return test


def _conforms(path: str) -> Test:
    """A value that the JSON Schema at this path accepts; any, if that schema is none."""

    def test(value: Any, scope: Scope) -> bool:
        try:
            return value is not ABSENT and not schema.validator(follow(scope, path))(value)
        except Exception:  # a stranger's schema fails in more ways than there are names for
            return True

    return test


def _not(wanted: Any) -> Test:
    test = condition(wanted)
    return lambda value, scope: not test(value, scope)


def _above(path: str) -> Test:
    def test(value: Any, scope: Scope) -> bool:
        last = follow(scope, path)
        return not (is_type(value, "number") and is_type(last, "number")) or value > last

    return test


def _holds_no(items: str | list[str]) -> Test:
    unwanted = [items] if isinstance(items, str) else items
    return lambda value, scope: not any(item in value for item in unwanted)


_TURNS = {"results stand alone": results_stand_alone, "uses are answered": uses_are_answered}

TESTS: dict[str, Callable[[Any], Test]] = {
    "absent": lambda wanted: lambda value, scope: (value is ABSENT) == wanted,
    "type": _type,
    "form": lambda name: _match(FORMS[name]),
    "match": _match,
    "min": lambda low: lambda value, scope: is_type(value, "number") and value >= low,
    "lists": _lists,
    "not": _not,
    "same": lambda path: lambda value, scope: same(value, follow(scope, path)),
    "above": _above,
    "among": lambda path: lambda value, scope: value in follow(scope, path),
    "holds-no": _holds_no,
    "turns": lambda name: lambda value, scope: _TURNS[name](value),
    "schema": lambda wanted: _no_problem(schema.validator, "not a valid"),
    "mirrors": lambda wanted: _no_problem(modern.mirrored),
    "conforms": _conforms,
}
"""What can be asked of a value, by name; each makes a test from its argument in the table."""
