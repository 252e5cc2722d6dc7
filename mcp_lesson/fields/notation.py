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
listed. A field that is described twice, for different revisions, has changed. One without words
takes them from the base.

This module turns text into types and fields. It opens no file and looks at no message.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

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
    for line in text.splitlines():
        if line.startswith(" " * 8):
            first += " " + line.strip()
        elif line.startswith(" "):
            rest.append(line.strip())
        elif line and not line.startswith("#"):
            if first:
                yield first, rest
            first, rest = line.strip(), []
    if first:
        yield first, rest


def _add_type(found: dict[str, Type], first: str, rest: list[str]) -> str:
    name, sign, parts, marks = _HEAD.fullmatch(first).groups()  # type: ignore[union-attr]
    names = tuple(re.split(r"\s*[,|]\s*", parts)) if parts else ()
    bases, union = (names, ()) if sign == "<" else ((), names)
    if name in found:
        raise ValueError(f"{name} is described twice")
    found[name] = Type(name, _facts(marks), bases, union, *_words(rest))
    return name


def _add_field(found: dict[str, Type], owner: str, first: str, rest: list[str]) -> None:
    """Add a field to its type, or to the object inside that type that its dotted name points to."""
    path, kind, *marks = first.split(None, 2)
    outer, _, name = path.rpartition(".") if "/" not in path else ("", "", path)
    owner = _inner(found, owner, outer) if outer else owner
    around, facts = found[owner], _facts(*marks)
    facts = replace(
        facts,
        page=facts.page or around.facts.page,
        revisions=facts.revisions & around.facts.revisions,
    )
    row = Field(name, kind, facts, *_words(rest))
    around.fields[name] = (*around.fields.get(name, ()), row)


def _inner(found: dict[str, Type], owner: str, outer: str) -> str:
    """The name of the type of an object inside another, which is made if it is new."""
    inner = f"{owner}.{outer}"
    if inner not in found:
        where, _, name = inner.rpartition(".")
        versions = found[where].fields[name]
        around = versions[0]
        have = frozenset[str]().union(*(row.facts.revisions for row in versions))
        facts = replace(around.facts, revisions=have, required=frozenset())
        plain = around.type.removesuffix("[]") in JSON_WORDS
        found[inner] = Type(inner, facts, () if plain else (around.type,))
    return inner


def _words(text: list[str]) -> tuple[str, dict[str, str]]:
    """Split what stands under an entry into its meaning and the meanings of its values."""
    parts: list[list[str]] = [[]]
    for line in text:
        if line.startswith("= "):
            parts.append([])
        parts[-1].append(line)
    pairs = (" ".join(lines)[2:].partition(": ")[::2] for lines in parts[1:])
    return " ".join(parts[0]), dict(pairs)


def _facts(text: str = "") -> Facts:
    revisions, required, more = frozenset(REVISIONS), frozenset[str](), dict[str, object]()
    for mark in filter(None, text.split(", ")):
        word, _, rest = mark.partition(" ")
        if word in ("from", "until", "in"):
            revisions &= _span(mark)
        elif word == "required":
            required |= _span(rest)
        elif word == "optional":
            required -= _span(rest)
        else:
            more |= _other(word, rest)
    return Facts(revisions, required & revisions, **more)  # type: ignore[arg-type]


def _other(word: str, rest: str) -> dict[str, object]:
    known: dict[str, dict[str, object]] = {
        "at": {"page": rest},
        "set": {"setter": rest.removeprefix("by ")},
        "answered": {"answers": tuple(rest.removeprefix("by ").split("|"))},
        "unlisted": {"unlisted": True},
    }
    if word not in known:
        raise ValueError(f"{word!r} is no fact")
    return known[word]


def _span(text: str) -> frozenset[str]:
    word, _, revision = text.partition(" ")
    if text and revision not in REVISIONS:
        raise ValueError(f"{revision!r} is no revision")
    tests = {
        "": lambda name: True,
        "from": lambda name: name >= revision,
        "until": lambda name: name <= revision,
        "in": lambda name: name == revision,
    }
    return frozenset(filter(tests[word], REVISIONS))


def tie(found: dict[str, Type]) -> None:
    """Fill in what each field says by way of others: its words, its types, its inside."""
    for kind in found.values():
        kind.fields = {
            name: tuple(_tied(found, kind, row) for row in versions)
            for name, versions in kind.fields.items()
        }


def _tied(found: dict[str, Type], kind: Type, row: Field) -> Field:
    row = row if row.meaning else _borrow(found, kind, row)
    inner = found.get(f"{kind.name}.{row.name}")
    parts = [(part.removesuffix("[]"), part.endswith("[]")) for part in row.type.split("|")]
    if inner:
        own = (JSON_WORDS - {"boolean"}) | set(inner.bases)
        parts = [(inner.name if name in own else name, many) for name, many in parts]
    star = inner.fields.get("*", ()) if inner else ()
    return replace(
        row,
        literal=json.loads(row.type) if row.type[0] in '"-' else None,
        one=tuple(name for name, many in parts if name in found and not many),
        many=tuple(name for name, many in parts if name in found and many),
        inside=star[0].meaning if star and star[0].type == "any" else "",
    )


def _borrow(found: dict[str, Type], kind: Type, row: Field) -> Field:
    """The row with the words of the same field in the nearest base."""
    for base in kind.bases:
        versions = found[base].fields.get(row.name)
        if versions:
            return replace(row, meaning=versions[0].meaning, values=versions[0].values)
        try:
            return _borrow(found, found[base], row)
        except ValueError:
            continue
    raise ValueError(f"{kind.name}.{row.name} has no words, and neither have its bases")
