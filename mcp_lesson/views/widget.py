"""The live view: the same picture in the browser, with stepping, reading, filters and following.

State is in traits, so that a saved notebook holds what its view needs. Python draws and explains;
the browser shows, steps and lights. What it has not got it asks for by number.

    head    what is known of the whole (see `windows.head`)
    window  some three hundred rows and their reading (see `windows.window`)
    step    place of the selected row among those shown, or -1
    only    the filter, as words
    narrow  True where there is little room: the lifelines stand closer
    follow  True to go along with a trace that grows
    want    {"k": chunk} that the browser is missing
    ask     {"row": number} whose whole reading it wants; `told` is the answer
"""

from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from ..trace import Frame
from . import windows
from .choose import chosen
from .layout import Layout, lay_out
from .story import Story
from .styles import styles, variables

_STATIC = Path(__file__).parent / "static"

PARTS = ("page", "store", "tools", "canvas", "reader", "diagram")
"""The files of the browser's side, joined in this order into one module."""

Notes = Callable[[Story], dict[int, str]]


class Diagram(anywidget.AnyWidget):
    """One live view of one story. `add` frames and `refresh` as they come."""

    _esm = "\n".join((_STATIC / f"{part}.js").read_text(encoding="utf-8") for part in PARTS)
    _css = variables() + styles() + (_STATIC / "diagram.css").read_text(encoding="utf-8")

    head = traitlets.Dict().tag(sync=True)
    window = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(-1).tag(sync=True)
    only = traitlets.List(traitlets.Unicode()).tag(sync=True)
    narrow = traitlets.Bool(False).tag(sync=True)
    follow = traitlets.Bool(True).tag(sync=True)
    want = traitlets.Dict().tag(sync=True)
    ask = traitlets.Dict().tag(sync=True)
    told = traitlets.Dict().tag(sync=True)

    def __init__(self, story: Story, alt: str, title: str, notes: Notes, **traits: Any) -> None:
        self.story = story
        self._about = {"alt": alt, "title": title}
        self._notes = notes
        self._near = 0
        self._edition = 0
        self._layout = self._lay_out(settled=True)
        self.story.changes.first = len(self.story.rows)
        head, window = self._head(dirty=0), windows.window(self._layout, 0)
        super().__init__(head=head, window=window, **traits)
        self.observe(self._on_layout, ["only", "narrow"])
        self.observe(self._on_want, "want")
        self.observe(self._on_ask, "ask")

    def __repr__(self) -> str:
        """The same on every run: no address."""
        return f"<Diagram: {len(self.story.rows)} rows>"

    def grow(self, frames: list[Frame]) -> None:
        """Tell the frames that are new, and draw anew."""
        for frame in frames[len(self.story.frames) :]:
            self.story.add(frame)
        self._refresh(settled=False)

    def settle(self) -> None:
        """Draw once more, now that no frame has come for a while: missing answers are said."""
        self._refresh(settled=True)

    def _refresh(self, *, settled: bool) -> None:
        before, self._layout = self._layout, self._lay_out(settled=settled)
        dirty = self._dirty(before)
        if self.follow:
            self._near = len(self._layout.shown) // windows.CHUNK
        self._publish(dirty)

    def _lay_out(self, *, settled: bool) -> Layout:
        return lay_out(
            self.story,
            times=not self.narrow,
            narrow=self.narrow,
            settled=settled,
            notes=self._notes(self.story),
            only=chosen(self.story, self.only),
        )

    def _dirty(self, before: Layout) -> int:
        """The first chunk that looks different now."""
        now = self._layout
        changed = bisect_left(now.shown, self.story.changes.first)
        self.story.changes.first = len(self.story.rows)
        if (before.xs, before.width) != (now.xs, now.width):
            self._edition += 1
            return 0
        same = min(len(before.shown), len(now.shown))
        pairs = zip(before.tops[: same + 1], now.tops[: same + 1], strict=True)
        moved = next((place for place, (old, new) in enumerate(pairs) if old != new), same)
        return max(0, min(moved - 1, changed)) // windows.CHUNK

    def _head(self, dirty: int) -> dict[str, Any]:
        places = {number: place for place, number in enumerate(self._layout.shown)}
        found = [places[number] for number in self._layout.notes if number in places]
        return windows.head(
            self._layout,
            dirty=dirty,
            edition=self._edition,
            findings=sorted(found),
            chunk=windows.CHUNK,
            live=True,
            **self._about,
        )

    def _publish(self, dirty: int) -> None:
        with self.hold_sync():
            self.head = self._head(dirty)
            self.window = windows.window(self._layout, self._near)

    def _on_layout(self, change: Any) -> None:
        self._edition += 1
        self._near = 0
        self._layout = self._lay_out(settled=True)
        self._publish(0)

    def _on_want(self, change: Any) -> None:
        wanted = self.want.get("k", 0)
        count = len(windows.chunks(self._layout))
        self._near = max(0, min(int(wanted), count - 1)) if isinstance(wanted, int) else 0
        self.window = windows.window(self._layout, self._near) | {"for": wanted}

    def _on_ask(self, change: Any) -> None:
        number = self.ask.get("row")
        if not isinstance(number, int) or not 0 <= number < len(self.story.rows):
            return
        shelf = windows.Shelf()
        part = windows.reading(self._layout, number, shelf, lines=1000, raw=windows.WHOLE)
        self.told = {"row": number, "part": part, **shelf.as_lists()}
