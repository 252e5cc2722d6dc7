"""The reader: a message becomes lines, one a field, each with what it means and where that is said.

A message is walked in its own order, with the table beside it. What MCP leaves to others (a tool's
arguments, the notes of a vendor) is shown without invented meaning; what the revision does not have
is marked, with the revisions that have it. The walk is bounded in length and depth, and it takes
whatever JSON a stranger sends: it never raises. Judging is not its job: that is the rules'.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from .codes import code_meaning, code_row
from .guess import revision_for
from .notation import Field
from .shapes import choose, message_type, result_type
from .table import clause, elsewhere, pick, types
from .values import count, is_plain, name_text, value_text

MAX_ROWS, MAX_DEPTH = 400, 16
ITEMS, MEMBERS = 3, 40
"""So many items of a list and members of an object are shown; a last line says how many more."""

NO_MESSAGE = "This is no message: a message is an object."
NOBODYS = "MCP does not define this here, in any revision."
INSIDE_NOBODYS = "This stands inside something that MCP does not define."
INSIDE = "MCP gives no meaning to what stands in here: it is the sender's own."


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the reader.

    path      where it stands, such as `result.content[0].text`
    depth     how far to indent it: 0 for the members of the message itself
    name      the name of the member, or `[2]` for an item of a list
    value     its value as short text
    meaning   what it is, in a sentence or two; never empty
    required  the revision requires it
    setter    who decides the value, where that is not plain from the message, else ""
    clause    where the specification of this revision describes it, without the host, or ""
    known     the revision has it
    """

    path: str
    depth: int
    name: str
    value: str
    meaning: str
    required: bool = False
    setter: str = ""
    clause: str = ""
    known: bool = True


def read(
    message: Any,
    *,
    revision: str | None = None,
    answers: str | None = None,
    direction: str | None = None,
) -> list[Row]:
    """Explain a message field by field, in at most MAX_ROWS lines and one that says it stops there.

    revision   the one the conversation speaks; None: told from the message, else the latest legacy
    answers    the method of the request that this response answers, if it is one and that is known
    direction  "client->server" or "server->client", if known: it helps to tell results apart

    Never raises, whatever the message is.
    """
    setting = _Setting(revision_for(revision, message), answers, direction)
    return _bounded(_message(message, _Place(), setting))


def read_as(value: Any, type_name: str, *, revision: str | None = None) -> list[Row]:
    """Explain a piece of a message, such as a "Tool" or a "ContentBlock", as `read` does.

    Raises KeyError for a type that the table lacks.
    """
    setting = _Setting(revision_for(revision), None, None)
    kind = choose(value, [type_name], setting.revision)
    rows = _members(value, kind, _Place(), setting) if kind else _message(value, _Place(), setting)
    return _bounded(rows)


class _Setting(NamedTuple):
    """What is known about a message besides itself."""

    revision: str
    answers: str | None
    direction: str | None


class _Place(NamedTuple):
    """Where in a message a line stands."""

    path: str = ""
    depth: int = -1
    name: str = ""

    def member(self, name: Any) -> "_Place":
        text = name_text(name)
        simple = text.replace("_", "a").replace("$", "a").isalnum()
        step = (f".{text}" if self.path else text) if simple else f"[{value_text(name, 60)}]"
        return _Place(self.path + step, self.depth + 1, text)

    def item(self, number: int) -> "_Place":
        return _Place(f"{self.path}[{number}]", self.depth + 1, f"[{number}]")


def _bounded(rows: Iterator[Row]) -> list[Row]:
    shown = list(islice(rows, MAX_ROWS + 1))
    if len(shown) > MAX_ROWS:
        shown[-1] = Row("", 0, "…", "", f"Only the first {MAX_ROWS} lines are shown here.")
    return shown


def _message(message: Any, at: _Place, setting: _Setting) -> Iterator[Row]:
    if isinstance(message, dict):
        yield from _members(message, message_type(message, setting.revision), at, setting)
    elif isinstance(message, list) and not at.path:
        yield from _batch(message, setting)
    else:
        yield Row(at.path, 0, "message", value_text(message), NO_MESSAGE, known=False)


def _batch(messages: list[Any], setting: _Setting) -> Iterator[Row]:
    """Several messages in one array."""
    at = _Place("", 0, "batch")
    yield _row_of_type("JSONRPCBatchRequest", messages, at, setting)
    for number, message in enumerate(messages[:ITEMS]):
        here = at.item(number)
        text = f"Message {number + 1} of {len(messages):,}."
        yield Row(*here, value_text(message), text)
        yield from _message(message, here, setting)
    yield from _more(len(messages) - ITEMS, "message", at)


