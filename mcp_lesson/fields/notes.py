"""What to say about a value: the words of the table, made to fit one revision and one value."""

from dataclasses import dataclass, replace
from typing import Any

from ..jsonrpc import is_id
from .codes import code_is_known, code_meaning
from .notation import Field
from .table import clause, elsewhere, pick, types
from .values import value_text

INSIDE = "MCP gives no meaning to what stands in here: it is the sender's own."
NOBODYS = "MCP does not define this here, in any revision."
ID = "string|integer"
WRONG_ID = "This must be a string or an integer, and {} is neither."
INSIDE_NOBODYS = "This stands inside something that MCP does not define."


@dataclass(frozen=True, slots=True)
class Note:
    """What is said about a value, as a line of the reader says it, and how to go on inside it.

    one     the types that it may be, if it is an object
    many    the types that its items may be, if it is a list
    inside  what to say inside, where there are none
    """

    meaning: str
    required: bool = False
    setter: str = ""
    clause: str = ""
    known: bool = True
    one: tuple[str, ...] = ()
    many: tuple[str, ...] = ()
    inside: str = INSIDE

    def within(self) -> "Note":
        """What is said about everything inside that has no type."""
        return Note(self.inside, setter=self.setter, known=self.known, inside=self.inside)


def note_of_type(kind: str, revision: str, before: str = "") -> Note:
    """What to say about a value of this type."""
    facts, meaning = types()[kind].facts, types()[kind].meaning
    known = revision in facts.revisions
    page = clause(facts.page, revision) if known else ""
    return Note(f"{before} {meaning}".strip(), clause=page, known=known, one=(kind,))


def note_of_field(kind: str, name: Any, value: Any, revision: str) -> Note:
    """What to say about a member of an object of this type."""
    row, known = pick(kind, name, revision) if isinstance(name, str) else (None, False)
    if row is None:
        row, known = pick(kind, "*", revision)
    if row is None:
        page = note_of_type(kind, revision).clause
        return Note(NOBODYS, clause=page, known=False, inside=INSIDE_NOBODYS)
    if name == "params":  # all revisions have it: what a revision may lack is the method
        known = True
    note = _note_of_row(row, value, revision)
    if known:
        return note
    text = f"{elsewhere(kind, row.name, revision)} {note.meaning}"
    return replace(note, meaning=text, known=False)


def _note_of_row(row: Field, value: Any, revision: str) -> Note:
    facts, known, meaning = row.facts, True, _meaning(row, value)
    if row.type == "ErrorCode" or isinstance(row.literal, int):
        known, meaning = code_is_known(value, revision), code_meaning(value, revision)
    page = clause(facts.page, revision) if known and revision in facts.revisions else ""
    if row.type == ID and not is_id(value):  # the clause stays: it says what an id is
        known, meaning = False, f"{WRONG_ID.format(value_text(value, 20))} {meaning}"
    inside = row.inside or (row.meaning if row.name == "*" else INSIDE)
    required = revision in facts.required
    return Note(meaning, required, facts.setter, page, known, row.one, row.many, inside)


def _meaning(row: Field, value: Any) -> str:
    """What a field means when it has this value."""
    word = ("true" if value else "false") if isinstance(value, bool) else value
    word = word if isinstance(word, str) and len(word) < 40 else ""
    named = types()[row.one[0]].values if row.one else {}
    return row.values.get(word) or f"{row.meaning} {named.get(word, '')}".rstrip()
