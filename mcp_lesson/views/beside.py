"""Two conversations on one sheet: side by side, or one below the other where there is no room.

Every step is a pair of rows that belong together (see `align`). Rows that differ are tinted, the
first difference is framed; side by side, a sign stands between the two. Where room is short, equal
pairs are drawn once, and of the others both rows, each with a word at its end that says whose.
"""

from typing import Any

from . import render, through
from .align import Alignment, Pair
from .down import close_band, open_band
from .layout import Band, Layout
from .place import lay_out
from .reading import Reading, read
from .rows import Lifeline, Row
from .shapes import group, rect, short, span, text
from .sheet import HEADS, key_of
from .story import in_order

ROOM = 360.0
"""How far apart two lifelines stand at most when two conversations share a sheet."""

_BETWEEN = 34.0
_NAMES = 22.0
_WORD = 52.0
"""Room for the word "reference" at the end of a row."""


class Beside:
    """The sheet of two conversations; `narrow` for one column instead of two."""

    def __init__(self, alignment: Alignment, *, narrow: bool, settled: bool = True) -> None:
        self.alignment, self.narrow = alignment, narrow
        room = 330.0 if narrow else ROOM
        lines = _all_lifelines(alignment) if narrow else None
        self.mine = lay_out(alignment.mine, room=room, settled=settled, lines=lines)
        self.other = lay_out(alignment.other, room=room, settled=settled, lines=lines)
        if narrow:
            _share_places(self.mine, self.other)
            self.mine.width = self.other.width = self.mine.width + _WORD
        self._shift = 0.0 if narrow else self.mine.width + _BETWEEN
        self.width = self.mine.width if narrow else self._shift + self.other.width
        self._tops, self._heights, self._edges = _place(self)
        self.height = self._edges[-1]
        self.total = len(alignment.pairs)

    @property
    def count(self) -> int:
        """How many pairs there are."""
        return len(self.alignment.pairs)

    def heads(self) -> tuple[str, float]:
        """The heads of both, under the words "yours" and "reference"."""
        if self.narrow:
            return through.heads(self.mine), HEADS
        names = span_at(self.mine.width / 2, "Yours")
        names += span_at(self._shift + self.other.width / 2, "Reference")
        moved = f"<g transform='translate({short(self._shift)} {_NAMES})'>"
        left = f"<g transform='translate(0 {_NAMES})'>{through.heads(self.mine)}</g>"
        return names + left + f"{moved}{through.heads(self.other)}</g>", HEADS + _NAMES

    def edge(self, step: int) -> float:
        """The y before this pair."""
        return self._edges[step]

    def strokes(self, first: int, last: int) -> str:
        """The pairs, and what runs through them on both sides."""
        top, bottom = self._edges[first], self._edges[last]
        body = self._side(through.bands(self.other, top, bottom))
        body = through.bands(self.mine, top, bottom) + body
        pairs = self.alignment.pairs[first:last]
        mine = [pair.mine for pair in pairs if pair.mine]
        other = [pair.other for pair in pairs if pair.other]
        tints = (self._tint(step, top) for step in range(first, last))
        body += "".join(tints) + render.UNDER + self._through(self.mine, mine, top, bottom)
        if not self.narrow:
            body += self._side(self._through(self.other, other, top, bottom))
        return body + "".join(self._pair(pair, top) for pair in pairs)

    def _through(self, layout: Layout, rows: list[Row], top: float, bottom: float) -> str:
        if not rows:
            return through.through(layout, top, bottom, 0, 0)
        return through.through(layout, top, bottom, rows[0].number, rows[-1].number + 1)

    def _side(self, strokes: str) -> str:
        """Strokes of the reference, where they stand."""
        return f"<g transform='translate({short(self._shift)} 0)'>{strokes}</g>"

    def _tint(self, step: int, top: float) -> str:
        """The ground of a pair that differs."""
        pair, y = self.alignment.pairs[step], self._tops[step] - top
        if not pair.counts:
            return ""
        of = "differs first" if step == self.alignment.first else "differs"
        high = self._heights[step] - 2
        body = rect(42, y + 1, self.mine.width - 60, high, of, 8)
        if self.narrow:
            return body
        body += self._side(rect(42, y + 1, self.other.width - 60, high, of, 8))
        middle, level = self._shift - _BETWEEN / 2, y + high / 2 + 1
        sign = rect(middle - 13, level - 13, 26, 26, of, 13)
        return body + sign + span_at(middle, "≠", level + 5)

    def _pair(self, pair: Pair, top: float) -> str:
        body = ""
        if pair.mine:
            body += render.row(self.mine, pair.mine, top) + self._whose(pair, pair.mine, top)
        if pair.other and not (self.narrow and pair.same):
            drawn = render.row(self.other, pair.other, top)
            body += self._whose(pair, pair.other, top) + (
                drawn if self.narrow else self._side(drawn)
            )
        return group("r", body)

    def _whose(self, pair: Pair, row: Row, top: float) -> str:
        if not self.narrow or pair.same:
            return ""
        layout = self.mine if row is pair.mine else self.other
        word = "yours" if row is pair.mine else "reference"
        return text(self.width - 24, layout.line_y(row) - top + 4, span(word, "side"), "e")

    def place(self, step: int) -> dict[str, Any]:
        """Where the pair is."""
        return {"n": step, "y": round(self._tops[step]), "h": round(self._heights[step])}

    def read(self, number: int) -> list[Reading]:
        """Both rows, read; one where they say the same."""
        pair = self.alignment.pairs[number]
        note = self.alignment.difference() if number == self.alignment.first else ""
        sides = ((self.alignment.mine, pair.mine, "yours"),
                 (self.alignment.other, pair.other, "reference"))  # fmt: skip
        found = [read(story, row, note, whose=whose) for story, row, whose in sides if row]
        return found[:1] if pair.same else found

    def words(self) -> tuple[list[str], list[str]]:
        """A comparison has no filter."""
        return [], []

    def found(self) -> list[int]:
        """The pairs that differ."""
        return [step for step, pair in enumerate(self.alignment.pairs) if pair.counts]

    def key(self) -> list[tuple[str, str]]:
        """Of the rows and spans of both."""
        return key_of(self.alignment.mine, self.alignment.other)

    def same(self, before: object) -> int:
        """A comparison is always drawn anew."""
        return -1


