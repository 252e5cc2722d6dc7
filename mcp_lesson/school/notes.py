"""Teacher's notes: what a teacher wants to know of a lesson, kept in the notebook's metadata.

A learner never sees them; a teacher prints them with `mcp-lesson notebooks notes`. Beside the
notebook's own `title`, a lesson's metadata holds one object, `mcp_lesson`:

    question    the question that the lesson answers, as in its first cell
    minutes     whole minutes that the core takes in a classroom, at most 30
    notes       what follows here

    notes.minutes        {heading of a beat: its whole minutes}; together they make `minutes`
    notes.wrong_answers  list of {"cell": id of the cell that asks, "answer": what a class will say,
                         "why": the misconception behind it}
    notes.questions      list of questions for the room
    notes.latecomer      where somebody who missed the beginning can enter, and what to tell them
    notes.paths          {"half_day": …, "two_days": …}: what of this lesson each path takes

A beat is a markdown heading of level 2 above "Beyond class", except those in FURNITURE. This module
finds beats and prints notes; that they are complete is for the tests to say.
"""

import re
from collections.abc import Iterator
from typing import Any

from .notebooks import Notebook

BEYOND = "Beyond class"
FURNITURE = ("Recap", "Exercises", "Next")
"""Headings of level 2 that every lesson has and that are no beats."""

PATHS = {"half_day": "Half a day", "two_days": "Two days"}

_FENCED = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^##[ \t]+(.+?)[ \t]*#*$", re.MULTILINE)


def headings(notebook: Notebook) -> list[str]:
    """All markdown headings of level 2, in order; those inside a fence are text, not headings."""
    prose = (cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    return [found for source in prose for found in _HEADING.findall(_FENCED.sub("", source))]


def beats(notebook: Notebook) -> list[str]:
    """The headings of a lesson's core: those above "Beyond class" that are no furniture."""
    found = headings(notebook)
    core = found[: found.index(BEYOND)] if BEYOND in found else found
    return [heading for heading in core if heading not in FURNITURE]


def as_markdown(notebook: Notebook) -> str:
    """The teacher's notes of one lesson as Markdown; what is missing is left out."""
    lesson = notebook["metadata"].get("mcp_lesson", {})
    title = f"# {notebook['metadata'].get('title', '(no title)')}"
    if "notes" not in lesson:
        return f"{title}\n\nNo teacher's notes yet.\n"
    lines = [title, "", f"{lesson.get('question', '')} ({lesson.get('minutes', '?')} min)"]
    for heading, rows in _sections(notebook, lesson["notes"]):
        if rows:
            lines += ["", f"## {heading}", "", *rows]
    return "\n".join(lines) + "\n"


def _sections(notebook: Notebook, notes: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    minutes, paths = notes.get("minutes", {}), notes.get("paths", {})
    yield "Minutes", [f"- {beat}: {minutes[beat]}" for beat in beats(notebook) if beat in minutes]
    yield "Expected wrong answers", [_wrong(row) for row in notes.get("wrong_answers", [])]
    yield "Questions for the room", [f"- {question}" for question in notes.get("questions", [])]
    yield "For a latecomer", [notes["latecomer"]] if "latecomer" in notes else []
    yield "Paths", [f"- {PATHS[name]}: {paths[name]}" for name in PATHS if name in paths]


def _wrong(row: dict[str, str]) -> str:
    return f"- `{row['cell']}` {row['answer']} ({row['why']})"
