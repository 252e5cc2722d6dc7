"""A server's side of one conversation: which era is spoken, what was agreed, what may be served.

`Connection` reads each request by the rules of its era. A legacy conversation has a life (see
`lifecycle`) and a memory: the agreed revision, what the client can do, the log level, the
subscriptions. A modern request has neither: all it needs stands in it, and what is remembered here
for it dies with its answer. Both may arrive on one wire, and neither sees the other.
"""

import asyncio
from collections.abc import Awaitable, Callable

from . import jsonrpc, lifecycle, modern, revisions
from .context import Context, InputRequired, ToolError
from .jsonrpc import Id, Message
from .limits import DEFAULT, Limits
from .operations import OPERATIONS, invalid, text_of
from .peer import Envelope, McpError, Peer, is_request, with_meta
from .revisions import LATEST_LEGACY, LEGACY, LOG_LEVELS, META, MODERN, NEWEST, Revision
from .server import Server

Deliver = Callable[[Envelope], Awaitable[None]]

FILTERS = {
    "notifications/tools/list_changed": "toolsListChanged",
    "notifications/prompts/list_changed": "promptsListChanged",
    "notifications/resources/list_changed": "resourcesListChanged",
    "notifications/resources/updated": "resourceSubscriptions",
}
"""The member of a `subscriptions/listen` filter that asks for each notification (2026-07-28)."""


