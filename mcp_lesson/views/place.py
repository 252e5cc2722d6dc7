"""The whole layout of a story: across, down, and side by side."""

from .across import place_lifelines
from .down import place_rows
from .lanes import lanes_of, place_spans
from .layout import Layout
from .rows import Lifeline
from .story import Story


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
    layout.slots = place_spans(story.spans)
    layout.lanes = {of: lanes_of(story.spans, layout.slots, of) for of in ("POST", "GET")}
    place_lifelines(layout)
    place_rows(layout, only)
    return layout
