"""Rows become strokes: the one renderer, for the static picture and the live view alike.

`rows` draws any window of a layout; what runs through it (bands, lifelines, bars, streams) is cut
at its edges. Every row is a group with its number, so that the live view can find and light it.
One table says which function draws which look.
"""

from collections.abc import Callable

from .layout import CHIP, LABEL, PAD, SMALL, Band, Layout, label_parts
from .palette import LOOKS
from .rows import Row, Span
from .shapes import cross, dot, group, jagged, line, path, post, rect, short, span, text, tip
from .widths import clip, width

UNDER = "<g class='under'></g>"
"""Where the live view puts the light of the selected row: over the bands, under all else."""

_BAR = 8.0
_DEPTH = 5.0
_REPEAT = 520.0
"""The name of a long phase is written again after so many pixels."""


def rows(layout: Layout, first: int, last: int) -> str:
    """The strokes of rows `first` up to, not with, `last`; y counts from the edge before them."""
    top, bottom = layout.edges[first], layout.edges[last]
    body = [bands(layout, top, bottom), UNDER, through(layout, top, bottom, first, last)]
    shown = (one for one in layout.story.rows[first:last] if layout.heights[one.number])
    return "".join([*body, *(group("r", row(layout, one, top), one.number) for one in shown)])


def bands(layout: Layout, top: float, bottom: float) -> str:
    """The bands of the phases between two ys."""
    return "".join(_band(layout, band, top, bottom) for band in layout.bands)


def through(layout: Layout, top: float, bottom: float, first: int, last: int) -> str:
    """What runs through rows `first` up to `last`, which stand between two ys: lifelines, spans."""
    body = [post(x, 0, bottom - top) for x in layout.xs.values()]
    spans = enumerate(layout.story.spans)
    running = (n for n, one in spans if one.start < last and _end(layout, one) >= first)
    return "".join(body + [_span(layout, number, top, bottom, first, last) for number in running])


def _end(layout: Layout, one: Span) -> int:
    return len(layout.story.rows) if one.end is None else one.end


def heads(layout: Layout) -> str:
    """The heads of all lifelines: 46 pixels high, and a bit of each line below."""
    return "".join(_head(layout, key) for key in layout.xs)


def _head(layout: Layout, key: str) -> str:
    line_ = next(one for one in layout.lines if one.key == key)
    x, wide = layout.xs[key], layout.heads[key]
    name = clip(line_.name, wide - 20, 14, bold=True)
    sub = clip(line_.sub, wide - 20, SMALL)
    body = post(x, 46, 60) + rect(x - wide / 2, 1, wide, 44, "head", 10)
    body += text(x, 20 if sub else 28, span(name, "name"), "m")
    return body + (text(x, 36, span(sub, "sub"), "m") if sub else "")


# -- what runs through many rows --------------------------------------------------------------


def _band(layout: Layout, band: Band, top: float, bottom: float) -> str:
    start, end = max(band.top, top), min(band.bottom, bottom)
    if not band.phase or end <= start:
        return ""
    body = rect(14, start - top, layout.width - 28, end - start, "band", 10)
    if end - start < 8.2 * len(band.phase):
        return body
    times = max(1, round((end - start) / _REPEAT))
    part = (end - start) / times
    places = (start - top + part * (number + 0.5) for number in range(times))
    return body + "".join(_upright(32, y, band.phase.upper()) for y in places)


def _upright(x: float, y: float, words: str) -> str:
    place = f"translate({short(x)} {short(y)})rotate(-90)"
    return f"<text class='phase' transform='{place}'>{words}</text>"


def _span(layout: Layout, number: int, top: float, bottom: float, first: int, last: int) -> str:
    one, all_rows = layout.story.spans[number], layout.story.rows
    end = _end(layout, one)
    start_y = layout.line_y(all_rows[one.start]) - top if one.start >= first else 0.0
    end_y = layout.line_y(all_rows[end]) - top if end < last else bottom - top
    drawn = _SPANS[one.kind](layout, number, start_y, end_y)
    return drawn + (_stop(layout, number, end_y) if end < last else "")


def _owed(layout: Layout, number: int, start: float, end: float) -> str:
    one = layout.story.spans[number]
    of = "bar off" if one.kind == "cancelled" else "bar" if one.end is not None else "bar open"
    return rect(_bar_x(layout, number) - _BAR / 2, start, _BAR, max(4, end - start), of, 3)


