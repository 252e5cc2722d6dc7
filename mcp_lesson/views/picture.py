"""The static picture: one SVG with its own card, its own styles and nothing from outside.

It is what a fresh clone, an exported page and a reader without a kernel see. An embedded image
cannot know the theme of the page around it, so it brings its ground along.
"""

from dataclasses import dataclass

from .palette import LIGHT
from .shapes import rect, short, span, svg, text
from .sheet import Sheet
from .styles import resolved, styles
from .text import EMPTY
from .widths import clip, width, wrap

MOST = 80
"""Rows beyond this many are left out of a static picture, and it says so."""


@dataclass(frozen=True, slots=True)
class Headline:
    """What stands over a picture: a title, a sentence, and how much was found."""

    title: str = ""
    sentence: str = ""
    findings: int = 0

    def strokes(self, wide: float) -> tuple[str, float]:
        """The strokes, and the y at which the picture goes on."""
        body, y = "", 16.0
        if self.title or self.findings:
            shown = clip(self.title, wide - 160, 16, bold=True)
            body += text(18, 29, span(shown, "title"), "l") + self._pill(wide)
            y = 46.0
        for line in wrap(self.sentence, wide - 40, 13, 3) if self.sentence else ():
            body += text(18, y + 8, span(line, "sentence"), "l")
            y += 20
        return body, y + (6 if self.sentence else 0)

    def _pill(self, wide: float) -> str:
        if not self.findings:
            return ""
        said = f"⚠ {self.findings} finding{'' if self.findings == 1 else 's'}"
        room = width(said, 12, bold=True) + 22
        frame = rect(wide - room - 16, 13, room, 22, "alarm", 11)
        return frame + text(wide - room / 2 - 16, 28, span(said, "pill"), "m")


def picture(sheet: Sheet, alt: str, headline: Headline, colours: dict[str, str] = LIGHT) -> str:
    """All steps, up to MOST, as one SVG at natural size on a card of its own."""
    last = min(sheet.count, MOST)
    title, top = headline.strokes(sheet.width)
    heads, head_high = sheet.heads() if last else ("", 30.0)
    high = sheet.edge(last) - sheet.edge(0) if last else 0.0
    said = _left_out(sheet.count)
    height = top + head_high + high + 18 + (26 if said else 0)
    body = f"<style>{resolved(styles(), colours)}</style>"
    body += rect(0.5, 0.5, sheet.width - 1, height - 1, "card", 12) + title
    body += f"<g transform='translate(0 {short(top)})'>{heads}</g>"
    rows = sheet.strokes(0, last) if last else ""
    body += f"<g transform='translate(0 {short(top + head_high)})'>{rows}</g>"
    if said:
        body += text(sheet.width / 2, height - 14, span(said, "w"), "m")
    return svg(sheet.width, height, body, title=alt)


def _left_out(count: int) -> str:
    if not count:
        return EMPTY
    more = count - MOST
    return f"… {more} more rows: run the notebook to step through them" if more > 0 else ""
