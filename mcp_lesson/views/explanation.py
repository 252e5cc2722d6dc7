"""One message, read field by field: what `explain` returns.

    explain({"jsonrpc": "2.0", "id": 1, "method": "ping"})

As text it is a small table, at most 78 columns wide; in a notebook an HTML table whose fields link
to the clause that describes them.
"""

import textwrap
from collections.abc import Sequence
from typing import Any

from .. import fields
from ..trace import Frame
from .marks import columns, fit
from .reading import SITE, crumbs
from .shapes import safe

WIDTH = 78
_NAME, _VALUE = 24, 20
_LEFT = 'align="left" style="text-align: left"'  # JupyterLab sets tables to the right


class Explanation:
    """A message with the meaning of each of its fields. Evaluate it in a notebook, or print it."""

    def __init__(self, message: Any, answers: str | None, revision: str | None) -> None:
        self.title = fields.title(message, answers)
        self.rows: Sequence[fields.Row] = fields.read(message, answers=answers, revision=revision)

    def __repr__(self) -> str:
        """The table as text."""
        name = min(_NAME, max((columns(_indented(row)) for row in self.rows), default=4))
        value = min(_VALUE, max((columns(row.value) for row in self.rows), default=4))
        lines = [self.title]
        for row in self.rows:
            lines += _lines(row, name, value)
        return "\n".join(line.rstrip() for line in lines)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._html()}

    def _html(self) -> str:
        rows = "".join(_html_row(row) for row in self.rows)
        head = "".join(f"<th {_LEFT}>{name}</th>" for name in ("field", "value", "what it is"))
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        return f"<p><strong>{safe(self.title)}</strong></p>{table}{_links(self.rows)}"


def _indented(row: fields.Row) -> str:
    return "  " * row.depth + row.name


def _lines(row: fields.Row, name: int, value: int) -> list[str]:
    room = WIDTH - name - value - 4
    meaning = textwrap.wrap(_meaning(row), room) or [""]
    cells = [(fit(_indented(row), name), fit(row.value, value)), *[("", "")] * len(meaning)]
    return [
        "  ".join((_padded(left, name), _padded(right, value), words))
        for (left, right), words in zip(cells, meaning, strict=False)
    ]


def _padded(text: str, room: int) -> str:
    return text + " " * (room - columns(text))


def _meaning(row: fields.Row) -> str:
    return f"{row.meaning} Decided by {row.setter}." if row.setter else row.meaning


def _html_row(row: fields.Row) -> str:
    indent = "&emsp;" * row.depth
    name = f"<code>{safe(row.name)}</code>"
    if row.clause:
        name = f'<a href="{safe(SITE + row.clause)}" target="_blank">{name}</a>'
    mark = "" if row.known else "⚠ "
    cells = (indent + name, f"<code>{safe(row.value)}</code>", mark + safe(_meaning(row)))
    first, *others = cells  # an indented name must not leave its indent on a line of its own
    body = "".join(f"<td {_LEFT}>{cell}</td>" for cell in others)
    return f"<tr><td {_LEFT} nowrap>{first}</td>{body}</tr>"


def _links(rows: Sequence[fields.Row]) -> str:
    clauses = list(dict.fromkeys(row.clause for row in rows if row.clause))
    shown = (
        f'<a href="{safe(SITE + clause)}" target="_blank">{safe(crumbs(clause))}</a>'
        for clause in clauses[:4]
    )
    return f"<p>Specification: {' · '.join(shown)}</p>" if clauses else ""


def explain(
    message: Any, *, answers: str | None = None, revision: str | None = None
) -> Explanation:
    """Read one message field by field.

    message   a message, or a frame of a trace; any JSON will do, and is called what it is
    answers   the method of the request that this response answers, where that is known
    revision  the one to read by; None: told from the message, else the latest with a handshake
    """
    return Explanation(
        message.message if isinstance(message, Frame) else message, answers, revision
    )
