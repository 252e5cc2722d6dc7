"""The lessons as they are committed: each rule of notebook_rules.py over all of them.

A rule that finds nothing may be right or blind. So each is also shown a good notebook, in which it
must find nothing, and bad ones, in which it must find the fault and no other rule may.
"""

import base64
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import notebook_rules as rules
import pytest
from notebook_makers import lesson, markdown, notebook, result, save, shown, stream
from notebook_rules import RULES, Rule, dead_links, shared_ids

from mcp_lesson.school import notebooks
from mcp_lesson.school.notebooks import WIDGET_VIEW, Notebook, Output

ROOT = Path(__file__).parents[2]
LESSONS = ROOT / "notebooks"

EXCEPTIONS: dict[tuple[str, str], str] = {}
"""(rule, cell id): why this cell may break this rule."""


def specification() -> Path | None:
    """A checkout of the specification: where MCP_SPECIFICATION says, or beside this project."""
    named = [Path(os.environ[name]) for name in ("MCP_SPECIFICATION",) if name in os.environ]
    beside = [folder / "modelcontextprotocol" for folder in (ROOT.parent, *ROOT.parent.iterdir())]
    return next(
        (path for path in named + beside if os.path.isdir(path / "docs/specification")), None
    )


def lessons(folder: Path) -> dict[str, Notebook]:
    return {path.name: notebooks.read(path) for path in sorted(folder.glob("*.ipynb"))}


def findings(rule: Rule, folder: Path) -> list[tuple[str, str, str]]:
    return [(name, *hit) for name, lesson in lessons(folder).items() for hit in rule(lesson)]


def excused(rule: Rule, finding: tuple[str, str, str]) -> bool:
    return (rule.__name__, finding[1]) in EXCEPTIONS


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_lessons_keep_the_rule(rule: Rule) -> None:
    assert [hit for hit in findings(rule, LESSONS) if not excused(rule, hit)] == []


def test_no_exception_outlives_its_cell() -> None:
    broken = {(rule.__name__, hit[1]) for rule in RULES for hit in findings(rule, LESSONS)}
    assert set(EXCEPTIONS) <= broken
    assert all(reason.strip() for reason in EXCEPTIONS.values())


def test_a_cell_id_names_one_cell_in_the_series() -> None:
    assert list(shared_ids(lessons(LESSONS))) == []


@pytest.mark.skipif(not specification(), reason="no checkout of the specification here")
def test_links_lead_to_the_specification() -> None:
    pages = specification()
    assert pages is not None
    assert findings(lambda lesson: dead_links(lesson, pages), LESSONS) == []


# -- the guard of the guard ---------------------------------------------------------------------

DELETED = object()
NOTES = ("metadata", "mcp_lesson", "notes")
LINK = "https://modelcontextprotocol.io/specification/2025-11-25/basic"


def svg(text: str) -> str:
    picture = base64.b64encode(f"<svg><text>{text}</text></svg>".encode()).decode()
    return f'<img src="data:image/svg+xml;base64,{picture}" alt="a conversation">'


def showing(output: Output) -> Callable[[Notebook], None]:
    """A fault: the first code cell also shows this."""
    return lambda notebook: notebook["cells"][2]["outputs"].append(output)


def setting(*path: Any, to: Any) -> Callable[[Notebook], None]:
    """A fault: what stands at this path is something else, or with DELETED is not there."""

    def spoil(notebook: Notebook) -> None:
        for step in path[:-1]:
            notebook = notebook[step]
        notebook[path[-1]] = to
        if to is DELETED:
            del notebook[path[-1]]

    return spoil


def with_beats(*beats: str, after: str = "## Beyond class") -> Callable[[Notebook], None]:
    """A fault: the core consists of these beats; the teacher's notes agree."""

    def spoil(notebook: Notebook) -> None:
        notebook["cells"][1]["source"] = "\n".join(f"## {beat}" for beat in beats)
        notebook["cells"][3]["source"] = "No heading."
        notebook["cells"][6]["source"] = after
        notebook["cells"].pop()
        lesson = notebook["metadata"]["mcp_lesson"]
        lesson["notes"]["minutes"] = dict.fromkeys(beats, 1)
        lesson["minutes"] = len(beats)

    return spoil


