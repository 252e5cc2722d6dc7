"""One sentence that says what a picture shows, for those who cannot see it."""

from collections import Counter

from .marks import plain
from .rows import Row
from .story import Story
from .values import joined

_METHODS = 5

_TROUBLE = (
    ("error", "error", "errors"),
    ("failure", "failed call", "failed calls"),
    ("noise", "line that is not JSON", "lines that are not JSON"),
    ("invalid", "value that is no message", "values that are no messages"),
    ("refusal", "HTTP refusal", "HTTP refusals"),
)
_MESSAGES = ("request", "answer", "failure", "error", "notification", "invalid")
"""The looks of rows that are messages."""


def summary(story: Story, findings: int = 0) -> str:
    """Who spoke, how much, about what, and what went wrong: one sentence, the same on every run."""
    if not story.rows:
        return "Sequence diagram: no messages yet."
    looks = Counter[str](row.look for row in story.rows)
    count = sum(looks[look] for look in _MESSAGES)
    troubles = [_many(looks[look], one, many) for look, one, many in _TROUBLE if looks[look]]
    owed = sum(1 for row in story.rows if row.remark == "no answer")
    troubles += [f"{_many(owed, 'request', 'requests')} without an answer"] if owed else []
    troubles += [_many(findings, "finding", "findings")] if findings else []
    speech = _many(looks["speech"], "utterance", "utterances") if looks["speech"] else ""
    said = " and ".join(part for part in (_many(count, "message", "messages"), speech) if part)
    parts = (f"{said} between {_speakers(story)}", _methods(story.rows))
    told = ": ".join(part for part in parts if part)
    return f"Sequence diagram: {told}" + (f"; {joined(troubles)}." if troubles else ".")


def _speakers(story: Story) -> str:
    said = [f"{line.name} ({line.sub})" if line.sub else line.name for line in story.ordered()]
    return " and ".join([", ".join(said[:-1]), said[-1]]) if len(said) > 1 else said[0]


def _methods(rows: list[Row]) -> str:
    asked = Counter(plain(row.head, 48) for row in rows if row.look in ("request", "notification"))
    shown = [f"{head} ×{times}" if times > 1 else head for head, times in asked.items()]
    return joined(shown[:_METHODS], len(shown) > _METHODS)


def _many(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
