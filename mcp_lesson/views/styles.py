"""The style rules of a picture: one text for the static picture and the live view.

A rule is a line: selectors and declarations. Each is written for the inside of an element of class
`mcpl`, so that no page around it is touched. Colours are variables, `var(--m-request)`: the live
view gives them values by theme, the static picture replaces them.
"""

import re

from .palette import DARK, LIGHT, LOOKS

SANS = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif'
MONO = 'ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace'

_DASHES = {"dashed": "6 4", "dotted": "1 4"}

_RULES = f"""
text{{font-family:{SANS};font-size:13px}}
.h,.c,.g,.stderr .w{{font-family:{MONO}}}
.lifecycle .h{{font-family:{SANS}}}
.h,.c,.name,.title,.phase{{font-weight:700}}
.a,.pill,.side{{font-weight:600}}
.c,.g{{font-size:10.5px}}
.sub,.a,.time .w,.http tspan,.refusal tspan,.stderr tspan{{font-size:11px}}
.pill,.side{{font-size:12px}}
.name{{font-size:14px}}
.title{{font-size:16px}}
.phase{{font-size:10px;letter-spacing:1.2px}}
.w,.g,.sub,.phase{{fill:var(--m-muted)}}
.name,.title,.side,.sentence,.speech .w{{fill:var(--m-ink)}}
.failure .w{{fill:var(--m-error)}}
.a,.pill{{fill:var(--m-warning)}}
.w{{unicode-bidi:isolate}}
.m,.phase{{text-anchor:middle}}
.e,.time{{text-anchor:end}}
.card{{fill:var(--m-ground);stroke:var(--m-edge)}}
.band{{fill:var(--m-band)}}
.cover{{fill:var(--m-ground)}}
.phased .cover{{fill:var(--m-band)}}
.head{{fill:var(--m-ground);stroke:var(--m-line)}}
.note{{fill:var(--m-ground);stroke:var(--m-edge)}}
.bubble{{fill:var(--m-bubble);stroke:var(--m-line)}}
.alarm,.differs{{fill:var(--m-alarm)}}
.alarm,.first{{stroke:var(--m-warning);stroke-width:.6}}
.first{{stroke-width:2}}
.chip{{fill:var(--m-ground);stroke-width:1.3}}
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


def styles() -> str:
    """All rules, those of the looks included, each scoped to `.mcpl`."""
    rules = [rule for rule in _RULES.split("\n") if rule]
    for name, look in LOOKS.items():
        colour = f"var(--m-{look.colour})"
        dash = f";stroke-dasharray:{_DASHES[look.stroke]}" if look.stroke in _DASHES else ""
        rules += [
            f".{name} .s{{stroke:{colour}{dash}}}",
            f".{name} .o,.{name} .x,.{name} .chip{{stroke:{colour}}}",
            f".{name} .t,.{name} .h,.{name} .c{{fill:{colour}}}",
        ]
    return "\n".join(map(_scoped, rules))


def _scoped(rule: str) -> str:
    selectors, brace, body = rule.partition("{")
    return ",".join(f".mcpl {one}" for one in selectors.split(",")) + brace + body


def resolved(rules: str, colours: dict[str, str] = LIGHT) -> str:
    """Style rules with every colour variable replaced by its value, on one line."""
    rules = re.sub(r"var\(--m-([a-z]+)\)", lambda found: colours[found.group(1)], rules)
    return rules.replace("\n", "")


def variables() -> str:
    """The colour variables of both themes; ground and ink are JupyterLab's where it has them."""
    dark = '[data-jp-theme-light="false"] .mcp-lesson,.vscode-dark .mcp-lesson'
    return f".mcp-lesson{{{_values(LIGHT)}}}\n{dark}{{{_values(DARK)}}}\n"


def _values(colours: dict[str, str]) -> str:
    values = colours | {
        "ground": f"var(--jp-layout-color1,{colours['ground']})",
        "bubble": "var(--m-ground)",
        "ink": f"var(--jp-ui-font-color0,{colours['ink']})",
        "band": "color-mix(in srgb,var(--m-request) 5%,var(--m-ground))",
    }
    return "".join(f"--m-{name}:{value};" for name, value in values.items())