def with_minutes(minutes: int) -> Callable[[Notebook], None]:
    """A fault: the core takes this long; the teacher's notes agree."""

    def spoil(notebook: Notebook) -> None:
        lesson = notebook["metadata"]["mcp_lesson"]
        lesson["minutes"] = minutes
        lesson["notes"]["minutes"]["Run first"] = minutes - 6

    return spoil


FAULTS: list[tuple[Rule, Callable[[Notebook], None]]] = [
    (rules.counted, setting("cells", 2, "execution_count", to=None)),
    (rules.compared, setting("cells", 2, "metadata", "tags", to=["nbval-ignore-output"])),
    (rules.compared, setting("cells", 2, "metadata", "tags", to=["nbval-skip"])),
    (rules.compared, setting("cells", 2, "source", to="print(7)\n  # NBVAL_IGNORE_OUTPUT")),
    (rules.compared, setting("cells", 2, "source", to="# PYTEST_VALIDATE_IGNORE_OUTPUT\n7")),
    (rules.compared, setting("cells", 2, "source", to="#NBVAL_SKIP\nprint(7)")),
    (rules.fails_as_marked, setting("cells", 4, "metadata", "tags", to=[])),
    (rules.fails_as_marked, setting("cells", 4, "outputs", to=[])),
    (rules.kernel_named, setting("metadata", "kernelspec", "name", to="lesson")),
    (rules.kernel_named, setting("metadata", "language_info", "version", to="3.12.1")),
    (rules.without_widgets, setting("metadata", "widgets", to={"state": {}})),
    (rules.without_widgets, showing(shown(WIDGET_VIEW, {"model_id": "b1"}))),
    (rules.quiet, showing(stream("warning\n", "stderr"))),
    (rules.piped, setting("cells", 2, "source", to="subprocess.run([python, '-c', 'print(7)'])")),
    (rules.piped, setting("cells", 2, "source", to="Popen(\n    [python],\n    stdin=PIPE,\n)")),
    (rules.piped, setting("cells", 2, "source", to="os.system('echo 7')")),
    (rules.stable, showing(stream("<object at 0x7f01aabbccdd>"))),
    (rules.stable, showing(result("PosixPath('/home/ada/notes.txt')"))),
    (rules.stable, showing(result("WindowsPath('C:\\\\lessons')"))),
    (rules.stable, showing(stream("opened /tmp/x1/notes.db"))),
    (rules.stable, showing(stream("it is 09:14:03 now"))),
    (rules.stable, showing(shown("application/json", {"at": "2026-11-30T09:14"}))),
    (rules.stable, showing(stream("median 12.3 ms"))),
    (rules.stable, showing(stream("median 12ms"))),
    (rules.stable, showing(stream("in all 0.25 seconds"))),
    (rules.stable, showing(shown("text/html", svg("took 3.1 ms")))),
    (rules.stable, setting("cells", 4, "outputs", 0, "evalue", to="no /Users/ada/notes.txt")),
    (rules.without_registry, showing(stream("Looking in https://files.pythonhosted.org/"))),
    (rules.without_registry, setting("cells", 2, "source", to="%pip install --index-url x y")),
    (rules.without_registry, setting("cells", 5, "source", to="## Recap\nhttp://a.example/simple")),
    (rules.named, setting("cells", 1, "id", to="3f2a91bc")),
    (rules.named, setting("cells", 1, "id", to="abcdef01")),
    (rules.named, setting("cells", 1, "id", to="Run_First")),
    (rules.introduced, setting("metadata", "title", to="02 · Subtracting")),
    (rules.introduced, setting("metadata", "mcp_lesson", "question", to="What is it?")),
    (rules.introduced, setting("cells", 0, "source", to="# 01 · Adding\n\nThree and four?")),
    (rules.introduced, with_minutes(31)),
    (rules.shaped, setting("cells", 5, "source", to="No heading.")),
    (rules.shaped, with_beats("Run first", "What went wrong")),
    (rules.shaped, with_beats(*map(str, range(9)), "Debugging")),
    (rules.shaped, with_beats("Debugging", after="No heading.")),
    (rules.annotated, setting("cells", 1, "source", to="## Run it first")),
    (rules.annotated, setting("metadata", "mcp_lesson", "minutes", to=11)),
    (rules.annotated, setting("metadata", "mcp_lesson", "notes", to={})),
    (rules.annotated, setting(*NOTES, "wrong_answers", to=[])),
    (rules.annotated, setting(*NOTES, "wrong_answers", 0, "cell", to="no-such-cell")),
    (rules.annotated, setting(*NOTES, "wrong_answers", 0, "why", to=DELETED)),
    (rules.annotated, setting(*NOTES, "questions", to=[])),
    (rules.annotated, setting(*NOTES, "latecomer", to="")),
    (rules.annotated, setting(*NOTES, "paths", "half_day", to=DELETED)),
]


