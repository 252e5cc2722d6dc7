"""The conversation as text: one line a row, lifelines at the left, words at the right.

This is what a terminal, a committed notebook and a screen reader have of a drawing. It is short,
readable and the same on every run. The lifelines stand close together, so that the words begin in
one column; wide letters can only ever move what comes after them, which is nothing.
"""

import textwrap

from .align import Alignment
from .marks import columns, fit, plain
from .rows import Lifeline, Row
from .story import Story

WIDTH = 78
EMPTY = "no messages yet"
MOST = 60
"""Rows beyond this many are left out in the middle, and the text says how many: rows."""

_STEP = 9
_NARROWEST = 5
_LEFT = 46
_FEW = 3
"""With more lifelines than these they move together, so that the words have room."""

_ARROWS = {
    "request": ("─", "►", "◄"),
    "answer": ("╌", "►", "◄"),
    "failure": ("╌", "►", "◄"),
    "error": ("╌", "►", "◄"),
    "notification": ("─", ">", "<"),
    "invalid": ("~", "►", "◄"),
    "noise": ("~", "~", "~"),
    "http": ("┈", ">", "<"),
    "refusal": ("┈", ">", "<"),
    "lifecycle": ("·", ">", "<"),
    "speech": ("═", "►", "◄"),
}


def draw(
    story: Story,
    title: str | None = None,
    findings: dict[int, str] | None = None,
    only: frozenset[int] | None = None,
) -> str:
    """The whole conversation, at most WIDTH columns wide, without a final newline."""
    found = findings or {}
    rows = [row for row in story.rows if only is None or row.number in only]
    lines = story.ordered()
    if not story.rows:
        return "\n".join(filter(None, [title, EMPTY]))
    places = _places(lines)
    body = [fit(title, WIDTH)] if title else []
    body += [_heads(lines, places)] if places else []
    phase = ""
    for row in _shown(rows):
        if row is None:
            body.append(f"… {len(rows) - MOST} rows are left out here …")
            continue
        if row.phase and row.phase != phase:
            body.append(_line(_posts(places), f"── {row.phase}"))
        phase = row.phase
        body.append(_row(row, places))
        body += _finding(places, found.get(row.number, ""))
    return "\n".join(line.rstrip() for line in body)


def draw_pairs(alignment: Alignment, title: str | None = None) -> str:
    """Two conversations as text: "+" before what only the first has, "-" what only the other."""
    lines = alignment.mine.ordered()
    lines += [one for one in alignment.other.ordered() if one not in lines]
    lines = list({line.key: line for line in lines}.values())
    places = _places(lines)
    body = [fit(title, WIDTH)] if title else []
    body += textwrap.wrap(alignment.difference(), WIDTH)
    body += [f"  {_heads(lines, places)}"] if places else []
    pairs = alignment.pairs
    for pair in pairs[:MOST]:
        signs = (("  ", pair.mine),) if pair.same else (("+ ", pair.mine), ("- ", pair.other))
        body += [sign + _row(row, places, WIDTH - 2) for sign, row in signs if row]
    if len(pairs) > MOST:
        body.append(f"… {len(pairs) - MOST} rows are left out here …")
    return "\n".join(line.rstrip() for line in body)


def _shown(rows: list[Row]) -> list[Row | None]:
    """The rows to print; None stands for those left out."""
    if len(rows) <= MOST:
        return list(rows)
    first = MOST * 3 // 4
    return [*rows[:first], None, *rows[first - MOST :]]


def _places(lines: list[Lifeline]) -> dict[str, int]:
    """The column of each lifeline; empty when there are too many to stand side by side."""
    step = min(_STEP, _LEFT // max(1, len(lines)))
    if len(lines) > _FEW:
        step = min(step, max(_NARROWEST, 1 + max(columns(line.name) for line in lines)))
    if step < _NARROWEST:
        return {}
    return {line.key: 2 + step * number for number, line in enumerate(lines)}


def _heads(lines: list[Lifeline], places: dict[str, int]) -> str:
    """The names, each beginning near its lifeline, shortened where the next one begins."""
    text = ""
    starts = [max(0, place - 2) for place in places.values()] + [WIDTH]
    for line, start, following in zip(lines, starts, starts[1:], strict=False):
        text += " " * (start - columns(text)) + fit(line.name.lower(), following - start - 1)
    return text


def _posts(places: dict[str, int]) -> list[str]:
    width = max(places.values(), default=-1) + 1
    cells = [" "] * width
    for place in places.values():
        cells[place] = "│"
    return cells


def _finding(places: dict[str, int], finding: str) -> list[str]:
    """What a rule found, on lines of its own under the row."""
    left = "".join(_posts(places))
    lines = textwrap.wrap(plain(finding), WIDTH - len(left) - 6) if finding else []
    return [f"{left}  {'  ' if place else '⚠ '}{line}" for place, line in enumerate(lines)]


def _row(row: Row, places: dict[str, int], wide: int = WIDTH) -> str:
    cells = _posts(places)
    if not places:
        return _line(list(_way(row)), _words(row), wide)
    if row.look in _ARROWS:
        _arrow(cells, row, places)
    return _line(cells, _words(row), wide)


def _way(row: Row) -> str:
    """From whom to whom, where there are too many lifelines to draw."""
    names = (plain(key.removeprefix("server ") or "?", 16) for key in (row.source, row.target))
    return " → ".join(names)


def _arrow(cells: list[str], row: Row, places: dict[str, int]) -> None:
    stroke, right, left = _ARROWS[row.look]
    start, end = places[row.source], places[row.target]
    if start == end:
        cells[start] = "●"
        return
    for place in range(min(start, end) + 1, max(start, end)):
        cells[place] = stroke
    cells[start] = "├" if end > start else "┤"
    cells[end - 1 if end > start else end + 1] = right if end > start else left


def _words(row: Row) -> str:
    said = f"⚠ {row.remark}" if row.remark else ""
    warned = "⚠" if row.look == "noise" else ""
    head = " ".join(part for part in (row.chip, warned, row.head) if part)
    speech = row.look == "speech"
    words = f"“{row.words}”" if speech and row.words else row.words
    tags = f"[{' · '.join(row.tags)}]".replace("stream closes", "closes") if row.tags else ""
    return "\0".join((head, words, said, tags))


def _line(cells: list[str], parts: str, wide: int = WIDTH) -> str:
    """Lifelines, then head, words, remark and tags; the words give way when room is short."""
    head, words, said, tags = ([*parts.split("\0"), "", "", ""])[:4]
    left = "".join(cells) + "  "
    room = wide - columns(left)
    after = "  ".join(part for part in (fit(said, room // 2), fit(tags, room // 2)) if part)
    head = fit(head, room)
    room -= columns(head) + (columns(after) + 2 if after else 0) + 2
    words = fit(words, room) if room > 1 else ""
    return left + "  ".join(part for part in (head, words, after) if part)
