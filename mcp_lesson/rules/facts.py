"""What a rule can ask about an event: the facts, by name.

    follow({"event": event}, "asked.params.cursor")

A path goes from fact to fact, and through the members of objects. The name of a tie leads to the
object that was named; the name with an @ leads to the event it stood in. Where nothing stands, a
path ends at `ABSENT`; where the trace does not tell, at `UNKNOWN`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from .. import jsonrpc
from ..revisions import META
from . import carried, promises, sequences
from .conversation import Event, get
from .gaps import ABSENT, UNKNOWN, Gap
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


def _of_exchange(name: str) -> Callable[[Event], Any]:
    """What HTTP says. The HTTP+SSE pair knows none of it: there the stream says everything."""

    def carried(event: Event) -> Any:
        value = getattr(event.exchange, name, None)
        return UNKNOWN if value is None or event.talk.server.pair else value

    return carried


def meta(event: Event) -> Any:
    """The `_meta` of params or result; the prefix of MCP's own keys is left away."""
    found = _body(event).get("_meta")
    return (
        {str(k).removeprefix(META): v for k, v in found.items()} if isinstance(found, dict) else {}
    )


def _body(event: Event) -> Any:
    """The params or the result of a message, where that is an object."""
    body = get(event.message, "params") or get(event.message, "result")
    return body if isinstance(body, dict) else {}


def _calls(event: Event, name: str = "shape") -> set[str]:
    return {getattr(call, name) for call in (event.exchange.calls if event.exchange else ())}


FACTS: Mapping[str, Callable[[Event], Any]] = {
    # the message
    **{name: _member(name) for name in ("jsonrpc", "id", "params", "result", "error")},
    "meta": meta,
    "bodies": lambda e: sum(name in e.message for name in ("method", "result", "error")),
    "beside": lambda e: len([n for n in _body(e) if n not in ("_meta", "resultType")]),
    "unreadable": lambda e: _unreadable(e.raw),
    "marked": lambda e: (e.raw or b"").startswith(b"\xef\xbb\xbf"),
    "lines": lambda e: (e.raw or b"").strip().count(b"\n") + 1,
    "parts": lambda e: len(e.message),
    "mixed": lambda e: len({"method" in part for part in e.message if isinstance(part, dict)}) > 1,
    # HTTP
    "wire": lambda e: "pipe" if e.exchange is None else "http",
    **{n: _of_exchange(n) for n in ("verb", "target", "headers", "status", "reply", "endpoint")},
    "posts_request": lambda e: "request" in _calls(e),
    "posts_no_request": lambda e: bool(_calls(e)) and _calls(e) <= _TOLD,
    "opens": lambda e: "initialize" in _calls(e, "method"),
    "authorized": lambda e: -1 < e.talk.server.authorized < e.frame,
    "gone": carried.gone,
    "elsewhere": carried.elsewhere,
    "named": carried.named,
    "name_header": carried.name_header,
    "mismatch": carried.mismatch,
    "waited": carried.waited,
    # the session
    "modern": lambda e: e.talk.server.modern,
    "whole": lambda e: e.talk.whole and len(e.talk.last) == 2,
    "session": lambda e: e.talk.session or ABSENT,
    "state": promises.state,
    "early": promises.early,
    "unopened": lambda e: bool(e.talk.opening and e.frame < e.talk.opening.frame),
    "goes_on": promises.goes_on,
    "initialized": lambda e: e.talk.initialized is not None,
    "known_as": promises.kind,
    "allowed": promises.allowed,
    "declared": promises.declared,
    "offers": promises.offers,
    "lacks": promises.lacks,
    # what came before
    "reused": sequences.reused,
    "in_use": lambda e: e.ties["before"].event.waits(e) if "before" in e.ties else False,
    "token_in_use": lambda e: e.ties["same_token"].event.waits(e) if "same_token" in e.ties else 0,
    "follows": sequences.follows,
    "token_live": sequences.token_live,
    "another": sequences.another,
    "state_owed": sequences.state_owed,
    "wanted": sequences.wanted,
    "log_wanted": sequences.log_wanted,
    "supported": sequences.supported,
    "uses_tools": sequences.uses_tools,
    "refused": lambda e: bool(e.exchange and (e.exchange.status or 0) >= 400),
    "asks_for_tool": lambda e: bool(sequences.blocks(get(e.message, "result"), "tool_use")),
    "own_stream": lambda e: e.ties["token"].event.exchange is e.exchange,
    "task_offer": promises.task_offer,
    "task_status": lambda e: _body(e).get("status"),
}
"""The facts. Every other name is an attribute of `Event`, or a tie."""


def _unreadable(raw: bytes | None) -> Any:
    """Why a line is no JSON: "not JSON", "not UTF-8", or "" if it is only too much for us."""
    if raw is None:
        return UNKNOWN
    try:
        jsonrpc.loads(raw)
    except jsonrpc.MalformedMessage as problem:
        reason = problem.reason.partition(":")[0]
        return reason if reason.startswith("not") else ""
    return ""
