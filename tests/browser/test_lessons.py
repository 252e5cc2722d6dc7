"""The lessons as a learner meets them: run from the top in a browser, read without a kernel."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Lab
from test_browser_lab import run_all

LESSONS = ("00_welcome", "01_eighty_lines", "02_json_rpc", "03_handshake")
FRONT_ENDS = {"JupyterLab": "lab/tree/work/{}.ipynb?reset", "Notebook 7": "notebooks/work/{}.ipynb"}
SECONDS = 90


@pytest.mark.timeout(180)
@pytest.mark.parametrize("front_end", FRONT_ENDS)
@pytest.mark.parametrize("lesson", LESSONS)
async def test_a_lesson_runs_from_the_top(lab: Lab, page: Any, lesson: str, front_end: str) -> None:
    copy = lay(lab.folder, lesson)
    await page.goto(f"{lab.url}/{FRONT_ENDS[front_end].format(lesson)}")
    await page.wait_for_selector(".jp-Notebook .jp-CodeCell")
    await page.wait_for_function("document.body.innerText.includes('Python 3')")
    await run_all(page)
    await page.wait_for_selector(".mcp-lesson g.r", timeout=SECONDS * 1000)
    for _ in range(SECONDS):
        await page.keyboard.press("Control+s")
        await page.wait_for_timeout(1000)
        cells = [cell for cell in json.loads(copy.read_text())["cells"] if is_run(cell)]
        if all(cell["execution_count"] for cell in cells):
            break
    assert all(cell["execution_count"] for cell in cells), "not all cells ran"
    assert [cell["id"] for cell in cells if failed(cell)] == []
    await page.focus(".mcp-lesson .scroll")
    await page.keyboard.press("Home")
    before = await page.inner_text(".mcp-lesson .count")
    await page.keyboard.press("ArrowDown")
    assert await page.inner_text(".mcp-lesson .count") != before


def lay(folder: Path, lesson: str) -> Path:
    """A learner's copy, one folder deep, and the servers that lessons start."""
    (folder / "work").mkdir(exist_ok=True)
    shutil.copytree(ROOT / "servers", folder / "servers", dirs_exist_ok=True)
    notebook = json.loads((ROOT / "notebooks" / f"{lesson}.ipynb").read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    copy = folder / "work" / f"{lesson}.ipynb"
    copy.write_text(json.dumps(notebook), encoding="utf-8")
    return copy


def is_run(cell: dict[str, Any]) -> bool:
    return cell["cell_type"] == "code" and bool(cell["source"])


def failed(cell: dict[str, Any]) -> bool:
    """True for a cell with an error that no tag announced."""
    meant = "raises-exception" in cell["metadata"].get("tags", [])
    return not meant and any(output["output_type"] == "error" for output in cell["outputs"])


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
