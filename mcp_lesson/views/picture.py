"""The static picture: one SVG with its own light card, its own styles and nothing from outside.

It is what a fresh clone, an exported page and a reader without a kernel see. An embedded image
cannot know the theme of the page around it, so it brings its ground along. The styles are the same
text that the live view uses; here every colour variable is replaced by its value.
"""

import re

from . import palette, render
from .layout import Layout
from .shapes import rect, span, svg, text
from .widths import clip, width

SANS = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif'
MONO = 'ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace'
MOST = 80
"""Rows beyond this many are left out of a static picture, and it says so."""

_DASHES = {"dashed": "6 4", "dotted": "1 4"}


def styles() -> str:
    """The style rules of all rows, with colours as variables: `var(--m-request)`."""
    rules = [_BASE]
    for name, look in palette.LOOKS.items():
        colour = f"var(--m-{look.colour})"
        dash = f";stroke-dasharray:{_DASHES[look.stroke]}" if look.stroke in _DASHES else ""
        rules.append(
            f".{name} .s{{stroke:{colour}{dash}}}.{name} .t{{fill:{colour}}}"
            f".{name} .o,.{name} .x,.{name} .chip{{stroke:{colour}}}"
            f".{name} .h,.{name} .c{{fill:{colour}}}"
        )
    return "".join(rules)


_BASE = f"""
.mcpl text{{font-family:{SANS};font-size:13px}}
.mcpl .h,.mcpl .c,.mcpl .g,.mcpl .stderr .w{{font-family:{MONO}}}
.h,.c{{font-weight:700}}
.w,.g,.sub{{fill:var(--m-muted)}}
.w{{unicode-bidi:isolate}}
.mcpl .c,.mcpl .g{{font-size:10.5px}}
.mcpl .sub,.mcpl .time .w,.mcpl .http tspan,.mcpl .refusal tspan{{font-size:11px}}
.mcpl .stderr tspan{{font-size:11px}}
.mcpl .name{{font-size:14px;font-weight:700;fill:var(--m-ink)}}
.mcpl .title{{font-size:16px;font-weight:700;fill:var(--m-ink)}}
.mcpl .phase{{font-size:10px;font-weight:700;letter-spacing:1.2px;fill:var(--m-muted)}}
.mcpl .a{{font-size:11px;font-weight:600;fill:var(--m-warning)}}
.mcpl .pill{{font-size:12px;font-weight:600;fill:var(--m-warning)}}
.speech .w{{fill:var(--m-ink)}}
.failure .w{{fill:var(--m-error)}}
.card{{fill:var(--m-ground);stroke:var(--m-edge)}}
.band,.cover{{fill:var(--m-band)}}
.head{{fill:var(--m-ground);stroke:var(--m-line)}}
.note{{fill:var(--m-ground);stroke:var(--m-edge)}}
.bubble{{fill:var(--m-bubble);stroke:var(--m-line)}}
.alarm{{fill:var(--m-alarm);stroke:var(--m-warning);stroke-width:.6}}
.chip{{fill:var(--m-ground);stroke-width:1.3}}
.m,.phase{{text-anchor:middle}}
.e,.time{{text-anchor:end}}
.post{{fill:none;stroke:var(--m-line);stroke-width:1.25}}
.s,.o,.x{{fill:none;stroke-width:1.7}}
.o,.x{{stroke-width:2;stroke-linecap:round}}
.http .s,.refusal .s{{stroke-width:1.2}}
.bar{{fill:var(--m-bar);stroke:var(--m-request);stroke-width:.6}}
.bar.open,.bar.off{{stroke-dasharray:3 2;stroke-width:1}}
.bar.off{{stroke:var(--m-warning)}}
.lane{{fill:var(--m-stream);stroke:var(--m-notification);stroke-width:.6}}
.dot{{fill:var(--m-notification)}}
.stop,.wire,.round{{fill:none}}
.stop{{stroke:var(--m-notification);stroke-width:2}}
.wire{{stroke:var(--m-muted);stroke-dasharray:1 3}}
.round{{stroke:var(--m-answer);stroke-width:1.5}}
"""


def resolved(rules: str, colours: dict[str, str]) -> str:
    """Style rules with every colour variable replaced by its value."""
    rules = re.sub(r"var\(--m-([a-z]+)\)", lambda found: colours[found.group(1)], rules)
    return rules.replace("\n", "")


def picture(layout: Layout, title: str | None, alt: str, findings: int = 0) -> str:
    """The whole conversation as one SVG, at natural size, on a light card."""
    first, last = 0, min(len(layout.story.rows), MOST)
    top, extra = (46, 46) if title or findings else (16, 16)
    _, high = render.extent(layout, first, last)
    more = len(layout.story.rows) - last
    height = top + 62 + high + 16 + (26 if more else 0)
    body = f"<style>{resolved(styles(), palette.LIGHT)}</style>"
    body += rect(0.5, 0.5, layout.width - 1, height - 1, "card", 12)
    body += _headline(layout, title, findings)
    body += f'<g transform="translate(0 {extra})">{render.heads(layout)}</g>'
    body += f'<g transform="translate(0 {top + 60})">{render.rows(layout, first, last)}</g>'
    if more:
        said = f"… {more} more rows: run the notebook to step through them"
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
