"""What was promised: methods that exist, capabilities that were declared, the state of a life.

`UNKNOWN` is the answer where the trace does not tell, as when nobody saw the handshake.
"""

from collections.abc import Iterable
from enum import Enum
from typing import Any

from ..context import NEEDS
from ..revisions import ALL, META, has_capability
from .conversation import Event, answered, get, heard
from .spoken import NEW


class Gap(Enum):
    """Two ways of having no value: nothing is there, and nobody knows."""

    ABSENT = "nothing stands there"
    UNKNOWN = "the trace does not tell"


ABSENT, UNKNOWN = Gap.ABSENT, Gap.UNKNOWN


def known_as(event: Event) -> Any:
    """Whether the newest revision with this method has it as a request or as a notification."""
    rows = (ALL[name].methods.get(event.method) for name in sorted(ALL, reverse=True))
    return next((row.kind for row in rows if row), ABSENT)


def allowed(event: Event) -> bool:
    """False for a method that the tables know, but not here or not from this side."""
    may = (ALL[name].may_send(event.sender, event.method) for name in event.revisions)
    return known_as(event) is ABSENT or any(may)


def declared(event: Event) -> Any:
    """Whether that was declared which the method of this event needs."""
    rows = (ALL[name].methods.get(event.method) for name in event.revisions)
    needs = {row.needs for row in rows if row}
    return _have(event, needs.pop()) if len(needs) == 1 and "" not in needs else UNKNOWN


def task_offer(event: Event) -> Any:
    """Whether the receiver of such a request declared that it can become a task (2025-11-25)."""
    side = "server" if event.method == "tools/call" else "client"
    return _have(event, f"{side}.tasks.requests.{event.method.replace('/', '.')}")


def _have(event: Event, need: str) -> Any:
    whose, _, path = need.partition(".")
    have = offers(event) if whose == "server" else can(event)
    return have if have is UNKNOWN else has_capability(have, path)


def offers(event: Event) -> Any:
    """What the server declared: by now, or since 2026-07-28 at any time."""
    discovered = event.talk.server.heard.get("result server/discover")
    new = event.revisions <= NEW
    found = get((discovered.message if discovered else None) if new else answered(event), "result")
    return _known(get(found, "capabilities"))


def can(event: Event) -> Any:
    """What the client declared: when it opened the session, or since 2026-07-28 in its request."""
    new, opening = event.revisions <= NEW, event.talk.heard.get("opening")
    said = (event.asked or event) if new else opening
    params = get(said.message if said else None, "params")
    own = get(params, "_meta", META + "clientCapabilities") if new else get(params, "capabilities")
    return _known(own)


def _known(value: Any) -> Any:
    return UNKNOWN if value is None else value


def lacks(event: Event) -> list[str]:
    """The capabilities that a question to the client needs and that it did not declare.

    The question is this request, the one that this answers, or those that this result asks.
    """
    asked = event.asked if event.sender == "client" else None
    several = get(event.message, "result", "inputRequests")
    questions = several.values() if isinstance(several, dict) else [(asked or event).message]
    have = can(event)
    needs = [] if have is UNKNOWN else [n for question in questions for n in _needs(question, have)]
    return [need for need in needs if not has_capability(have, need)]


def _needs(question: Any, have: Any) -> Iterable[str]:
    """What a question needs. A client that declares elicitation, and no mode of it, has forms."""
    base, params = NEEDS.get(str(get(question, "method"))), get(question, "params")
    url = get(params, "mode") == "url"
    if base:
        yield base
    if base == "sampling" and (get(params, "tools") or get(params, "toolChoice")) is not None:
        yield "sampling.tools"
    if base == "elicitation" and (url or get(have, "elicitation")):
        yield "elicitation.url" if url else "elicitation.form"


def state(event: Event) -> str:
    """The state of a legacy connection when this was said: a name of `lifecycle.STATES`."""
    answer = answered(event)
    if heard(event, "initialized"):
        return "operating"
    if answer or not heard(event, "opening"):
        return "agreed" if get(answer, "result") else "new"
    return "initializing"
