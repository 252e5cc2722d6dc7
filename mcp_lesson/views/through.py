"""What runs through many rows: heads and lifelines, the bands of the phases, bars, streams, rounds.

Everything here can be cut anywhere: a window of rows asks for what runs between two ys, and gets
it cut at its edges.
"""

from collections.abc import Callable

from .layout import SMALL, Band, Layout
from .rows import Span
from .shapes import cross, group, path, post, rect, short, span, text
from .widths import clip

_BAR = 8.0
_DEPTH = 5.0
_DEEPEST = 3
_REPEAT = 520.0
"""The name of a long phase is written again after so many pixels."""


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
    return layout.xs[key] + outward * _DEPTH * min(layout.slots[number], _DEEPEST)


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
