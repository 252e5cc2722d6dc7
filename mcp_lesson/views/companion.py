"""What stands beside the diagram has the same three faces as the diagram.

A companion is a value: a notebook that shows it takes its live view where a front end is there to
bring it to life, else its HTML, else its text. A child says what each of them is. The HTML stands
alone, with no style and no script, since a notebook that is not trusted shows neither; the text is
short and the same on every run.
"""

from typing import Any

from .drawing import LIVE, is_live


class Companion:
    """A value with three faces; children say what they are."""

    def __repr__(self) -> str:
        """The text."""
        raise NotImplementedError

    def html(self) -> str:
        """What is shown where no kernel or no script runs."""
        raise NotImplementedError

    def _widget(self) -> Any:
        """A new live view. Its libraries are imported here and not before."""
        raise NotImplementedError

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = {"text/plain": repr(self), "text/html": self.html()}
        return bundle | (self._view() if is_live() else {})

    def _view(self) -> dict[str, Any]:
        """The form by which a front end finds the live view; nothing without its libraries."""
        try:
            widget = self._widget()
        except ImportError:
            return {}
        return {LIVE: {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}}
