"""Notebooks as files: the one form in which a lesson is kept, and where two versions differ.

A notebook file is written by whichever program touched it last, and each leaves its traces: times,
widget views, the Python version, scroll positions. In a repository every trace is a false change.
So a lesson is kept in one normal form, and running an unchanged lesson again gives the same bytes:

    notebook    of its metadata only KEPT_IN_NOTEBOOK; kernelspec and language_info are fixed
    cell        of its metadata only KEPT_IN_CELL
    counts      1 to n over the code cells that hold code, in order
    streams     neighbours of one name are one output, lines end in a bare newline
    widgets     neither views nor state: without their kernel they show an error
    errors      name and text; the traceback, full of paths and versions, becomes one line

How a cell is run is said in `kernels`, and nothing here judges a lesson's content.
"""

import copy
import json
import re
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import Any

from . import kernels

Notebook = dict[str, Any]
Cell = dict[str, Any]
Output = dict[str, Any]

KEPT_IN_NOTEBOOK = ("title", "mcp_lesson")
KEPT_IN_CELL = ("tags", "mcp_lesson", "nbgrader", "deletable", "editable", "jupyter", "slideshow")

FIXED: Notebook = {
    "kernelspec": {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    },
    "language_info": {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
    },
}
"""Notebook metadata that is the same in every lesson, whichever Python ran it."""

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
PICTURES = ("image/png", "image/jpeg")
"""Outputs that no test compares: their bytes depend on fonts, libraries and measured times."""

UNCOMPARED = "nbval-ignore-output"
"""The tag of a cell whose output is measured and therefore new on every run."""


class NotebookError(Exception):
    """No notebook can be found, read or written here; the text says why."""


def find(paths: Sequence[Path]) -> list[Path]:
    """The notebooks named by `paths`: files as they are, folders by what lies in them, sorted.

    Raises NotebookError for a path that does not exist, and when there is no notebook at all.
    """
    found: list[Path] = []
    for path in paths:
        if not path.exists():
            raise NotebookError(f"{path}: there is no such file or folder")
        found += sorted(path.glob("*.ipynb")) if path.is_dir() else [path]
    if not found:
        raise NotebookError(f"no notebooks in {', '.join(map(str, paths))}")
    return found


def read(path: Path) -> Notebook:
    """Read a notebook of format 4. Raises NotebookError when the file does not hold a valid one."""
    nbformat = _nbformat()
    try:
        notebook: Notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
    except (
        ValueError,
        LookupError,
        AttributeError,
        TypeError,
        nbformat.ValidationError,
    ) as problem:
        raise NotebookError(f"not a valid notebook: {_first_line(problem)}") from None
    return notebook


def text(notebook: Notebook) -> str:
    """The notebook as it stands in a file: keys sorted, lines of text apart, a newline at the end.

    Raises NotebookError if it is not a valid notebook.
    """
    nbformat = _nbformat()
    node = nbformat.from_dict(notebook)
    try:
        nbformat.validate(node)
    except nbformat.ValidationError as problem:
        raise NotebookError(f"not a valid notebook: {_first_line(problem)}") from None
    return str(nbformat.writes(node)).rstrip("\n") + "\n"


def _nbformat() -> Any:
    try:
        return import_module("nbformat")
    except ModuleNotFoundError:
        raise NotebookError("reading notebooks needs the extra `lab` of this package") from None


def _first_line(problem: Exception) -> str:
    return (str(problem).splitlines() or [type(problem).__name__])[0]


def rerun(path: Path, *, fresh: bool = False) -> tuple[str, list[str]]:
    """Run the lesson at `path`: the text its file should have, and where that is not what it has.

    Nothing is written. With `fresh`, pictures and measured numbers are new even where nothing else
    is (see `keep_measured`). Raises NotebookError, or RunError when a cell fails.
    """
    saved = read(path)
    executed = copy.deepcopy(saved)
    kernels.run(executed, path.resolve().parent)
    normal = normalise(executed)
    if not fresh:
        keep_measured(normalise(saved), normal)
    old, new = path.read_bytes().decode("utf-8"), text(normal)
    changed = list(differences(saved, normal))
    if old != new and not changed:
        changed = ["the file's form: " + first_difference(old, new)]
    return new, changed


def write(text: str, path: Path) -> None:
    """Write a notebook's text as UTF-8 with bare newlines, on every system."""
    path.write_text(text, encoding="utf-8", newline="\n")


# -- the normal form ---------------------------------------------------------------------------