class Connection(Peer):
    """One conversation with one client; for a modern request over HTTP, one request.

    deliver  hands an envelope to the wire
    caller   who is speaking, where the wire knows: binds requestState to them
    """

    role, other = "server", "client"

    def __init__(
        self, server: Server, deliver: Deliver, *, limits: Limits = DEFAULT, caller: str = ""
    ) -> None:
        super().__init__(limits)
        self.server, self.caller = server, caller
        self.client_capabilities: Message = {}
        self.client_info: Message = {}
        self.log_level: str | None = "info"
        self.subscribed: set[str] = set()
        self.listening: dict[Id, tuple[Message, asyncio.Future[None]]] = {}
        self._deliver = deliver
        self._loop: asyncio.AbstractEventLoop | None = None

    async def deliver(self, envelope: Envelope) -> None:
        """Hand an envelope to the wire."""
        await self._deliver(envelope)

    def malformed(self, problem: jsonrpc.MalformedMessage, envelope: Envelope) -> None:
        """Answer what is no message, unless it is an answer or a notification that went wrong."""
        super().malformed(problem, envelope)
        if jsonrpc.kind(envelope.message) in ("result", "error", "notification"):
            return
        reply = jsonrpc.error(problem.id, problem.code, f"{_name(problem)}: {problem.reason}")
        to = envelope.reply_to if problem.id is None else problem.id
        self.spawn(self.deliver(Envelope(reply, to, status=400)))

    # -- requests ------------------------------------------------------------------------------

    async def answer(self, envelope: Envelope) -> Message:
        """The result of one request, by the rules of the era it speaks.

        Raises McpError, with the HTTP status that the revision has for its code.
        """
        is_modern = modern.is_modern(envelope)
        revision = revisions.ALL[NEWEST] if is_modern else self.revision
        try:
            return await (self._answer_modern if is_modern else self._answer_legacy)(envelope)
        except McpError as problem:
            if problem.status is None and revision:
                problem.status = revision.statuses.get(problem.code)
            raise

    async def _answer_legacy(self, envelope: Envelope) -> Message:
        method, params = envelope.message["method"], envelope.message.get("params", {})
        if method == "initialize":
            return self._initialize(params)
        if method == "ping":
            return {}
        if self.revision is None:
            text = "Invalid request: this connection is not initialized; send initialize first"
            raise McpError(jsonrpc.INVALID_REQUEST, text)
        context = Context(self, envelope, self.revision, self.client_capabilities)
        context.log_level = self.log_level if self.server.logging else None
        return await self._operate(context, method, params)

    async def _operate(self, context: Context, method: str, params: Message) -> Message:
        self._check_offered(context.revision, method)
        if context.revision.era == "legacy" and method in _SESSION:
            return _SESSION[method](self, params)
        try:
            return await OPERATIONS[method](self.server, context, params)
        except ToolError as problem:  # from a prompt or a resource, which have no isError
            raise McpError(jsonrpc.INTERNAL_ERROR, str(problem)) from None

    def _check_offered(self, revision: Revision, method: str) -> None:
        """A method that does not exist, or was not declared, is not there."""
        row = revision.methods.get(method)
        whose, _, capability = row.needs.partition(".") if row else ("", "", "")
        known = row and row.kind == "request" and "client" in row.senders
        offered = whose != "server" or revisions.has_capability(self._offered(), capability)
        if not known or not offered or method not in OPERATIONS.keys() | _SESSION.keys():
            raise McpError(jsonrpc.METHOD_NOT_FOUND, f"Method not found: {method}")

    def _offered(self) -> Message:
        return self.server.capabilities()

    # -- legacy --------------------------------------------------------------------------------

    def _initialize(self, params: Message) -> Message:
        """Agree on a version: the offered one if it is known here, else the newest legacy one."""
        if self.state != "new":
            raise McpError(jsonrpc.INVALID_REQUEST, "Invalid request: initialize was sent before")
        offered = text_of(params, "protocolVersion")
        capabilities, info = params.get("capabilities"), params.get("clientInfo")
        if not isinstance(capabilities, dict) or not isinstance(info, dict):
            raise invalid("params.capabilities and params.clientInfo must be objects")
        self.revision = revisions.ALL[offered if offered in LEGACY else LATEST_LEGACY]
        self.client_capabilities, self.client_info = capabilities, info
        self.state = lifecycle.step(lifecycle.step(self.state, "initialize"), "answered")
        words = self.server.instructions
        return {
            "protocolVersion": self.revision.name,
            "capabilities": self._offered(),
            "serverInfo": self._info(self.revision),
        } | ({"instructions": words} if words else {})

    def _info(self, revision: Revision) -> Message:
        keep = revision.name >= "2025-06-18"
        return {k: v for k, v in self.server.info.items() if keep or k != "title"}

    def hear(self, envelope: Envelope) -> None:
        """Take a notification: the handshake's last word, after which changes are told."""
        if envelope.message["method"] == "notifications/initialized" and self.state == "agreed":
            self.state = lifecycle.step(self.state, "initialized")
            self._watch()

    def _set_level(self, params: Message) -> Message:
        level = text_of(params, "level")
        if level not in LOG_LEVELS:
            raise invalid(f"params.level must be one of {', '.join(LOG_LEVELS)}")
        self.log_level = level
        return {}

    def _subscribe(self, params: Message) -> Message:
        self.subscribed.add(text_of(params, "uri"))
        return {}

    def _unsubscribe(self, params: Message) -> Message:
        self.subscribed.discard(text_of(params, "uri"))
        return {}

    # -- modern --------------------------------------------------------------------------------

    async def _answer_modern(self, envelope: Envelope) -> Message:
        modern.check_request(envelope)
        message, meta = envelope.message, modern.meta_of(envelope.message)
        revision = revisions.ALL[meta[META + "protocolVersion"]]
        context = Context(self, envelope, revision, meta[META + "clientCapabilities"])
        context.log_level = meta.get(META + "logLevel") if self.server.logging else None
        result = await self._one_round(context, message["method"], message["params"])
        return with_meta_on(result, {META + "serverInfo": self._info(revision)})

    async def _one_round(self, context: Context, method: str, params: Message) -> Message:
        if method == "server/discover":
            result = self._discover()
        elif method == "subscriptions/listen":
            result = await self._listen(context.message["id"], params)
        elif revisions.ALL[context.revision.name].methods[method].asks:
            result = await self._with_questions(context, method, params)
        else:
            result = await self._operate(context, method, params)
        complete = result.setdefault("resultType", "complete") == "complete"
        if context.revision.methods[method].cached and complete:
            result |= {"ttlMs": self.server.ttl_ms, "cacheScope": self.server.cache_scope}
        return result

    async def _with_questions(self, context: Context, method: str, params: Message) -> Message:
        """Serve a request that may come in rounds: questions out, answers and state back in."""
        secret = self.server.secret
        if "requestState" in params:
            bound = modern.binding(context.message, self.caller)
            kept = modern.open_state(params["requestState"], secret, bound)
            context.state, context.answers = kept["state"], kept["answers"]
        given = params.get("inputResponses")
        context.answers |= given if isinstance(given, dict) else {}
        try:
            return await self._operate(context, method, params)
        except InputRequired as pause:
            result: Message = {"resultType": "input_required", "inputRequests": pause.questions}
            if context.state or context.answers:
                kept = {"state": context.state, "answers": context.answers}
                bound = modern.binding(context.message, self.caller)
                result["requestState"] = modern.seal_state(kept, secret, bound)
            return result

    def _discover(self) -> Message:
        words = self.server.instructions
        return {
            "supportedVersions": list(MODERN),
            "capabilities": self._offered(),
        } | ({"instructions": words} if words else {})

    async def _listen(self, id: Id, params: Message) -> Message:
        """Keep a stream of notifications open until the client ends it, or the server leaves."""
        wanted = params.get("notifications")
        if not isinstance(wanted, dict):
            raise invalid("params.notifications must be an object")
        told = {FILTERS[method] for method in FILTERS if self._tells(method)}
        honoured = {k: v for k, v in wanted.items() if k in told and _is_filter(k, v)}
        ended = asyncio.get_running_loop().create_future()
        self.listening[id] = honoured, ended
        self._watch()
        try:
            acknowledged = "notifications/subscriptions/acknowledged"
            await self._tell_listener(id, acknowledged, {"notifications": honoured})
            await ended
            await self._tell_listener(id, "notifications/cancelled", {"requestId": id})
        finally:
            del self.listening[id]
        return {"_meta": {META + "subscriptionId": id}}

    async def finish(self, limit: float) -> None:
        """End the streams of notifications, then wait for the answers still owed."""
        for _, ended in self.listening.values():
            if not ended.done():
                ended.set_result(None)
        await super().finish(limit)

    def _tells(self, method: str) -> bool:
        """True if this server declared that it sends this notification."""
        needs = revisions.ALL[NEWEST].methods[method].needs
        return revisions.has_capability(self._offered(), needs.partition(".")[2])

    async def _tell_listener(self, id: Id, method: str, params: Message) -> None:
        await self.tell(method, with_meta(params, {META + "subscriptionId": id}), reply_to=id)

    # -- changes -------------------------------------------------------------------------------

    def _watch(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.server.watchers.add(self._on_change)

    def _on_change(self, method: str, uri: str | None) -> None:
        """Called from any thread: a tool that runs in one may change what is offered."""
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._spread, method, uri)

    def _spread(self, method: str, uri: str | None) -> None:
        params = {"uri": uri} if uri else {}
        concerns = self._tells(method) if uri is None else uri in self.subscribed
        if self.state == "operating" and concerns:
            self.spawn(self.tell(method, params or None))
        for id, (honoured, _) in tuple(self.listening.items()):
            wanted = honoured.get(FILTERS[method])
            if wanted is True or (isinstance(wanted, list) and uri in wanted):
                self.spawn(self._tell_listener(id, method, params))

    def lost(self, reason: str, status: int | None = None) -> None:
        """The wire is gone: nobody is left to tell of changes."""
        self.server.watchers.discard(self._on_change)
        super().lost(reason, status)


