"""The live views of the companions: one class each, and the same two traits for all.

    data    what Python has to show; the browser never changes it
    state   what a person did: a guess, a step, a choice; a saved notebook keeps it

Everything that can be done in the browser is done there, so that it also works in a notebook that
was opened again without its kernel. What a lesson's author or a message wrote comes here escaped.
"""

from pathlib import Path
from typing import Any

import anywidget
import ipywidgets
import traitlets

from .. import revisions
from .life_picture import RULES
from .outcome import unlocked, words
from .rehearsal import CLIENT_CAN, KNOWN, SERVER_CAN, Rehearsal, Settings, able, known, rehearse
from .scene import Conversation
from .styles import styles, variables
from .widget import Diagram

_STATIC = Path(__file__).parent / "static"


def read(*names: str) -> str:
    """Files of the folder `static`, one after the other."""
    return "\n".join((_STATIC / name).read_text(encoding="utf-8") for name in names)


CSS = variables() + styles() + RULES + read("diagram.css", "companions.css")


class Live(anywidget.AnyWidget):
    """A live view: its module and style are set by children, its traits are the two above."""

    data = traitlets.Dict().tag(sync=True)
    state = traitlets.Dict().tag(sync=True)

    def __init__(self, data: dict[str, Any], state: dict[str, Any]) -> None:
        super().__init__(data=data, state=state)

    def __repr__(self) -> str:
        """The same on every run: no address."""
        return f"<{type(self).__name__}>"


class PredictionView(Live):
    """A question, its options, a guess or a vote, and why."""

    _esm = read("page.js", "companion.js", "predict.js")
    _css = CSS


class LifeView(Live):
    """The life of a connection, stepped through."""

    _esm = read("page.js", "companion.js", "life.js")
    _css = CSS


class ExplorerView(Live):
    """The settings of a handshake, and its outcome in words; the diagram stands below it."""

    _esm = read("page.js", "companion.js", "explorer.js")
    _css = CSS


class UnlocksView(Live):
    """Which capability unlocks what, below the diagram."""

    _esm = read("page.js", "companion.js", "unlocks.js")
    _css = CSS


def explorer(played: Rehearsal) -> Any:
    """A live handshake explorer: other settings, another conversation."""
    view = ExplorerView(_outcome(played), _settings(played.settings))
    opened = UnlocksView(_opened(played), {})
    box = ipywidgets.VBox([view, *_diagram(played), opened])

    def replay(change: Any) -> None:
        chosen = change["new"]
        again = rehearse(_checked(chosen))
        view.data = _outcome(again) | {"answers": chosen.get("asked", 0)}
        opened.data = _opened(again)
        before, box.children = box.children[1:-1], (view, *_diagram(again), opened)
        for old in before:
            old.close()

    view.observe(replay, "state")
    return box


def _diagram(played: Rehearsal) -> list[Diagram]:
    return [Diagram(Conversation(played.trace, ""))] if len(played.trace) else []


def _outcome(played: Rehearsal) -> dict[str, Any]:
    return {
        "revisions": list(revisions.ALL),
        "presets": {name: list(dates) for name, dates in KNOWN.items()},
        "can": {"client": list(CLIENT_CAN), "server": list(SERVER_CAN)},
        "agreed": bool(unlocked(played)),
        "words": words(played),
        "answers": 0,
    }


def _opened(played: Rehearsal) -> dict[str, Any]:
    rows = [
        {"name": one.capability, "side": one.side, "open": one.declared, "words": one.words}
        for one in unlocked(played)
    ]
    return {"rows": rows}


def _settings(one: Settings) -> dict[str, Any]:
    return {
        "client": list(one.client),
        "server": list(one.server),
        "client_can": list(one.client_can),
        "server_can": list(one.server_can),
        "asked": 0,
    }


def _checked(state: dict[str, Any]) -> Settings:
    """What a browser sent, checked as if a person had written it."""
    return Settings(
        known(state.get("client", ())),
        known(state.get("server", ())),
        able(state.get("client_can", ()), CLIENT_CAN),
        able(state.get("server_can", ()), SERVER_CAN),
    )
