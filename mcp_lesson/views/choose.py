"""Which rows to show, and what is written beside them: filters and findings.

A filter is a word or several: a kind of row ("request", "error", "http", "stderr", …), a method
("tools/call"), or the beginning of methods ("tools/"). A request and its answer stay together.
"""

from collections.abc import Iterable
from typing import Any, Protocol, get_args

from .marks import plain
from .rows import Look, Row
from .story import Story

KINDS: dict[str, tuple[str, ...]] = {
    **{look: (look,) for look in get_args(Look)},
    "errors": ("error", "failure", "refusal", "noise", "invalid"),
    "messages": ("request", "answer", "failure", "error", "notification", "invalid", "noise"),
}
"""What a word stands for that names a kind of row, or several."""


class Finding(Protocol):
    """What a rule found: the index of its frame, the rule, what is wrong, where that is said."""

    frame: int
    rule: str
    text: str
    clause: str


def chosen(story: Story, only: Iterable[str]) -> frozenset[int] | None:
    """The numbers of the rows that a filter keeps; None when there is no filter."""
    words = tuple(only)
    if not words:
        return None
    kept = {row.number for row in story.rows if any(_matches(row, word) for word in words)}
    partners = {story.rows[number].partner for number in kept}
    return frozenset(kept | {number for number in partners if number is not None})


def _matches(row: Row, word: str) -> bool:
    if word in KINDS:
        return row.look in KINDS[word]
    return row.method.startswith(word) if word.endswith("/") else row.method == word


def at_rows(story: Story, findings: Iterable[Any]) -> dict[int, list[Any]]:
    """The findings of each row, by its number. Frames out of range are passed over."""
    rows = {frame: row.number for row in story.rows for frame in row.frames}
    found: dict[int, list[Any]] = {}
    for finding in findings:
        if finding.frame in rows:
            found.setdefault(rows[finding.frame], []).append(finding)
    return found


def notes(story: Story, findings: Iterable[Any]) -> dict[int, str]:
    """For each row with findings, what is written under it."""
    return {
        number: plain(" · ".join(f"{one.rule}: {one.text}" for one in found))
        for number, found in at_rows(story, findings).items()
    }


def clauses(story: Story, findings: Iterable[Any]) -> dict[int, str]:
    """For each row with findings, where the first of the broken rules stands."""
    rows = at_rows(story, findings)
    return {number: plain(str(found[0].clause or "")) for number, found in rows.items()}
