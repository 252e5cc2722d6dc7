"""How a client answers when it is asked: what people write as handlers, turned into results.

A handler returns what is natural, a text or the content of a form, and this module wraps it as the
protocol wants it. Legacy requests and the questions of the stateless era come here alike.
Clauses: client/sampling, client/elicitation, client/roots
"""

from collections.abc import Awaitable, Callable
from typing import Any

from . import content, schema
from .jsonrpc import Message
from .workers import call


def accept_defaults(params: Message) -> Message:
    """An elicitation handler for scripts: accepts the form with the values it proposes."""
    return schema.defaults(params.get("requestedSchema"))


async def sampled(handler: Any, params: Message) -> Message:
    """A CreateMessageResult: what the handler returns, or its text as the assistant's."""
    outcome = await call(handler, params)
    if isinstance(outcome, dict):
        return outcome
    said = content.text(str(outcome))
    return {"role": "assistant", "content": said, "model": "script", "stopReason": "endTurn"}


async def elicited(handler: Any, params: Message) -> Message:
    """An ElicitResult: None declines, a dictionary without an action is the accepted content."""
    outcome = await call(handler, params)
    if outcome is None:
        return {"action": "decline"}
    return outcome if "action" in outcome else {"action": "accept", "content": outcome}


async def rooted(handler: Any, params: Message) -> Message:
    """A ListRootsResult: a list of URIs or roots, or what a function returns."""
    found = await call(handler) if callable(handler) else handler
    return {"roots": [{"uri": root} if isinstance(root, str) else root for root in found]}


ANSWERS: dict[str, Callable[[Any, Message], Awaitable[Message]]] = {
    "sampling/createMessage": sampled,
    "elicitation/create": elicited,
    "roots/list": rooted,
}
