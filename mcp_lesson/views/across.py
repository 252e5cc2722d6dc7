"""From left to right: how far apart the lifelines stand, and how wide their heads are."""

from .layout import LABEL, LANE, NAME, PAD, SMALL, Layout
from .rows import Row
from .widths import width

_GAP = (150.0, 460.0)
_ONE_GAP = (330.0, 480.0)
_HEAD = (110.0, 200.0)
_PHASE = 30.0
_EDGE = 14.0
_TIME = 62.0
_MEASURED = 4000
"""Rows whose labels decide how far apart the lifelines stand."""


def place_lifelines(layout: Layout) -> None:
    """Give every lifeline its x and its head its width."""
    lines = layout.lines
    gaps = _gaps(layout)
    for line in lines:
        wanted = max(width(line.name, NAME, bold=True), width(line.sub, SMALL)) + 28
        layout.heads[line.key] = min(max(_HEAD[0], wanted), _HEAD[1])
    first = layout.heads[lines[0].key] / 2 if lines else 0
    lanes = sum(layout.lanes.values())
    layout.left = _EDGE + _PHASE
    x = max(_EDGE + first, layout.left + 40 + LANE * lanes)
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
