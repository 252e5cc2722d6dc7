"""What a picture is made of, step by step, whether it shows one conversation or two.

The static picture and the live view ask a sheet for strokes and readings of a range of steps, and
do not care what a step is: a row of one conversation here, a pair of rows in `beside`.
"""

from typing import Any, Protocol

from . import render, through
from .key import key
from .layout import Layout
from .reading import Reading, read
from .story import Story

HEADS = 60.0
"""Height of the heads of the lifelines."""


class Sheet(Protocol):
    """Steps to draw and to read. Distances are pixels at natural size."""

    width: float
    height: float
    total: int
    """Rows in all, shown or not."""

    @property
    def count(self) -> int:
        """How many steps there are."""

    def heads(self) -> tuple[str, float]:
        """The strokes of the heads, and how high they are."""

    def edge(self, step: int) -> float:
        """The y before this step at which the picture may be cut; `count` stands for its end."""

    def strokes(self, first: int, last: int) -> str:
        """The strokes of steps `first` up to, not with, `last`: each a group of class "r"."""

    def place(self, step: int) -> dict[str, Any]:
        """Number, y and height of a step; the number of the step it belongs to, if any."""

    def read(self, number: int) -> list[Reading]:
        """What the reader says of the step with this number: one reading, or two."""

    def words(self) -> tuple[list[str], list[str]]:
        """The looks and the methods that occur."""

    def found(self) -> list[int]:
        """The steps that are marked, in order."""

    def key(self) -> list[tuple[str, str]]:
        """Samples of the strokes that occur, and what they mean."""

    def same(self, before: "Sheet") -> int:
        """How many steps from the first on look as they did before; -1 when all has moved."""


class Rows:
    """The sheet of one conversation: every row that is shown is a step."""

    def __init__(self, layout: Layout, clauses: dict[int, str] | None = None) -> None:
        self.layout, self.story = layout, layout.story
        self._clauses = clauses or {}
        self.width, self.height = layout.width, layout.height
        self.total = len(layout.story.rows)

    @property
    def count(self) -> int:
        """How many rows are shown."""
        return len(self.layout.shown)

    def heads(self) -> tuple[str, float]:
        """The heads of all lifelines."""
        return through.heads(self.layout), HEADS

    def _row(self, step: int) -> int:
        return self.layout.shown[step] if step < self.count else self.total

    def edge(self, step: int) -> float:
        """The y before this row."""
        return self.layout.edges[self._row(step)]

    def strokes(self, first: int, last: int) -> str:
        """The rows, and what runs through them."""
        return render.rows(self.layout, self._row(first), self._row(last))

    def place(self, step: int) -> dict[str, Any]:
        """Where the row is, and the row it answers or is answered by."""
        row = self.story.rows[self.layout.shown[step]]
        top, height = self.layout.tops[row.number], self.layout.heights[row.number]
        place = {"n": row.number, "y": round(top), "h": round(height)}
        return place if row.partner is None else place | {"p": row.partner}

    def read(self, number: int) -> list[Reading]:
        """One row, read."""
        note, clause = self.layout.notes.get(number, ""), self._clauses.get(number, "")
        return [read(self.story, self.story.rows[number], note, clause=clause)]

    def words(self) -> tuple[list[str], list[str]]:
        """In the order of their first appearance."""
        looks = dict.fromkeys(row.look for row in self.story.rows)
        methods = dict.fromkeys(row.method for row in self.story.rows if row.method)
        return list(looks), list(methods)

    def found(self) -> list[int]:
        """The rows with findings."""
        places = {number: place for place, number in enumerate(self.layout.shown)}
        return sorted(places[number] for number in self.layout.notes if number in places)

    def key(self) -> list[tuple[str, str]]:
        """Of the rows and spans of this conversation."""
        return key_of(self.story)

    def same(self, before: "Sheet") -> int:
        """Rows from the first on that stand where they stood and have no new answer."""
        if not isinstance(before, Rows) or before.layout.xs != self.layout.xs:
            return -1
        old, new = before.layout, self.layout
        pairs = zip(old.shown, old.tops, new.shown, new.tops, strict=False)
        moved = (place for place, (a, b, c, d) in enumerate(pairs) if (a, b) != (c, d))
        return next(moved, min(len(old.shown), len(new.shown)) - 1)


def key_of(*stories: Story) -> list[tuple[str, str]]:
    """The key to what occurs in these stories."""
    looks = {row.look for story in stories for row in story.rows}
    return key(looks, {span.kind for story in stories for span in story.spans})
