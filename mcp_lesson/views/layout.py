"""Where everything stands: the x of each lifeline, the y of each row, the slot of each bar.

The layout is computed once for a whole story (in `place`) and is nothing but numbers, so that any
window of rows can be drawn from it alone, and a test can check that nothing overlaps. Distances are
pixels at natural size; y counts from the top of the first row.
"""

from dataclasses import dataclass, field
from itertools import pairwise

from .lanes import LANES
from .rows import Lifeline, Row
from .story import Story
from .widths import wrap

LABEL = 13.0
SMALL = 11.0
CHIP = 10.5
NAME = 14.0
PAD = 22.0
"""Free space between a lifeline and the label of an arrow that leaves it."""

LANE = 9.0
"""From one stream to the next that runs beside it."""

LINE = 28.0
"""How far below its top an ordinary row has its arrow."""

_ALONE = 260.0
"""How far from its lifeline a label may reach that belongs to nobody else."""

_SPEECH_LINES = 4
_NOTE_LINES = 3


@dataclass(slots=True)
class Band:
    """A run of rows of one phase, from y `top` to `bottom`."""

    phase: str
    top: float
    bottom: float


@dataclass(slots=True)
class Layout:
    """All the numbers of one drawing.

    xs      the x of each lifeline, by key
    heads   the width of each lifeline's head
    tops    the y at which each row begins
    heights how high each row is; 0 for one that is not shown
    edges   the y at which the picture may be cut before each row, and its end
    bands   the phases
    slots   for each span how many others of its kind run beside it
    lanes   how many lanes the streams of POSTs and of GETs need
    shown   the numbers of the rows that are shown
    """

    story: Story
    lines: list[Lifeline]
    times: bool
    room: float | None
    settled: bool
    notes: dict[int, str]
    xs: dict[str, float] = field(default_factory=dict)
    heads: dict[str, float] = field(default_factory=dict)
    tops: list[float] = field(default_factory=list)
    heights: list[float] = field(default_factory=list)
    edges: list[float] = field(default_factory=list)
    bands: list[Band] = field(default_factory=list)
    slots: list[int] = field(default_factory=list)
    lanes: dict[str, int] = field(default_factory=dict)
    shown: list[int] = field(default_factory=list)
    width: float = 0.0
    left: float = 0.0

    @property
    def height(self) -> float:
        """The height of all rows together."""
        return self.edges[-1]

    def line_y(self, row: Row) -> float:
        """The y of the arrow of this row."""
        if row.look in ("http", "refusal"):
            return self.tops[row.number] + 14
        if row.look == "speech":
            return self.tops[row.number] + 18 + 17 * len(self.said(row))
        return self.tops[row.number] + LINE

    def lane_x(self, number: int) -> float:
        """The x of the stream that is this span."""
        span = self.story.spans[number]
        inner = self.lanes["POST"] if span.label == "GET" else 0
        lane = min(self.slots[number], LANES - 1) + inner
        return self.xs[span.lifeline] - 30 - LANE * lane

    def note(self, row: Row) -> str:
        """What is out of order with a row: a finding, or what the story says of it."""
        found = self.notes.get(row.number) or row.said
        return found or (row.remark if self.settled else "")

    def note_lines(self, row: Row) -> list[str]:
        """The note of a row, broken into lines that fit its gap."""
        note = self.note(row)
        left, right = self.label_gap(row)
        return wrap(note, right - left - 56, SMALL * 1.13, _NOTE_LINES) if note else []

    def label_gap(self, row: Row) -> tuple[float, float]:
        """Left and right x of the gap in which the label of this row stands."""
        places = sorted((self.xs[row.source], self.xs[row.target]))
        if places[0] == places[1]:
            return self._beside(places[0])
        between = [x for x in self.xs.values() if places[0] <= x <= places[1]]
        return max(pairwise(sorted(between)), key=lambda pair: pair[1] - pair[0])

    def _beside(self, x: float) -> tuple[float, float]:
        """The gap to the right of a lifeline, or to its left where it is the last."""
        after = [other for other in self.xs.values() if other > x]
        before = [other for other in self.xs.values() if other < x]
        if after:
            return x, min([*after, x + _ALONE])
        return max([*before, x - _ALONE]), x

    def said(self, row: Row) -> list[str]:
        """The lines of a speech."""
        left, right = self.label_gap(row)
        return wrap(f"“{row.words}”", right - left - 2 * PAD, LABEL, _SPEECH_LINES)
