"""The colours, light and dark, and what each kind of row looks like.

Two tables. A colour has a name and two values; a look says which colour, stroke and arrowhead draw
a row of that kind. The static picture, the live view, the reader and the tests read them here. No
kind is told by its colour alone: stroke and arrowhead differ too, and errors carry a cross.
Every text keeps a contrast of at least 4.5 to 1 against every ground it can stand on.
"""

from typing import NamedTuple

LIGHT = {
    "ground": "#ffffff",
    "band": "#f4f6fa",
    "bubble": "#ffffff",
    "ink": "#1f2430",
    "muted": "#5c6575",
    "line": "#b9c0cc",
    "edge": "#d5dae2",
    "request": "#2458d3",
    "answer": "#0b7264",
    "notification": "#7a3fd0",
    "error": "#c0222a",
    "warning": "#935300",
    "bar": "#cfdcf9",
    "stream": "#c9b8ea",
    "select": "#e3ecfd",
    "alarm": "#fdf1dc",
}

DARK = {
    "ground": "#12151c",
    "band": "#1a1f29",
    "bubble": "#12151c",
    "ink": "#e6e9ef",
    "muted": "#a0a9b8",
    "line": "#566072",
    "edge": "#39414f",
    "request": "#8fb0ff",
    "answer": "#5ad1b8",
    "notification": "#c6a3ff",
    "error": "#ff8a8a",
    "warning": "#f2b866",
    "bar": "#33487d",
    "stream": "#54437a",
    "select": "#1d2c4d",
    "alarm": "#3a2c12",
}

TEXT_COLOURS = ("ink", "muted", "request", "answer", "notification", "error", "warning")
GROUNDS = ("ground", "band", "bubble", "select")


class Look(NamedTuple):
    """How one kind of row is drawn.

    colour  a name of the tables above
    stroke  "solid", "dashed", "dotted" or "jagged"
    tip     "filled", "open" or "none"
    """

    colour: str
    stroke: str
    tip: str


LOOKS = {
    "request": Look("request", "solid", "filled"),
    "answer": Look("answer", "dashed", "filled"),
    "failure": Look("answer", "dashed", "filled"),
    "error": Look("error", "dashed", "filled"),
    "notification": Look("notification", "solid", "open"),
    "invalid": Look("warning", "jagged", "none"),
    "noise": Look("warning", "jagged", "none"),
    "stderr": Look("muted", "none", "none"),
    "http": Look("muted", "dotted", "open"),
    "refusal": Look("error", "dotted", "open"),
    "lifecycle": Look("muted", "dotted", "open"),
    "speech": Look("ink", "solid", "open"),
}


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, 1 to 21, as WCAG 2 computes it."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
