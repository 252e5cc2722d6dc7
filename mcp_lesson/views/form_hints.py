"""What may be filled in, in a few words: "a whole number, 1 or more", "text, 3 to 50 characters".

The words are made from the keywords of a schema. A keyword of the wrong type, which a stranger's
schema may well hold, says nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from . import prose


class Format(NamedTuple):
    """A format of strings that forms know: how to say it, and whether a text has it."""

    words: str
    holds: Callable[[str], bool]


def _reads(read: Callable[[str], object]) -> Callable[[str], bool]:
    def holds(text: str) -> bool:
        try:
            return bool(read(text))
        except ValueError:
            return False

    return holds


def _day(text: str) -> date:
    return datetime.strptime(text, "%Y-%m-%d").date()


FORMATS: Mapping[str, Format] = {
    "email": Format("an email address", lambda text: 0 < text.find("@") < len(text) - 1),
    "uri": Format("an address such as https://…", _reads(lambda text: urlsplit(text).scheme)),
    "date": Format("a date such as 2026-07-28", _reads(_day)),
    "date-time": Format(
        "a moment such as 2026-07-28T12:00:00Z",
        _reads(lambda text: "T" in text.upper() and datetime.fromisoformat(text).tzinfo),
    ),
}
"""The four formats that a form of an elicitation may name. Clause: client/elicitation"""

_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "yes or no",
    "object": "an object",
}

_SHOWN = 6


def kind_of(schema: Mapping[str, Any], labels: Sequence[str] = (), inside: str = "") -> str:
    """What sort of thing this schema takes: the `labels` of a choice, `inside` the items of a list.

    Empty where the schema names no type.
    """
    kind = schema.get("type")
    if labels and kind != "boolean":
        return _choice(labels, several=kind == "array")
    if inside:
        return f"a list, each item {inside}"
    if schema.get("format") in FORMATS:
        return FORMATS[schema["format"]].words
    return _TYPES.get(kind, "") if isinstance(kind, str) else ""


def limits_of(schema: Mapping[str, Any]) -> str:
    """Within which limits it must lie; "" if there are none."""
    limits = [_limits(schema, *words) for words in _LIMITS]
    return ", ".join(filter(None, [*limits, *_more(schema)]))


def _choice(labels: Sequence[str], several: bool) -> str:
    if len(labels) == 1:
        return f"only {labels[0]}"
    shown = [*labels[:_SHOWN], *(["…"] if len(labels) > _SHOWN else [])]
    return f"any of {', '.join(shown)}" if several else prose.joined(shown, "or")


_LIMITS = (
    ("minLength", "maxLength", "character"),
    ("minItems", "maxItems", "item"),
    ("minimum", "maximum", ""),
)


def _limits(schema: Mapping[str, Any], low: str, high: str, unit: str) -> str:
    """`3 to 50 characters`, `at least 1 item`, `1 or more`."""
    least, most = _number(schema.get(low)), _number(schema.get(high))
    units = f" {unit}{'' if (most or least) == '1' else 's'}" if unit else ""
    if unit and least == "0":
        least = ""
    if least and most:
        return f"{least}{units}" if least == most else f"{least} to {most}{units}"
    if least:
        return f"at least {least}{units}" if unit else f"{least} or more"
    return (f"at most {most}{units}" if unit else f"{most} or less") if most else ""


def _more(schema: Mapping[str, Any]) -> list[str]:
    found = []
    for keyword, words in _MORE.items():
        value = schema.get(keyword)
        shown = value if isinstance(value, str) else _number(value)
        if shown and (keyword == "pattern") is isinstance(value, str):
            found.append(f"{words} {shown}")
    return found + (["no item twice"] if schema.get("uniqueItems") is True else [])


_MORE = {
    "exclusiveMinimum": "more than",
    "exclusiveMaximum": "less than",
    "multipleOf": "a multiple of",
    "pattern": "as the pattern",
}


def _number(value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:g}" if is_number else ""
