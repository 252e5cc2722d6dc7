"""Where everything stands: the x of each lifeline, the y of each row, the slot of each bar.

The layout is computed once for a whole story and is nothing but numbers, so that any window of
rows can be drawn from it alone, and a test can check that nothing overlaps. Distances are pixels
at natural size; y counts from the top of the first row.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from .rows import Lifeline, Row, Span
from .story import Story
from .widths import clip, width, wrap

LABEL = 13.0
SMALL = 11.0
CHIP = 10.5
NAME = 14.0
PAD = 22.0
"""Free space between a lifeline and the label of an arrow that leaves it."""

_GAP = (150.0, 460.0)
_ONE_GAP = (330.0, 480.0)
_HEAD = (110.0, 200.0)
_PHASE = 30.0
_EDGE = 14.0
_TIME = 62.0
_LANE = 9.0
_SPEECH_LINES = 4
_BAND_GAP = 10.0
_BAND_PAD = 10.0
_MEASURED = 4000
"""Rows whose labels decide how far apart the lifelines stand."""

_HEIGHTS = {"http": 28.0, "refusal": 28.0, "stderr": 30.0}
_ROW = 42.0
_TAGS = 8.0
_NOTE = 8.0
_NOTE_LINE = 15.0
_NOTE_LINES = 3
_LINE = 28.0
"""How far below its top an ordinary row has its arrow."""


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
        return self.tops[row.number] + _LINE

    def lane_x(self, number: int) -> float:
        """The x of the stream that is this span."""
        span = self.story.spans[number]
        inner = self.lanes["POST"] if span.label == "GET" else 0
        lane = min(self.slots[number], 2) + inner
        return self.xs[span.lifeline] - 30 - _LANE * lane

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
            return places[0] - 60, places[0] + 60
        between = [x for x in self.xs.values() if places[0] <= x <= places[1]]
        return max(pairwise(sorted(between)), key=lambda pair: pair[1] - pair[0])

    def said(self, row: Row) -> list[str]:
        """The lines of a speech."""
        left, right = self.label_gap(row)
        return wrap(f"“{row.words}”", right - left - 2 * PAD, LABEL, _SPEECH_LINES)


def lay_out(
    story: Story,
    *,
    times: bool = False,
    room: float | None = None,
    settled: bool = True,
    notes: dict[int, str] | None = None,
    only: frozenset[int] | None = None,
    lines: list[Lifeline] | None = None,
) -> Layout:
    """Place a story.

    times    leave room for how long answers took
    room     how far apart two lifelines stand at most; None: as far as is good to read
    settled  no more frames will come: a missing answer is said
    notes    what is written under rows, by their number
    only     the numbers of the rows to show; None shows all
    lines    the lifelines; None: those of the story
    """
    layout = Layout(story, lines or story.ordered(), times, room, settled, notes or {})
    layout.slots = _place_spans(story.spans)
    layout.lanes = {of: _lanes(story.spans, layout.slots, of) for of in ("POST", "GET")}
    _place_lifelines(layout)
    _place_rows(layout, only)
    return layout


# -- from left to right ---------------------------------------------------------------------


def _place_lifelines(layout: Layout) -> None:
    lines = layout.lines
    gaps = _gaps(layout)
    for line in lines:
        wanted = max(width(line.name, NAME, bold=True), width(line.sub, SMALL)) + 28
        layout.heads[line.key] = min(max(_HEAD[0], wanted), _HEAD[1])
    first = layout.heads[lines[0].key] / 2 if lines else 0
    lanes = sum(layout.lanes.values())
    layout.left = _EDGE + _PHASE
    x = max(_EDGE + first, layout.left + 40 + _LANE * lanes)
    for number, line in enumerate(lines):
        layout.xs[line.key] = x
        if number < len(gaps):
            heads = (layout.heads[line.key] + layout.heads[lines[number + 1].key]) / 2 + 16
            x += max(gaps[number], heads)
    last = layout.heads[lines[-1].key] / 2 if lines else 200
    layout.width = round(x + max(last, 34) + _EDGE + (_TIME if layout.times else 0))


def _gaps(layout: Layout) -> list[float]:
    """How far apart neighbours stand: as their labels want, within limits."""
    count = len(layout.lines) - 1
    least, most = _ONE_GAP if count == 1 else _GAP
    most = most if layout.room is None else layout.room
    least = min(least, most)
    gaps = [least] * count
    order = {line.key: place for place, line in enumerate(layout.lines)}
    for row in sorted(layout.story.rows[:_MEASURED], key=lambda row: _reach(row, order)):
        left, right = sorted((order[row.source], order[row.target]))
        if left == right:
            continue
        widest = max(range(left, right), key=lambda gap: (gaps[gap], -gap))
        gaps[widest] = min(most, max(gaps[widest], _wanted(row) + 2 * PAD + 8))
    return gaps


def _reach(row: Row, order: dict[str, int]) -> int:
    return abs(order[row.source] - order[row.target])


def _wanted(row: Row) -> float:
    if row.look == "speech":
        return min(width(row.words, LABEL) + 16, 250)
    if row.look in ("http", "refusal"):
        return width(f"{row.head}  {row.words}", SMALL, mono=True) + 24
    head = width(row.head, LABEL, mono=True)
    words = width(row.words, LABEL) + 8 if row.words else 0
    return head + words + (40 if row.look == "stderr" else 0)


# -- from top to bottom ---------------------------------------------------------------------


def _place_rows(layout: Layout, only: frozenset[int] | None) -> None:
    y, band = 0.0, None
    for row in layout.story.rows:
        shown = only is None or row.number in only
        edge = y
        if shown and (band is None or row.phase != band.phase):
            edge = close_band(band, y)
            band, y = open_band(layout, row.phase, edge)
        place_row(layout, y, height_of(layout, row) if shown else 0.0, edge)
        y += layout.heights[-1]
        if shown:
            layout.shown.append(row.number)
    layout.edges.append(close_band(band, y) - _BAND_GAP if band else 0.0)


def place_row(layout: Layout, y: float, height: float, edge: float) -> None:
    """Put the next row at y."""
    layout.tops.append(y)
    layout.heights.append(height)
    layout.edges.append(edge)


def open_band(layout: Layout, phase: str, y: float) -> tuple[Band, float]:
    """Begin a band at y; returns it and the y of its first row."""
    layout.bands.append(Band(phase, y, y))
    return layout.bands[-1], y + _BAND_PAD


def close_band(band: Band | None, y: float) -> float:
    """End a band below y; returns where the next one begins."""
    if band is None:
        return 0.0
    label = 34 + 8.2 * len(band.phase) if band.phase else 0
    band.bottom = max(y + _BAND_PAD, band.top + label)
    return band.bottom + _BAND_GAP


def height_of(layout: Layout, row: Row) -> float:
    """How high this row is, with its tags and its note."""
    height = _HEIGHTS.get(row.look, _ROW)
    if row.look == "speech":
        height = 34 + 17 * len(layout.said(row))
    if row.tags and row.look not in ("http", "refusal"):
        height += _TAGS
    lines = len(layout.note_lines(row))
    return height + (_NOTE + _NOTE_LINE * lines if lines else 0)


# -- side by side ---------------------------------------------------------------------------


def _place_spans(spans: Sequence[Span]) -> list[int]:
    """For each span the lowest slot that is free where it begins."""
    slots: list[int] = []
    busy: dict[tuple[str, str], list[int]] = {}
    for span in spans:
        kind = _group(span)
        ends = busy.setdefault((kind, span.lifeline), [])
        free = next((slot for slot, end in enumerate(ends) if end <= span.start), len(ends))
        if free == len(ends):
            ends.append(0)
        ends[free] = 1 << 60 if span.end is None else span.end
        slots.append(free)
    return slots


def _group(span: Span) -> str:
    """Spans of one group stand side by side: bars, streams, and GET streams outside those."""
    if span.kind == "stream":
        return "GET" if span.label == "GET" else "POST"
    return "round" if span.kind == "round" else "owed"


def _lanes(spans: Iterable[Span], slots: Iterable[int], group: str) -> int:
    """How many streams of this group run side by side at most; more than three share a lane."""
    taken = (slot for span, slot in zip(spans, slots, strict=True) if _group(span) == group)
    return min(3, max(taken, default=-1) + 1)


def label_parts(row: Row, room: float) -> tuple[str, str]:
    """Head and words of a row, cut so that both stand in the room."""
    head = clip(row.head, room, LABEL, mono=True)
    left = room - width(head, LABEL, mono=True) - 8
    return head, clip(row.words, left, LABEL) if row.words and left > 24 else ""
