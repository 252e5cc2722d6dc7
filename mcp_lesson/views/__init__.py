"""The eyes: what a notebook shows of a conversation."""

import base64
from collections.abc import Iterable
from html import escape
from typing import Any

from ..trace import Frame, Trace
from .story import Story, tell
from .text import draw


class Drawing:
    """A drawn conversation: a picture in a notebook, a few lines of text elsewhere."""

    def __init__(self, trace: Trace | Iterable[Frame], title: str | None = None) -> None:
        self._trace, self._title = trace, title

    def __repr__(self) -> str:
        return draw(self._story(), self._title)

    def _story(self) -> Story:
        return tell(self._trace)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        text = repr(self)
        data = base64.b64encode(_picture(text).encode()).decode()
        alt = escape(f"A conversation of {len(self._story().rows)} steps.", quote=True)
        image = f'<img src="data:image/svg+xml;base64,{data}" alt="{alt}">'
        return {"text/plain": text, "text/html": image}


def _picture(text: str) -> str:
    lines = text.split("\n")
    body = "".join(
        f'<text x="16" y="{28 + 20 * number}" xml:space="preserve">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="760" height="{36 + 20 * len(lines)}" '
        'font-family="ui-monospace,Menlo,Consolas,monospace" font-size="14">'
        f'<rect width="100%" height="100%" fill="#fff"/>{body}</svg>'
    )


def show(trace: Trace | Iterable[Frame], title: str | None = None, **more: Any) -> Drawing:
    """Draw a conversation as a sequence diagram."""
    return Drawing(trace, title)


def explain(message: Any) -> Any:
    """Read one message field by field."""
    return message
