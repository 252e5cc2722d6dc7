"""The static picture: one SVG with its own light card, its own styles and nothing from outside.

It is what a fresh clone, an exported page and a reader without a kernel see. An embedded image
cannot know the theme of the page around it, so it brings its ground along.
"""

from . import render
from .layout import Layout
from .shapes import rect, span, svg, text
from .styles import resolved, styles
from .text import EMPTY
from .widths import clip, width

MOST = 80
"""Rows beyond this many are left out of a static picture, and it says so."""


def picture(layout: Layout, title: str | None, alt: str, findings: int = 0) -> str:
    """The whole conversation as one SVG, at natural size, on a light card."""
    top = 46 if title or findings else 16
    more = max(0, len(layout.shown) - MOST)
    last = layout.shown[MOST] if more else len(layout.story.rows)
    high = render.extent(layout, 0, last)[1] if last else 0
    height = top + 62 + high + 16 + (26 if more or not last else 0)
    body = f"<style>{resolved(styles())}</style>"
    body += rect(0.5, 0.5, layout.width - 1, height - 1, "card", 12)
    body += _headline(layout, title, findings)
    body += f"<g transform='translate(0 {top})'>{render.heads(layout)}</g>"
    rows = render.rows(layout, 0, last) if last else ""
    body += f"<g transform='translate(0 {top + 60})'>{rows}</g>"
    if more or not last:
        said = f"… {more} more rows: run the notebook to step through them" if more else EMPTY
        body += text(layout.width / 2, height - 14, span(said, "w"), "m")
    return svg(layout.width, height, body, title=alt)


def _headline(layout: Layout, title: str | None, findings: int) -> str:
    body = ""
    if title:
        shown = clip(title, layout.width - 160, 16, bold=True)
        body += text(18, 29, span(shown, "title"), "l")
    if findings:
        said = f"⚠ {findings} finding{'' if findings == 1 else 's'}"
        wide = width(said, 12) + 22
        body += rect(layout.width - wide - 16, 13, wide, 22, "alarm", 11)
        body += text(layout.width - wide / 2 - 16, 28, span(said, "pill"), "m")
    return body
