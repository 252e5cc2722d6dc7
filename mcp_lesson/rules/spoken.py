"""Which revision is in force at an event: one where that is known, several where it is not.

A rule is claimed only where it holds in every revision that may be in force. So a trace that begins
in the middle is judged by what all five revisions have in common, until it tells more. And a server
that showed no sign of 2026-07-28 is not held to it, whatever its client speaks to it: a probe that
is refused was no conversation.
"""

from functools import cache
from typing import Any

from .. import modern
from ..revisions import ALL, LEGACY, META, MODERN
from .conversation import Event, answered, get

EVERY, OLD, NEW = frozenset(ALL), frozenset(LEGACY), frozenset(MODERN)


def spoken(event: Event) -> frozenset[str]:
    """The revisions that may be in force here. An answer speaks what its request spoke."""
    calls = event.exchange.calls if event.exchange else []
    said = event.asked or (calls[0] if calls else event)
    strange = event.sender == "server" and not event.talk.server.modern
    if said.method == "initialize":
        return _opening(event, said)
    headers = (said.exchange.headers if said.exchange else None) or {}
    header, meta = headers.get(modern.VERSION_HEADER), modern.meta_of(said.message)
    version = meta.get(META + "protocolVersion")
    signs = header in MODERN, version, META + "subscriptionId" in meta, _is_new(said.method)
    if any(signs):
        named = next((name for name in (version, header) if name in MODERN), None)
        return EVERY if strange else frozenset({named}) if named else NEW
    return _of_talk(event, header)


def _opening(event: Event, said: Event) -> frozenset[str]:
    """A handshake speaks the revision agreed on, before that the one offered."""
    offered = get(said.message, "params", "protocolVersion")
    version = get(event.message, "result", "protocolVersion") or offered
    refused = event.shape == "error" and event.talk.server.modern
    return EVERY if refused else frozenset({version}) if version in LEGACY else OLD


def _of_talk(event: Event, header: Any) -> frozenset[str]:
    agreed = get(answered(event), "result", "protocolVersion") or header
    if agreed in LEGACY:
        return frozenset({agreed})
    if event.talk.opening:
        return OLD
    return NEW if event.talk.server.modern else EVERY


@cache
def _is_new(method: str) -> bool:
    """True for a method that exists since 2026-07-28 and not before."""
    return all((method in ALL[name].methods) == (name in NEW) for name in ALL)