_SESSION: dict[str, Callable[[Connection, Message], Message]] = {
    "logging/setLevel": Connection._set_level,
    "resources/subscribe": Connection._subscribe,
    "resources/unsubscribe": Connection._unsubscribe,
}


def _is_filter(member: str, value: object) -> bool:
    """True for what a filter may hold: URIs of resources, or `true` for a list that may change."""
    if member == "resourceSubscriptions":
        return isinstance(value, list) and all(isinstance(uri, str) for uri in value)
    return value is True


def _name(problem: jsonrpc.MalformedMessage) -> str:
    return jsonrpc.CODES[problem.code]


def with_meta_on(result: Message, meta: Message) -> Message:
    """A result with these keys set in its `_meta`; what a handler set there itself stays."""
    return result | {"_meta": {**meta, **result.get("_meta", {})}}


def admit(envelope: Envelope, has_session: Callable[[str], bool]) -> str:
    """What an HTTP POST opens or joins: "modern", "new", or the id of a session.

    Raises McpError with the HTTP status for one that may not come in.
    Clause: 2025-11-25 basic/transports#session-management
    """
    message, session = envelope.message, envelope.headers.get("mcp-session-id")
    version = envelope.headers.get(modern.VERSION_HEADER, NEWEST)
    if version not in revisions.ALL and not is_request(message):
        text = f"Mcp-Protocol-Version {version!r} is not known here"
        raise McpError(jsonrpc.INVALID_REQUEST, text, status=400)
    if isinstance(message, dict) and modern.is_modern(envelope):
        return "modern"
    if session is not None:
        if not has_session(session):
            raise McpError(jsonrpc.INVALID_REQUEST, "Session not found", status=404)
        return session
    if isinstance(message, dict) and message.get("method") == "initialize":
        return "new"
    raise McpError(jsonrpc.INVALID_REQUEST, "Mcp-Session-Id is missing", status=400)
