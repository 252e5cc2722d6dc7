"""How wide a text will be, without asking a browser: a small table of character widths.

The picture is laid out before anyone knows which font will draw it. So the table holds, for each
letter, the width in the widest of the common sans-serif fonts, in hundredths of the font size:
drawn in any other font a text can only come out narrower, and nothing ever overlaps. Monospace
fonts all give a letter about 0.6 of the size.
"""

from .marks import fit_by, is_wide, letters_without_width

_TABLE = {
    30: "'Iijl",
    35: " ,./:;\\|·",
    40: "()-[]ft‹›",
    45: "!r",
    50: '"*J`–',
    55: "csz“”",
    60: "?L_kvxy",
    65: "$0123456789FTabdeghnopqu{}",
    70: "ABEKPSVXYZ",
    75: "CNRU",
    80: "&DGHOQ",
    85: "#+<=>^w~↵⇥✕→←×",
    90: "M⚠",
    100: "%Wm…—",
    105: "@",
}
_WIDTHS = {letter: width / 100 for width, letters in _TABLE.items() for letter in letters}

_MONO = 0.61
_WIDE = 1.05
_OTHER = 0.85
_BROAD = 1.25
"""Arabic letters and picture signs: as wide as the widest of them."""

_BOLD = 1.13


def _sans(letter: str) -> float:
    known = _WIDTHS.get(letter)
    if known is not None:
        return known
    if letters_without_width(letter):
        return 0.0
    code = ord(letter)
    if is_wide(letter):
        return _WIDE if code < 0x1F000 else _BROAD
    return 0.7 if code < 0x250 else _OTHER if code < 0x600 or 0x2000 <= code < 0x2600 else _BROAD


def _mono(letter: str) -> float:
    if " " <= letter <= "~":
        return _MONO
    return max(_MONO, _sans(letter))


def width(text: str, size: float, *, mono: bool = False, bold: bool = False) -> float:
    """The width of the text in pixels at this font size: never less than it will be."""
    if mono and text.isascii():
        return len(text) * _MONO * size
    measure = _mono if mono else _sans
    total = sum(map(measure, text)) * size
    return total * _BOLD if bold and not mono else total


def clip(text: str, room: float, size: float, *, mono: bool = False, bold: bool = False) -> str:
    """The text, cut with an ellipsis so that it is at most `room` pixels wide."""
    if width(text, size, mono=mono, bold=bold) <= room:
        return text
    measure = _mono if mono else _sans
    scale = size * (_BOLD if bold and not mono else 1)
    return fit_by(text, room - scale, lambda letter: measure(letter) * scale)


def wrap(text: str, room: float, size: float, most: int) -> list[str]:
    """The text broken at blanks into lines of at most `room` pixels; the last may be cut."""
    lines: list[str] = []
    rest = text.split(" ")
    while rest and len(lines) < most - 1:
        count = len(rest)
        while count > 1 and width(" ".join(rest[:count]), size) > room:
            count -= 1
        lines.append(clip(" ".join(rest[:count]), room, size))
        rest = rest[count:]
    return [*lines, clip(" ".join(rest), room, size)] if rest else lines