def _members(value: dict[Any, Any], kind: str, at: _Place, setting: _Setting) -> Iterator[Row]:
    """The members of an object whose type is known."""
    for name, inner in islice(value.items(), MEMBERS):
        here = at.member(name)
        row, known = _find(kind, name, setting.revision)
        if row:
            yield _row_of_field(row, kind, inner, here, setting, known)
            yield from _inside(inner, row, kind, here, setting)
        else:
            page = _page(kind, setting.revision)
            yield Row(*here, value_text(inner), NOBODYS, clause=page, known=False)
            yield from _open(inner, INSIDE_NOBODYS, here, known=False)
    yield from _more(len(value) - MEMBERS, "member", at)


def _find(kind: str, name: Any, revision: str) -> tuple[Field | None, bool]:
    row, known = pick(kind, name, revision) if isinstance(name, str) else (None, False)
    if row is None:
        return pick(kind, "*", revision)
    return row, known or name == "params"  # all revisions have it: the method is what they lack


def _inside(value: Any, row: Field, kind: str, at: _Place, setting: _Setting) -> Iterator[Row]:
    """What stands inside the value of a field."""
    if isinstance(value, dict):
        inner = choose(value, row.one, setting.revision)
        if kind == "JSONRPCResultResponse" and row.name == "result":
            inner = result_type(value, *setting)
        if inner and at.depth < MAX_DEPTH:
            yield from _members(value, inner, at, setting)
            return
    elif isinstance(value, list) and row.many:
        yield from _items(value, row, at, setting)
        return
    yield from _open(value, row.inside or (row.meaning if row.name == "*" else INSIDE), at)


def _items(items: list[Any], row: Field, at: _Place, setting: _Setting) -> Iterator[Row]:
    """The items of a list whose types are known; an only one needs no line of its own."""
    if all(map(is_plain, items[:ITEMS])) or at.depth >= MAX_DEPTH:
        return
    for number, item in enumerate(items[:ITEMS]):
        kind, here = choose(item, row.many, setting.revision), at.item(number)
        if len(items) == 1:
            here = here._replace(depth=at.depth)
        else:
            text = f"Number {number + 1} of {len(items):,}."
            yield _row_of_type(kind, item, here, setting, text)
        yield from _members(item, kind, here, setting) if kind else _open(item, INSIDE, here)
    yield from _more(len(items) - ITEMS, "item", at)


def _open(value: Any, words: str, at: _Place, known: bool = True) -> Iterator[Row]:
    """What MCP does not define: shown, with the same words on every line."""
    if is_plain(value) or at.depth >= MAX_DEPTH:
        return
    if isinstance(value, dict):
        parts = [(at.member(name), part) for name, part in islice(value.items(), MEMBERS)]
    elif all(map(is_plain, value[:ITEMS])):
        return
    else:
        parts = [(at.item(number), part) for number, part in enumerate(value[:ITEMS])]
    for here, part in parts:
        yield Row(*here, value_text(part), words, known=known)
        yield from _open(part, words, here, known)
    yield from _more(len(value) - len(parts), "part", at)


def _more(left: int, noun: str, at: _Place) -> Iterator[Row]:
    if left > 0:
        yield Row(at.path, at.depth + 1, "…", f"{left:,} more", f"{count(left, noun)} not shown.")


def _row_of_field(
    row: Field, kind: str, value: Any, at: _Place, setting: _Setting, known: bool
) -> Row:
    revision, facts = setting.revision, row.facts
    meaning = _meaning(row, value, revision)
    if not known:
        meaning = f"{elsewhere(kind, row.name, revision)} {meaning}"
    elif row.type == "ErrorCode":
        known = _code_is_known(value, revision)
    page = clause(facts.page, revision) if known and revision in facts.revisions else ""
    required = revision in facts.required
    return Row(*at, value_text(value), meaning, required, facts.setter, page, known)


def _code_is_known(code: Any, revision: str) -> bool:
    row, known = code_row(code, revision)
    return known or row is None


def _row_of_type(
    kind: str | None, value: Any, at: _Place, setting: _Setting, text: str = ""
) -> Row:
    if kind is None:
        return Row(*at, value_text(value), text)
    known = setting.revision in types()[kind].facts.revisions
    words = f"{text} {types()[kind].meaning}".strip()
    return Row(*at, value_text(value), words, clause=_page(kind, setting.revision), known=known)


def _page(kind: str, revision: str) -> str:
    facts = types()[kind].facts
    return clause(facts.page, revision) if revision in facts.revisions else ""


def _meaning(row: Field, value: Any, revision: str) -> str:
    """What a field means when it has this value."""
    if row.type == "ErrorCode" or isinstance(row.literal, int):
        return code_meaning(value, revision)
    word = _word(value)
    if word in row.values:
        return row.values[word]
    named = types()[row.one[0]].values if row.one else {}
    return f"{row.meaning} {named[word]}" if word in named else row.meaning


def _word(value: Any) -> str:
    """The value as the table writes it, if it is one that the table can have words for."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) and len(value) < 40 else ""
