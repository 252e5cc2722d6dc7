"""The life of a connection: which state it is in, and which message brought it there.

    life_cycle()                    the table, drawn
    life_cycle(trace)               the table, and the way that this conversation took through it
    life_cycle(state=client.state)  the table, with one state lit

The states, the events and what moves what are `mcp_lesson.lifecycle`'s own: the peers run on that
table, and here it is only drawn and walked. A modern conversation has no such life, and this view
says so.
"""

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .. import lifecycle
from ..revisions import META, NEWEST
from ..trace import Frame, Trace
from . import life_picture, prose
from .companion import Companion
from .drawing import image
from .life_picture import Move
from .marks import plain
from .rows import Row
from .shapes import safe
from .story import Story, tell
from .values import dotted, get

LABELS = 500
"""Rows that the live view can name; a longer conversation names only those that move something."""

NO_LIFE = (
    f"This conversation is modern ({NEWEST}): there is no handshake and no session, every request"
    " stands alone, and so the connection has no life to draw."
)

_WIDTH = 78
_ANSWERS = ("answer", "failure", "error")


@dataclass(frozen=True)
class Step:
    """A row that moved the connection, or was sent too early.

    row     its number, counted from 1 as in the diagram
    said    what it is, in a few words
    event   the event it was, or None
    before  the state it found
    state   the state it left
    early   True for what its sender SHOULD NOT have sent yet
    """

    row: int
    said: str
    event: str | None
    before: str
    state: str
    early: bool = False

    @property
    def moved(self) -> bool:
        """True if the state is another one now."""
        return self.before != self.state


def walk(story: Story, peer: str | None = None) -> list[Step]:
    """Every row of one connection that moved it or came too early, in order."""
    steps: list[Step] = []
    state = next(iter(lifecycle.STATES))
    for row in story.rows:
        frame = story.frames[row.frames[0]]
        if frame.peer != peer:
            continue
        event, early = _event(row, frame), _is_early(state, row, frame.message)
        before = state if event != "initialize" or state != "closed" else "new"
        state = lifecycle.step(before, event) if event else state
        if state != before or early:
            steps.append(Step(row.number + 1, said(row), event, before, state, early))
    return steps


def _event(row: Row, frame: Frame) -> str | None:
    if row.phase == "shutdown" and frame.kind in ("lifecycle", "http", "message"):
        return "closed"
    if frame.kind != "message":
        return None
    return lifecycle.event_of(frame.message, row.method if row.look in _ANSWERS else None)


def _is_early(state: str, row: Row, message: Any) -> bool:
    """True for a message that should have waited; a modern probe belongs to no life."""
    if row.look not in ("request", "notification") or _stands_alone(message):
        return False
    return lifecycle.is_early(state, row.source.partition(" ")[0], row.method)


def _stands_alone(message: Any) -> bool:
    """True for a request of the modern era."""
    version = get(message, "params", "_meta", META + "protocolVersion")
    return version is not None or get(message, "method") == "server/discover"


def said(row: Row) -> str:
    """A row in a few words, as the diagram has them."""
    kind = {"answer": "answer to ", "failure": "answer to "}.get(row.look, "")
    return plain(dotted(f"{row.chip} {kind}{row.head}".strip(), row.words), 80)


def is_modern(story: Story) -> bool:
    """True for a conversation that never greets, and whose requests carry their version."""
    messages = [frame.message for frame in story.frames if frame.kind == "message"]
    if any(get(message, "method") == "initialize" for message in messages):
        return False
    return any(map(_stands_alone, messages))


