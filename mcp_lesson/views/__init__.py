"""The eyes: what a notebook shows of a conversation.

    show(trace)        a sequence diagram: a live view, an image, or text, as the place allows
    explain(message)   one message, read field by field

Beside it stand `predict` (guess before you run), `life_cycle` (the states of a connection),
`handshake_explorer` (choose what both sides know and can do) and the plots `adapters` and `bars`.
Three more put a person into the conversation: `tool_form` (fill in a tool's arguments and call it),
`ask_human` (answer what a server asks) and `approve` (say yes or no before something is done).

Views read traces and tables. They send nothing, decide nothing and change nothing; a form calls
what it was handed, and nothing else.
"""

from collections.abc import Iterable
from typing import Any

from ..trace import Frame, Trace
from .drawing import Drawing
from .explanation import Explanation, explain
from .explorer import handshake_explorer
from .form import tool_form
from .human import approve, ask_human
from .life import life_cycle
from .plots import adapters, bars
from .prediction import predict

__all__ = [
    "Drawing",
    "Explanation",
    "adapters",
    "approve",
    "ask_human",
    "bars",
    "explain",
    "handshake_explorer",
    "life_cycle",
    "predict",
    "show",
    "tool_form",
]


def show(
    trace: Trace | Iterable[Frame],
    *,
    title: str | None = None,
    beside: Trace | Iterable[Frame] | None = None,
    findings: Iterable[Any] = (),
    only: str | Iterable[str] | None = None,
    widget: bool | None = None,
) -> Drawing:
    """Draw a conversation as a sequence diagram.

    trace     what was recorded; frames alone will do
    title     set above the picture
    beside    a second conversation, such as a reference: the first difference is marked and said
    findings  what rules found (each with `frame`, `rule`, `text`, `clause`): marked at their rows
    only      what to show: a kind of row such as "error", a method, or several of them
    widget    the live view: None where somebody watches, False never, True in any case
    """
    return Drawing(trace, title, beside, findings, only, widget)
