"""What every committed lesson must be like: one rule a function, each yielding what breaks it.

nbval compares outputs; these rules look after what nbval leaves alone: that there is something to
compare, that it is the same on every machine, and that a lesson has the parts a class relies on.
A rule takes a notebook and yields (cell id, what is wrong). test_notebooks.py applies them to the
lessons, and to deliberately bad notebooks, so that a rule which finds nothing is found out.
"""

import base64
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from mcp_lesson.school.notebooks import FIXED, PICTURES, WIDGET_VIEW, Cell, Notebook, is_code
from mcp_lesson.school.notes import BEYOND, PATHS, beats, headings

Finding = tuple[str, str]
Rule = Callable[[Notebook], Iterator[Finding]]

WHOLE = "notebook"
"""Stands where a cell's id would, when a finding is about the notebook as a whole."""


def code(notebook: Notebook) -> list[Cell]:
    return [cell for cell in notebook["cells"] if is_code(cell)]


def prose(notebook: Notebook) -> list[Cell]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"]


def outputs(notebook: Notebook) -> Iterator[tuple[str, dict]]:
    for cell in code(notebook):
        yield from ((cell["id"], output) for output in cell["outputs"])


# -- that nbval has something to compare ------------------------------------------------------


def counted(notebook: Notebook) -> Iterator[Finding]:
    """nbval compares no output of a cell that was never run."""
    for cell in code(notebook):
        if not isinstance(cell["execution_count"], int):
            yield cell["id"], "has no execution count: nbval would compare nothing"


EVASIONS = ("nbval-ignore-output", "nbval-skip", "skip-execution", "pytest-validate-ignore-output")


def compared(notebook: Notebook) -> Iterator[Finding]:
    """An output that is not compared needs an exception with its reason."""
    for cell in code(notebook):
        comments = re.findall(r"^\s*#+\s*([A-Z_]+)\s*$", cell["source"], re.MULTILINE)
        marks = {
            *cell["metadata"].get("tags", []),
            *(c.lower().replace("_", "-") for c in comments),
        }
        for mark in sorted(marks.intersection(EVASIONS)):
            yield cell["id"], f"is not compared: {mark}"


def fails_as_marked(notebook: Notebook) -> Iterator[Finding]:
    """A cell marked as failing fails, and no other does; nbval lets the first pass either way."""
    for cell in code(notebook):
        failed = any(output["output_type"] == "error" for output in cell["outputs"])
        marked = "raises-exception" in cell["metadata"].get("tags", [])
        if failed and not marked:
            yield cell["id"], "shows an error, but is not tagged raises-exception"
        if marked and not failed:
            yield cell["id"], "is tagged raises-exception, but shows no error"


def kernel_named(notebook: Notebook) -> Iterator[Finding]:
    for name, value in FIXED.items():
        if notebook["metadata"].get(name) != value:
            yield WHOLE, f"{name} is not the one every lesson has; run `mcp-lesson notebooks run`"


# -- that outputs are the same everywhere -----------------------------------------------------


def without_widgets(notebook: Notebook) -> Iterator[Finding]:
    """A saved view without its kernel shows an error; saved state breaks other viewers."""
    if "widgets" in notebook["metadata"]:
        yield WHOLE, "holds widget state"
    for cell, output in outputs(notebook):
        if WIDGET_VIEW in output.get("data", {}):
            yield cell, "holds a widget view"


def quiet(notebook: Notebook) -> Iterator[Finding]:
    for cell, output in outputs(notebook):
        if output.get("name") == "stderr":
            yield cell, f"wrote on stderr: {output['text'].strip()[:60]!r}"


_STARTS = r"\b(?:subprocess\.)?(?:run|Popen|call|check_call)\(\s*[\[(]|\bos\.(?:system|spawn)"
_PIPED = r"capture_output=|stdout=(?!None|sys\.)"


