"""Small notebooks for tests: cells, outputs, one lesson that keeps every rule, and nbval's run."""

import copy
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp_lesson.school.notebooks import FIXED, Cell, Notebook, Output

SANITIZER = Path(__file__).parents[2] / "notebooks" / "sanitize.cfg"
NBVAL = (
    "--nbval",
    "--nbval-current-env",
    "--nbval-cell-timeout=60",
    f"--nbval-sanitize-with={SANITIZER}",
)


def markdown(id: str, source: str) -> Cell:
    return {"cell_type": "markdown", "id": id, "metadata": {}, "source": source}


def code(id: str, source: str, *outputs: Output, tags: tuple[str, ...] = ()) -> Cell:
    return {
        "cell_type": "code",
        "id": id,
        "metadata": {"tags": list(tags)} if tags else {},
        "source": source,
        "execution_count": 1,
        "outputs": list(outputs),
    }


def stream(text: str, name: str = "stdout") -> Output:
    return {"output_type": "stream", "name": name, "text": text}


def shown(mime: str, value: Any) -> Output:
    return {"output_type": "display_data", "data": {mime: value}, "metadata": {}}


def result(text: str) -> Output:
    value = {"data": {"text/plain": text}, "metadata": {}}
    return value | {"output_type": "execute_result", "execution_count": 1}


def error(name: str, text: str) -> Output:
    line = f"{name}: {text}"
    return {"output_type": "error", "ename": name, "evalue": text, "traceback": [line]}


def notebook(*cells: Cell, **metadata: Any) -> Notebook:
    """A notebook of these cells, counted as if they had been run in order."""
    for count, cell in enumerate((cell for cell in cells if cell["cell_type"] == "code"), 1):
        cell["execution_count"] = count
        for output in cell["outputs"]:
            if output["output_type"] == "execute_result":
                output["execution_count"] = count
    metadata = copy.deepcopy(FIXED) | metadata
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def save(notebook: Notebook, path: Path) -> Path:
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def lesson() -> Notebook:
    """A small lesson in which there is nothing to find."""
    return notebook(
        markdown("opening", "# 01 · Adding\n\nWhat is three plus four?\n"),
        markdown("run-first", "## Run first\n\n```\n## no heading\n```\n"),
        code("ask-for-the-sum", "print(3 + 4)", stream("7\n")),
        markdown("when-it-fails", "## Debugging: a wrong operator"),
        code("divide", "1 / 0", error("ZeroDivisionError", "…"), tags=("raises-exception",)),
        markdown("recap", "## Recap\n\nSeven."),
        markdown("beyond", "## Beyond class\n"),
        markdown("more", "## A tenth heading, but no beat"),
        title="01 · Adding",
        mcp_lesson={
            "question": "What is three plus four?",
            "minutes": 10,
            "notes": {
                "minutes": {"Run first": 4, "Debugging: a wrong operator": 6},
                "wrong_answers": [
                    {"cell": "ask-for-the-sum", "answer": "34", "why": "joins the two texts"}
                ],
                "questions": ["Who adds?"],
                "latecomer": "At “Debugging”: all before it is one print.",
                "paths": {"half_day": "all", "two_days": "all, then Beyond class"},
            },
        },
    )


@dataclass
class Run:
    """What one run of pytest came to: exit status, seconds, and what it printed."""

    status: int
    seconds: float
    said: str


def nbval_run(folder: Path, notebook: Notebook, *flags: str) -> Run:
    """Test one notebook in a pytest of its own, with the plugin as it is installed."""
    save(notebook, folder / "lesson.ipynb")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore"]
    begun = time.monotonic()
    done = subprocess.run(
        [*pytest, *flags, "."], cwd=folder, capture_output=True, encoding="utf-8", timeout=100
    )
    return Run(done.returncode, time.monotonic() - begun, done.stdout + done.stderr)
