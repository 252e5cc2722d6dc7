"""What `show` returns: one conversation, in every form that somebody may want to see it in.

A notebook asks a value for a bundle of forms and shows the best that it can. Here these are the
live view (only where a front end is there to bring it to life), an image with a sentence that says
what it shows, and text. All of them are drawn from the same rows.
"""

import base64
import os
import sys
from collections.abc import Iterable
from typing import Any

from ..trace import Frame, Trace
from .palette import DARK, LIGHT
from .picture import picture
from .scene import Comparison, Conversation, Scene
from .shapes import safe

STATIC = "MCP_LESSON_STATIC"
"""Environment variable: set to 1 where notebooks are run without anybody watching."""

LIVE = "application/vnd.jupyter.widget-view+json"

Frames = Trace | Iterable[Frame]


class Drawing:
    """A drawn conversation. Evaluate it in a notebook, print it, or take its `svg()`."""

    def __init__(
        self,
        trace: Frames,
        title: str | None = None,
        beside: Frames | None = None,
        findings: Iterable[Any] = (),
        only: str | Iterable[str] | None = None,
        widget: bool | None = None,
    ) -> None:
        self.trace = _trace(trace)
        self.beside = None if beside is None else _trace(beside)
        self.title = title or ""
        self.findings = tuple(findings)
        self.only = (only,) if isinstance(only, str) else tuple(only or ())
        self._wanted = widget

    def scene(self) -> Scene:
        """What is drawn, told anew from the traces as they are now."""
        if self.beside is not None:
            return Comparison(self.trace, self.beside, self.title)
        return Conversation(self.trace, self.title, self.findings)

    def __repr__(self) -> str:
        """The conversation as text: short, and the same on every run."""
        return self.scene().text(self.only)

    def svg(self, *, dark: bool = False) -> str:
        """The static picture as SVG text, for a slide or a page: on light ground, or on dark."""
        return _svg(self.scene(), self.only, DARK if dark else LIGHT)

    def alt(self) -> str:
        """One sentence that says what the picture shows."""
        return self.scene().alt()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        scene = self.scene()
        image_ = image(_svg(scene, self.only), scene.alt())
        bundle = {"text/plain": scene.text(self.only), "text/html": image_}
        live = is_live() if self._wanted is None else self._wanted
        return (self._live(scene) if live else {}) | bundle

    def _live(self, scene: Scene) -> dict[str, Any]:
        """The live view's own form; nothing where its libraries are not installed."""
        try:
            from .live import live
        except ImportError:
            return {}
        view = live(scene, self.trace, self.only)
        return {LIVE: {"version_major": 2, "version_minor": 0, "model_id": view.model_id}}


def _trace(given: Frames) -> Trace:
    return given if isinstance(given, Trace) else Trace(given)


def _svg(scene: Scene, only: tuple[str, ...], colours: dict[str, str] = LIGHT) -> str:
    return picture(scene.sheet(only=only), scene.alt(), scene.headline(), colours)


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
