"""The normal form of a notebook, the command that writes it, and the teacher's notes."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from notebook_makers import (
    NBVAL,
    code,
    error,
    lesson,
    markdown,
    nbval_run,
    notebook,
    result,
    save,
    shown,
    stream,
)
from typer.testing import CliRunner

from mcp_lesson.cli.notebooks import app
from mcp_lesson.school import kernels, notebooks, notes
from mcp_lesson.school.notebooks import FIXED, WIDGET_VIEW, Notebook, Output, normalise


def normal_outputs(*outputs: Output) -> list[Output]:
    return normalise(notebook(code("cell", "7", *outputs)))["cells"][0]["outputs"]


# -- the normal form ----------------------------------------------------------------------------


def test_a_notebook_in_normal_form_stays_as_it_is() -> None:
    once = normalise(lesson())
    assert normalise(once) == once
    assert once == lesson()


def test_traces_of_programs_go_and_what_authors_wrote_stays() -> None:
    source = notebook(code("cell", "7", tags=("raises-exception",)), title="T", widgets={"s": 1})
    source["metadata"]["language_info"] = {"name": "python", "version": "3.12.1"}
    source["metadata"]["kernelspec"] = {"name": "lesson", "display_name": "mine"}
    source["cells"][0]["metadata"] |= {"execution": {"a": 1}, "scrolled": True, "nbgrader": {}}
    source["nbformat_minor"] = 4
    normal = normalise(source)
    assert normal["metadata"] == FIXED | {"title": "T"}
    assert normal["cells"][0]["metadata"] == {"tags": ["raises-exception"], "nbgrader": {}}
    assert normal["nbformat_minor"] == 5
    assert "version" in source["metadata"]["language_info"], "the argument is left alone"


def test_counts_run_from_one_over_the_cells_that_hold_code() -> None:
    source = notebook(
        code("one", "7", result("7")), markdown("prose", ""), code("blank", " \n"), code("two", "8")
    )
    for cell in source["cells"]:
        cell["execution_count"] = 41
    normal = normalise(source)
    assert [cell.get("execution_count") for cell in normal["cells"]] == [1, 41, None, 2]
    assert normal["cells"][0]["outputs"][0]["execution_count"] == 1


def test_neighbouring_streams_of_one_name_are_one() -> None:
    drawn = shown("text/plain", "x")
    outputs = (stream("a\r\n"), stream("b"), stream("!", "stderr"), stream("c"), drawn, stream("d"))
    texts = [(o.get("name"), o.get("text")) for o in normal_outputs(*outputs)]
    assert texts == [
        ("stdout", "a\nb"),
        ("stderr", "!"),
        ("stdout", "c"),
        (None, None),
        ("stdout", "d"),
    ]


def test_widget_views_go_and_their_other_forms_stay() -> None:
    view = shown(WIDGET_VIEW, {"model_id": "1"})
    both = copy.deepcopy(view)
    both["data"]["text/plain"] = "a diagram"
    both["metadata"] = {WIDGET_VIEW: {}, "text/plain": {"x": 1}, "needs_background": "light"}
    kept = {"output_type": "display_data", "data": {"text/plain": "a diagram"}}
    assert normal_outputs(view, both) == [kept | {"metadata": {"text/plain": {"x": 1}}}]
    assert normal_outputs(view | {"output_type": "execute_result"}) == []


def test_a_traceback_becomes_one_line() -> None:
    long = error("KeyError", "7") | {"traceback": ["\x1b[31m---", "File /home/ada/x.py, line 3"]}
    assert normal_outputs(long)[0]["traceback"] == ["KeyError: 7"]


def test_a_file_has_sorted_keys_bare_newlines_and_one_at_its_end(tmp_path: Path) -> None:
    path = tmp_path / "x.ipynb"
    notebooks.write(notebooks.text(notebook(code("cell", "é = 7\né"))), path)
    written = path.read_bytes()
    assert b"\r" not in written
    assert written.endswith(b"}\n")
    assert '"é = 7\\n",\n' in written.decode("utf-8")
    assert list(json.loads(written)) == ["cells", "metadata", "nbformat", "nbformat_minor"]


# -- two versions -------------------------------------------------------------------------------


def versions(old: Output, new: Output, *tags: str) -> tuple[Output, Output, Output]:
    saved, fresh = (notebook(code("cell", "7", out, tags=tags)) for out in (old, new))
    notebooks.keep_measured(saved, fresh)
    return old, new, fresh["cells"][0]["outputs"][0]


def plot(picture: str, text: str = "<Figure>") -> Output:
    value = shown("image/png", picture)
    value["data"]["text/plain"] = text
    return value


def test_a_new_picture_alone_is_no_change() -> None:
    old, _, kept = versions(plot("AAAA"), plot("BBBB"))
    assert kept == old
    _, new, kept = versions(plot("AAAA"), plot("BBBB", "<another Figure>"))
    assert kept == new


def test_new_numbers_alone_are_no_change_where_outputs_are_not_compared() -> None:
    old, new = stream("median  9.3 ms\n"), stream("median 12.25 ms\n")
    assert versions(old, new, notebooks.UNCOMPARED)[2] == old
    assert versions(old, new)[2] == new
    assert (
        versions(old, stream("mean 9.3 ms\n"), notebooks.UNCOMPARED)[2]["text"] == "mean 9.3 ms\n"
    )


def test_a_difference_names_cell_part_and_line() -> None:
    saved, fresh = (notebook(code("sum", "7", stream(f"a\n{x}\n")), title="T") for x in "78")
    fresh["metadata"]["title"] = "U"
    fresh["cells"][0]["metadata"] = {"tags": []}
    assert list(notebooks.differences(saved, saved)) == []
    found = list(notebooks.differences(saved, fresh))
    assert [line.split(": line ")[0] for line in found] == [
        "the notebook: metadata",
        "cell sum: metadata",
        "cell sum: outputs",
    ]
    assert "was '7', is now '8'" in found[2]


def test_a_text_that_ends_early_differs_in_its_next_line() -> None:
    assert notebooks.first_difference("a", "a\nb") == "line 2 was '(nothing)', is now 'b'"


# -- the command --------------------------------------------------------------------------------

CELLS: tuple[Any, ...] = (
    markdown("opening", "# T"),
    code("hide", "from subprocess import run; import sys; 7;"),
    code("child", "print(run([sys.executable, '-c', 'print(5)'], capture_output=True).stdout)"),
    code("where", "from pathlib import Path; Path('lesson.ipynb').exists()"),
    code("fail", "{}['seven']", tags=("raises-exception",)),
    code("measure", "import time\nprint(time.time(), 'ms')", tags=(notebooks.UNCOMPARED,)),
    code("draw", "import matplotlib.pyplot as plt\nplt.title(str(time.time()))\nplt.plot([1]);"),
    code("widget", "import ipywidgets\nipywidgets.IntSlider()"),
    code("static", "import os; os.environ['MCP_LESSON_STATIC']"),
)


def call(*arguments: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return done.exit_code, done.output


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    path = save(notebook(*CELLS), tmp_path / "lesson.ipynb")
    unrun = path.read_bytes()
    status, said = call("run", path, "--check")
    assert (status, path.read_bytes()) == (1, unrun)
    assert "stale\n" in said
    assert "cell child: outputs: line 1 was '[]', is now '['" in said

    assert call("run", path) == (0, f"{path}: written\n")
    once = path.read_bytes()
    written = notebooks.read(path)
    shown = [
        output.get("text") or output.get("data", {}).get("text/plain")
        for _, output in outputs(written)
    ]
    assert shown[:2] == ["b'5\\n'\n", "True"]
    assert shown[-2:] == ["IntSlider(value=0)", "'1'"]
    assert WIDGET_VIEW not in once.decode()

    assert call("run", tmp_path) == (0, f"{path}: unchanged\n")
    assert path.read_bytes() == once
    assert call("run", path, "--check") == (0, f"{path}: unchanged\n")


def outputs(notebook: Notebook) -> list[tuple[str, Output]]:
    cells = (cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    return [(cell["id"], output) for cell in cells for output in cell["outputs"]]


def test_what_a_run_writes_passes_as_a_test(tmp_path: Path) -> None:
    path = save(notebook(*CELLS), tmp_path / "lesson.ipynb")
    assert call("run", path)[0] == 0
    done = nbval_run(tmp_path, notebooks.read(path), *NBVAL)
    assert "8 passed" in done.said


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import os; os._exit(3)", "Kernel died"),
        ("while True: pass", "A cell timed out while it was being executed, after 2 seconds."),
    ],
)
def test_a_lesson_that_fails_is_not_written(
    source: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "CELL_SECONDS", 2)
    path = save(notebook(code("good", "7"), code("bad", source)), tmp_path / "lesson.ipynb")
    before = path.read_bytes()
    status, said = call("run", path)
    assert (status, path.read_bytes()) == (1, before)
    assert f"{path}: not run: cell bad: {reason}" in said
    assert "\x1b" not in said


def test_one_that_fails_does_not_keep_the_others_from_running(tmp_path: Path) -> None:
    save(notebook(code("bad", "1 / 0")), tmp_path / "1.ipynb")
    path = save(notebook(markdown("good", "7")), tmp_path / "2.ipynb")
    status, said = call("run", tmp_path)
    assert (status, f"{path}: written" in said) == (1, True)


def test_a_file_of_another_form_is_stale(tmp_path: Path) -> None:
    path = tmp_path / "lesson.ipynb"
    text = notebooks.text(notebook(markdown("opening", "# T")))
    path.write_text(text, encoding="utf-8", newline="\r\n")
    status, said = call("run", path, "--check")
    assert status == 1
    assert r"the file's form: line 1 was '{\r', is now '{'" in said


@pytest.mark.parametrize("text", ["", "[1", "{}", "[]", '{"nbformat": 4, "cells": 7}', "\xff"])
def test_what_is_no_notebook_is_refused_in_one_line(text: str, tmp_path: Path) -> None:
    path = tmp_path / "lesson.ipynb"
    path.write_bytes(text.encode("latin-1"))
    for command, status in (("run", 1), ("notes", 2)):
        done = call(command, path)
        assert done[0] == status
        assert f"{path}: " in done[1]
        assert "not a valid notebook: " in done[1]
        assert path.read_bytes() == text.encode("latin-1")


def test_paths_that_hold_nothing_are_refused(tmp_path: Path) -> None:
    assert call("run", tmp_path) == (2, f"no notebooks in {tmp_path}\n")
    gone = tmp_path / "gone.ipynb"
    assert call("notes", gone) == (2, f"{gone}: there is no such file or folder\n")


# -- teacher's notes ----------------------------------------------------------------------------


def test_notes_are_printed_in_the_order_of_the_lesson(tmp_path: Path) -> None:
    path = save(lesson(), tmp_path / "lesson.ipynb")
    status, said = call("notes", path)
    assert status == 0
    assert said.splitlines()[:3] == ["# 01 · Adding", "", "What is three plus four? (10 min)"]
    assert said.index("Run first: 4") < said.index("Debugging: a wrong operator: 6")
    assert "- `ask-for-the-sum` 34 (joins the two texts)" in said
    assert "- Half a day: all\n- Two days: all, then Beyond class" in said


def test_a_lesson_without_notes_says_so(tmp_path: Path) -> None:
    status, said = call("notes", save(notebook(markdown("x", "7")), tmp_path / "lesson.ipynb"))
    assert (status, said) == (0, "# (no title)\n\nNo teacher's notes yet.\n\n")


def test_a_heading_inside_a_fence_is_text() -> None:
    fenced = markdown("x", "## One\n```\n## not\n```\n## Two ##\n~~~\n## nor\n~~~\n### three")
    assert notes.headings(notebook(fenced)) == ["One", "Two"]
    assert notes.beats(notebook(fenced, markdown("y", "## Recap\n## Beyond class\n## More"))) == [
        "One",
        "Two",
    ]