def span_at(x: float, words: str, y: float = 15.0) -> str:
    """A word in bold, its middle at x."""
    return text(x, y, span(words, "side"), "m")


def _all_lifelines(alignment: Alignment) -> list[Lifeline]:
    """The lifelines of both; those that both have are named as in mine."""
    return in_order((alignment.other.lifelines | alignment.mine.lifelines).values())


def _share_places(mine: Layout, other: Layout) -> None:
    """Stand the lifelines of both where the wider of the two needs them."""
    wider = max(mine, other, key=lambda layout: layout.width)
    for layout in (mine, other):
        layout.xs, layout.heads, layout.width = wider.xs, wider.heads, wider.width


def _place(sheet: Beside) -> tuple[list[float], list[float], list[float]]:
    """Place the rows of both layouts pair by pair; returns tops, heights and edges of the pairs."""
    sides = (sheet.mine, sheet.other)
    natural = [dict(enumerate(layout.heights)) for layout in sides]
    for layout in sides:
        layout.bands.clear()
    tops, heights, edges, y = [], [], [], 0.0
    open_bands: list[Band | None] = [None, None]
    for pair in sheet.alignment.pairs:
        rows = (pair.mine, pair.other)
        edge, y = _turn(sheet, rows, open_bands, y)
        high = [natural[side][row.number] if row else 0.0 for side, row in enumerate(rows)]
        if sheet.narrow and pair.same:
            high[1] = 0.0
        for side, row in enumerate(rows):
            if row:
                sides[side].tops[row.number] = y + (high[0] if sheet.narrow and side else 0.0)
                sides[side].heights[row.number] = high[side]
        tops.append(y)
        heights.append(sum(high) if sheet.narrow else max(high))
        edges.append(edge)
        y += heights[-1]
    return tops, heights, [*edges, max(close_band(band, y) for band in open_bands)]


def _turn(
    sheet: Beside, rows: tuple[Row | None, Row | None], open_bands: list[Band | None], y: float
) -> tuple[float, float]:
    """Close and open bands before a pair of rows; returns the edge before it and its y."""
    sides = (sheet.mine,) if sheet.narrow else (sheet.mine, sheet.other)
    phases = [row.phase if row else None for row in rows]
    if sheet.narrow:
        phases = [next((phase for phase in phases if phase is not None), None)]
    now = [band.phase if band else None for band in open_bands]
    turning = [n for n, phase in enumerate(phases) if phase is not None and phase != now[n]]
    if not turning:
        return y, y
    edge = max(close_band(band, y) if band else y for band in map(open_bands.__getitem__, turning))
    for side in turning:
        open_bands[side], y = open_band(sides[side], str(phases[side]), edge)
    return edge, y
