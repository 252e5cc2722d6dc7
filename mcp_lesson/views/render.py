"""Rows become strokes: the one renderer, for the static picture and the live view alike.

`rows` draws any window of a layout. Every row is a group with its number, so that the live view can
find and light it. One table says which function draws which look.
"""

from collections.abc import Callable

from .layout import CHIP, LABEL, PAD, SMALL, Layout
from .palette import LOOKS
from .rows import Row
from .shapes import cross, dot, group, jagged, line, path, rect, short, span, text, tip
from .through import bands, through
from .values import duration
from .widths import clip, width

UNDER = "<g class='under'></g>"
"""Where the live view puts the light of the selected row: over the bands, under all else."""


def rows(layout: Layout, first: int, last: int) -> str:
    """The strokes of rows `first` up to, not with, `last`; y counts from the edge before them."""
    top, bottom = layout.edges[first], layout.edges[last]
    body = [bands(layout, top, bottom), UNDER, through(layout, top, bottom, first, last)]
    shown = (one for one in layout.story.rows[first:last] if layout.heights[one.number])
    return "".join([*body, *(group("r", row(layout, one, top), one.number) for one in shown)])


def row(layout: Layout, row: Row, top: float) -> str:
    """The strokes of one row; y counts from `top`."""
    y = layout.line_y(row) - top
    body = _event(layout, row, y) + _DRAW.get(row.look, _message)(layout, row, y)
    phased = " phased" if row.phase else ""
    return group(row.look + phased, body + _below(layout, row, y))


def _message(layout: Layout, row: Row, y: float) -> str:
    left, right = _room(layout, row)
    head, words = _label_parts(row, right - left)
    label = span(head, "h") + span(words, "w", 8)
    body = _arrow(layout, row, y) + text((left + right) / 2, y - 9, label, "m")
    return body + _chip(layout, row, y) + _time(layout, row, y)


def _event(layout: Layout, row: Row, y: float) -> str:
    """A dot on the stream that carried this row."""
    if row.stream is None:
        return ""
    x, edge = layout.lane_x(row.stream), layout.xs[layout.story.spans[row.stream].lifeline]
    return line(x, y, edge - 4, "wire") + dot(x, y, "dot")


def _label_parts(row: Row, room: float) -> tuple[str, str]:
    """Head and words of a row, cut so that both stand in the room."""
    head = clip(row.head, room, LABEL, mono=True)
    left = room - width(head, LABEL, mono=True) - 8
    return head, clip(row.words, left, LABEL) if row.words and left > 24 else ""


def _room(layout: Layout, row: Row) -> tuple[float, float]:
    """Where the label may stand: its gap without the chip and the free space at both ends."""
    left, right = layout.label_gap(row)
    chip = _chip_width(row) / 2 + 8 if row.chip else 0
    source = layout.xs[row.source]
    return (
        left + max(PAD, chip if source == left else 0),
        right - max(PAD, chip if source == right else 0),
    )


def _chip_width(row: Row) -> float:
    return width(row.chip, CHIP, mono=True) + 14


def _chip(layout: Layout, row: Row, y: float) -> str:
    if not row.chip:
        return ""
    x, wide = layout.xs[row.source], _chip_width(row)
    frame = rect(x - wide / 2, y - 9, wide, 18, "chip", 9)
    return frame + text(x, y + 3.8, span(row.chip, "c"), "m")


def _arrow(layout: Layout, row: Row, y: float) -> str:
    look = LOOKS[row.look]
    start, end = layout.xs[row.source], layout.xs[row.target]
    if start == end:
        return _loop(start, y)
    away = 1 if start > end else -1
    start -= away * (_chip_width(row) / 2 if row.chip else 2)
    end += away * (5 if row.look in ("request", "notification", "speech") else 3)
    if look.stroke == "jagged":
        return jagged(start - away * 12, y, end + away * 8)
    body = line(start, y, end + away * (8 if look.tip == "filled" else 1))
    body += tip(end, y, away, look.tip)
    return body + (cross(end + away * 22, y) if row.look == "error" else "")


def _loop(x: float, y: float) -> str:
    """Somebody does something alone: out of the lifeline and back into it."""
    return path(f"M{short(x + 2)} {short(y - 8)}h14v14h-6", "s") + tip(x + 3, y + 6, 1, "open")


