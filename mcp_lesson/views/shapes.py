"""The strokes that a picture is drawn with: each function returns a few characters of SVG.

Everything that came from a message passes through `text`, which escapes it; attributes hold
numbers and words of this package alone. There is no script, no style attribute, no link.
"""

from html import escape


def short(value: float) -> str:
    """A number as short as it can be written: one decimal, none where it is whole."""
    short = f"{value:.1f}"
    return short.removesuffix(".0")


def rect(x: float, y: float, width: float, height: float, of: str, round: float = 0) -> str:
    """A rectangle of class `of`, with rounded corners."""
    corner = f" rx='{short(round)}'" if round else ""
    n = short
    size = f"width='{n(width)}' height='{n(height)}'"
    return f"<rect class='{of}' x='{n(x)}' y='{n(y)}' {size}{corner}/>"


def path(d: str, of: str) -> str:
    """A path of class `of`."""
    return f"<path class='{of}' d='{d}'/>"


def line(x: float, y: float, to: float, of: str = "s") -> str:
    """A level line from x to `to`."""
    return path(f"M{short(x)} {short(y)}H{short(to)}", of)


def post(x: float, y: float, to: float, of: str = "post") -> str:
    """An upright line from y to `to`."""
    return path(f"M{short(x)} {short(y)}V{short(to)}", of)


def jagged(x: float, y: float, to: float) -> str:
    """A zigzag from x to `to`: what should have been a message."""
    step = 12 if to > x else -12
    teeth = int(abs(to - x) // 12)
    zigzag = "".join(f"l{step} {-9 if tooth % 2 == 0 else 9}" for tooth in range(teeth))
    return path(f"M{short(x)} {short(y + 4)}{zigzag}", "s")


def tip(x: float, y: float, away: int, form: str) -> str:
    """An arrowhead at x, y; `away` is 1 when the arrow came from the right, -1 from the left."""
    if form == "filled":
        return path(f"M{short(x)} {short(y)}l{11 * away} -5v10z", "t")
    if form == "open":
        return path(f"M{short(x + 9 * away)} {short(y - 5)}l{-9 * away} 5l{9 * away} 5", "o")
    return ""


def dot(x: float, y: float, of: str) -> str:
    """A small disc of class `of`."""
    return f"<circle class='{of}' cx='{short(x)}' cy='{short(y)}' r='3'/>"


def cross(x: float, y: float) -> str:
    """A small cross on a line: this did not go well."""
    return path(f"M{short(x - 4)} {short(y - 4)}l8 8m0 -8l-8 8", "x")


def text(x: float, y: float, body: str, of: str) -> str:
    """A text of `span`s; its class says what x is: "m" the middle, "l" the left, "e" the end.

    The blank before it keeps it apart from other texts where only the words count.
    """
    return f" <text class='{of}' x='{short(x)}' y='{short(y)}'>{body}</text>"


SPACE = 4.0
"""The width of a blank between two spans, about: pixels."""


def span(words: str, of: str, gap: float = 0) -> str:
    """A piece of text of its own class, `gap` pixels after the one before it."""
    if not words:
        return ""
    before, apart = (f" dx='{short(gap - SPACE)}'", " ") if gap else ("", "")
    return f"{apart}<tspan class='{of}'{before}>{safe(words)}</tspan>"


def safe(words: str) -> str:
    """Any characters, escaped for SVG and for HTML."""
    return escape(words, quote=True)


def group(of: str, body: str, name: int | None = None) -> str:
    """Several strokes that belong together; `name` is the number of their row."""
    known = "" if name is None else f" data-n='{name}'"
    return f"<g class='{of}'{known}>{body}</g>"


def svg(width: float, height: float, body: str, *, title: str = "", size: bool = True) -> str:
    """A whole picture; `size` False leaves its size on the page to the page."""
    w, h = short(width), short(height)
    extent = f" width='{w}' height='{h}'" if size else ""
    label = f" role='img' aria-label='{safe(title)}'" if title else " role='presentation'"
    head = f"<svg xmlns='http://www.w3.org/2000/svg' class='mcpl' viewBox='0 0 {w} {h}'"
    return f"{head}{extent}{label}>{body}</svg>"
