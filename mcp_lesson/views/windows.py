"""What is sent to the live view: a head, and windows of rows with everything to read them.

A conversation may be a hundred thousand rows long; a browser is sent some three hundred at a time.
Rows come in chunks, each one SVG; a window is a few chunks and the reader's part of their rows.
Texts and shapes that repeat (the meaning of `jsonrpc`, the fields of every `tools/call`) are sent
once a window and named by their number, so that a window stays small.

    window  {"chunks": [...], "texts": [...], "shapes": [...]}
    chunk   {"k": its number, "top": y, "height": h, "svg": text, "rows": [...]}
    row     {"n": number, "y": top, "h": height, "p": partner, "title": text, "sub": …,
             "about": text, "f": shape, "v": values, "g": shape of headers, "w": values,
             "raw": line, "cut": characters of the whole line, where some are left out}
    shape   [[depth, name, meaning, setter, clause, required, known], …], all texts by number
"""

from typing import Any

from .. import fields
from . import render
from .layout import Layout
from .marks import plain
from .reading import Reading, read
from .rows import Row
from .shapes import svg

CHUNK = 100
"""Rows in one chunk."""

WIDE = 3
"""Chunks in one window."""

LINES = 48
"""Fields of one message that a window carries; the rest is sent when asked for."""

RAW = 700
"""Characters of a raw line that a window carries."""

WHOLE = 100_000
"""Characters of a raw line that are sent when it is asked for."""

BUDGET = 230_000
"""A window that would be larger leaves reading out; rows without it are sent when asked for."""


class Shelf:
    """Texts and shapes, each kept once and named by its number."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}
        self.shapes: dict[tuple[Any, ...], int] = {}

    def text(self, words: str) -> int:
        """The number of this text."""
        return self.texts.setdefault(words, len(self.texts))

    def shape(self, lines: list[fields.Row]) -> int:
        """The number of the shape of these lines: all that they say but their values."""
        key = tuple(
            (line.depth, self.text(line.name), self.text(line.meaning), self.text(line.setter),
             self.text(line.clause), int(line.required), int(line.known))
            for line in lines
        )  # fmt: skip
        return self.shapes.setdefault(key, len(self.shapes))

    def as_lists(self) -> dict[str, Any]:
        """Both, as they are sent."""
        shapes = [[list(line) for line in shape] for shape in self.shapes]
        return {"texts": list(self.texts), "shapes": shapes}


def chunks(layout: Layout) -> list[tuple[int, int]]:
    """First row and row after the last of each chunk."""
    starts = layout.shown[::CHUNK]
    return list(zip(starts, [*starts[1:], len(layout.story.rows)], strict=True))


def window(layout: Layout, near: int) -> dict[str, Any]:
    """The window around chunk number `near`."""
    bounds = chunks(layout)
    start = max(0, min(near - 1, len(bounds) - WIDE))
    wanted = range(start, min(len(bounds), start + WIDE))
    drawn = {k: _drawn(layout, k, *bounds[k]) for k in wanted}
    shelf, left = Shelf(), BUDGET - sum(len(chunk["svg"]) for chunk in drawn.values())
    for k in sorted(wanted, key=lambda k: abs(k - near)):
        left = _read_rows(layout, drawn[k], shelf, left)
    return {"chunks": list(drawn.values()), **shelf.as_lists()}


def _drawn(layout: Layout, k: int, first: int, last: int) -> dict[str, Any]:
    top, height = render.extent(layout, first, last)
    body = svg(layout.width, height, render.rows(layout, first, last), size=False)
    shown = layout.shown[k * CHUNK : (k + 1) * CHUNK]
    rows = [_place(layout, layout.story.rows[number]) for number in shown]
    return {"k": k, "top": round(top), "height": round(height), "svg": body, "rows": rows}


def _place(layout: Layout, row: Row) -> dict[str, Any]:
    top, height = layout.tops[row.number], layout.heights[row.number]
    place = {"n": row.number, "y": round(top), "h": round(height)}
    return place if row.partner is None else place | {"p": row.partner}


def _read_rows(layout: Layout, chunk: dict[str, Any], shelf: Shelf, left: int) -> int:
    """Add the reader's part to the rows of a chunk, as far as the budget goes."""
    for place in chunk["rows"]:
        if left > 0:
            part = reading(layout, place["n"], shelf, lines=LINES, raw=RAW)
            place.update(part)
            left -= sum(map(len, part["v"])) + 3 * len(part["v"]) + len(part["raw"]) + 160
    return left


def reading(layout: Layout, number: int, shelf: Shelf, *, lines: int, raw: int) -> dict[str, Any]:
    """The reader's part of one row: at most so many lines, and characters of the raw line."""
    story = layout.story
    found: Reading = read(story, story.rows[number])
    shown = list(found.lines)[:lines]
    part: dict[str, Any] = {
        "title": shelf.text(found.title),
        "sub": found.sub,
        "f": shelf.shape(shown),
        "v": [line.value for line in shown],
        "raw": _raw(found.raw, raw),
    }
    about = layout.notes.get(number) or found.about
    if about:
        part["about"] = shelf.text(about)
    if found.length > raw or len(found.lines) > lines:
        part["cut"] = found.length
    if found.headers:
        part["g"] = shelf.shape(list(found.headers))
        part["w"] = [line.value for line in found.headers]
    return part


def _raw(text: str, room: int) -> str:
    """The raw line, safe to look at; line ends inside it are kept."""
    return "\n".join(plain(line, room) for line in text[:room].split("\n"))


def head(layout: Layout, **more: Any) -> dict[str, Any]:
    """What the live view knows of the whole: its size, its heads, where each chunk begins."""
    looks = dict.fromkeys(row.look for row in layout.story.rows)
    methods = dict.fromkeys(row.method for row in layout.story.rows if row.method)
    return {
        "width": layout.width,
        "height": round(layout.height),
        "heads": svg(layout.width, 60, render.heads(layout), size=False),
        "rows": len(layout.story.rows),
        "shown": len(layout.shown),
        "tops": [round(layout.tops[first]) for first, _ in chunks(layout)],
        "looks": list(looks),
        "methods": [plain(method, 60) for method in list(methods)[:60]],
        **more,
    }
