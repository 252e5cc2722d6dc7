"""What a rule can ask about an event: the facts, by name.

    follow({"event": event}, "asked.params.cursor")

A path goes from fact to fact, and through the members of objects. The name of a tie leads to the
object that was named; the name with an @ leads to the event it stood in. Where nothing stands, a
path ends at `ABSENT`; where the trace does not tell, at `UNKNOWN`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from .. import jsonrpc, lifecycle, modern
from ..revisions import META
from . import carried, promises, sequences
from .conversation import OTHER, Event, get, heard
from .promises import ABSENT, UNKNOWN, Gap
from .ties import LINKS

_TIES = frozenset(link.tie for link in LINKS)
_TOLD = {"notification", "result", "error"}


def follow(scope: Mapping[str, Any], path: str) -> Any:
    """What stands at a path. Its first step is a name of the scope, or a fact of its event."""
    first, dot, rest = path.partition(".")
    value = scope[first] if first in scope else fact(scope["event"], first)
    for step in rest.split(".") if dot else ():
        if isinstance(value, Event):
            value = fact(value, step)
        elif not isinstance(value, Gap):
            value = value.get(step, ABSENT) if isinstance(value, dict) else ABSENT
    return value


def fact(event: Event, name: str) -> Any:
    """One fact about an event. Raises AttributeError for a name that is none."""
    if name in FACTS:
        return FACTS[name](event)
    if name.removeprefix("@") in _TIES:
        tie = event.ties.get(name.removeprefix("@"))
        return ABSENT if tie is None else tie.event if name[0] == "@" else tie.object
    value = getattr(event, name)
    return UNKNOWN if value is None else value


def _member(name: str) -> Callable[[Event], Any]:
    return lambda e: e.message.get(name, ABSENT) if isinstance(e.message, dict) else ABSENT


def _exchange(name: str) -> Callable[[Event], Any]:
    """What HTTP says. The HTTP+SSE pair knows none of it: there the stream says everything."""

    def said(event: Event) -> Any:
        value = getattr(event.exchange, name, None)
        return UNKNOWN if value in (None, "") or "pair" in event.talk.server.since else value

    return said


def _body(event: Event) -> Any:
    """The params or the result of a message, where that is an object."""
    body = get(event.message, "params") or get(event.message, "result")
    return body if isinstance(body, dict) else {}


def _meta(event: Event) -> Any:
    """The `_meta` of params or result; the prefix of MCP's own keys is left away."""
    found = _body(event).get("_meta")
    items = found.items() if isinstance(found, dict) else ()
    return {str(name).removeprefix(META): value for name, value in items}


def _calls(event: Event, name: str = "shape") -> set[str]:
    return {getattr(call, name) for call in (event.exchange.calls if event.exchange else ())}


def _unreadable(event: Event) -> Any:
    """Why a line is no JSON: "not JSON", "not UTF-8", or "" if it is only too much for us."""
    if event.raw is None:
        return UNKNOWN
    try:
        jsonrpc.loads(event.raw)
    except jsonrpc.MalformedMessage as problem:
        return problem.reason.partition(":")[0] if problem.reason.startswith("not ") else ""
    return ""


def _goes_on(event: Event) -> bool:
    """Whether the last word of the client in this talk is a legacy request, and no ping."""
    last = event.talk.heard["client"]
    greets = last.method in ("initialize", "ping") or modern.meta_of(last.message)
    return last.shape == "request" and not greets


FACTS: Mapping[str, Callable[[Event], Any]] = {
    # the message
    **{name: _member(name) for name in ("jsonrpc", "id", "params", "result", "error")},
    "meta": _meta,
    "bodies": lambda e: sum(name in e.message for name in ("method", "result", "error")),
    "beside": lambda e: len(_body(e).keys() - {"_meta", "resultType"}),
    "unreadable": _unreadable,
    "marked": lambda e: (e.raw or b"").startswith(b"\xef\xbb\xbf"),
    "lines": lambda e: (e.raw or b"").strip().count(b"\n") + 1,
    "parts": lambda e: len(e.message),
    "mixed": lambda e: len({"method" in part for part in e.message if isinstance(part, dict)}) > 1,
    "asks_for_tool": lambda e: bool(sequences.blocks(get(e.message, "result"), "tool_use")),
    "task_status": lambda e: _body(e).get("status"),
    # HTTP
    "wire": lambda e: "pipe" if e.exchange is None else "http",
    **{name: _exchange(name) for name in ("verb", "target", "headers", "status", "reply")},
    "refused": lambda e: bool(e.exchange and (e.exchange.status or 0) >= 400),
    "posts_request": lambda e: "request" in _calls(e),
    "posts_no_request": lambda e: bool(_calls(e)) and _calls(e) <= _TOLD,
    "opens": lambda e: "initialize" in _calls(e, "method"),
    "authorized": lambda e: e.talk.server.since.get("authorization", e.frame) < e.frame,
    "gone": carried.gone,
    "elsewhere": carried.elsewhere,
    "named": carried.named,
    "name_header": carried.name_header,
    "mismatch": carried.mismatch,
    "waited": carried.waited,
    # the session
    "modern": lambda e: "modern" in e.talk.server.since,
    "whole": lambda e: e.talk.began() and OTHER.keys() <= e.talk.heard.keys(),
    "session": lambda e: e.talk.session or ABSENT,
    "state": promises.state,
    "early": lambda e: lifecycle.is_early(promises.state(e), e.sender, e.method),
    "unopened": lambda e: "opening" in e.talk.heard and not heard(e, "opening"),
    "initialized": lambda e: "initialized" in e.talk.heard,
    "goes_on": _goes_on,
    "known_as": promises.known_as,
    "allowed": promises.allowed,
    "declared": promises.declared,
    "offers": promises.offers,
    "task_offer": promises.task_offer,
    "lacks": promises.lacks,
    # what came before
    "reused": sequences.reused,
    "in_use": lambda e: sequences.waits(e, "before"),
    "token_in_use": lambda e: sequences.waits(e, "same_token"),
    "token_live": sequences.token_live,
    "own_stream": lambda e: e.ties["token"].event.exchange is e.exchange,
    "follows": sequences.follows,
    "same_request": lambda e: sequences.continues(e, "round"),
    "state_owed": sequences.state_owed,
    "wanted": sequences.wanted,
    "log_wanted": sequences.log_wanted,
    "supported": sequences.supported,
    "uses_tools": sequences.uses_tools,
}
"""The facts. Every other name is an attribute of `Event`, or a tie."""