def broken_rules(folder: Path) -> set[str]:
    return {rule.__name__ for rule in RULES if findings(rule, folder)}


def test_nothing_is_found_in_a_good_lesson(tmp_path: Path) -> None:
    save(lesson(), tmp_path / "01_adding.ipynb")
    assert broken_rules(tmp_path) == set()


@pytest.mark.parametrize(("rule", "spoil"), FAULTS)
def test_a_fault_is_found_by_its_rule_alone(
    rule: Rule, spoil: Callable[[Notebook], None], tmp_path: Path
) -> None:
    bad = lesson()
    spoil(bad)
    save(bad, tmp_path / "01_adding.ipynb")
    assert broken_rules(tmp_path) == {rule.__name__}


def test_every_rule_has_a_fault() -> None:
    assert {rule for rule, _ in FAULTS} == set(RULES)


def test_what_is_the_same_everywhere_is_no_fault(tmp_path: Path) -> None:
    good = lesson()
    good["cells"][2]["source"] = (
        "run(3)\nPopen([python], stdin=PIPE, stdout=PIPE)\nrun(client, [1])"
    )
    for text in (
        "byte 0xff at 3",
        "2025-11-25",
        "/mcp",
        "file:///home/ada/x",
        "within 5 s",
        "v1.2.3",
    ):
        showing(stream(text + "\n"))(good)
    showing(shown("image/png", "iVBORw0KGgo12.3 ms="))(good)
    showing(shown("text/html", '<style>p {transition: 0.25s}</style><p style="x: 0.1s">7'))(good)
    save(good, tmp_path / "01_adding.ipynb")
    assert broken_rules(tmp_path) == set()


def test_an_id_in_two_notebooks_is_found(tmp_path: Path) -> None:
    save(lesson(), tmp_path / "01_adding.ipynb")
    save(notebook(lesson()["cells"][2]), tmp_path / "02_subtracting.ipynb")
    assert [id for id, _ in shared_ids(lessons(tmp_path))] == ["ask-for-the-sum"]


@pytest.mark.parametrize(
    ("link", "dead"),
    [
        (f"[the words]({LINK}).", False),
        (f"see {LINK}/index#_meta, then {LINK}#meta.", False),
        (f"[gone]({LINK}/gone)", True),
        (f"[no heading]({LINK}#gone)", True),
        (f"[no revision]({LINK.replace('2025-11-25/', '')})", True),
        ("[another page](https://modelcontextprotocol.io/docs)", False),
    ],
)
def test_dead_links_are_found(link: str, dead: bool, tmp_path: Path) -> None:
    page = tmp_path / "docs/specification/2025-11-25/basic/index.mdx"
    page.parent.mkdir(parents=True)
    page.write_text("# Overview\n\n### `_meta`\n", encoding="utf-8")
    found = list(dead_links(notebook(markdown("links", link)), tmp_path))
    assert len(found) == dead
