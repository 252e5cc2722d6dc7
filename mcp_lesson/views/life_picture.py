"""The table of `lifecycle` drawn as a state diagram, lying or upright.

Nothing in this picture is drawn by hand: its states, its arrows and its phases are the rows of the
tables that the peers run on. States that can be left stand in a row, in the order of the table;
those that cannot lie along it as a bar. An event that leads to the next state is a straight arrow,
one that leads back a bow, one that ends everything a line to the bar. For narrow places the same
picture is turned: a column beside an upright bar.

Arrows look as their messages do in the sequence diagram: a request solid, an answer dashed, a
notification with an open head.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .. import lifecycle
from .palette import LOOKS
from .shapes import group, path, rect, safe, short, span, svg, text
from .styles import resolved, styles
from .widths import width

Move = tuple[str, str]
"""A state and the event that leaves it: a key of `lifecycle.TRANSITIONS`."""

Point = tuple[float, float]

EVENT_LOOKS = {
    "initialize": "request",
    "answered": "answer",
    "refused": "error",
    "initialized": "notification",
    "closed": "lifecycle",
}
"""The look of each event's arrow: that of its message."""

RULES = """
.mcpl .state .head{stroke-width:1.25}
.mcpl .state .here{display:none}
.mcpl .state.now .here{display:inline}
.mcpl .state.now .head{fill:var(--m-select);stroke:var(--m-request);stroke-width:2.5}
.mcpl .here rect{fill:var(--m-request)}
.mcpl .here .pin{fill:var(--m-ground);font-size:11px;font-weight:700}
.mcpl .move .chip,.mcpl .move .c{display:none}
.mcpl .move.past .chip,.mcpl .move.past .c{display:inline}
.mcpl .move.past .s,.mcpl .move.past .o{stroke-width:3}
.mcpl .phase.l{text-anchor:start}
"""
"""The styles of this picture, beside those of the diagram."""

LADDER = tuple(s for s in lifecycle.STATES if any(s == a for a, _ in lifecycle.TRANSITIONS))
"""The states that can be left, in the order of the table."""

SINKS = tuple(s for s in lifecycle.STATES if s not in LADDER)

_BOX = (142.0, 54.0)
_EDGE = 16.0
_PHASE = 26.0
"""What a phase needs above its states, for its name."""

_FALL = 106.0
"""How long the arrows are that end everything, lying."""


@dataclass(frozen=True)
class Box:
    """Where a state stands: its middle and its size."""

    x: float
    y: float
    wide: float
    high: float

    def side(self, dx: int, dy: int) -> tuple[float, float]:
        """The middle of the side in this direction."""
        return self.x + dx * self.wide / 2, self.y + dy * self.high / 2


@dataclass(frozen=True)
class Plan:
    """Where everything stands, lying or upright: `boxes` by state, and the whole size."""

    upright: bool
    boxes: Mapping[str, Box]
    width: float
    height: float

    @property
    def along(self) -> tuple[int, int]:
        """The direction from a state to the next."""
        return (0, 1) if self.upright else (1, 0)

    @property
    def down(self) -> tuple[int, int]:
        """The direction to the states that cannot be left."""
        return (1, 0) if self.upright else (0, 1)


def plan(upright: bool = False) -> Plan:
    """Place the states of the table."""
    return _upright() if upright else _lying()


def _lying() -> Plan:
    wide, high = _BOX
    step, left, y = wide + 128, _EDGE + 12 + wide / 2, 118.0
    boxes = {state: Box(left + step * n, y, wide, high) for n, state in enumerate(LADDER)}
    last = boxes[LADDER[-1]].x
    for n, state in enumerate(SINKS):
        below = y + high / 2 + _FALL + 22 + 94 * n
        boxes[state] = Box((left + last) / 2, below, last - left + wide, 44)
    bottom = y + high / 2 + _FALL + 94 * len(SINKS) - 50 + 12
    return Plan(False, boxes, last + wide / 2 + 12 + _EDGE, bottom + _EDGE)


def _upright() -> Plan:
    wide, high = 122.0, 46.0
    step, top, x = high + 66, 66.0, 136.0
    boxes = {state: Box(x, top + step * n, wide, high) for n, state in enumerate(LADDER)}
    last = boxes[LADDER[-1]].y
    for n, state in enumerate(SINKS):
        beside = x + wide / 2 + 104 + 64 * n
        boxes[state] = Box(beside, (top + last) / 2, 40, last - top + high)
    right = x + wide / 2 + 104 + 64 * len(SINKS) - 28
    return Plan(True, boxes, right, last + high / 2 + _EDGE + 12)


