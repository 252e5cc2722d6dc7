"""The first lessons as pages: every picture is there, offline and without a kernel."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

LESSONS = ("00_welcome", "01_eighty_lines", "02_json_rpc", "03_handshake")


@pytest.mark.parametrize("lesson", LESSONS)
async def test_a_lesson_as_a_page_shows_its_pictures_offline(
    page: Any, tmp_path: Path, lesson: str
) -> None:
    source = ROOT / "notebooks" / f"{lesson}.ipynb"
    convert(source, tmp_path)
    await page.route("http*://**", lambda route: route.abort())
    await page.goto((tmp_path / f"{lesson}.html").as_uri())
    pictures = await page.eval_on_selector_all(
        "img", "all => all.map(one => [one.src.slice(0, 10), one.naturalWidth, one.alt])"
    )
    drawn = sum("data:image/svg+xml" in json.dumps(cell) for cell in cells_of(source))
    assert len(pictures) >= drawn > 0
    for address, width, alt in pictures:
        assert address == "data:image"
        assert width > 100
        assert alt


def convert(notebook: Path, folder: Path) -> None:
    """Make a page of a notebook as it is, without running it."""
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "--output-dir", str(folder)]
    subprocess.run([*command, str(notebook)], check=True, capture_output=True, timeout=60)


def cells_of(path: Path) -> list[Any]:
    return list(json.loads(path.read_text(encoding="utf-8"))["cells"])