class LifeCycle(Companion):
    """What `life_cycle` returns."""

    def __init__(
        self, trace: Trace | Iterable[Frame] | None, state: str | None, peer: str | None
    ) -> None:
        self.story = tell(trace if trace is not None else ())
        self.walked = trace is not None
        self.modern = state == "open" or (state is None and is_modern(self.story))
        self.peer = peer if peer is not None else _first_peer(self.story)
        self.steps = [] if self.modern else walk(self.story, self.peer)
        last = self.steps[-1].state if self.steps else next(iter(lifecycle.STATES))
        self.state = state or (last if self.walked else None)
        if not self.modern and self.state not in (None, *lifecycle.STATES):
            known = ", ".join(lifecycle.STATES)
            raise ValueError(f'state is {state!r}; it must be "open" or one of {known}')

    def __repr__(self) -> str:
        """The moves of this conversation, or the whole table, and the state it is in."""
        if self.modern:
            return textwrap.fill(NO_LIFE, _WIDTH)
        moves = [f"  {self._text(step)}" for step in self.steps] if self.walked else _table()
        about = f"{self.state}: {lifecycle.STATES[self.state]}" if self.state else ""
        return "\n".join([f"Life of a connection{self._whose()}", *moves, *_wrapped(about)])

    def _text(self, step: Step) -> str:
        if not step.moved:
            return f"row {step.row:<3} {step.before}: ⚠ early, {step.said}"[:_WIDTH]
        return f"row {step.row:<3} {step.before} ── {step.event} ──► {step.state}"

    def _whose(self) -> str:
        return f" with {plain(self.peer, 40)}" if self.peer is not None else ""

    def taken(self) -> dict[Move, list[int]]:
        """The rows that took each arrow of the picture."""
        rows: dict[Move, list[int]] = {}
        for step in self.steps:
            if step.moved and step.event:
                rows.setdefault((step.before, step.event), []).append(step.row)
        return rows

    def alt(self) -> str:
        """What the picture shows, in a sentence or two."""
        moves = (f"{a} to {b} by {event}" for (a, event), b in lifecycle.TRANSITIONS.items())
        table = f"State diagram of a connection's life: {prose.joined(moves)}."
        way = [f"row {step.row} leads to {step.state}" for step in self.steps if step.moved]
        walked = f" In this conversation {prose.joined(way)}." if way else ""
        return table + walked + (f" Now: {self.state}." if self.state else "")

    def html(self) -> str:
        """The picture, and what can be said of the current state."""
        if self.modern:
            return f"<p>{safe(NO_LIFE)}</p>"
        alt = self.alt()
        drawn = image(life_picture.picture(self.state, self.taken(), alt), alt)
        early = (step for step in self.steps if step.early)
        notes = [f"<p>⚠ Row {one.row}: {safe(_EARLY.format(one.said))}</p>" for one in early]
        if self.state:
            about = f"{lifecycle.STATES[self.state]} {limits(self.state)}".rstrip()
            notes.append(f"<p><strong>{safe(self.state)}</strong>: {safe(about)}</p>")
        return drawn + "".join(notes)

    def _view(self) -> dict[str, Any]:
        return {} if self.modern else super()._view()

    def _widget(self) -> Any:
        from .companion_widget import LifeView

        taken = self.taken()
        data = {
            "wide": life_picture.inline(False, taken),
            "tall": life_picture.inline(True, taken),
            "whose": self._whose(),
            "first": next(iter(lifecycle.STATES)),
            "states": {name: _about(name) for name in lifecycle.STATES},
            "rows": len(self.story.rows) if self.walked else 0,
            "labels": [said(row) for row in self.story.rows[:LABELS]],
            "steps": [_as_data(step) for step in self.steps],
        }
        return LifeView(data, {"row": data["rows"], "shown": self.state or ""})


_EARLY = "{} was sent early; before initialized its sender should have waited."


def _as_data(step: Step) -> dict[str, Any]:
    return {
        "row": step.row,
        "said": step.said,
        "event": step.event,
        "before": step.before,
        "state": step.state,
        "note": _EARLY.format("It") if step.early else "",
    }


def _about(state: str) -> dict[str, str]:
    return {
        "phase": lifecycle.PHASES[state],
        "text": lifecycle.STATES[state],
        "limits": limits(state),
    }


def limits(state: str) -> str:
    """What each side should limit itself to in this state; "" where there is no limit."""
    allowed = lifecycle.EARLY.get(state, {})
    parts = [
        f"the {side} should send only {prose.joined(sorted(methods))}"
        for side, methods in allowed.items()
        if methods is not None
    ]
    return f"Here {'; '.join(parts)}." if parts else ""


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH)


def _table() -> list[str]:
    wide = max(map(len, lifecycle.STATES))
    return [
        f"  {state:<{wide}} ── {event} ──► {target}"
        for (state, event), target in lifecycle.TRANSITIONS.items()
    ]


def _first_peer(story: Story) -> str | None:
    """The server that was greeted first, where a trace holds several."""
    greeted = (frame.peer for frame in story.frames if get(frame.message, "method") == "initialize")
    return next(greeted, None)


def life_cycle(
    trace: Trace | Iterable[Frame] | None = None,
    *,
    state: str | None = None,
    peer: str | None = None,
) -> LifeCycle:
    """Draw the life of a connection, and the way that a conversation took through it.

    trace  what was recorded; without one, only the table is drawn
    state  the state to light, such as `client.state`; None: the one the conversation ended in
    peer   whose connection, where a trace holds several; None: the one greeted first

    Raises ValueError for a state that is in no table. A modern conversation has no such life; what
    comes back then says so.
    """
    return LifeCycle(trace, state, peer)
