"""Two conversations row by row: which rows say the same, and where they first differ.

Rows are compared by all that was said, with what differs from run to run put aside: of an id, a
token, a session, an event, a state, a port or a time it counts that there is one, and who the two
sides say they are (`clientInfo`, `serverInfo`) does not count at all. Which request an answer
belongs to does count. What is written for people (stderr, the life of the connection) is shown but
is no difference.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import repeat, zip_longest
from typing import Any

from .. import jsonrpc
from ..trace import Frame
from .marks import plain
from .names import Kinds
from .rows import Row
from .story import Story
from .values import quoted

_META = "io.modelcontextprotocol/"
_WHO = frozenset({"clientInfo", "serverInfo", _META + "clientInfo", _META + "serverInfo"})
_COUNTED = {"requestId": "id", "progressToken": "token", _META + "subscriptionId": "id",
            "requestState": "state", "taskId": "task"}  # fmt: skip
Block = tuple[bool, int, int, int, int]

_REMARKS = ("stderr", "lifecycle")
_DEEPEST = 60
_MOST = 2000
"""Longer conversations are matched row by row after their first difference."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A row of mine beside a row of the other; None where one has nothing to put there."""

    mine: Row | None
    other: Row | None
    same: bool

    @property
    def counts(self) -> bool:
        """True for a difference in what was said, not only in a remark."""
        rows = [row for row in (self.mine, self.other) if row]
        return not self.same and any(row.look not in _REMARKS for row in rows)


class _Normal:
    """One conversation without what differs from run to run."""

    def __init__(self, story: Story) -> None:
        self._names = Kinds()
        self._story = story
        self.bodies = [self._row(row) for row in story.rows]
        self.keys = [json.dumps(body, sort_keys=True, default=str) for body in self.bodies]

    def _row(self, row: Row) -> list[Any]:
        frames = [self._story.frames[index] for index in row.frames]
        about = [row.look, row.source, row.target, row.method, row.said]
        return [about, *(self._frame(frame) for frame in frames)]

    def _frame(self, frame: Frame) -> Any:
        self._names.see(frame)
        sse = frame.sse if not isinstance(frame.sse, dict) else {**frame.sse, "id": None}
        if frame.kind != "message":
            said = frame.text if frame.text is not None else frame.line.decode("utf-8", "replace")
            return [frame.http, sse, self._names.remark(said)]
        message = self._walk(frame.message, 0)
        if isinstance(message, dict) and jsonrpc.is_id(message.get("id")):
            message["id"] = "id"
        return [frame.http, sse, message]

    def _walk(self, value: Any, depth: int) -> Any:
        if isinstance(value, str):
            return self._names(value)
        if depth > _DEEPEST or not isinstance(value, dict | list):
            return value if depth <= _DEEPEST else "…"
        if isinstance(value, list):
            return [self._walk(item, depth + 1) for item in value]
        return {
            name: self._member(name, item, depth)
            for name, item in value.items()
            if name not in _WHO
        }

    def _member(self, name: str, item: Any, depth: int) -> Any:
        if name in _COUNTED and isinstance(item, str | int):
            return self._names.of(_COUNTED[name], str(item))
        return self._walk(item, depth + 1)