def picture(state: str | None, taken: Mapping[Move, Sequence[int]], alt: str) -> str:
    """The static picture on its light card: `state` is lit, moves in `taken` carry their rows."""
    lying = plan()
    card = rect(0.5, 0.5, lying.width - 1, lying.height - 1, "card", 12)
    style = f"<style>{resolved(styles() + RULES)}</style>"
    drawn = strokes(lying, taken, state, set(taken))
    return svg(lying.width, lying.height, style + card + drawn, title=alt)


def inline(upright: bool, taken: Mapping[Move, Sequence[int]]) -> str:
    """The same strokes for the live view, which lights them itself."""
    one = plan(upright)
    return svg(one.width, one.height, strokes(one, taken), size=False)


def strokes(
    one: Plan,
    taken: Mapping[Move, Sequence[int]],
    now: str | None = None,
    past: set[Move] | frozenset[Move] = frozenset(),
) -> str:
    """Bands, arrows and states of the whole table."""
    body = [_band(one, phase) for phase in dict.fromkeys(lifecycle.PHASES.values())]
    body += [_move(one, move, taken.get(move, ()), move in past) for move in lifecycle.TRANSITIONS]
    body += [_state(one, state, state == now) for state in lifecycle.STATES]
    return "".join(body)


# -- states -------------------------------------------------------------------------------------


def _state(one: Plan, name: str, now: bool) -> str:
    box = one.boxes[name]
    frame = rect(box.x - box.wide / 2, box.y - box.high / 2, box.wide, box.high, "head", 10)
    turned = box.high > box.wide
    words = span(name, "name")
    label = _turned(box.x + 5, box.y, words) if turned else text(box.x, box.y + 5, words, "m")
    known = f'class="state{" now" if now else ""}" data-state="{safe(name)}"'
    return f"<g {known}>{frame}{label}{_pin(box)}</g>"


def _turned(x: float, y: float, words: str) -> str:
    place = f'transform="translate({short(x)} {short(y)})rotate(-90)"'
    return f'<text class="m" {place}>{words}</text>'


def _pin(box: Box) -> str:
    """The mark of the current state, so that it is told by more than its colour."""
    x, y = box.x + max(0, box.wide / 2 - 28), box.y - box.high / 2
    words = text(x, y + 4, span("now", "pin"), "m")
    return group("here", rect(x - 20, y - 9, 40, 18, "flag", 9) + words)


# -- phases -------------------------------------------------------------------------------------


def _band(one: Plan, phase: str) -> str:
    """A band behind the states of one phase, with its name at the beginning."""
    boxes = [one.boxes[state] for state, of in lifecycle.PHASES.items() if of == phase]
    left = min(box.x - box.wide / 2 for box in boxes) - 12
    right = max(box.x + box.wide / 2 for box in boxes) + 12
    top = min(box.y - box.high / 2 for box in boxes) - _PHASE
    bottom = max(box.y + box.high / 2 for box in boxes) + 12
    if any(state in LADDER for state, of in lifecycle.PHASES.items() if of == phase):
        left, top = (_EDGE, top) if one.upright else (left, _EDGE)  # room for what leads back
    frame = rect(left, top, right - left, bottom - top, "band", 10)
    between = (one.boxes[LADDER[0]].x + one.boxes[LADDER[1]].x) / 2  # of two arrows, clear of both
    of, start = ("phase l", left + 12) if boxes[0].wide <= _BOX[0] else ("phase", between)
    name = f'<text class="{of}" x="{short(start)}" y="{short(top + 17)}">'
    return frame + (f"{name}{phase.upper()}</text>" if right - left > 120 else "")


# -- moves --------------------------------------------------------------------------------------


def _move(one: Plan, move: Move, rows: Sequence[int], past: bool) -> str:
    source, event = move
    target = lifecycle.TRANSITIONS[move]
    look = EVENT_LOOKS.get(event, "lifecycle")
    if target in SINKS:
        body = _fall(one, source, target, event, rows, look)
    elif LADDER.index(target) == LADDER.index(source) + 1:
        body = _straight(one, source, target, event, rows, look)
    else:
        body = _bow(one, source, target, event, rows, look)
    known = f'data-move="{safe(source)} {safe(event)}" data-target="{safe(target)}"'
    return f'<g class="move {look}{" past" if past else ""}" {known}>{body}</g>'


