"""What the reader beside the diagram says about one row: a heading, fields with their meaning, raw.

The meanings are `mcp_lesson.fields`' own; here they are put together with what only the trace
knows: who sent it to whom, how long after its request, in which HTTP exchange, and the line as it
crossed the wire. Rows without a message (noise, remarks, HTTP alone, speech) get a sentence that
says what they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .. import fields
from ..trace import Frame
from .marks import plain
from .rows import Row
from .story import Story
from .values import dotted, duration

RAW = 100_000
"""No raw line is shown longer than this: characters."""

_ABOUT = {
    "noise": (
        "Not a message",
        "Nobody could read this line as JSON. On stdio, standard output is for messages alone: "
        "whatever else is printed there breaks the conversation. Print to standard error instead.",
    ),
    "stderr": (
        "A line on standard error",
        "Written for people, outside the protocol. A client may keep it, show it or ignore it; "
        "it does not mean that something went wrong.",
    ),
    "http": (
        "HTTP without a message",
        "A step of the transport alone: no JSON-RPC message travels in it.",
    ),
    "refusal": (
        "HTTP refusal",
        "The transport itself said no, and sent no JSON-RPC message with it.",
    ),
    "lifecycle": (
        "A step in the life of the connection",
        "Noted by the one who recorded this. No message crossed the wire.",
    ),
    "speech": (
        "Said outside the protocol",
        "People, hosts and models talk in their own ways. MCP sees none of this.",
    ),
}


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything the reader shows of one row.

    title    what it is, in a few words
    sub      whose it is, from whom to whom, and how long it took
    about    a sentence on what it is, where it is no message; or what was found
    clause   where that is said, or ""
    warns    True where `about` says what is out of order
    lines    the fields of the message, one a line
    headers  the HTTP headers that came with it
    raw      the line as it crossed the wire, or what a remark says; cut at RAW
    length   how long that line was: characters
    """

    title: str
    sub: str
    about: str
    lines: Sequence[fields.Row] = ()
    headers: Sequence[fields.Row] = ()
    raw: str = ""
    length: int = 0
    clause: str = ""
    warns: bool = False


def read(story: Story, row: Row, note: str = "", *, clause: str = "", whose: str = "") -> Reading:
    """Read one row of a story.

    note    what was found at this row
    clause  where the rule stands that was broken
    whose   the name of the story, where there are two
    """
    frames = [story.frames[index] for index in row.frames]
    first = frames[0]
    headers = [line for one in frames for line in fields.read_headers(one.headers, row.revision)]
    text = first.line.decode("utf-8", "backslashreplace") or first.text or ""
    answers = row.method if row.look in ("answer", "failure", "error") and row.method else None
    if first.kind == "message":
        title, about = fields.title(first.message, answers), row.remark
    else:
        title, about = dotted(_ABOUT[row.look][0], first.http or ""), _ABOUT[row.look][1]
    return Reading(
        title=plain(title),
        sub=dotted(whose, _sub(story, row, first)),
        about=note or about,
        lines=_lines(first, row.revision, answers),
        headers=headers,
        raw=text[:RAW],
        length=len(text),
        clause=clause,
        warns=bool(note) or row.look in ("noise", "refusal") or bool(row.remark),
    )


def _lines(frame: Frame, revision: str | None, answers: str | None) -> Sequence[fields.Row]:
    if frame.kind != "message":
        return ()
    return fields.read(frame.message, revision=revision, answers=answers, direction=frame.dir)


def _sub(story: Story, row: Row, frame: Frame) -> str:
    names = [story.lifelines[key].name for key in (row.source, row.target)]
    ways = " → ".join(names) if row.look != "stderr" else names[0]
    passed = ""
    if row.partner is not None and row.partner < row.number:
        passed = f"{duration(row.time - story.rows[row.partner].time)} after its request"
    exchange = f"HTTP exchange {frame.x}" if frame.x is not None else ""
    return plain(dotted(row.chip, ways, passed, exchange))


SITE = "https://modelcontextprotocol.io"


def crumbs(clause: str) -> str:
    """A clause as a reader says it: "Server › Tools › Calling tools"."""
    path, _, anchor = clause.removeprefix("/specification/").partition("#")
    parts = [*path.split("/")[1:], anchor]
    return " › ".join(part.replace("-", " ").capitalize() for part in parts if part)
