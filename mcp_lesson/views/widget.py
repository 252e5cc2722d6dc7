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

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from ..trace import Frame
from . import windows
from .scene import Scene
from .sheet import Sheet
from .styles import styles, variables

_STATIC = Path(__file__).parent / "static"

PARTS = ("page", "store", "tools", "canvas", "reader", "diagram")
"""The files of the browser's side, joined in this order into one module."""


class Diagram(anywidget.AnyWidget):
    """One live view of one scene."""

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

    def __init__(self, scene: Scene, only: Sequence[str] = ()) -> None:
        self.scene = scene
        self._near, self._edition, self._settled = 0, 0, True
        self._sheet = scene.sheet(only=only, live=True)
        scene.changed()
        head, window = self._head(0), windows.window(self._sheet, 0)
        super().__init__(head=head, window=window, only=list(only))
        self.observe(self._on_layout, ["only", "narrow"])
        self.observe(self._on_want, "want")
        self.observe(self._on_ask, "ask")

    def __repr__(self) -> str:
        """The same on every run: no address."""
        return f"<Diagram: {self._sheet.total} rows>"

    def grow(self, frames: Sequence[Frame]) -> None:
        """Tell the frames that are new, and draw them."""
        if self.scene.grow(frames):
            self._refresh(settled=False)

    def settle(self) -> None:
        """Draw once more, now that no frame has come for a while: missing answers are said."""
        self._refresh(settled=True)

    def _refresh(self, *, settled: bool) -> None:
        before, self._settled = self._sheet, settled
        self._sheet = self._lay_out()
        same = min(self._sheet.same(before), self.scene.changed())
        if same < 0:
            self._edition += 1
        if self.follow:
            self._near = self._sheet.count // windows.CHUNK
        self._publish(max(0, same) // windows.CHUNK)

    def _lay_out(self) -> Sheet:
        return self.scene.sheet(
            only=self.only, narrow=self.narrow, live=True, settled=self._settled
        )

    def _head(self, dirty: int) -> dict[str, Any]:
        """`dirty` is the first chunk that looks different; a new edition makes all chunks so."""
        about = {"alt": self.scene.alt(), "title": self.scene.title}
        about["sentence"] = self.scene.headline().sentence
        return windows.head(self._sheet, dirty=dirty, edition=self._edition, **about)

    def _publish(self, dirty: int) -> None:
        with self.hold_sync():
            self.head = self._head(dirty)
            self.window = windows.window(self._sheet, self._near)

    def _on_layout(self, change: Any) -> None:
        self._edition += 1
        self._near = 0
        self._sheet = self._lay_out()
        self._publish(0)

    def _on_want(self, change: Any) -> None:
        wanted = self.want.get("k")
        last = len(windows.chunks(self._sheet)) - 1
        self._near = max(0, min(wanted, last)) if isinstance(wanted, int) else 0
        self.window = windows.window(self._sheet, self._near) | {"for": wanted}

    def _on_ask(self, change: Any) -> None:
        number = self.ask.get("row")
        if isinstance(number, int) and 0 <= number < self._sheet.total:
            shelf = windows.Shelf()
            read = windows.reading(self._sheet, number, shelf, lines=1000, raw=windows.WHOLE)
            self.told = {"row": number, "read": read, **shelf.as_lists()}
