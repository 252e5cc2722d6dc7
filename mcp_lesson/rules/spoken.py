"""Which revision is in force at an event: one where that is known, several where it is not.

A rule is claimed only where it holds in every revision that may be in force. So a trace that begins
in the middle is judged by what all five revisions have in common, until it tells more. And a server
that showed no sign of 2026-07-28 is not held to it, whatever its client speaks to it: a probe that
is refused was no conversation.
"""

from typing import Any

from .. import modern
from ..revisions import ALL, LATEST_LEGACY, LEGACY, META, MODERN, NEWEST
from .conversation import Event, answered, get

EVERY, OLD, NEW = frozenset(ALL), frozenset(LEGACY), frozenset(MODERN)
_NEWER = ALL[NEWEST].methods.keys() - ALL[LATEST_LEGACY].methods.keys()


def spoken(event: Event) -> frozenset[str]:
    """The revisions that may be in force here. An answer speaks what its request spoke."""
    calls = event.exchange.calls if event.exchange else []
    said, server = event.asked or (calls[0] if calls else event), event.talk.server
    strange = event.sender == "server" and "modern" not in server.since
    headers = (said.exchange.headers if said.exchange else None) or {}
    header, meta = headers.get(modern.VERSION_HEADER), modern.meta_of(said.message)
    version = meta.get(META + "protocolVersion")
    if said.method == "initialize":
        return _opening(event, get(said.message, "params", "protocolVersion"))
    signs = header in MODERN, version, META + "subscriptionId" in meta, said.method in _NEWER
    if any(signs):
        named = next((name for name in (version, header) if name in MODERN), None)
        return EVERY if strange else frozenset({named}) if named else NEW
    agreed = get(answered(event), "result", "protocolVersion") or header
    if "opening" in event.talk.heard or agreed in LEGACY:
        return frozenset({agreed}) if agreed in LEGACY else OLD
    return NEW if "modern" in server.since else EVERY


def _opening(event: Event, offered: Any) -> frozenset[str]:
    """A handshake speaks the revision agreed on, before that the one offered."""
    if event.shape == "error" and "modern" in event.talk.server.since:
        return EVERY
    version = get(event.message, "result", "protocolVersion") or offered
    return frozenset({version}) if version in LEGACY else OLD
