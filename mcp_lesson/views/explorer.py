"""The handshake explorer: choose what both sides know and can do; see what they say to each other.

    handshake_explorer()
    handshake_explorer(client=["2025-11-25"], server=["2025-06-18"])
    handshake_explorer(client="both", server="legacy", server_can=["tools", "prompts"])

The messages are those of a real client and a real server (see `rehearsal`), drawn as every other
conversation is. In a live notebook the settings are boxes to tick; elsewhere the picture shows the
ones that were given.
"""

import textwrap
from collections.abc import Iterable
from typing import Any

from . import prose
from .companion import Companion
from .drawing import Drawing, image
from .outcome import Unlock, unlocked, words
from .rehearsal import CLIENT_CAN, KNOWN, SERVER_CAN, Rehearsal, Settings, able, known, rehearse
from .shapes import safe

_WIDTH = 78


class HandshakeExplorer(Companion):
    """What `handshake_explorer` returns: settings, and what came of them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.played = rehearse(settings)
        self.drawing = Drawing(self.played.trace)

    def __repr__(self) -> str:
        """The settings, the messages and the outcome as text."""
        drawn = repr(self.drawing) if len(self.played.trace) else ""
        sides = [line for side in _sides(self.settings) for line in _wrapped(side, "  ")]
        lines = [*sides, *filter(None, [drawn]), *_wrapped(words(self.played))]
        for unlock in unlocked(self.played):
            lines += _wrapped(f"{_mark(unlock)} {unlock.capability}: {unlock.words}", "    ")
        return "\n".join(lines)

    def html(self) -> str:
        """The picture, the outcome in words, and a list of what is unlocked."""
        sides = f"<p>{safe(' '.join(_sides(self.settings)))}</p>"
        drawn = ""
        if len(self.played.trace):
            drawn = image(self.drawing.svg(), self.drawing.alt())
        told = f"<p>{safe(words(self.played))}</p>"
        return f"{sides}{drawn}{told}{_list(self.played)}"

    def _widget(self) -> Any:
        from .companion_widget import explorer

        return explorer(self.played)


def handshake_explorer(
    client: str | Iterable[str] = "legacy",
    server: str | Iterable[str] = "legacy",
    *,
    client_can: Iterable[str] = ("elicitation",),
    server_can: Iterable[str] = ("tools", "resources"),
) -> HandshakeExplorer:
    """Let a client and a server with these settings greet each other, and draw it.

    client, server  the revisions each side knows: dates, or "legacy", "modern" or "both"
    client_can      its capabilities, of elicitation, sampling, roots
    server_can      its capabilities, of tools, resources, prompts, completions, logging

    A client that knows both eras finds out which one the server speaks, as `era="auto"` does.
    Raises ValueError for a revision or a capability that there is none of.
    """
    able_ = able(client_can, CLIENT_CAN), able(server_can, SERVER_CAN)
    return HandshakeExplorer(Settings(known(client), known(server), *able_))


# -- as text and HTML ---------------------------------------------------------------------------


def _sides(one: Settings) -> list[str]:
    """What each side knows and can do, a sentence each."""
    sides = (("client", one.client, one.client_can), ("server", one.server, one.server_can))
    return [
        f"The {side} knows {_named(dates)}; it can: {prose.joined(can) or 'nothing'}."
        for side, dates, can in sides
    ]


def _named(dates: tuple[str, ...]) -> str:
    short = {KNOWN["legacy"]: "every legacy revision", KNOWN["both"]: "every revision"}
    return short.get(dates, prose.joined(dates) or "no revision")


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, _WIDTH, subsequent_indent=indent)


def _mark(unlock: Unlock) -> str:
    return "✓" if unlock.declared else "–"


def _list(played: Rehearsal) -> str:
    """A list and no table: pages that show notebooks set the words of a table to the right."""
    rows = "".join(
        f"<li>{_mark(one)} <code>{safe(one.capability)}</code>"
        f" ({one.side} {'declared it' if one.declared else 'did not'}): {safe(one.words)}</li>"
        for one in unlocked(played)
    )
    return f"<ul>{rows}</ul>" if rows else ""
