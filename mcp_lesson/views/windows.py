"""What is sent to the live view: a head, and windows of rows with everything to read them.

A conversation may be a hundred thousand rows long; a browser is sent some three hundred at a time.
Rows come in chunks, each one SVG; a window is a few chunks and the reader's part of their rows.
Texts and shapes that repeat (the meaning of `jsonrpc`, the fields of every `tools/call`) are sent
once a window and named by their number, so that a window stays small.

    window  {"chunks": [...], "texts": [...], "shapes": [...]}
    chunk   {"k": its number, "top": y, "height": h, "svg": text, "rows": [...]}
    row     {"n": number, "y": top, "h": height, "p": number of its partner, "read": [part, …]}
    part    {"title": text, "sub": …, "about": text, "warns": 0 or 1, "clause": …,
             "f": shape, "v": values, "g": shape of headers, "w": values, "raw": line,
             "cut": characters of the whole line, where some are left out}
    shape   [[depth, name, meaning, setter, clause, required, known], …], all texts by number
"""

from typing import Any

from .. import fields
from .marks import plain
from .reading import Reading
from .shapes import svg
from .sheet import Sheet

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

BUDGET = 240_000
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


def chunks(sheet: Sheet) -> list[tuple[int, int]]:
    """First step and step after the last of each chunk."""
    return [(k, min(k + CHUNK, sheet.count)) for k in range(0, sheet.count, CHUNK)]


def window(sheet: Sheet, near: int) -> dict[str, Any]:
    """The window around chunk number `near`."""
    bounds = chunks(sheet)
    start = max(0, min(near - 1, len(bounds) - WIDE))
    wanted = range(start, min(len(bounds), start + WIDE))
    drawn = {k: _drawn(sheet, k, *bounds[k]) for k in wanted}
    shelf, left = Shelf(), BUDGET - sum(len(chunk["svg"]) for chunk in drawn.values())
    for k in sorted(wanted, key=lambda k: abs(k - near)):
        left = _read_rows(sheet, drawn[k], shelf, left)
    return {"chunks": list(drawn.values()), **shelf.as_lists()}


def _drawn(sheet: Sheet, k: int, first: int, last: int) -> dict[str, Any]:
    top, bottom = sheet.edge(first), sheet.edge(last)
    body = svg(sheet.width, bottom - top, sheet.strokes(first, last), size=False)
    rows = [sheet.place(step) for step in range(first, last)]
    return {"k": k, "top": round(top), "height": round(bottom - top), "svg": body, "rows": rows}


def _read_rows(sheet: Sheet, chunk: dict[str, Any], shelf: Shelf, left: int) -> int:
    """Add the reader's part to the rows of a chunk, as far as the budget goes."""
    for place in chunk["rows"]:
        if left > 0:
            place["read"] = reading(sheet, place["n"], shelf, lines=LINES, raw=RAW)
            left -= sum(map(_cost, place["read"]))
    return left


def _cost(part: dict[str, Any]) -> int:
    values = part["v"] + part.get("w", [])
    return sum(map(len, values)) + 3 * len(values) + len(part["raw"]) + 120


def reading(
    sheet: Sheet, number: int, shelf: Shelf, *, lines: int, raw: int
) -> list[dict[str, Any]]:
    """The reader's part of one step: at most so many lines, and characters of the raw line."""
    return [_part(found, shelf, lines, raw) for found in sheet.read(number)]


def _part(found: Reading, shelf: Shelf, lines: int, raw: int) -> dict[str, Any]:
    shown = list(found.lines)[:lines]
    part: dict[str, Any] = {
        "title": shelf.text(found.title),
        "sub": found.sub,
        "f": shelf.shape(shown),
        "v": [line.value for line in shown],
        "raw": _raw(found.raw, raw),
    }
    if found.about:
        part |= {"about": shelf.text(found.about), "warns": int(found.warns)}
    if found.clause:
        part["clause"] = found.clause
    if found.length > raw or len(found.lines) > lines:
        part["cut"] = found.length
    if found.headers:
        part["g"] = shelf.shape(list(found.headers))
        part["w"] = [line.value for line in found.headers]
    return part


def _raw(text: str, room: int) -> str:
    """The raw line, safe to look at; line ends inside it are kept."""
    return "\n".join(plain(line, room) for line in text[:room].split("\n"))


def head(sheet: Sheet, **more: Any) -> dict[str, Any]:
    """What the live view knows of the whole: its size, its heads, where each chunk begins."""
    looks, methods = sheet.words()
    strokes, high = sheet.heads()
    return {
        "width": sheet.width,
        "height": round(sheet.height),
        "heads": svg(sheet.width, high, strokes, size=False),
        "rows": sheet.total,
        "shown": sheet.count,
        "chunk": CHUNK,
        "tops": [round(sheet.edge(first)) for first, _ in chunks(sheet)],
        "looks": looks,
        "methods": [plain(method, 60) for method in methods[:60]],
        "findings": sheet.found(),
        "key": sheet.key(),
        **more,
    }
