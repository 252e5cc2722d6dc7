"""What was promised: methods that exist, capabilities that were declared, the state of a life.

Each function answers one question about an event. `UNKNOWN` is the answer where the trace does not
tell, for instance because nobody saw the handshake.
"""

from typing import Any

from .. import lifecycle, modern
from ..context import NEEDS
from ..revisions import ALL, META, has_capability
from .conversation import Event, answered, get
from .gaps import ABSENT, UNKNOWN
from .spoken import NEW


def kind(event: Event) -> Any:
    """Whether the newest revision with this method has it as a request or as a notification."""
    rows = [ALL[name].methods.get(event.method) for name in sorted(ALL)]
    return next((row.kind for row in reversed(rows) if row), ABSENT)


def allowed(event: Event) -> bool:
    """False for a method that the tables know, but not here or not from this side."""
    may = (ALL[name].may_send(event.sender, event.method) for name in event.revisions)
    return kind(event) is ABSENT or any(may)


def declared(event: Event) -> Any:
    """Whether that was declared which the method of this event needs."""
    rows = [ALL[name].methods.get(event.method) for name in event.revisions]
    needs = {row.needs for row in rows if row}
    whose, _, capability = (needs.pop() if len(needs) == 1 else "").partition(".")
    have = {"server": offers, "client": can}[whose](event) if whose else UNKNOWN
    return have if have is UNKNOWN else has_capability(have, capability)


def offers(event: Event) -> Any:
    """What the server declared: by now, or since 2026-07-28 at any time."""
    discovered = event.talk.server.discovered
    found = (discovered.message if discovered else None) if _new(event) else answered(event)
    return _known(get(found, "result", "capabilities"))


def can(event: Event) -> Any:
    """What the client declared: when it opened the session, or since 2026-07-28 in its request."""
    if not _new(event):
        opening = event.talk.opening
        return _known(get(opening.message if opening else None, "params", "capabilities"))
    said = (event.asked or event).message
    return _known(get(said, "params", "_meta", META + "clientCapabilities"))


def _new(event: Event) -> bool:
    return event.revisions <= NEW


def _known(value: Any) -> Any:
    return UNKNOWN if value is None else value


def task_offer(event: Event) -> Any:
    """Whether the receiver of such a request declared that it can become a task."""
    side, path = TASKS[event.method]
    have = {"server": offers, "client": can}[side](event)
    return have if have is UNKNOWN else has_capability(have, path)


TASKS = {
    "tools/call": ("server", "tasks.requests.tools.call"),
    "sampling/createMessage": ("client", "tasks.requests.sampling.createMessage"),
    "elicitation/create": ("client", "tasks.requests.elicitation.create"),
}
"""Who declares, and where, that a request may become a task (2025-11-25)."""


def lacks(event: Event) -> list[str]:
    """The capabilities that a question to the client needs and that it did not declare."""
    several, have = get(event.message, "result", "inputRequests"), can(event)
    questions = list(several.values()) if isinstance(several, dict) else [event.message]
    asked = (event.asked or event).message if event.shape in ("result", "error") else None
    if several is None and asked is not None:
        questions = [asked]
    needs = [need for question in questions for need in _needs(question, have)]
    return [need for need in needs if have is not UNKNOWN and not has_capability(have, need)]


def _needs(question: Any, have: Any) -> list[str]:
    """What a question needs. A client that declares elicitation, and no mode of it, has forms."""
    base, params = NEEDS.get(str(get(question, "method"))), get(question, "params")
    if base == "sampling" and (get(params, "tools") or get(params, "toolChoice")) is not None:
        return [base, "sampling.tools"]
    if base == "elicitation" and (get(params, "mode") == "url" or get(have, "elicitation")):
        return [base, "elicitation.url" if get(params, "mode") == "url" else "elicitation.form"]
    return [base] if base else []


def state(event: Event) -> str:
    """The state of a legacy connection when this was said: a name of `lifecycle.STATES`."""
    talk, answer = event.talk, answered(event)
    if talk.initialized is not None and talk.initialized <= event.frame:
        return "operating"
    if talk.opening is None or event.frame < talk.opening.frame:
        return "new"
    return "agreed" if get(answer, "result") else "new" if answer else "initializing"


def early(event: Event) -> bool:
    """True if a sender SHOULD NOT send this yet."""
    return lifecycle.is_early(state(event), event.sender, event.method)


def goes_on(event: Event) -> bool:
    """Whether the last word of the client in this talk is a legacy request, and no ping."""
    last = event.talk.last.get("client")
    if last is None or last.shape != "request" or modern.meta_of(last.message):
        return False
    return last.method not in ("initialize", "ping")
