"""From a JSON Schema to the fields of a form: what a person can fill in, and how it is asked for.

A schema comes from a stranger and may be anything. What a form can show is a table here: a type,
the keywords that are understood with it, and the kind of field it becomes. Whatever is not in the
table (a composition, an unknown keyword, a type of its own) is not guessed at: for that one value
the form takes JSON, and says why. Nothing is judged here; that is `schema`, with the whole value.

    kind     filled in as                      from
    text     text                              string
    number   text that reads as a number       integer, number
    choice   one of several                    boolean, enum, const, oneOf of consts, enumNames
    choices  any of several                    an array of such
    object   its parts                         object with properties
    list     items, added and removed          array
    json     JSON                              all else
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .form_hints import FORMATS, kind_of, limits_of

Above = tuple[tuple[str, ...], ...]

ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "ABSENT"})()
"""Stands for a value that is not there: JSON has no word for it."""

MOST_FIELDS, DEEPEST, MOST_OPTIONS = 100, 5, 200
"""A form with more than this is none that anybody fills in: then it is JSON."""

_SAYS_NOTHING = {
    "type", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
    "$schema", "$id", "$comment", "$defs", "definitions", "$anchor",
    "contentMediaType", "contentEncoding",
}  # fmt: skip
"""Keywords that restrict no value."""

_RANGE = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"}

UNDERSTOOD: Mapping[str, tuple[str, set[str]]] = {
    "string": ("text", {"minLength", "maxLength", "pattern", "format"}),
    "integer": ("number", _RANGE),
    "number": ("number", _RANGE),
    "boolean": ("choice", set()),
    "array": ("list", {"items", "minItems", "maxItems", "uniqueItems"}),
    "object": (
        "object",
        {"properties", "required", "additionalProperties", "minProperties", "maxProperties"},
    ),
}
"""A type, the kind of field for it, and the keywords that are understood with it."""


@dataclass(frozen=True)
class Option:
    """One value to choose, and the words for it."""

    value: Any
    label: str


@dataclass(frozen=True)
class Field:
    """One value that a form asks for.

    name      the member it becomes; "" for the whole, and for an item of a list
    kind      one of the table above
    hint      what may be filled in, in a few words: "a whole number, 1 or more"
    limits    the part of it that the input itself does not show
    why       why it is JSON, where it is
    nullable  an empty field that must be there is null
    """

    name: str
    kind: str
    title: str = ""
    words: str = ""
    hint: str = ""
    limits: str = ""
    required: bool = False
    default: Any = ABSENT
    options: tuple[Option, ...] = ()
    parts: tuple["Field", ...] = ()
    item: "Field | None" = None
    why: str = ""
    format: str = ""
    nullable: bool = False
    long: bool = False

    def all(self) -> Iterator["Field"]:
        """This field and every field in it."""
        yield self
        for part in (*self.parts, *([self.item] if self.item else [])):
            yield from part.all()


def fields_of(schema: Any) -> Field:
    """The form for a schema as one field, which is mostly an object with its parts.

    Takes anything whatever and never raises: what is no schema becomes a field for JSON.
    """
    read = _Reader(schema if isinstance(schema, dict) else {})
    try:
        return read.field("", schema, required=True)
    except _TooMany as found:
        return as_json(Field("", "json", required=True), str(found))


class _TooMany(Exception):
    """There are more values than a form can hold."""


def as_json(field: Field, why: str) -> Field:
    """The same value, asked for as JSON, for this reason."""
    return _hinted(replace(field, kind="json", why=why), f"JSON, since {why}", "")


def _hinted(field: Field, kind: str, limits: str, shown: bool = False) -> Field:
    """The field with its words; `shown` says that its kind can be seen from the input."""
    both = ", ".join(filter(None, [kind, limits]))
    return replace(field, hint=both, limits=limits if shown else both)


class _Reader:
    """Reads one schema; knows the whole of it, since a part may refer to another."""

    def __init__(self, root: dict[str, Any]) -> None:
        self.root = root
        self.count = 0

    def field(self, name: str, schema: Any, required: bool, above: Above = ()) -> Field:
        """One field for one schema; `above` are the references that led here, level by level."""
        self.count += 1
        if self.count > MOST_FIELDS:
            raise _TooMany("there are more values than a form can hold")
        schema, nullable, why, refs = self._plain(schema)
        if set(refs) & {ref for level in above for ref in level}:
            why = "it holds itself"
        start = Field(
            name,
            "json",
            title=_text(schema.get("title")),
            words=_text(schema.get("description")),
            required=required,
            default=schema.get("default", ABSENT),
            nullable=nullable,
        )
        options = _options(schema)
        if why is None and options:
            return self._choice(start, schema, options)
        deep = "it is nested too deep" if len(above) > DEEPEST else ""
        why = why or _stranger(schema) or deep
        if why:
            return as_json(start, why)
        make = getattr(self, f"_{UNDERSTOOD[_type(schema)][0]}")
        return make(start, schema, (*above, refs))  # type: ignore[no-any-return]

    # -- the kinds -----------------------------------------------------------------------------

    def _text(self, field: Field, schema: dict[str, Any], above: Above) -> Field:
        form, most = _text(schema.get("format")), schema.get("maxLength")
        short = form in FORMATS or "pattern" in schema or _is_small(most)
        made = replace(field, kind="text", format=form, long=not short)
        return _hinted(made, kind_of(schema), limits_of(schema), shown=form not in FORMATS)

    def _number(self, field: Field, schema: dict[str, Any], above: Above) -> Field:
        return _hinted(replace(field, kind="number"), kind_of(schema), limits_of(schema))

    def _choice(self, field: Field, schema: dict[str, Any], options: tuple[Option, ...]) -> Field:
        if len(options) > MOST_OPTIONS:
            return as_json(field, "there are more options than a form can hold")
        labels = [option.label for option in options]
        made = replace(field, kind="choice", options=options)
        return _hinted(made, kind_of(schema, labels), "", shown=True)

    def _list(self, field: Field, schema: dict[str, Any], above: Above) -> Field:
        if not isinstance(schema.get("items"), dict):
            return as_json(field, "it says nothing of its items")
        item = self.field("", schema["items"], required=True, above=above)
        if item.kind == "choice":
            labels = [option.label for option in item.options]
            made = replace(field, kind="choices", options=item.options)
            return _hinted(made, kind_of(schema, labels), limits_of(schema), shown=True)
        made = replace(field, kind="list", item=item)
        return _hinted(made, kind_of(schema, inside=item.hint), limits_of(schema), shown=True)

    def _object(self, field: Field, schema: dict[str, Any], above: Above) -> Field:
        known, needed = schema.get("properties", {}), schema.get("required", [])
        needed = needed if isinstance(needed, list) else []
        if not isinstance(known, dict):
            return as_json(field, "its properties are no object")
        if field.name and not known:
            return as_json(field, "it may have any members")
        if len(known) > MOST_FIELDS:
            return as_json(field, "there are more values than a form can hold")
        parts = tuple(self.field(n, s, n in needed, above) for n, s in known.items())
        return _hinted(replace(field, kind="object", parts=parts), "an object", "", shown=True)

    # -- the forms in which simple things are written --------------------------------------------

    def _plain(self, schema: Any) -> tuple[dict[str, Any], bool, str | None, tuple[str, ...]]:
        """A schema without its wrappings, whether null will do too, and the references followed.

        The third of four says why it cannot be read, where it cannot.
        """
        nullable, refs = False, list[str]()
        while isinstance(schema, dict) and len(refs) <= DEEPEST:
            inner: Any
            inner, null = _unwrapped(schema)
            nullable = nullable or null
            if "$ref" in inner:
                refs.append(str(inner["$ref"]))
                inner = self._followed(inner)
            if inner == schema:
                return schema, nullable, None if schema else "it may be anything", tuple(refs)
            schema = inner
        why = "it may be anything" if schema is True else "its schema is none"
        if refs:
            why = "it holds itself" if schema else "it refers to what is not there"
        return {}, nullable, why, tuple(refs)

    def _followed(self, schema: dict[str, Any]) -> dict[str, Any] | None:
        """What `$ref` leads to inside this schema, with what stands beside it; None if nothing."""
        place, target = schema["$ref"], self.root
        if not isinstance(place, str) or not place.startswith("#"):
            return None
        for step in place.removeprefix("#").split("/")[1:]:
            found = target.get(step.replace("~1", "/").replace("~0", "~"))
            if not isinstance(found, dict):
                return None
            target = found
        return {**target, **{key: value for key, value in schema.items() if key != "$ref"}}


def _unwrapped(schema: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """`T or null`, written with anyOf, oneOf or a list of types, as T; allOf of one as that one."""
    kinds = schema.get("type")
    if isinstance(kinds, list) and len(kinds) == 2 and "null" in kinds:
        rest = [kind for kind in kinds if kind != "null"]
        return schema | {"type": rest[0] if rest else "null"}, True
    for key in ("anyOf", "oneOf", "allOf"):
        branches = schema.get(key)
        if not isinstance(branches, list) or not all(isinstance(one, dict) for one in branches):
            continue
        rest = [one for one in branches if one.get("type") != "null"]
        null = len(rest) < len(branches)
        if len(rest) == 1 and (null or key == "allOf") and not (null and key == "allOf"):
            beside = {name: value for name, value in schema.items() if name != key}
            return {**rest[0], **beside}, null
    return schema, False


def _type(schema: Mapping[str, Any]) -> str:
    """The type, said or plain from the keywords; "" where there is none."""
    said = schema.get("type")
    if said is None:
        said = "object" if "properties" in schema else "array" if "items" in schema else ""
    return said if isinstance(said, str) and said in UNDERSTOOD else ""


def _stranger(schema: dict[str, Any]) -> str:
    """What a form cannot show of this schema, in words; "" if it can show it all."""
    kind = _type(schema)
    if not kind:
        many = isinstance(schema.get("type"), list)
        composed = next((key for key in ("anyOf", "oneOf", "allOf") if key in schema), None)
        if composed:
            return f"it is composed with {composed}"
        return "it may be of several types" if many else "it names no type that a form has"
    known = _SAYS_NOTHING | UNDERSTOOD[kind][1]
    odd = [key for key in schema if key not in known and not key.startswith("x-")]
    return f"a form cannot show {', '.join(map(_text, odd[:3]))}" if odd else ""


def _options(schema: dict[str, Any]) -> tuple[Option, ...]:
    """The values to choose from, in each form a schema has for them; none if it has no choice."""
    if _type(schema) == "boolean":
        return (Option(True, "yes"), Option(False, "no"))
    if "const" in schema:
        return (Option(schema["const"], label_of(schema["const"])),)
    values = schema.get("enum")
    if isinstance(values, list):
        names = schema.get("enumNames")
        labels = names if isinstance(names, list) and len(names) == len(values) else values
        pairs: Iterable[tuple[Any, Any]] = zip(values, labels, strict=True)
        return tuple(Option(value, label_of(label)) for value, label in pairs)
    for key in ("oneOf", "anyOf"):
        branches = schema.get(key)
        if isinstance(branches, list) and branches and all(map(_is_titled, branches)):
            return tuple(
                Option(one["const"], label_of(one.get("title", one["const"]))) for one in branches
            )
    return ()


def _is_titled(branch: Any) -> bool:
    return isinstance(branch, dict) and "const" in branch and not branch.keys() - _TITLED


_TITLED = {"const", "title", "description", "type"}


def label_of(value: Any) -> str:
    """A value in words that can stand on a button."""
    from ..jsonrpc import dumps

    return _text(value) if isinstance(value, str) and value else dumps(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _is_small(value: Any) -> bool:
    return isinstance(value, int) and value <= 100
