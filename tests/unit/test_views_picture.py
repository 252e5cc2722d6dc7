"""The picture: golden, well formed, harmless; no text leaves it, and none stands on another."""

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import pytest
from test_views_text import golden
from views_cases import CASES, captures, finding, hostile, lesson, long, troubles

from mcp_lesson import Trace, show
from mcp_lesson.views.palette import DARK, GROUNDS, LIGHT, LOOKS, TEXT_COLOURS, contrast
from mcp_lesson.views.picture import MOST
from mcp_lesson.views.place import lay_out
from mcp_lesson.views.shapes import SPACE
from mcp_lesson.views.sheet import Rows
from mcp_lesson.views.story import tell
from mcp_lesson.views.styles import resolved, styles
from mcp_lesson.views.widths import width

SVG = "{http://www.w3.org/2000/svg}"
SIZES = {"name": 14.0, "title": 16.0, "phase": 10.0, "c": 10.5, "g": 10.5, "a": 11.0, "sub": 11.0}
SMALL_LOOKS = ("http", "refusal", "stderr", "time")
BOLD = ("name", "title", "a", "pill", "side")
MONO = ("h", "c", "g")


@dataclass
class Box:
    """Where one text stands."""

    words: str
    left: float
    right: float
    top: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        apart = self.right <= other.left or other.right <= self.left
        return not (apart or self.bottom <= other.top or other.bottom <= self.top)


def boxes(svg: str) -> list[Box]:
    """The boxes of all level texts, by our own widths."""
    return list(_walk(ET.fromstring(svg), 0.0, 0.0, ""))


def _walk(node: ET.Element, x: float, y: float, look: str):
    moved = re.match(r"translate\(([-\d.]+) ([-\d.]+)\)$", node.get("transform", ""))
    if moved:
        x, y = x + float(moved.group(1)), y + float(moved.group(2))
    if node.tag == f"{SVG}g":
        look = node.get("class", look) if node.get("class") not in ("r", None) else look
    if node.tag == f"{SVG}text" and "transform" not in node.attrib:
        yield _box(node, x, y, look)
    for child in node:
        yield from _walk(child, x, y, look)


def _box(node: ET.Element, x: float, y: float, look: str) -> Box:
    wide = sum(_piece(part, look) for part in node)
    start = x + float(node.get("x", 0))
    side = node.get("class")
    left = start - {"m": wide / 2, "e": wide, "time": wide}.get(str(side), 0)
    base = y + float(node.get("y", 0))
    return Box("".join(node.itertext()), left, left + wide, base - 9, base + 2.5)


def _piece(part: ET.Element, look: str) -> float:
    of = part.get("class", "")
    size = 11.0 if look.split(" ")[0] in SMALL_LOOKS and of in ("h", "w") else SIZES.get(of, 13.0)
    mono = of in MONO or look.startswith("stderr")
    gap = SPACE + float(part.get("dx", 0)) if "dx" in part.attrib else 0.0
    return gap + width(part.text or "", size, mono=mono, bold=of in BOLD)


def check(svg: str) -> None:
    """Well formed, harmless, every text inside and on nothing else."""
    root = ET.fromstring(svg)
    names = {node.tag.removeprefix(SVG) for node in root.iter()}
    assert names <= {"svg", "style", "g", "rect", "path", "circle", "text", "tspan"}
    for node in root.iter():
        assert not any(name.startswith("on") or "href" in name for name in node.attrib)
    assert "url(" not in svg
    assert "@import" not in svg
    wide, high = map(float, root.get("viewBox", "").split()[2:])
    found = boxes(svg)
    for box in found:
        assert box.left >= 0, box
        assert box.right <= wide, box
        assert box.top >= 0, box
        assert box.bottom <= high, box
    for place, box in enumerate(found):
        assert not [other for other in found[place + 1 : place + 60] if box.meets(other)], box


@pytest.mark.parametrize("name", CASES)
def test_the_picture_is_golden(name: str) -> None:
    golden(f"{name}.svg", show(CASES[name]()).svg().replace("><", ">\n<"))


def test_title_findings_and_comparison_are_golden() -> None:
    found = [finding(9, "unknown-tool", "an unknown tool is a protocol error " * 3)]
    judged = show(lesson(), title="Judged", findings=found).svg()
    golden("findings.svg", judged.replace("><", ">\n<"))
    other = Trace(list(troubles())[2:])
    compared = show(troubles(), beside=other, title="Two").svg()
    golden("compared.svg", compared.replace("><", ">\n<"))
    check(judged)
    check(compared)


@pytest.mark.parametrize("name", CASES)
def test_the_picture_is_sound(name: str) -> None:
    check(show(CASES[name](), title="A title").svg())


@pytest.mark.parametrize("path", captures(), ids=lambda path: path.stem)
def test_recorded_conversations_are_sound(path: Path) -> None:
    trace = Trace.load(path)
    check(show(trace).svg())
    layout = lay_out(tell(trace), times=True)
    sheet = Rows(layout)
    strokes = sheet.strokes(0, sheet.count)
    assert strokes.count("data-n=") == len(layout.story.rows)


def test_hostile_strings_are_drawn_safely() -> None:
    svg = show(hostile(), title="</svg><script>alert(1)</script>\u202e").svg()
    check(svg)
    assert "<script" not in svg
    assert not set(svg) & set("\x00\x1b\u202e\u200b\ufeff\u2028")
    assert "‹U+202E›" in svg


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_every_text_can_be_read_on_every_ground(colours: dict[str, str]) -> None:
    worst = min(
        (contrast(colours[text], colours[ground]), text, ground)
        for text in TEXT_COLOURS
        for ground in (*GROUNDS, "alarm")
    )
    assert worst[0] >= 4.5, worst


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_strokes_can_be_seen(colours: dict[str, str]) -> None:
    for look in LOOKS.values():
        assert contrast(colours[look.colour], colours["band"]) >= 3


def test_no_kind_is_told_by_colour_alone() -> None:
    kinds = ("request", "answer", "notification", "noise", "lifecycle")
    assert len({(LOOKS[kind].stroke, LOOKS[kind].tip) for kind in kinds}) == len(kinds)
    svg = show(lesson()).svg()
    assert "✕ -32602" in svg


def test_styles_touch_nothing_outside_and_leave_no_variable() -> None:
    for rule in styles().split("\n"):
        assert all(part.startswith(".mcpl ") for part in rule.partition("{")[0].split(","))
    assert "var(" not in resolved(styles())


def test_a_long_conversation_is_cut_and_says_so() -> None:
    svg = show(long(500)).svg()
    check(svg)
    assert svg.count("class='r'") == MOST
    assert f"… {500 - MOST} more rows" in svg


def test_nothing_to_show_is_said() -> None:
    svg = show([]).svg()
    check(svg)
    assert "no messages yet" in svg


def test_rows_of_any_window_stand_where_they_stand_in_the_whole() -> None:
    sheet = Rows(lay_out(tell(CASES["web"]()), times=True))
    whole = sheet.strokes(0, sheet.count)
    for first in range(0, sheet.count - 4, 3):
        part = sheet.strokes(first, first + 4)
        for number in range(first, first + 4):
            assert _texts(part, number) == _texts(whole, number)


def _texts(strokes: str, number: int) -> list[str]:
    row = re.search(rf"<g class='r' data-n='{number}'>(.*?)(?=<g class='r'|$)", strokes)
    assert row
    return re.findall(r"<tspan[^>]*>([^<]*)", row.group(1))
