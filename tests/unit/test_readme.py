"""The README says nothing that is not so: its links lead somewhere, its map is the territory."""

import re
from pathlib import Path

import pytest

from mcp_lesson.cli import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
ROW = re.compile(r"^\| (\d\d) \| (.+?) \| (.+\?) \|$", re.MULTILINE)


def rows() -> list[tuple[str, str]]:
    """Return number and cell of each row of the README's map."""
    return [(row[0], row[1]) for row in ROW.findall(PAGES[0].read_text(encoding="utf-8"))]


def test_the_map_has_nineteen_lessons() -> None:
    assert [number for number, _ in rows()] == [f"{number:02}" for number in range(19)]


def test_a_lesson_is_a_link_exactly_if_it_is_there() -> None:
    written = {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}
    wrong = []
    for number, cell in rows():
        name = re.sub(r"\W.*", "", cell.lstrip("["))
        file = f"{number}_{name}.ipynb"
        right = f"[{name}](notebooks/{file})" if file in written else f"{name} (planned)"
        written.discard(file)
        if cell != right:
            wrong.append(f"| {number} | {right} |")
    assert not wrong, "these rows of the README's map should begin so"
    assert not written, "these lessons are missing from the README's map"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_local_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    local = [target for target in targets if "://" not in target]
    assert not [target for target in local if not (page.parent / target).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_command_that_is_named_is_there(page: Path) -> None:
    named = set(
        re.findall(r"^mcp-lesson ([a-z]+)|`mcp-lesson ([a-z]+)", page.read_text("utf-8"), re.M)
    )
    commands = {command.name for command in app.registered_commands}
    assert {first or second for first, second in named} <= commands
