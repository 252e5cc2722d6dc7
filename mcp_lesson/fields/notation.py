"""The notation of the table: how the text files beside this module are written and read.

They are meant to be read by people, and to show in a diff what changed:

    # a remark
    [Tool < Base] from 2025-06-18, at server/tools#tool      a type, its bases, its facts
        One tool.                                            what such a thing is
    [ContentBlock = TextContent | ImageContent]              a type that is one of several

    name  string  optional, required from 2025-06-18         a field, its type, its facts
        The name people see.                                 what it means
        = yes: The answer is yes.                            what this value of it means

Facts are separated by commas, and a line indented by eight blanks goes on with them:

    required, optional       in all revisions; "required from R", "optional in R" narrow it
    from R, until R, in R    the revisions that have it; all five if nothing is said
    set by the user          who decides the value, where that is not plain from the message
    at server/tools#tool     where it is described: a page, or a name from clauses.txt
    answered by A|B          the results a request may have
    unlisted                 the specification's text has it, its schema file has not

A type is a word of JSON ("any" for all of them), a value that is always the same ("text", -32042),
another type of the table, or a list of those (Tool[]); "|" stands for or. A field called
"roots.listChanged" lies inside the object "roots"; one called "*" stands for all names that are not
listed. A field that is described twice, for different revisions, has changed.

This module turns text into types and fields. It opens no file and looks at no message.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ..revisions import ALL

REVISIONS = tuple(ALL)
JSON_WORDS = frozenset({"string", "integer", "number", "boolean", "null", "any", "object"})
_HEAD = re.compile(r"\[([^\]<=]+?)\s*(?:([<=])\s*([^\]]+?)\s*)?\]\s*(.*)")


@dataclass(frozen=True, slots=True)
class Facts:
    """What the comma-separated facts of an entry say."""

    revisions: frozenset[str] = frozenset(REVISIONS)
    required: frozenset[str] = frozenset()
    setter: str = ""
    page: str = ""
    answers: tuple[str, ...] = ()
    unlisted: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """One field of one type, for the revisions in `facts.revisions`.

    type     as written in the file; `literal` is the value if it is always the same, else None
    meaning  what it is; `values` maps some values (as JSON, texts without quotes) to what they mean
    one      the types of the table that an object here may be
    many     the types of the table that the items of a list here may be
    inside   what to say of everything inside, where MCP does not define it
    """

    name: str
    type: str
    facts: Facts
    meaning: str = ""
    values: dict[str, str] = field(default_factory=dict)
    literal: str | int | None = None
    one: tuple[str, ...] = ()
    many: tuple[str, ...] = ()
    inside: str = ""


@dataclass(slots=True)
class Type:
    """One type: its own fields (a name may have several, for different revisions) and its bases."""

    name: str
    facts: Facts
    bases: tuple[str, ...] = ()
    union: tuple[str, ...] = ()
    meaning: str = ""
    values: dict[str, str] = field(default_factory=dict)
    fields: dict[str, tuple[Field, ...]] = field(default_factory=dict)


def read_types(text: str, found: dict[str, Type]) -> None:
    """Add the types of one file to those found. Raises ValueError that names the faulty entry."""
    owner = ""
    for first, rest in entries(text):
        try:
            if first.startswith("["):
                owner = _add_type(found, first, rest)
            else:
                _add_field(found, owner, first, rest)
        except (ValueError, KeyError, AttributeError) as problem:
            raise ValueError(f"{problem} in the entry {first!r}") from None


def entries(text: str) -> Iterator[tuple[str, list[str]]]:
    """The entries of a file: the line that begins one, continued, and the lines that explain it."""
    first, rest = "", list[str]()
    for line in [*text.splitlines(), "end"]:
        if line.startswith(" " * 8):
            first += " " + line.strip()
        elif line.startswith(" "):
            rest.append(line.strip())
        elif line and not line.startswith("#"):
            if first:
                yield first, rest
            first, rest = line, []


def _add_type(found: dict[str, Type], first: str, rest: list[str]) -> str:
    name, sign, parts, marks = _HEAD.fullmatch(first).groups()  # type: ignore[union-attr]
    names = tuple(re.split(r"\s*[,|]\s*", parts)) if parts else ()
    bases, union = (names, ()) if sign == "<" else ((), names)
    found[name] = Type(name, _facts(marks), bases, union, *_words(rest))
    return name


def _add_field(found: dict[str, Type], owner: str, first: str, rest: list[str]) -> None:
    """Add a field to its type, or to the object inside that type that its dotted name points to."""
    path, kind, marks = first.split(None, 2)
    outer, _, name = path.rpartition(".") if "/" not in path else ("", "", path)
    around, facts = _inner(found, owner, outer) if outer else found[owner], _facts(marks)
    page, revisions = facts.page or around.facts.page, facts.revisions & around.facts.revisions
    row = Field(name, kind, replace(facts, page=page, revisions=revisions), *_words(rest))
    around.fields[name] = (*around.fields.get(name, ()), row)


def _inner(found: dict[str, Type], owner: str, outer: str) -> Type:
    """The type of an object inside another, which is made if it is new."""
    inner = f"{owner}.{outer}"
    if inner not in found:
        where, _, name = inner.rpartition(".")
        versions = found[where].fields[name]
        kind = versions[0].type.removesuffix("[]")
        have = frozenset[str]().union(*(row.facts.revisions for row in versions))
        facts = replace(versions[0].facts, revisions=have)
        found[inner] = Type(inner, facts, () if kind in JSON_WORDS else (kind,))
    return found[inner]


def _words(text: list[str]) -> tuple[str, dict[str, str]]:
    """Split what stands under an entry into its meaning and the meanings of its values."""
    meaning, *values = re.split(r"(?:^| )= ", " ".join(text))
    pairs = (value.partition(": ") for value in values)
    return meaning, {value: words for value, _, words in pairs}


_MARKS: dict[str, Callable[[Facts, str, str], dict[str, Any]]] = {
    "from": lambda facts, mark, rest: {"revisions": facts.revisions & _span(mark)},
    "until": lambda facts, mark, rest: {"revisions": facts.revisions & _span(mark)},
    "in": lambda facts, mark, rest: {"revisions": facts.revisions & _span(mark)},
    "required": lambda facts, mark, rest: {"required": facts.required | _span(rest)},
    "optional": lambda facts, mark, rest: {"required": facts.required - _span(rest)},
    "set": lambda facts, mark, rest: {"setter": rest.removeprefix("by ")},
    "at": lambda facts, mark, rest: {"page": rest},
    "answered": lambda facts, mark, rest: {"answers": tuple(rest.removeprefix("by ").split("|"))},
    "unlisted": lambda facts, mark, rest: {"unlisted": True},
}


def _facts(text: str) -> Facts:
    facts = Facts()
    for mark in filter(None, text.split(", ")):
        word, _, rest = mark.partition(" ")
        facts = replace(facts, **_MARKS[word](facts, mark, rest))
    return replace(facts, required=facts.required & facts.revisions)


def _span(text: str) -> frozenset[str]:
    """The revisions that "from 2025-06-18" and the like stand for; all of them for ""."""
    word, _, revision = text.partition(" ")
    place = REVISIONS.index(revision) if text else 0
    spans = {
        "": REVISIONS,
        "from": REVISIONS[place:],
        "until": REVISIONS[: place + 1],
        "in": (revision,),
    }
    return frozenset(spans[word])


def tie(found: dict[str, Type]) -> None:
    """Fill in what each field says by way of others: the types of its value, and its inside."""
    for kind in found.values():
        for name, versions in kind.fields.items():
            inner = found.get(f"{kind.name}.{name}")
            kind.fields[name] = tuple(_tied(found, row, inner) for row in versions)


def _tied(found: dict[str, Type], row: Field, inner: Type | None) -> Field:
    parts = [(part.removesuffix("[]"), part.endswith("[]")) for part in row.type.split("|")]
    if inner:
        own = {"object", "any", *inner.bases}
        parts = [(inner.name if name in own else name, many) for name, many in parts]
    star = inner.fields.get("*", ()) if inner else ()
    return replace(
        row,
        literal=json.loads(row.type) if row.type[0] in '"-' else None,
        one=tuple(name for name, many in parts if name in found and not many),
        many=tuple(name for name, many in parts if name in found and many),
        inside=star[0].meaning if star and star[0].type == "any" else "",
    )
