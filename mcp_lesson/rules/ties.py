"""What an event refers to: the ties of a conversation, as a table.

A progress report names a token, a cancellation an id, a call a tool, a page a cursor, a retry a
state. Each name was given by an earlier event, and a row of the table says where both stand. An
answer names its request too, but that tie needs more care and is made in `conversation`.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ..jsonrpc import Message
from ..revisions import META

if TYPE_CHECKING:
    from .conversation import Event


class Tie(NamedTuple):
    """An earlier event, and the object in it that bears the name."""

    event: "Event"
    object: Message


class Link(NamedTuple):
    """How events refer back.

    tie     what the tie is called
    kind    among which names it is looked up
    on      which events: a shape, or a shape and a method
    path    where the name stands; a list on the way stands for each of its items, and a last *
            for the names of an object's members
    whose   who gave the name: "own" (this event's sender), "other", or "" if that is no matter
    within  an attribute of the event that names are kept apart by
    keeps   later events may refer to this one by that name
    """

    tie: str
    kind: str
    on: str
    path: str
    whose: str = ""
    within: str = ""
    keeps: bool = False


_SUBSCRIPTION = f"params _meta {META}subscriptionId"
_PROGRESS = "notification notifications/progress"

LINKS = (
    Link("before", "id", "request", "id", "own", keeps=True),
    Link("cancels", "id", "notification notifications/cancelled", "params requestId", "own"),
    Link("ends", "id", "notification notifications/cancelled", "params requestId", "other"),
    Link("listen", "id", "notification", _SUBSCRIPTION, "other"),
    Link("told", "subscription", "notification", _SUBSCRIPTION, keeps=True),
    Link("copy", "copy", "request", "id", "own", "shape", keeps=True),
    Link("copy", "copy", "result", "id", "own", "shape", keeps=True),
    Link("same_token", "token", "request", "params _meta progressToken", "own", keeps=True),
    Link("token", "token", _PROGRESS, "params progressToken", "other"),
    Link("progress", "progress", _PROGRESS, "params progressToken", "own", keeps=True),
    Link("level", "level", "request", f"params _meta {META}logLevel", keeps=True),
    Link("page", "page", "request", "params cursor", "", "method"),
    Link("next", "page", "result", "result nextCursor", "", "method", keeps=True),
    Link("tool", "tool", "request tools/call", "params name"),
    Link("listed", "tool", "result tools/list", "result tools name", keeps=True),
    Link("round", "state", "request", "params requestState"),
    Link("given", "state", "result", "result requestState", keeps=True),
    Link("questions", "question", "result", "result inputRequests *", keeps=True),
    Link("retry", "question", "request", "params inputResponses *"),
    Link("visit", "visit", "notification notifications/elicitation/complete",
         "params elicitationId"),
    Link("visits", "visit", "request elicitation/create", "params elicitationId", keeps=True),
    Link("visits", "visit", "error", "error data elicitations elicitationId", keeps=True),
    Link("task", "task", "request", "params taskId"),
    Link("task", "task", "result", "result task taskId", keeps=True),
    Link("task", "task", "result tasks/get", "result taskId", keeps=True),
    Link("task", "task", "result tasks/cancel", "result taskId", keeps=True),
    Link("task", "task", "result tasks/list", "result tasks taskId", keeps=True),
    Link("task", "task", "notification notifications/tasks/status", "params taskId", keeps=True),
    Link("same_event", "event", "event", "id", keeps=True),
    Link("resumes", "event", "GET", "last-event-id"),
)  # fmt: skip


FORGETS = {"notification notifications/tools/list_changed": "tool"}
"""Which names an event makes void."""


def tie(event: "Event", other: str) -> None:
    """Find what this event refers to, and keep it for later ones. `other` is the other side."""
    event.talk.known.pop(FORGETS.get(f"{event.shape} {event.method}", ""), None)
    for link in _BY_EVENT.get(event.shape, ()) + _BY_EVENT.get(f"{event.shape} {event.method}", ()):
        names = event.talk.known.setdefault(link.kind, {})
        side = {"own": event.sender, "other": other}.get(link.whose)
        within = getattr(event, link.within) if link.within else None
        for found, name in _named(event.message, link.path.split()):
            key = side, within, type(name), name
            if key in names:
                event.ties[link.tie] = names[key]
            if link.keeps:
                names[key] = Tie(event, found)


def is_name(value: object) -> bool:
    """True for what can name something; 1 and "1" name two things."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _named(value: Any, path: list[str]) -> Iterator[tuple[Message, object]]:
    """Every object that has a name at the end of this path, and the name."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict) and path == ["*"]:
            yield from ((item, name) for name in item)
        elif isinstance(item, dict) and path[0] in item:
            if len(path) > 1:
                yield from _named(item[path[0]], path[1:])
            elif is_name(item[path[0]]):
                yield item, item[path[0]]


_BY_EVENT: dict[str, tuple[Link, ...]] = {
    on: tuple(link for link in LINKS if link.on == on) for on in {link.on for link in LINKS}
}