def piped(notebook: Notebook) -> Iterator[Finding]:
    """What a child prints on an inherited stdout comes late, torn, or in the next cell."""
    for cell in code(notebook):
        if re.search(_STARTS, cell["source"]) and not re.search(_PIPED, cell["source"]):
            yield cell["id"], "starts a child whose output is not piped: give it stdout="


_SVG = re.compile(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)")
_STYLE = re.compile(r"<style.*?</style>|style=\"[^\"]*\"", re.DOTALL)


def shown(output: dict) -> Iterator[str]:
    """Every text in an output, those inside a drawn picture too; the sanitiser hides them."""
    yield output.get("text", "")
    yield from (output.get("ename", ""), output.get("evalue", ""), *output.get("traceback", ()))
    for mime, value in output.get("data", {}).items():
        if mime in PICTURES:
            continue
        text = value if isinstance(value, str) else json.dumps(value)
        yield _STYLE.sub("", _SVG.sub("", text))
        for picture in _SVG.findall(text):
            yield re.sub("<[^>]*>", " ", _STYLE.sub("", base64.b64decode(picture).decode()))


_HOMES = "home|Users|root|tmp|private|var/folders|usr|opt|mnt|work|Library|nix"
_FIGURE = r"(?<![\w.])\d+(?:\.\d+)?\s?(?:ns|µs|μs|us|ms)\b"
UNSTABLE = {
    "an address": r"\b0x[0-9a-fA-F]{6,}\b",
    "an absolute path": rf"(?<![\w/.])/(?:{_HOMES})/[\w.-]+|\b[A-Za-z]:\\+\w",
    "a clock": r"(?<!\d)\d{1,2}:\d{2}:\d{2}(?!\d)|\d{4}-\d\d-\d\dT\d\d:\d\d",
    "a measured time": rf"{_FIGURE}|(?<![\w.])\d+\.\d+\s?s(?:ec(?:onds?)?)?\b",
}


def stable(notebook: Notebook) -> Iterator[Finding]:
    """No address, absolute path, clock or measured time: it differs on the next machine."""
    for cell, output in outputs(notebook):
        for what, pattern in UNSTABLE.items():
            for text in shown(output):
                for found in re.findall(pattern, text):
                    yield cell, f"shows {what}: {found!r}"


_REGISTRY = (
    r"pypi\.org/simple|pythonhosted\.org|registry\.npmjs|registry\.yarnpkg|conda\.anaconda\.org"
    r"|proxy\.golang\.org|https?://[^\s\"']+/simple\b|(?:index-url|--registry)[ =]+\S+"
)


def without_registry(notebook: Notebook) -> Iterator[Finding]:
    """Where packages came from belongs to one machine, not to a lesson."""
    for found in re.findall(_REGISTRY, json.dumps(notebook, ensure_ascii=False), re.IGNORECASE):
        yield WHOLE, f"names a package registry: {found!r}"


# -- that a lesson has its parts --------------------------------------------------------------

_SLUG = re.compile(r"[a-z]+(-([a-z]+|[0-9]+))*")


def named(notebook: Notebook) -> Iterator[Finding]:
    """A cell's id is made of words: lower-case letters, or a number, joined by hyphens."""
    for cell in notebook["cells"]:
        if not _SLUG.fullmatch(cell.get("id", "")):
            yield cell.get("id", "(none)"), "is no readable cell id, such as `ask-for-the-sum-2`"


def introduced(notebook: Notebook) -> Iterator[Finding]:
    """The first cell is titled and asks the question; the metadata says the same, and how long."""
    lesson = notebook["metadata"].get("mcp_lesson", {})
    title, question = notebook["metadata"].get("title"), lesson.get("question")
    opening = notebook["cells"][0]["source"] if prose(notebook)[:1] else ""
    if not title or not opening.startswith(f"# {title}\n"):
        yield WHOLE, "metadata `title` is not the heading of the first cell"
    if not question or question not in opening:
        yield WHOLE, "metadata `mcp_lesson.question` does not stand in the first cell"
    if lesson.get("minutes") not in range(1, 31):
        yield WHOLE, "metadata `mcp_lesson.minutes` is no whole number from 1 to 30"


