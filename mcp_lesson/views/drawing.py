"""What `show` returns: one conversation, in every form that somebody may want to see it in.

A notebook asks a value for a bundle of forms and shows the best that it can. Here these are the
live view (only where a front end is there to bring it to life), an image with a sentence that says
what it shows, and text. All of them are drawn from the same rows.
"""

import base64
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from ..trace import Frame, Trace
from .choose import chosen, notes
from .layout import Layout, lay_out
from .picture import picture
from .shapes import safe
from .story import Story, tell
from .summary import summary
from .text import draw as draw_text

STATIC = "MCP_LESSON_STATIC"
"""Environment variable: set to 1 where notebooks are run without anybody watching."""


class Drawing:
    """A drawn conversation. Evaluate it in a notebook, print it, or take its `svg()`."""

    def __init__(
        self,
        trace: Trace | Iterable[Frame],
        title: str | None = None,
        findings: Iterable[Any] = (),
        only: str | Iterable[str] | None = None,
        widget: bool | None = None,
    ) -> None:
        self.trace = trace if isinstance(trace, Trace) else Trace(trace)
        self.title = title
        self.findings: Sequence[Any] = tuple(findings)
        self.only = only
        self._wanted = widget

    def __repr__(self) -> str:
        """The conversation as text: short, and the same on every run."""
        return self._text(self._story())

    def _text(self, story: Story) -> str:
        return draw_text(story, self.title, notes(story, self.findings), chosen(story, self.only))

    def svg(self) -> str:
        """The static picture as SVG text, for a slide or a page."""
        return self._picture(self._story())

    def alt(self) -> str:
        """One sentence that says what the picture shows."""
        return summary(self._story(), len(self.findings))

    def _story(self) -> Story:
        return tell(self.trace)

    def _layout(self, story: Story) -> Layout:
        found = notes(story, self.findings)
        return lay_out(story, notes=found, only=chosen(story, self.only))

    def _picture(self, story: Story) -> str:
        alt = summary(story, len(self.findings))
        return picture(self._layout(story), self.title, alt, len(self.findings))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        story = self._story()
        alt = summary(story, len(self.findings))
        bundle = {"text/plain": self._text(story), "text/html": image(self._picture(story), alt)}
        return (self._live(story, alt) if self._shows_live() else {}) | bundle

    def _shows_live(self) -> bool:
        return is_live() if self._wanted is None else self._wanted

    def _live(self, story: Story, alt: str) -> dict[str, Any]:
        """The live view's own form; nothing where its libraries are not installed."""
        try:
            from .live import live
        except ImportError:
            return {}
        return live(self.trace, story, alt, self.title or "", self.findings, self.only)


def image(svg: str, alt: str) -> str:
    """An HTML image that carries its own SVG, so that it shows where nothing else is allowed to."""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img src="data:image/svg+xml;base64,{data}" alt="{safe(alt)}">'


def is_live() -> bool:
    """True in a kernel whose output somebody watches."""
    if os.environ.get(STATIC) == "1" or "ipykernel" not in sys.modules:
        return False
    from IPython import get_ipython

    return getattr(get_ipython(), "kernel", None) is not None
