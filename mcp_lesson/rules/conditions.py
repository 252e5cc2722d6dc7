"""How a rule is written: conditions on what is known of an event.

A condition is a path and what must be found there. In the table it looks like this:

    must."error.code" = -32602                                       this value
    must."value" = ["user", "assistant"]                             one of these conditions
    must."reply.content-type" = { match = "application/json.*" }     a test, or several

A path begins with a fact (`facts` lists them) and goes on through objects and events. Where nothing
stands, `ABSENT` is found, which passes no test but `absent` and `not`. Where the trace does not
tell what stands there, `UNKNOWN` is found, and then the rule says nothing.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from .. import modern, schema
from .facts import follow
from .promises import ABSENT, UNKNOWN
from .sequences import results_stand_alone, uses_are_answered

Scope = Mapping[str, Any]

_LABELS = r"[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?)*/"
_NAME = r"([A-Za-z0-9]([\w.-]*[A-Za-z0-9])?)?"
FORMS = {
    "base64": r"([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?",
    "date and time": r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)",
    "media type": r"[\w.+-]+/[\w.+*-]+(\s*;.*)?",
    "URI": r"[A-Za-z][A-Za-z0-9+.-]*:[!#-;=?-\[\]_a-z~]*",
    "address": r"[A-Za-z][A-Za-z0-9+.-]*:\S+",
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


def holds(wanted: Any, value: Any, scope: Scope) -> bool:
    """Whether a value is what a condition wants: that value, one of several, or what tests say."""
    if isinstance(wanted, dict):
        return all(TESTS[name](value, argument, scope) for name, argument in wanted.items())
    if isinstance(wanted, list):
        return any(holds(option, value, scope) for option in wanted)
    return same(value, wanted)


def same(one: Any, other: Any) -> bool:
    """Equal as JSON values: true is not 1, though Python says so. Nothing differs from UNKNOWN."""
    alike = isinstance(one, bool) == isinstance(other, bool) and bool(one == other)
    return alike or other is UNKNOWN


def is_type(value: Any, name: str) -> bool:
    """True for a value of this JSON type."""
    if isinstance(value, bool) or name not in _TYPES:
        return name == "boolean" and isinstance(value, bool)
    whole = name == "integer" and isinstance(value, float) and value.is_integer()
    return whole or isinstance(value, _TYPES[name])


def _matches(value: Any, pattern: str, scope: Scope | None = None) -> bool:
    text = value if isinstance(value, str) else repr(value)
    return value is not ABSENT and re.fullmatch(pattern, text, re.DOTALL) is not None


def _lists(value: Any, kinds: list[str], scope: Scope) -> bool:
    """A header that lists all of these media types."""
    parts = value.split(",") if isinstance(value, str) else []
    listed = [part.partition(";")[0].strip().lower() for part in parts]
    return all(kind in listed for kind in kinds)


def _readable(value: Any, read: Callable[[Any], Any], fault: str = "") -> bool:
    """A value that `read` takes; only what it calls by this name is a fault."""
    try:
        read(value)
    except ValueError as problem:
        return not str(problem).startswith(fault)
    except (TypeError, RecursionError):
        return True
    return True


def _conforms(value: Any, path: str, scope: Scope) -> bool:
    """A value that the JSON Schema at this path accepts; any, if that schema is none."""
    try:
        return value is not ABSENT and not schema.validator(follow(scope, path))(value)
    except Exception:  # a stranger's schema fails in more ways than there are names for
        return True


def _above(value: Any, path: str, scope: Scope) -> bool:
    last = follow(scope, path)
    return not (is_type(value, "number") and is_type(last, "number")) or value > last


def _items(argument: Any) -> list[Any]:
    return argument if isinstance(argument, list) else [argument]


_TURNS = {"results stand alone": results_stand_alone, "uses are answered": uses_are_answered}

TESTS: dict[str, Callable[[Any, Any, Scope], bool]] = {
    "absent": lambda value, wanted, scope: (value is ABSENT) == wanted,
    "not": lambda value, wanted, scope: not holds(wanted, value, scope),
    "type": lambda value, names, scope: any(is_type(value, name) for name in _items(names)),
    "form": lambda value, name, scope: _matches(value, FORMS[name]),
    "match": _matches,
    "min": lambda value, low, scope: is_type(value, "number") and value >= low,
    "lists": _lists,
    "same": lambda value, path, scope: same(value, follow(scope, path)),
    "above": _above,
    "among": lambda value, path, scope: value in follow(scope, path),
    "holds-no": lambda value, names, scope: not any(name in value for name in _items(names)),
    "turns": lambda value, name, scope: _TURNS[name](value),
    "schema": lambda value, wanted, scope: _readable(value, schema.validator, "not a valid"),
    "mirrors": lambda value, wanted, scope: _readable(value, modern.mirrored),
    "conforms": _conforms,
}
"""What can be asked of a value: each takes it, an argument from the table, and the scope."""
