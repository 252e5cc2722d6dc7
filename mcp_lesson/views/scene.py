"""What there is to draw: one conversation, or two of them beside each other.

A scene holds the stories and gives each form of the drawing what it needs: sheets for the picture
and the live view, the text, the sentence for those who cannot see it. It grows with its trace.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from ..trace import Frame, Trace
from .align import Alignment
from .beside import Beside
from .choose import chosen, clauses, notes
from .marks import plain
from .picture import Headline
from .place import lay_out
from .sheet import Rows, Sheet
from .story import tell
from .summary import summary
from .text import draw, draw_pairs

NARROW = 330.0
"""How far apart two lifelines stand where there is little room."""


class Scene(Protocol):
    """Something to draw."""

    title: str

    def sheet(
        self, *, only: Sequence[str] = (), narrow: bool = False, live: bool = False,
        settled: bool = True,
    ) -> Sheet:  # fmt: skip
        """Steps to draw; `live` with the times of answers, `settled` when no more will come."""

    def text(self, only: Sequence[str] = ()) -> str:
        """The scene as text."""

    def alt(self) -> str:
        """One sentence that says what there is to see."""

    def headline(self) -> Headline:
        """What stands over the picture."""

    def grow(self, frames: Sequence[Frame]) -> bool:
        """Tell what is new among these frames; False when nothing was."""

    def changed(self) -> int:
        """The first row that looks different since this was last called."""


class Conversation:
    """One conversation, with what rules found in it."""

    def __init__(self, trace: Trace, title: str, findings: Iterable[Any] = ()) -> None:
        self.title, self.findings = plain(title, 120), tuple(findings)
        self.story = tell(trace)

    def sheet(
        self, *, only: Sequence[str] = (), narrow: bool = False, live: bool = False,
        settled: bool = True,
    ) -> Sheet:  # fmt: skip
        """The rows that the filter keeps."""
        layout = lay_out(
            self.story,
            times=live and not narrow,
            room=NARROW if narrow else None,
            settled=settled,
            notes=notes(self.story, self.findings),
            only=chosen(self.story, only),
        )
        return Rows(layout, clauses(self.story, self.findings))

    def text(self, only: Sequence[str] = ()) -> str:
        """One line a row."""
        found = notes(self.story, self.findings)
        return draw(self.story, self.title, found, chosen(self.story, only))

    def alt(self) -> str:
        """Who spoke, how much, about what, and what went wrong."""
        return summary(self.story, len(self.findings))

    def headline(self) -> Headline:
        """The title, and how much was found."""
        return Headline(self.title, findings=len(self.findings))

    def grow(self, frames: Sequence[Frame]) -> bool:
        """Tell the frames that are new."""
        new = frames[len(self.story.frames) :]
        for frame in new:
            self.story.add(frame)
        return bool(new)

    def changed(self) -> int:
        """The first row that is new or newly answered."""
        first, self.story.changes.first = self.story.changes.first, len(self.story.rows)
        return first


class Comparison:
    """Two conversations, the first difference marked and said."""

    def __init__(self, mine: Trace, other: Trace, title: str) -> None:
        self.title = plain(title, 120)
        self._mine, self._other = tell(mine), tell(other)
        self._alignment = Alignment(self._mine, self._other)

    def sheet(
        self, *, only: Sequence[str] = (), narrow: bool = False, live: bool = False,
        settled: bool = True,
    ) -> Sheet:  # fmt: skip
        """Pairs of rows; a comparison has no filter and shows no times."""
        return Beside(self._alignment, narrow=narrow, settled=settled)

    def text(self, only: Sequence[str] = ()) -> str:
        """One line a row, with a sign before those that only one of the two has."""
        return draw_pairs(self._alignment, self.title)

    def alt(self) -> str:
        """What differs first, and what the two are."""
        return f"Two conversations compared. {self._alignment.difference()} {summary(self._mine)}"

    def headline(self) -> Headline:
        """The title, and the first difference in words."""
        return Headline(self.title, self._alignment.difference())

    def grow(self, frames: Sequence[Frame]) -> bool:
        """Tell what is new in mine, and compare again."""
        new = frames[len(self._mine.frames) :]
        for frame in new:
            self._mine.add(frame)
        if new:
            self._alignment = Alignment(self._mine, self._other)
        return bool(new)

    def changed(self) -> int:
        """A comparison is always drawn anew."""
        return 0