def shaped(notebook: Notebook) -> Iterator[Finding]:
    """At most nine beats, one of them about debugging; then a recap, and what is beyond class."""
    if not 1 <= len(beats(notebook)) <= 9:
        yield WHOLE, f"has {len(beats(notebook))} beats; a core has one to nine"
    if not any(beat.startswith("Debugging") for beat in beats(notebook)):
        yield WHOLE, 'has no beat whose heading begins with "Debugging"'
    for part in ("Recap", BEYOND):
        if headings(notebook).count(part) != 1:
            yield WHOLE, f'needs one heading "## {part}"'


def annotated(notebook: Notebook) -> Iterator[Finding]:
    """The teacher's notes are complete, and speak of beats and cells that exist."""
    lesson = notebook["metadata"].get("mcp_lesson", {})
    notes = lesson.get("notes", {})
    minutes, rows = notes.get("minutes", {}), notes.get("wrong_answers", [])
    if set(minutes) != set(beats(notebook)):
        odd = sorted(set(minutes) ^ set(beats(notebook)))
        yield WHOLE, f"notes.minutes and the beats differ in {odd}"
    if sum(minutes.values()) != lesson.get("minutes"):
        yield WHOLE, f"notes.minutes make {sum(minutes.values())}, not mcp_lesson.minutes"
    if not rows or any(set(row) != {"cell", "answer", "why"} for row in rows):
        yield WHOLE, "notes.wrong_answers needs rows of cell, answer and why"
    ids = {cell["id"] for cell in notebook["cells"]}
    for row in rows:
        if row.get("cell") not in ids:
            yield WHOLE, f"notes.wrong_answers names no cell of this notebook: {row.get('cell')!r}"
    if not notes.get("questions") or not notes.get("latecomer"):
        yield WHOLE, "notes.questions or notes.latecomer is missing"
    if set(notes.get("paths", {})) != set(PATHS):
        yield WHOLE, f"notes.paths needs {sorted(PATHS)}"


RULES: tuple[Rule, ...] = (
    counted,
    compared,
    fails_as_marked,
    kernel_named,
    without_widgets,
    quiet,
    piped,
    stable,
    without_registry,
    named,
    introduced,
    shaped,
    annotated,
)


# -- rules that need more than one notebook ---------------------------------------------------


def shared_ids(lessons: dict[str, Notebook]) -> Iterator[Finding]:
    """A cell id names one cell in the whole series."""
    owner: dict[str, str] = {}
    for name, notebook in lessons.items():
        for cell in notebook["cells"]:
            first = owner.setdefault(cell["id"], name)
            if first != name:
                yield cell["id"], f"stands in {first} and in {name}"


_LINK = re.compile(r"https?://modelcontextprotocol\.io/(specification/?[\w./-]*)(?:#([\w-]+))?")


def dead_links(notebook: Notebook, specification: Path) -> Iterator[Finding]:
    """Links to the specification name a dated revision, a page it has, and a heading of that page.

    `specification` is a checkout of the specification's repository.
    """
    for cell in prose(notebook):
        for page, anchor in _LINK.findall(cell["source"]):
            page = page.rstrip("./")
            text = _page(specification / "docs" / page)
            if text is None:
                yield cell["id"], f"links to a page that does not exist: {page}"
            elif anchor and _letters(anchor) not in _anchors(text):
                yield cell["id"], f"links to a heading that does not exist: {page}#{anchor}"


def _page(path: Path) -> str | None:
    for file in (path.with_name(path.name + ".mdx"), path / "index.mdx"):
        if file.is_file():
            return file.read_text(encoding="utf-8")
    return None


def _anchors(page: str) -> set[str]:
    """The headings of a page as letters and digits only: how sites join the words differs."""
    return {_letters(title) for title in re.findall(r"^#+[ \t](.+)$", page, re.MULTILINE)}


def _letters(text: str) -> str:
    return re.sub("[^a-z0-9]", "", text.lower())
