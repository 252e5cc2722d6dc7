"""Hostile text made safe to look at: what the eye could miss becomes a mark that it cannot.

A message may hold anything: control characters, letters without width, orders to write from right
to left, a hundred accents on one letter. A drawing that passed them on would show less than was
sent, or something else. So every text of a picture goes through `plain`, which replaces what is
invisible by its code point between angle marks, such as ‹U+202E›, and leaves all else as it is.

What never enters here: the escaping of a particular form (XML, HTML). That is done where the form
is written.
"""

import unicodedata
from collections.abc import Callable

MAX = 400
"""No label is longer than this, whatever was sent: characters."""

_KNOWN = {"\n": "↵", "\t": "⇥", "\u00a0": " ", "\u3000": " "}
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u180e")
_JOINER = "\u200d"
_VARIATION = frozenset("\ufe0e\ufe0f")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_STACK = 2


def plain(text: str, limit: int = MAX) -> str:
    """The text on one line, every invisible character shown, at most `limit` characters long.

    What is cut away is said by an ellipsis at the end.
    """
    text = text.removesuffix("\n").replace("\r\n", "\n")
    cut = len(text) > limit
    head = text[:limit]
    if not head.isascii() or not head.isprintable():
        head = "".join(_visible(head))
        cut = cut or len(head) > limit
    return head[: limit - 1].rstrip() + "…" if cut else head


def _visible(text: str) -> list[str]:
    """Character by character what is drawn; counts accents, so that none can pile up."""
    shown: list[str] = []
    stacked = 0
    for place, letter in enumerate(text):
        stacked = stacked + 1 if unicodedata.combining(letter) else 0
        if stacked > _STACK:
            continue
        if _belongs(text, place):
            shown.append(letter)
        else:
            shown.append(_mark(letter))
    return shown


def _belongs(text: str, place: int) -> bool:
    """True for the two invisible characters that hold one picture sign together."""
    before = text[place - 1] if place else ""
    if text[place] == _JOINER:
        return _is_sign(before) and _is_sign(text[place + 1 : place + 2])
    return text[place] in _VARIATION and _is_sign(before)


def _is_sign(letter: str) -> bool:
    return bool(letter) and (letter in _VARIATION or unicodedata.category(letter) in ("So", "Sk"))


def _mark(letter: str) -> str:
    if letter in _KNOWN:
        return _KNOWN[letter]
    if letter == " ":
        return letter
    hidden = unicodedata.category(letter) in _HIDDEN or letter in _BLANK_LETTERS
    hidden = hidden or letter in _VARIATION or 0xE0100 <= ord(letter) <= 0xE01EF
    return f"‹U+{ord(letter):04X}›" if hidden else letter


def is_wide(letter: str) -> bool:
    """True for a character that takes two columns where each Latin letter takes one."""
    return unicodedata.east_asian_width(letter) in ("W", "F")


def letters_without_width(letter: str) -> bool:
    """True for accents and joiners, which are drawn on the letter before them."""
    return bool(unicodedata.combining(letter)) or letter == _JOINER or letter in _VARIATION


def columns(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(letter: str) -> int:
    if letters_without_width(letter):
        return 0
    return 2 if is_wide(letter) else 1


def fit(text: str, room: int) -> str:
    """The text, cut with an ellipsis so that it takes at most `room` columns."""
    return text if columns(text) <= room else fit_by(text, room - 1, _columns)


def fit_by(text: str, room: float, measure: Callable[[str], float]) -> str:
    """As much of the text as fits the room by this measure, and an ellipsis after it.

    The ellipsis itself is not counted; without any room at all the text is empty.
    """
    if room < 0:
        return ""
    used = 0.0
    for place, letter in enumerate(text):
        used += measure(letter)
        if used > room:
            return text[:place].rstrip() + "…"
    return text + "…"