class Alignment:
    """Two stories side by side: `pairs` in order, `first` the place of the first difference."""

    def __init__(self, mine: Story, other: Story) -> None:
        self.mine, self.other = mine, other
        self._left, self._right = _Normal(mine), _Normal(other)
        self.pairs = list(self._paired())
        places = (place for place, pair in enumerate(self.pairs) if pair.counts)
        self.first: int | None = next(places, None)

    def _paired(self) -> Iterator[Pair]:
        for same, a, b, c, d in self._blocks():
            rows, others = self.mine.rows[a:b], self.other.rows[c:d]
            if same:
                yield from map(Pair, rows, others, repeat(True))
            else:
                yield from _alike(rows, others)

    def _blocks(self) -> list[Block]:
        """Runs of rows, equal or not: where each begins and ends on both sides."""
        left, right = self._left.keys, self._right.keys
        if max(len(left), len(right)) <= _MOST:
            return _matched(left, right)
        both = zip(left, right, strict=False)
        same = next((n for n, (one, two) in enumerate(both) if one != two), len(left))
        same = min(same, len(right))
        return [(True, 0, same, 0, same), (False, same, len(left), same, len(right))]

    def difference(self) -> str:
        """The first difference in one sentence; or that there is none."""
        if self.first is None:
            return "No difference: both say the same."
        pair = self.pairs[self.first]
        place = pair.mine or pair.other
        number = place.number + 1 if place else 0
        return f"First difference, at row {number}: {self._said(pair)}."

    def _said(self, pair: Pair) -> str:
        mine, other = pair.mine, pair.other
        if mine is None or other is None:
            has, lacks = ("yours has", "the reference has not") if mine else (
                "the reference has", "yours has not")  # fmt: skip
            return f"{has} {_what(mine or other)}, and {lacks}"
        if _what(mine) != _what(other):
            return f"yours has {_what(mine)}, the reference {_what(other)}"
        left, right = self._left.bodies[mine.number], self._right.bodies[other.number]
        path, one, two = _differs(left[1:], right[1:], "") or ("", mine.said, other.said)
        where = f"{_what(mine)}: {path}".removesuffix(": ")
        return f"{where} {_is(one)} in yours and {_is(two)} in the reference"


def _matched(left: Sequence[Any], right: Sequence[Any]) -> list[Block]:
    codes = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    return [(tag == "equal", a, b, c, d) for tag, a, b, c, d in codes]


def _alike(rows: list[Row], others: list[Row]) -> Iterator[Pair]:
    """Rows that do not say the same: those of one kind and method still stand together."""
    left, right = list(map(_kind, rows)), list(map(_kind, others))
    blocks = _matched(left, right) if max(len(left), len(right)) <= _MOST else []
    for alike, a, b, c, d in blocks or [(True, 0, len(rows), 0, len(others))]:
        if alike:
            pairs = zip_longest(rows[a:b], others[c:d])
            yield from (Pair(row, other, False) for row, other in pairs)
        else:
            yield from (Pair(row, None, False) for row in rows[a:b])
            yield from (Pair(None, other, False) for other in others[c:d])


def _kind(row: Row) -> tuple[str, ...]:
    looks = {"failure": "answer", "error": "answer"}
    return looks.get(row.look, row.look), row.source, row.target, row.method


_MISSING = object()

_WHAT = {
    "request": "the request {}",
    "answer": "the answer to {}",
    "failure": "a failed answer to {}",
    "error": "the error {}",
    "notification": "{}",
    "noise": "a line that is not JSON",
    "invalid": "a value that is no message",
    "http": "HTTP {}",
    "refusal": "HTTP {}",
    "speech": "an utterance",
}


def _what(row: Row | None) -> str:
    if row is None:
        return "nothing"
    head = row.head.removeprefix("✕ ")
    return _WHAT.get(row.look, "{}").format(head)


def _differs(one: Any, two: Any, path: str) -> tuple[str, Any, Any] | None:
    """The path of the first difference, and both values there."""
    if isinstance(one, dict) and isinstance(two, dict):
        names = [*one, *(name for name in two if name not in one)]
        inner = ((_join(path, name), one.get(name, _MISSING), two.get(name, _MISSING))
                 for name in names)  # fmt: skip
    elif isinstance(one, list) and isinstance(two, list):
        longest = max(len(one), len(two))
        inner = ((f"{path}[{place}]", _at(one, place), _at(two, place)) for place in range(longest))
    else:
        return None if type(one) is type(two) and one == two else (_shown(path), one, two)
    return next((found for part in inner if (found := _differs(part[1], part[2], part[0]))), None)


def _at(items: list[Any], place: int) -> Any:
    return items[place] if place < len(items) else _MISSING


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _shown(path: str) -> str:
    """The path inside the message: the frame's own parts have names instead."""
    for place, name in (("[0][0]", "HTTP"), ("[0][1]", "the event"), ("[0][2]", "")):
        if path.startswith(place):
            return plain(f"{name}{path.removeprefix(place)}".removeprefix("."), 80)
    return plain(path, 80)


def _is(value: Any) -> str:
    return "is missing" if value is _MISSING else f"is {plain(quoted(value), 60)}"
