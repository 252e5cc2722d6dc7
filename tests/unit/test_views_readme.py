"""The picture that opens the README is what its script draws today, light and dark."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def drawn() -> dict[str, str]:
    """What the script draws, by the name of the file."""
    spec = importlib.util.spec_from_file_location("make_picture", ROOT / "docs/make_picture.py")
    assert spec is not None
    script: Any = importlib.util.module_from_spec(spec)
    assert spec.loader is not None
    spec.loader.exec_module(script)
    return dict(script.draw())


@pytest.mark.parametrize("name", ["diagram.svg", "diagram-dark.svg"])
def test_the_committed_picture_is_what_the_script_makes(drawn: dict[str, str], name: str) -> None:
    kept = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert kept == drawn[name] + "\n", "draw it anew: python docs/make_picture.py"


def test_the_readme_shows_both_and_says_what_they_show(drawn: dict[str, str]) -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in drawn:
        assert f'"docs/{name}"' in page
    for word in ("handshake", "add", "7", "not JSON", "-32602"):
        assert word in page.partition(' alt="')[2].partition('"')[0]
    assert drawn["diagram.svg"] != drawn["diagram-dark.svg"]
