"""The key to a picture: a small sample of every stroke that occurs in it, and what it means.

The samples are drawn by the same strokes and the same table of looks as the picture itself.
"""

from collections.abc import Iterable

from .palette import LOOKS
from .shapes import cross, dot, group, jagged, line, post, rect, svg, tip

_WIDE, _HIGH = 64.0, 18.0

_WORDS = {
    "request": "request: wants an answer",
    "answer": "answer: the result of a request",
    "error": "error: the answer when it did not go well",
    "notification": "notification: wants no answer",
    "noise": "not JSON: a line that is no message",
    "http": "HTTP without a message",
    "lifecycle": "a step in the life of the connection",
    "speech": "said outside the protocol",
}
_SAME = {"failure": "answer", "invalid": "noise", "refusal": "http"}


def key(looks: Iterable[str], spans: Iterable[str]) -> list[tuple[str, str]]:
    """Sample and meaning for each look and each kind of span that occurs."""
    seen = {_SAME.get(look, look) for look in looks}
    rows = [(_sample(look), words) for look, words in _WORDS.items() if look in seen]
    kinds = set(spans)
    if kinds & {"owed", "cancelled"}:
        rows.append((_framed(_bar()), "while an answer is owed"))
    if "stream" in kinds:
        rows.append((_framed(_stream()), "an event stream; a dot where an event came"))
    return rows


def _framed(strokes: str) -> str:
    return svg(_WIDE, _HIGH, strokes)


def _sample(look: str) -> str:
    of, y, end = LOOKS[look], _HIGH / 2, _WIDE - 4
    if of.stroke == "jagged":
        return _framed(group(look, jagged(4, y, end)))
    strokes = line(4, y, end - 8) + tip(end, y, -1, of.tip)
    return _framed(group(look, strokes + (cross(end - 20, y) if look == "error" else "")))


def _bar() -> str:
    middle = _WIDE / 2
    return post(middle, 0, _HIGH) + rect(middle - 4, 3, 8, _HIGH - 6, "bar", 3)


def _stream() -> str:
    middle = _WIDE / 2
    return rect(middle - 2, 1, 4, _HIGH - 2, "lane", 2) + dot(middle, _HIGH / 2, "dot")