def _bar_x(layout: Layout, number: int) -> float:
    """Bars that run side by side pile up outward: to the left on the client's lifeline."""
    key = layout.story.spans[number].lifeline
    outward = -1 if key in (layout.lines[0].key, "client") else 1
    return layout.xs[key] + outward * _DEPTH * min(layout.slots[number], 3)


def _stream(layout: Layout, number: int, start: float, end: float) -> str:
    return rect(layout.lane_x(number) - 2, start, 4, max(6, end - start), "lane", 2)


def _round(layout: Layout, number: int, start: float, end: float) -> str:
    x = layout.xs[layout.story.spans[number].lifeline]
    d = f"M{short(x - 5)} {short(start)}H{short(x - 17)}q-7 0 -7 7V{short(end - 7)}q0 7 7 7"
    return path(d, "round")


def _stop(layout: Layout, number: int, y: float) -> str:
    """The mark at the end of a span: a cross where a request was given up, a bar under a stream."""
    kind = layout.story.spans[number].kind
    if kind == "cancelled":
        return group("error", cross(_bar_x(layout, number), y))
    return path(f"M{short(layout.lane_x(number) - 4)} {short(y)}h8", "stop") * (kind == "stream")


_SPANS: dict[str, Callable[[Layout, int, float, float], str]] = {
    "owed": _owed,
    "cancelled": _owed,
    "stream": _stream,
    "round": _round,
}


# -- rows ---------------------------------------------------------------------------------------


def row(layout: Layout, row: Row, top: float) -> str:
    """The strokes of one row; y counts from `top`."""
    y = layout.line_y(row) - top
    body = _event(layout, row, y) + _DRAW.get(row.look, _message)(layout, row, y)
    phased = " phased" if row.phase else ""
    return group(row.look + phased, body + _below(layout, row, y))


def _message(layout: Layout, row: Row, y: float) -> str:
    left, right = _room(layout, row)
    head, words = label_parts(row, right - left)
    label = span(head, "h") + span(words, "w", 8)
    body = _arrow(layout, row, y) + text((left + right) / 2, y - 9, label, "m")
    return body + _chip(layout, row, y) + _time(layout, row, y)


def _event(layout: Layout, row: Row, y: float) -> str:
    """A dot on the stream that carried this row."""
    if row.stream is None:
        return ""
    x, edge = layout.lane_x(row.stream), layout.xs[layout.story.spans[row.stream].lifeline]
    return line(x, y, edge - 4, "wire") + dot(x, y, "dot")


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
        return ""
    away = 1 if start > end else -1
    start -= away * (_chip_width(row) / 2 if row.chip else 2)
    end += away * (5 if row.look in ("request", "notification", "speech") else 3)
    if look.stroke == "jagged":
        return jagged(start - away * 12, y, end + away * 8)
    body = line(start, y, end + away * (8 if look.tip == "filled" else 1))
    body += tip(end, y, away, look.tip)
    return body + (cross(end + away * 22, y) if row.look == "error" else "")


def _jagged(layout: Layout, row: Row, y: float) -> str:
    left, right = _room(layout, row)
    head, words = label_parts(row, right - left - 18)
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
    body, left, right = "", *layout.label_gap(row)
    if row.tags and row.look not in ("http", "refusal"):
        tags = clip(" · ".join(row.tags), right - left - 2 * PAD, CHIP, mono=True)
        at_left = layout.xs[row.source] <= left
        x, side = (left + PAD, "l") if at_left else (right - PAD, "e")
        body += text(x, y + 14, span(tags, "g"), side)
        y += 12
    lines = layout.note_lines(row)
    if not lines:
        return body
    wide = max(width(one, SMALL, bold=True) for one in lines) + 36
    y += 5 if row.look in ("http", "refusal", "stderr") else 9
    middle = (left + right) / 2
    body += rect(middle - wide / 2, y, wide, 15 * len(lines) + 3, "alarm", 9)
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


def duration(seconds: float) -> str:
    """A length of time as people say it: `2.3 ms`, `1.25 s`."""
    if seconds < 0.00005:
        return "< 0.1 ms"
    if seconds < 0.9995:
        return f"{seconds * 1000:.1f} ms" if seconds < 0.1 else f"{seconds * 1000:.0f} ms"
    return f"{seconds:.2f} s" if seconds < 100 else f"{seconds:.0f} s"