def _straight(
    one: Plan, source: str, target: str, event: str, rows: Sequence[int], look: str
) -> str:
    dx, dy = one.along
    x, y = one.boxes[source].side(dx, dy)
    to_x, to_y = one.boxes[target].side(-dx, -dy)
    body = _line(x, y, to_x, to_y, dx, dy, look)
    label = span(event, "h")
    if one.upright:
        middle = (y + to_y) / 2
        body += text(x + 12, middle - 7 if rows else middle + 4, label, "l")
        return body + _chip(x + 48, middle + 12, rows)
    middle = (x + to_x) / 2 - 4
    return body + text(middle, y - 11, label, "m") + _chip(middle, y + 17, rows)


def _fall(one: Plan, source: str, target: str, event: str, rows: Sequence[int], look: str) -> str:
    """An arrow to a state that cannot be left."""
    dx, dy = one.down
    x, y = one.boxes[source].side(dx, dy)
    end = one.boxes[target]
    to_x = end.x - end.wide / 2 if one.upright else x
    to_y = y if one.upright else end.y - end.high / 2
    body = _line(x, y, to_x, to_y, dx, dy, look)
    label = span(event, "h")
    if one.upright:
        middle = (x + to_x) / 2
        return body + text(middle, y - 9, label, "m") + _chip(middle, y + 16, rows)
    middle = y + (_FALL - _PHASE) / 2
    return body + text(x + 9, middle + 2, label, "l") + _chip(x + 34, middle + 18, rows)


def _bow(one: Plan, source: str, target: str, event: str, rows: Sequence[int], look: str) -> str:
    """An arrow that leads back, round the far side of the row."""
    dx, dy = one.down
    x, y = one.boxes[source].side(-dx, -dy)
    to_x, to_y = one.boxes[target].side(-dx, -dy)
    label = span(event, "h")
    if one.upright:
        y, to_y, out = y - 8, to_y + 8, x - 40
        bow = _curve((x, y), (out, y), (out, to_y), (to_x - 9, to_y))
        named = _turned(out + 2, (y + to_y) / 2, label)
        return bow + _head(to_x - 3, to_y, 1, 0, look) + named + _chip(out + 10, y + 15, rows)
    x, to_x, out = x - 20, to_x + 20, y - 42
    bow = _curve((x, y), (x, out), (to_x, out), (to_x, to_y - 9))
    middle = (x + to_x) / 2
    named = text(middle, out + 4, label, "m")
    return bow + _head(to_x, to_y - 3, 0, 1, look) + named + _chip(middle, out + 22, rows)


def _curve(start: Point, one: Point, other: Point, end: Point) -> str:
    first, *rest = (f"{short(x)} {short(y)}" for x, y in (start, one, other, end))
    return path(f"M{first}C{' '.join(rest)}", "s")


def _line(x: float, y: float, to_x: float, to_y: float, dx: int, dy: int, look: str) -> str:
    """A straight arrow in the direction dx, dy; its head stands a little before its end."""
    to_x, to_y = to_x - 3 * dx, to_y - 3 * dy
    back = 8 if LOOKS[look].tip == "filled" else 1
    stroke = f"M{short(x)} {short(y)}L{short(to_x - back * dx)} {short(to_y - back * dy)}"
    return path(stroke, "s") + _head(to_x, to_y, dx, dy, look)


def _head(x: float, y: float, dx: int, dy: int, look: str) -> str:
    """An arrowhead whose point is at x, y: filled or open, as its look has it."""
    filled = LOOKS[look].tip == "filled"
    long, half = (11, 5) if filled else (9, 5)
    one = f"{short(x - long * dx + half * dy)} {short(y - long * dy + half * dx)}"
    other = f"{short(x - long * dx - half * dy)} {short(y - long * dy - half * dx)}"
    d = f"M{one}L{short(x)} {short(y)}L{other}"
    return path(d + "z", "t") if filled else path(d, "o")


def _chip(x: float, y: float, rows: Sequence[int]) -> str:
    """Which rows of the conversation took this arrow."""
    if not rows:
        return ""
    shown = ", ".join(map(str, rows[:2])) + ("…" if len(rows) > 2 else "")
    words = f"row {shown}" if len(rows) == 1 else f"rows {shown}"
    wide = width(words, 10.5, mono=True) + 14
    return rect(x - wide / 2, y - 9, wide, 18, "chip", 9) + text(x, y + 3.8, span(words, "c"), "m")