def _jagged(layout: Layout, row: Row, y: float) -> str:
    left, right = _room(layout, row)
    head, words = _label_parts(row, right - left - 18)
    label = span("⚠", "h") + span(head, "h", 5) + span(words, "w", 8)
    return _arrow(layout, row, y) + text((left + right) / 2, y - 11, label, "m")


def _thin(layout: Layout, row: Row, y: float) -> str:
    """HTTP without a message: the words stand on a thin line."""
    left, right = _room(layout, row)
    head = clip(row.head, right - left - 30, SMALL, mono=True)
    room = right - left - 30 - width(head, SMALL, mono=True)
    words = clip(row.words, room, SMALL) if room > 30 else ""
    label = span(head, "h") + span(words, "w", 7 if head else 0)
    taken = width(head, SMALL, mono=True) + width(words, SMALL) + 20
    cover = rect((left + right - taken) / 2, y - 8, taken, 16, "cover")
    return _arrow(layout, row, y) + cover + text((left + right) / 2, y + 4, label, "m")


def _remark(layout: Layout, row: Row, y: float) -> str:
    """A line on stderr: beside the lifeline of its writer, in no arrow."""
    left, right = _room(layout, row)
    at_right = layout.xs[row.source] >= layout.xs[row.target]
    named = width("stderr", SMALL, mono=True) + 24
    words = clip(row.words, right - left - named, SMALL, mono=True)
    taken = width(words, SMALL, mono=True) + named
    x = right - taken + 8 if at_right else left - 8
    body = rect(x, y - 19, taken, 22, "note", 5)
    label = span("stderr", "h") + span(words, "w", 8)
    edge = layout.xs[row.source]
    near = x + taken if at_right else x
    return body + line(near, y - 8, edge, "wire") + text(x + 8, y - 4, label, "l")


def _speech(layout: Layout, row: Row, y: float) -> str:
    said = layout.said(row)
    left, right = layout.label_gap(row)
    wide = max(width(one, LABEL) for one in said) + 24
    middle, high = (left + right) / 2, 17 * len(said) + 10
    body = rect(middle - wide / 2, y - 8 - high, wide, high, "bubble", 9)
    for place, one in enumerate(said):
        body += text(middle, y - high + 8 + 17 * place, span(one, "w"), "m")
    return body + _arrow(layout, row, y)


_DRAW: dict[str, Callable[[Layout, Row, float], str]] = {
    "invalid": _jagged,
    "noise": _jagged,
    "stderr": _remark,
    "http": _thin,
    "refusal": _thin,
    "speech": _speech,
}


def _below(layout: Layout, row: Row, y: float) -> str:
    """Tags and notes: what stands under an arrow."""
    y += 4 if LOOKS[row.look].stroke == "jagged" else 0
    tags, down = _tags(layout, row, y), 12 if row.tags else 0
    lines = layout.note_lines(row)
    return tags + (_note(layout, row, y + down, lines) if lines else "")


def _tags(layout: Layout, row: Row, y: float) -> str:
    if not row.tags:
        return ""
    left, right = layout.label_gap(row)
    tags = clip(" · ".join(row.tags), right - left - 2 * PAD, CHIP, mono=True)
    at_left = layout.xs[row.source] <= left
    x, side = (left + PAD, "l") if at_left else (right - PAD, "e")
    return text(x, y + 14, span(tags, "g"), side)


def _note(layout: Layout, row: Row, y: float, lines: list[str]) -> str:
    """What is out of order, in a frame of its own."""
    middle = sum(layout.label_gap(row)) / 2
    wide = max(width(one, SMALL, bold=True) for one in lines) + 36
    y += 5 if row.look in ("http", "refusal", "stderr") else 9
    body = rect(middle - wide / 2, y, wide, 15 * len(lines) + 3, "alarm", 9)
    for place, one in enumerate(lines):
        label = ("" if place else span("⚠", "a")) + span(one, "a", 0 if place else 5)
        body += text(middle, y + 13 + 15 * place, label, "m")
    return body


def _time(layout: Layout, row: Row, y: float) -> str:
    if not layout.times or row.partner is None or row.partner > row.number:
        return ""
    passed = row.time - layout.story.rows[row.partner].time
    label = span(duration(passed), "w")
    return text(layout.width - 26, y + 4, label, "time")
