"""The part of a client that is spoken to: asked by the server, and told.

A server asks for a sample of the model, a form filled in by a person, the roots it may see. A
client answers what it has a handler for, and declares just that. Notifications go to whoever
listens for their method.
Clauses: client/sampling, client/elicitation, client/roots
"""

from collections.abc import Awaitable, Callable
from typing import Any

from . import jsonrpc
from .answers import ANSWERS
from .context import lacking
from .jsonrpc import Message
from .limits import DEFAULT, Limits
from .peer import Envelope, McpError, Peer

Handler = Callable[[Message], Any]


class Answering(Peer):
    """A peer that answers a server's questions with handlers.

    sampling     answers sampling/createMessage: takes its params, returns a result or a text
    elicitation  answers elicitation/create: takes its params, returns a result, the content of an
                 accepted form, or None to decline
    roots        a list of file:// URIs or roots, or a function that returns one

    A handler may be an object that knows more: `declares` is the capability it stands for, such as
    {"form": {}, "url": {}}, and `of(client)` the handler that answers for this client.
    """

    role, other = "client", "server"

    def __init__(
        self,
        limits: Limits = DEFAULT,
        *,
        sampling: Handler | None = None,
        elicitation: Handler | None = None,
        roots: Any = None,
    ) -> None:
        super().__init__(limits)
        self.handlers = {"sampling": sampling, "elicitation": elicitation, "roots": roots}
        self._listeners: dict[str, list[Handler]] = {}

    @property
    def capabilities(self) -> Message:
        """What this client declares: what it has handlers for."""
        shapes: dict[str, Message] = {"roots": {"listChanged": True}}
        return {
            name: shapes.get(name, getattr(handler, "declares", {}))
            for name, handler in self.handlers.items()
            if handler is not None
        }

    async def answer(self, envelope: Envelope) -> Message:
        """Answer a request of the server. Raises McpError for what was not declared."""
        if envelope.message["method"] == "ping":
            return {}
        return await self._asked(envelope.message)

    async def _asked(self, question: Any) -> Message:
        method = question.get("method") if isinstance(question, dict) else None
        name = method.partition("/")[0] if isinstance(method, str) else ""
        handler = self.handlers.get(name)
        if handler is None or method not in ANSWERS:
            raise McpError(jsonrpc.METHOD_NOT_FOUND, f"Method not found: {method}")
        params = question.get("params", {})
        params = params if isinstance(params, dict) else {}
        if needed := lacking(self.capabilities, method, params):
            raise McpError(jsonrpc.INVALID_PARAMS, f"this client did not declare {needed}")
        handler = handler.of(self) if hasattr(handler, "of") else handler
        self._stretch(self.limits.asked)  # what waits for us cannot be answered before we are done
        try:
            return await ANSWERS[method](handler, params)
        finally:
            self._stretch(0)

    def _stretch(self, least: float) -> None:
        """Give every request of ours its time anew, and `least` seconds at the least."""
        for waiting in self._pending.values():
            if waiting.extend:
                waiting.extend(least)

    def on(self, method: str, listener: Handler) -> Callable[[], None]:
        """Call `listener` with the params of each notification of this method.

        It may be async and may send requests. Returns a function that stops it.
        """
        listeners = self._listeners.setdefault(method, [])
        listeners.append(listener)
        return lambda: listeners.remove(listener) if listener in listeners else None

    def hear(self, envelope: Envelope) -> Awaitable[Any] | None:
        """Take a notification: all who listen for its method hear its params."""
        method, params = envelope.message["method"], envelope.message.get("params", {})
        for listener in tuple(self._listeners.get(method, ())):
            self._run(lambda listener=listener: listener(params), method)  # type: ignore[misc]
        return None
