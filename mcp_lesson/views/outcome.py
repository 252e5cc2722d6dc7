"""What came of a handshake, in words: what was agreed on and why, and what each promise unlocks.

Everything is read off what was said and off the tables of the revisions; no rule of the protocol is
repeated here.
"""

from dataclasses import dataclass

from .. import revisions
from ..answers import ANSWERS
from ..jsonrpc import Message
from ..peer import McpError
from ..revisions import LEGACY, MODERN, Revision
from . import prose
from .rehearsal import CLIENT_CAN, SERVER_CAN, Rehearsal
from .values import get


@dataclass(frozen=True)
class Unlock:
    """What one capability opens, once a revision is agreed on.

    capability  its name
    side        who declares it: "client" or "server"
    declared    True if that side did
    client      the methods that the client may then send
    server      the methods that the server may then send
    asks        what the server may then ask inside a result (2026-07-28)
    """

    capability: str
    side: str
    declared: bool
    client: tuple[str, ...] = ()
    server: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """What it opens, or keeps shut, in words."""
        if not (self.client or self.server or self.asks):
            return "this revision does not have it"
        if not self.declared:
            shut = prose.joined((*self.client, *self.server, *self.asks), "or")
            return f"nobody may {'ask for' if self.asks else 'send'} {shut}"
        parts = (
            ("the client may send", self.client),
            ("the server may send", self.server),
            ("inside a result, the server may ask for", self.asks),
        )
        return "; ".join(f"{who} {prose.joined(methods)}" for who, methods in parts if methods)


def unlocked(played: Rehearsal) -> list[Unlock]:
    """Every capability that could be chosen, and what it opens; nothing without agreement."""
    client = played.client
    if client is None or played.problem or client.revision is None:
        return []
    sides = {"server": client.server_capabilities, "client": client.capabilities}
    return [
        _unlock(client.revision, side, name, sides[side])
        for side, names in (("server", SERVER_CAN), ("client", CLIENT_CAN))
        for name in names
    ]


def _unlock(revision: Revision, side: str, name: str, declared: Message) -> Unlock:
    needed = f"{side}.{name}"
    has = revisions.has_capability(declared, name)
    rows = [
        row
        for row in revision.methods.values()
        if (row.needs == needed or row.needs.startswith(needed + "."))
        and (not has or revisions.has_capability(declared, row.needs.partition(".")[2]))
    ]
    asks = [m for m in ANSWERS if side == "client" and m.partition("/")[0] == name]
    return Unlock(
        name,
        side,
        has,
        tuple(row.name for row in rows if "client" in row.senders),
        tuple(row.name for row in rows if "server" in row.senders),
        tuple(asks) if revision.era == "modern" else (),
    )


def words(played: Rehearsal) -> str:
    """What was agreed on, or why nothing was: two or three sentences."""
    for side, dates in (("client", played.settings.client), ("server", played.settings.server)):
        if not dates:
            return f"A {side} that knows no revision has nothing to say. Choose one."
    if played.problem:
        return _failed(played)
    revision = played.client.revision if played.client else None
    if revision is None:
        return "No agreement."
    return (_modern if revision.era == "modern" else _legacy)(played, revision.name)


def _legacy(played: Rehearsal, agreed: str) -> str:
    offered = _said(played, "initialize")
    probe = ""
    if any(get(m, "method") == "server/discover" for m in played.trace.messages()):
        probe = (
            "The server refused the probe, so it is a legacy server and is greeted the old way. "
        )
    if offered == agreed:
        why = f"The client offered {offered}, its newest, and the server knows it."
        return f"{probe}Agreed on {agreed}. {why}"
    return (
        f"{probe}Agreed on {agreed}. The client offered {offered}, its newest; the server does not"
        f" know that and answered with {agreed}, which the client knows too."
    )


def _modern(played: Rehearsal, agreed: str) -> str:
    spoken = (
        f"Both speak {agreed}: there is no handshake. server/discover only asks; from now on each"
        " request carries its version and the client's capabilities itself."
    )
    if any(date in LEGACY for date in played.settings.client):
        return f"The server answered the probe, so it is a modern server. {spoken}"
    return spoken


def _failed(played: Rehearsal) -> str:
    offered = _said(played, "initialize")
    answered = next((get(m, "result", "protocolVersion") for m in _results(played)), None)
    if answered is not None:
        return (
            f"No agreement: the client leaves. It offered {offered}, its newest; the server does"
            f" not know that and answered with {answered}, which the client does not know."
        ) + _missed(played)
    if offered is not None:
        named = prose.joined(played.settings.server)
        return (
            "No agreement: the server is modern and refuses initialize. It can only name the"
            f" versions that it speaks, {named}: a legacy client has no way forward."
        )
    if isinstance(played.problem, McpError):
        return (
            "No agreement: the server is legacy and does not know server/discover. A client that"
            f" speaks only {prose.joined(MODERN)} has no way back to initialize."
        )
    return f"No agreement: {played.problem}."


def _missed(played: Rehearsal) -> str:
    """What both know and the handshake did not find."""
    shared = [date for date in played.settings.client if date in played.settings.server]
    if not shared:
        return ""
    return (
        f" Both know {prose.joined(shared)}, but a handshake has one offer and one answer, and"
        " finds only what these two name."
    )


def _said(played: Rehearsal, method: str) -> str | None:
    """The version that the first such request offered."""
    asked = (m for m in played.trace.messages() if get(m, "method") == method)
    found = next((get(m, "params", "protocolVersion") for m in asked), None)
    return found if isinstance(found, str) else None


def _results(played: Rehearsal) -> list[Message]:
    return [m for m in played.trace.messages() if get(m, "result", "protocolVersion") is not None]