def normalise(notebook: Notebook) -> Notebook:
    """A copy of an executed notebook in the normal form that this module opens with."""
    normal = copy.deepcopy(notebook)
    normal["metadata"] = _only(notebook["metadata"], KEPT_IN_NOTEBOOK) | copy.deepcopy(FIXED)
    normal["nbformat"], normal["nbformat_minor"] = 4, 5
    count = 0
    for cell in normal["cells"]:
        cell["source"] = _newlines(cell["source"])
        cell["metadata"] = _only(cell["metadata"], KEPT_IN_CELL)
        if is_code(cell):
            count += 1
            cell["execution_count"] = count
            cell["outputs"] = _outputs(cell["outputs"], count)
        elif cell["cell_type"] == "code":
            cell["execution_count"], cell["outputs"] = None, []
    return normal


def is_code(cell: Cell) -> bool:
    """True for a code cell with something in it to run."""
    return cell["cell_type"] == "code" and bool(cell["source"].strip())


def _only(metadata: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: metadata[name] for name in names if name in metadata}


def _newlines(text: str) -> str:
    return text.replace("\r\n", "\n")


def _outputs(outputs: list[Output], count: int) -> list[Output]:
    normal: list[Output] = []
    for output in outputs:
        last = normal[-1] if normal else {}
        fresh = _NORMAL[output["output_type"]](output, count)
        if fresh and fresh["output_type"] == "stream" and fresh["name"] == last.get("name"):
            last["text"] += fresh["text"]
        elif fresh:
            normal.append(fresh)
    return normal


def _stream(output: Output, count: int) -> Output:
    return {
        "output_type": "stream",
        "name": output["name"],
        "text": _newlines(output["text"]),
    }


def _error(output: Output, count: int) -> Output:
    line = f"{output['ename']}: {output['evalue']}"
    return _only(output, ("output_type", "ename", "evalue")) | {"traceback": [line]}


def _display(output: Output, count: int) -> Output | None:
    data = {mime: value for mime, value in output["data"].items() if mime != WIDGET_VIEW}
    metadata = {mime: value for mime, value in output["metadata"].items() if mime in data}
    return {"output_type": "display_data", "data": data, "metadata": metadata} if data else None


def _result(output: Output, count: int) -> Output | None:
    shown = _display(output, count)
    return shown and shown | {"output_type": "execute_result", "execution_count": count}


_NORMAL: dict[str, Callable[[Output, int], Output | None]] = {
    "stream": _stream,
    "error": _error,
    "display_data": _display,
    "execute_result": _result,
}


# -- two versions of one notebook --------------------------------------------------------------


def keep_measured(saved: Notebook, fresh: Notebook) -> None:
    """Put saved outputs back into `fresh` where only what is measured is new.

    That is a picture in PNG or JPEG beside equal text, and in cells tagged `nbval-ignore-output`
    also the numbers. Both notebooks are in normal form and have the same cells. Otherwise every run
    would change every plot of a latency.
    """
    for old, new in zip(saved["cells"], fresh["cells"], strict=True):
        if is_code(new) and _essence(old) == _essence(new):
            new["outputs"] = old["outputs"]


def _essence(cell: Cell) -> str:
    """What of a cell's outputs must be equal for two runs to count as the same."""
    outputs = [_without_picture(output) for output in cell["outputs"]]
    essence = json.dumps(outputs, sort_keys=True)
    if UNCOMPARED in cell["metadata"].get("tags", []):
        essence = re.sub(r"(\\n|\s)+", " ", re.sub(r"\d+(\.\d+)?", "#", essence))
    return essence


def _without_picture(output: Output) -> Output:
    data = {mime: "" if mime in PICTURES else v for mime, v in output.get("data", {}).items()}
    return output | {"data": data}


def differences(saved: Notebook, fresh: Notebook) -> Iterator[str]:
    """Where two versions of a notebook with the same cells differ: one line for each part.

    A line names the cell by its id, the part that differs, and the first line that does.
    """
    whole = "the notebook"
    places = [(whole, name, saved, fresh) for name in ("metadata", "nbformat", "nbformat_minor")]
    for old, new in zip(saved["cells"], fresh["cells"], strict=True):
        where = f"cell {new.get('id', '(no id)')}"
        parts = ("source", "metadata", "execution_count", "outputs")
        places += [(where, name, old, new) for name in parts]
    for where, name, before, after in places:
        if before.get(name) != after.get(name):
            yield f"{where}: {name}: " + first_difference(_spell(before, name), _spell(after, name))


def _spell(part: dict[str, Any], name: str) -> str:
    spelled = json.dumps(part.get(name), indent=1, sort_keys=True, ensure_ascii=False)
    return spelled.replace("\\n", "\n")


def first_difference(saved: str, fresh: str) -> str:
    """The first line in which two texts differ, with its number; lines are cut at 80 characters."""
    lines = zip_longest(saved.split("\n"), fresh.split("\n"), fillvalue="(nothing)")
    for number, (old, new) in enumerate(lines, 1):
        if old != new:
            return f"line {number} was {old.strip(' ')[:80]!r}, is now {new.strip(' ')[:80]!r}"
    return "no difference"
