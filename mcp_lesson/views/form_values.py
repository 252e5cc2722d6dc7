"""What a person filled in, and the JSON value that comes of it.

A form holds what was typed and ticked, field by field, in the plainest shape: call it *raw*.

    text, number, json   the text                     object   raw by name
    choice               the number of the option     list     a list of raw
    choices              the numbers                  (-1: none chosen)

Three rules. An empty field is left out. What does not read as a number stays text, so that the
schema itself says what is wrong with it. And whatever a browser sent is read as if anybody had
written it: raw of the wrong shape counts as empty.
"""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from .. import schema as schemas
from .form_fields import ABSENT, Field
from .form_hints import FORMATS

MOST_ITEMS = 200
"""A list in a form has no more items than this."""

Path = tuple[str | int, ...]
Problems = dict[Path, str]


# -- from a value to what a form shows ------------------------------------------------------------


def blank(field: Field) -> Any:
    """Raw for a form that nobody has touched: what the schema proposes, and else nothing."""
    return raw_of(field, field.default)


def raw_of(field: Field, value: Any) -> Any:
    """Raw that gives this value; a value that the field cannot hold leaves it empty."""
    return _RAW_OF[field.kind](field, value)


def _text_raw(field: Field, value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number_raw(field: Field, value: Any) -> str:
    return json.dumps(value) if _is_number(value) else ""


def _json_raw(field: Field, value: Any) -> str:
    return "" if value is ABSENT else json.dumps(value, ensure_ascii=False)


def _choice_raw(field: Field, value: Any) -> int:
    return next((n for n, one in enumerate(field.options) if _same(one.value, value)), -1)


def _choices_raw(field: Field, value: Any) -> list[int]:
    chosen = value if isinstance(value, list) else []
    return [n for n, one in enumerate(field.options) if any(_same(one.value, c) for c in chosen)]


def _object_raw(field: Field, value: Any) -> dict[str, Any]:
    known = value if isinstance(value, dict) else {}
    return {part.name: raw_of(part, known.get(part.name, part.default)) for part in field.parts}


def _list_raw(field: Field, value: Any) -> list[Any]:
    assert field.item is not None
    started = [ABSENT] if field.required else []
    items = value[:MOST_ITEMS] if isinstance(value, list) else started
    return [raw_of(field.item, field.item.default if item is ABSENT else item) for item in items]


_RAW_OF = {
    "text": _text_raw,
    "number": _number_raw,
    "json": _json_raw,
    "choice": _choice_raw,
    "choices": _choices_raw,
    "object": _object_raw,
    "list": _list_raw,
}


# -- from what a form shows to a value ------------------------------------------------------------


class Reading:
    """Raw, read as one JSON value.

    value     the value; what could not be read is left out, and an empty whole is an object
    problems  what could not be read, by place
    """

    def __init__(self, field: Field, raw: Any) -> None:
        self.field = field
        self.problems: Problems = {}
        value = self._read(field, raw, (), must=True)
        self.value: Any = {} if value is ABSENT else value

    def _read(self, field: Field, raw: Any, path: Path, must: bool) -> Any:
        """The value of one field, ABSENT where it is empty and need not be there."""
        value = getattr(self, f"_{field.kind}")(field, raw, path, must)
        return None if value is ABSENT and must and field.nullable else value

    def _text(self, field: Field, raw: Any, path: Path, must: bool) -> Any:
        item = bool(path) and isinstance(path[-1], int)
        return raw if isinstance(raw, str) and (raw or item) else ABSENT

    def _number(self, field: Field, raw: Any, path: Path, must: bool) -> Any:
        text = self._text(field, raw, path, must)
        try:
            found = json.loads(text) if text is not ABSENT else ABSENT
        except ValueError:
            return text
        return found if _is_number(found) else text

    def _json(self, field: Field, raw: Any, path: Path, must: bool) -> Any:
        if not isinstance(raw, str) or not raw.strip():
            return ABSENT
        try:
            return json.loads(raw, parse_constant=_refuse)
        except (ValueError, RecursionError):
            self.problems[path] = "this is no JSON"
            return ABSENT

    def _choice(self, field: Field, raw: Any, path: Path, must: bool) -> Any:
        return field.options[raw].value if _is_place(raw, field.options) else ABSENT

    def _choices(self, field: Field, raw: Any, path: Path, must: bool) -> Any:
        chosen = raw if isinstance(raw, list) else []
        values = [field.options[n].value for n in chosen if _is_place(n, field.options)]
        return values if values or must else ABSENT

    def _object(self, field: Field, raw: Any, path: Path, must: bool) -> Any:
        known, found = raw if isinstance(raw, dict) else {}, {}
        for part in field.parts:
            inner = (*path, part.name)
            found[part.name] = self._read(part, known.get(part.name), inner, part.required)
        kept = {name: value for name, value in found.items() if value is not ABSENT}
        return kept if kept or must else ABSENT

    def _list(self, field: Field, raw: Any, path: Path, must: bool) -> Any:
        assert field.item is not None
        items = raw[:MOST_ITEMS] if isinstance(raw, list) else []
        found = [self._read(field.item, one, (*path, n), True) for n, one in enumerate(items)]
        kept = [None if value is ABSENT else value for value in found]
        return kept if kept or must else ABSENT


# -- what is wrong, and where ----------------------------------------------------------------------


def check(schema: Any, field: Field, reading: Reading) -> Problems:
    """What is wrong with the values of a form, each at its field, in the schema's own words.

    What a schema says that is itself wrong cannot be said: then nothing is found here, and who gets
    the values must judge them.
    """
    found = dict(reading.problems) | _badly_formed(field, reading.value, ())
    try:
        problems = schemas.validator(schema)(reading.value, most=1_000)
    except ValueError:
        return found
    for problem in problems:
        found.setdefault(_place(field, problem), problem.words)
    return found


def _badly_formed(field: Field, value: Any, path: Path) -> Problems:
    """Texts that do not have the format they should; to a schema a format is only a remark."""
    known = FORMATS.get(field.format)
    if known and isinstance(value, str) and not known.holds(value):
        return {path: f"{value!r} is not {known.words}"}
    found: Problems = {}
    for part, inner, key in _inside(field, value):
        found |= _badly_formed(part, inner, (*path, key))
    return found


def _inside(field: Field, value: Any) -> Iterator[tuple[Field, Any, str | int]]:
    if field.kind == "object" and isinstance(value, dict):
        yield from ((p, value[p.name], p.name) for p in field.parts if p.name in value)
    if field.kind == "list" and field.item and isinstance(value, list):
        yield from ((field.item, item, place) for place, item in enumerate(value))


def _place(field: Field, problem: schemas.Problem) -> Path:
    """The field that a problem belongs to: the innermost one there is, or one that is missing."""
    reached: Path = ()
    for key in problem.path:
        inner = _part(field, key)
        if inner is None:
            return reached
        field, reached = inner, (*reached, key)
    missing = (part.name for part in field.parts if problem.words.startswith(repr(part.name)))
    name = next(missing, None) if "required" in problem.words else None
    return reached if name is None else (*reached, name)


def _part(field: Field, key: str | int) -> Field | None:
    if field.kind == "list" and isinstance(key, int):
        return field.item
    return next((part for part in field.parts if part.name == key), None)


def keyed(problems: Problems) -> Mapping[str, str]:
    """Problems with their places as JSON text, which is how a browser looks them up."""
    compact = (",", ":")
    return {
        json.dumps(list(path), separators=compact, ensure_ascii=False): words
        for path, words in problems.items()
    }


def _same(one: Any, other: Any) -> bool:
    """Equal as JSON values: true is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _is_number(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _is_place(number: Any, options: tuple[Any, ...]) -> bool:
    return isinstance(number, int) and 0 <= number < len(options) and not isinstance(number, bool)


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")
