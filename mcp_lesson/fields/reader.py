"""The reader: a message becomes lines, one a field, each with what it means and where that is said.

A message is walked in its own order, with the table beside it. What MCP leaves to others (a tool's
arguments, the notes of a vendor) is shown without invented meaning; what the revision does not have
is marked, with the revisions that have it. The walk is bounded in length and depth, and it takes
whatever JSON a stranger sends: it never raises. Judging is not its job: that is the rules'.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

from ..revisions import ALL
from .guess import revision_for
from .notes import Note, note_of_field, note_of_type
from .shapes import choose, message_type, result_types
from .values import count, is_plain, name_text, value_text

MAX_ROWS, MAX_DEPTH = 400, 16
ITEMS, MEMBERS = 3, 40
"""So many items of a list and members of an object are shown; a last line says how many more."""

NO_MESSAGE = "This is no message: a message is an object."


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
    direction  "client->server" or "server->client", if known: then a method that this side does not
               send is marked

    Never raises, whatever the message is.
    """
    walk = _Walk(revision_for(revision, message), answers, direction)
    batch = walk.batch(message) if isinstance(message, list) else walk.message(message, Place())
    return _bounded(batch)


def read_as(value: Any, type_name: str, *, revision: str | None = None) -> list[Row]:
    """Explain a piece of a message, such as a "Tool" or a "ContentBlock", as `read` does.

    Raises KeyError for a type that the table lacks.
    """
    walk = _Walk(revision_for(revision))
    return _bounded(walk.inside(value, note_of_type(type_name, walk.revision), Place()))


def _bounded(rows: Iterator[Row]) -> list[Row]:
    shown = list(islice(rows, MAX_ROWS + 1))
    if len(shown) > MAX_ROWS:
        shown[-1] = Row("", 0, "…", "", f"Only the first {MAX_ROWS} lines are shown here.")
    return shown


class Place(NamedTuple):
    """Where in a message a line stands."""

    path: str = ""
    depth: int = -1
    name: str = ""

    def member(self, name: Any) -> "Place":
        """The place of a member of what stands here."""
        text = name_text(name)
        simple = text.replace("_", "a").replace("$", "a").isalnum()
        step = (f".{text}" if self.path else text) if simple else f"[{value_text(name, 60)}]"
        return Place(self.path + step, self.depth + 1, text)

    def item(self, number: int) -> "Place":
        """The place of an item of the list that stands here."""
        return Place(f"{self.path}[{number}]", self.depth + 1, f"[{number}]")


@dataclass(frozen=True, slots=True)
class _Walk:
    """One walk through one message, and what is known about the message besides itself."""

    revision: str
    answers: str | None = None
    direction: str | None = None

    def batch(self, messages: list[Any]) -> Iterator[Row]:
        """Several messages in one array."""
        at = Place("", 0, "batch")
        yield row(at, value_text(messages), note_of_type("JSONRPCBatchRequest", self.revision))
        for number, message in enumerate(messages[:ITEMS]):
            text = f"Message {number + 1} of {len(messages):,}."
            yield row(at.item(number), value_text(message), Note(text))
            yield from self.message(message, at.item(number))
        yield from _more(len(messages) - ITEMS, "message", at)

    def message(self, message: Any, at: Place) -> Iterator[Row]:
        """One message: its members."""
        if isinstance(message, dict):
            kind = message_type(message, self.revision)
            for line in self.inside(message, note_of_type(kind, self.revision), at):
                here = line.path == at.member("method").path
                yield self.sent(line, message.get("method")) if here else line
        else:
            note = Note(NO_MESSAGE, known=False)
            yield row(at.member("message"), value_text(message), note)

    def sent(self, line: Row, method: Any) -> Row:
        """The line of a method, marked if this side sends no such message in this revision."""
        side = str(self.direction).partition("->")[0]
        ours = isinstance(method, str) and any(method in r.methods for r in ALL.values())
        if not (line.known and ours and side in ("client", "server")):
            return line
        if ALL[self.revision].may_send(side, method):
            return line
        text = f"In {self.revision} a {side} sends no such message."
        return replace(line, meaning=f"{text} {line.meaning}", known=False)

    def inside(self, value: Any, note: Note, at: Place) -> Iterator[Row]:
        """What stands inside a value that has been shown."""
        if at.depth < MAX_DEPTH and isinstance(value, dict):
            kind = choose(value, note.one, self.revision)
            for name, part in islice(value.items(), MEMBERS):
                yield from self.line(part, self.member(kind, name, part, note), at.member(name))
            yield from _more(len(value) - MEMBERS, "member", at)
        elif at.depth < MAX_DEPTH and not is_plain(value) and not all(map(is_plain, value[:ITEMS])):
            yield from self.items(value, note, at)

    def items(self, items: list[Any], note: Note, at: Place) -> Iterator[Row]:
        """The items of a list; an only one whose type is known needs no line of its own."""
        for number, item in enumerate(items[:ITEMS]):
            here, kind = at.item(number), choose(item, note.many, self.revision)
            if kind and len(items) == 1:
                one = note_of_type(kind, self.revision)
                yield from self.inside(item, one, here._replace(depth=at.depth))
            elif kind:
                text = f"Number {number + 1} of {len(items):,}."
                yield from self.line(item, note_of_type(kind, self.revision, text), here)
            else:
                yield from self.line(item, note.within(), here)
        yield from _more(len(items) - ITEMS, "item", at)

    def member(self, kind: str | None, name: Any, value: Any, around: Note) -> Note:
        """What to say about a member of an object."""
        if kind is None:
            return around.within()
        note = note_of_field(kind, name, value, self.revision)
        if kind == "JSONRPCResultResponse" and name == "result":
            return replace(note, one=result_types(self.answers))
        return note

    def line(self, value: Any, note: Note, at: Place) -> Iterator[Row]:
        """A value, and all that stands inside it."""
        yield row(at, value_text(value), note)
        yield from self.inside(value, note, at)


def row(at: Place, value: str, note: Note) -> Row:
    """The line at this place that says what a note says."""
    return Row(*at, value, note.meaning, note.required, note.setter, note.clause, note.known)


def _more(left: int, noun: str, at: Place) -> Iterator[Row]:
    if left > 0:
        yield Row(at.path, at.depth + 1, "…", f"{left:,} more", f"{count(left, noun)} not shown.")
