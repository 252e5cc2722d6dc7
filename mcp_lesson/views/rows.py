"""What a drawing is made of: lifelines, rows and spans, without any place on a page yet.

A row is one thing to look at, and mostly one frame: a message, a remark, a step of HTTP. A span
runs along one lifeline from row to row: an answer owed, a stream open, a round between two
requests. Rows and spans are the one model that the picture, the text and the comparison share, so
that they cannot disagree.
"""

from dataclasses import dataclass, field
from typing import Literal

Look = Literal[
    "request", "answer", "failure", "error", "notification", "invalid", "noise",
    "stderr", "http", "refusal", "lifecycle", "speech",
]  # fmt: skip
"""How a row is drawn. `failure` is a result that says isError; `refusal` an HTTP status >= 400."""

STAY_OPEN = frozenset({"subscriptions/listen"})
"""Requests whose answer comes at the very end, if at all: none is missed."""

NO_ANSWER = "no answer"

SpanKind = Literal["owed", "cancelled", "stream", "round"]


@dataclass(slots=True)
class Lifeline:
    """One who speaks: `key` is how rows name it, `name` and `sub` what its head says."""

    key: str
    name: str
    sub: str = ""


@dataclass(slots=True)
class Row:
    """One thing to look at.

    frames   the indexes of its frames in the trace
    source   key of the lifeline that it leaves
    target   key of the lifeline that it reaches
    head     the method, the code, the status: what is set in monospace
    words    what it means, in a few words
    chip     the id, as "#3"; "" where there is none
    tags     what HTTP says beside it: "POST /mcp", "200", "event-2"
    said     what is out of order with it: "answers no request"
    partner  number of the row it answers or is answered by
    method   the method it belongs to, for answers that of their request
    round    1, 2, … where `input_required` makes several requests one conversation
    waits    True while its answer is owed
    stream   which span is the stream that carried it
    parts    the messages of a batch, each as a row of its own that is not shown
    """

    number: int
    frames: list[int]
    look: Look
    source: str
    target: str
    time: float
    head: str = ""
    words: str = ""
    chip: str = ""
    tags: list[str] = field(default_factory=list)
    said: str = ""
    phase: str = ""
    partner: int | None = None
    method: str = ""
    round: int = 0
    waits: bool = False
    stream: int | None = None
    revision: str | None = None
    parts: list["Row"] = field(default_factory=list)

    @property
    def remark(self) -> str:
        """What is out of order, a missing answer included; "" when all is well."""
        if self.parts:
            return self.said or self._remark_of_parts()
        if self.said or not self.waits or self.method in STAY_OPEN:
            return self.said
        return NO_ANSWER

    def _remark_of_parts(self) -> str:
        """What is out of order with a batch, and with which of its messages if not with all."""
        wrong = [part for part in self.parts if part.remark]
        if not wrong:
            return ""
        first = wrong[0]
        some = len(wrong) < len(self.parts) and first.remark == NO_ANSWER
        return f"{NO_ANSWER} to {first.chip}" if some else first.remark


@dataclass(slots=True)
class Span:
    """Something that lasts, on one lifeline, from row `start` to row `end` (None: still open)."""

    kind: SpanKind
    lifeline: str
    start: int
    end: int | None = None
    label: str = ""


@dataclass(slots=True)
class Changes:
    """Which rows look different since somebody last asked: all from `first` on."""

    first: int = 0

    def at(self, number: int) -> None:
        """Row `number` changed."""
        self.first = min(self.first, number)
