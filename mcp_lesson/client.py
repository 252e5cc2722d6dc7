"""The client: it finds out which era a server speaks, greets, asks, and answers when it is asked.

Everything goes through `request`. On a legacy connection that is one exchange. Since 2026-07-28 it
may be several: a server that needs an answer first says so in its result, the client gathers what
is asked and sends the request again. The caller sees one call either way.
"""

import asyncio
import copy
import time
from collections.abc import Awaitable
from typing import Any

from . import jsonrpc, modern, negotiation, revisions
from .answering import Answering, Handler
from .jsonrpc import Id, Message
from .limits import DEFAULT, Limits
from .peer import (
    ConnectionLost,
    Envelope,
    McpError,
    ProgressCallback,
    RequestTimeout,
    Wire,
    with_meta,
)
from .results import Listing, Result
from .revisions import META, NEWEST
from .trace import Trace

_A_DAY = 24 * 3600 * 1000

INFO = {"name": "mcp-lesson", "version": "0.1.0"}


class NotDeclared(RuntimeError):
    """The server did not promise what this request needs, so it was not sent."""


class Client(Answering):
    """One client of one server, over any wire.

    era  "auto", "legacy", "modern", or the date of a revision
    more  sampling, elicitation, roots: how it answers, see `Answering`
    """

    def __init__(
        self,
        wire: Wire,
        *,
        era: str = "auto",
        limits: Limits = DEFAULT,
        info: Message = INFO,
        **more: Any,
    ) -> None:
        super().__init__(limits, **more)
        self.wire, self.info = wire, info
        wire.attach(self)
        self.era, self.offered = negotiation.wanted(era)
        self.server_info: Message = {}
        self.server_capabilities: Message = {}
        self.instructions: str | None = None
        self.session_id: str | None = None
        self.log_level: str | None = None
        self.trace = Trace()
        self.refused_tools: dict[str, str] = {}
        self._schemas: dict[str, Any] = {}
        self._kept: dict[str, tuple[float, Message]] = {}
        self._greeting = asyncio.Lock()

    async def deliver(self, envelope: Envelope) -> None:
        """Hand an envelope to the wire."""
        await self.wire.send(envelope)

    # -- beginning and end ---------------------------------------------------------------------

    async def start(self) -> None:
        """Agree with the server on a revision; `negotiation` says how and what may go wrong."""
        await negotiation.start(self)

    def met(self, result: Message, info: Any) -> None:
        """Remember what a server said of itself when it was greeted or discovered."""
        capabilities, words = result.get("capabilities"), result.get("instructions")
        self.server_capabilities = capabilities if isinstance(capabilities, dict) else {}
        self.server_info = info if isinstance(info, dict) else {}
        self.instructions = words if isinstance(words, str) else None

    async def close(self) -> None:
        """End the conversation and leave nothing behind. May be called twice."""
        headers = self.legacy_headers()
        try:
            await asyncio.sleep(0)  # what was just begun, such as a cancellation, still goes out
        finally:
            self.lost("the connection was closed by this side")
            await self.wire.close(headers)

    def clues(self) -> str:
        """What may explain a silence: strays, and what the server said to people."""
        return super().clues() + str(getattr(self.wire, "last_words", ""))

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        name = self.server_info.get("name", "a server")
        spoken = self.revision.name if self.revision else "no revision yet"
        return f"<Client of {name}, {spoken}, {self.state}>"

    # -- asking --------------------------------------------------------------------------------

    async def request(
        self,
        method: str,
        params: Message | None = None,
        *,
        timeout: float | None = None,
        progress: ProgressCallback | None = None,
        unchecked: bool = False,
    ) -> Result:
        """Send any request and return its result, after as many rounds as the server needs.

        `unchecked` sends it even if the server did not declare what it needs. Raises McpError for
        an error answer, NotDeclared, RequestTimeout, ConnectionLost.
        """
        if not unchecked:
            self._check_declared(method)
        if self.era != "modern":
            return Result(await self._in_session(method, params, timeout, progress))
        key = jsonrpc.dumps([method, params]) if self._kept else ""
        if key in self._kept and time.monotonic() < self._kept[key][0]:
            return Result(copy.deepcopy(self._kept[key][1]))
        try:
            return Result(await self._in_rounds(method, params, timeout, progress))
        except McpError as problem:  # its headers changed since it was listed, or it never was
            if problem.code != jsonrpc.HEADER_MISMATCH or method != "tools/call":
                raise
        self._kept.clear()
        await self.list_tools()
        return Result(await self._in_rounds(method, params, timeout, progress))

    async def notify(self, method: str, params: Message | None = None) -> None:
        """Send any notification: nothing comes back. Raises ConnectionLost."""
        await self.tell(method, params)

    def _check_declared(self, method: str) -> None:
        row = self.revision.methods.get(method) if self.revision else None
        whose, _, capability = row.needs.partition(".") if row else ("", "", "")
        if whose == "server" and not revisions.has_capability(self.server_capabilities, capability):
            raise NotDeclared(
                f"the server did not declare {capability}, so {method} was not sent"
                " (unchecked=True sends it all the same)"
            )

    async def _in_session(self, method: str, params: Message | None, *more: Any) -> Message:
        """One exchange; if the session has died meanwhile (HTTP 404), a new one and once more."""
        timeout, progress = more
        session = self.session_id
        try:
            return await self.exchange(method, params, timeout=timeout, progress=progress)
        except (ConnectionLost, McpError) as problem:
            if problem.status != 404 or session is None:
                raise
        async with self._greeting:  # of many that find the session dead, one opens the next
            if self.session_id == session:
                await negotiation.greet(self)
        return await self.exchange(method, params, timeout=timeout, progress=progress)

    async def _in_rounds(self, method: str, params: Message | None, *more: Any) -> Message:
        """Ask, gather what the server wants to know, ask again. Clause: basic/patterns/mrtr."""
        timeout, progress = more
        asked = params
        for number in range(self.limits.rounds):
            sealed = self.with_meta(asked)
            result = await self.exchange(method, sealed, timeout=timeout, progress=progress)
            kind = result.get("resultType", "complete")
            if kind == "complete":
                if number == 0:  # what answers depend on is no part of the key
                    self._keep(method, params, result)
                return result
            if kind != "input_required":
                raise McpError(jsonrpc.INVALID_REQUEST, f"resultType {kind!r} is not known here")
            asked = {**(params or {}), **await self._gather(result)}
        raise McpError(
            jsonrpc.INVALID_REQUEST,
            f"{method} was asked for input {self.limits.rounds} times and never completed",
        )

    async def _gather(self, result: Message) -> Message:
        """What the next round must add: an answer to each question, and the state untouched."""
        questions, state = result.get("inputRequests", {}), result.get("requestState", "")
        if not isinstance(questions, dict) or not isinstance(state, str):
            reason = "in its result inputRequests is no object, or requestState no text"
            raise McpError(jsonrpc.INVALID_REQUEST, reason)
        answers = await asyncio.gather(*(self._asked(question) for question in questions.values()))
        more: Message = {"inputResponses": dict(zip(questions, answers, strict=True))}
        if "requestState" in result:
            more["requestState"] = result["requestState"]
        return more if questions else {k: v for k, v in more.items() if k != "inputResponses"}

    def _keep(self, method: str, params: Message | None, result: Message) -> None:
        """Remember a result for as long as its server allows. Clause: server/utilities/caching."""
        ttl = result.get("ttlMs", 0)
        row = self.revision.methods.get(method) if self.revision else None
        asked_again = bool({"inputResponses", "requestState"} & (params or {}).keys())
        if row and row.cached and isinstance(ttl, int) and ttl > 0 and not asked_again:
            until = time.monotonic() + min(ttl, _A_DAY) / 1000
            self._kept[jsonrpc.dumps([method, params])] = (until, copy.deepcopy(result))

    def with_meta(self, params: Message | None) -> Message:
        """The params of a modern request: with what the handshake once settled.

        What the caller put into `_meta` stays, so that a lesson can lie.
        """
        meta = {
            META + "protocolVersion": self.revision.name if self.revision else NEWEST,
            META + "clientInfo": self.info,
            META + "clientCapabilities": self.capabilities,
        } | ({META + "logLevel": self.log_level} if self.log_level else {})
        return with_meta(params, meta | (params or {}).get("_meta", {}))

    def seal(self, envelope: Envelope) -> Envelope:
        """Add the headers that HTTP needs; wires without headers are spared the work."""
        if not self.wire.streams:
            return envelope
        message = envelope.message
        if self.era == "legacy" or jsonrpc.is_response(message) or not self.revision:
            headers = self.legacy_headers()
        else:
            headers = modern.routing_headers(message, self.revision.name)
            if message["method"] == "tools/call":
                tool = self._schemas.get(str(message["params"].get("name")), {})
                headers |= modern.param_headers(tool, message["params"].get("arguments"))
        return Envelope(message, envelope.reply_to, headers)

    def legacy_headers(self) -> dict[str, str]:
        """What every HTTP message of a session says: which session, which revision."""
        known = self.revision if self.state in ("agreed", "operating") else None
        headers = {"mcp-session-id": self.session_id or ""} if self.session_id else {}
        return headers | ({modern.VERSION_HEADER: known.name} if known else {})

    async def withdraw(self, id: Id, reason: str) -> None:
        """Cancel a request of ours: a modern one over HTTP by closing its stream."""
        if self.wire.streams and self.era == "modern":
            await self.wire.drop(id)
        else:
            await super().withdraw(id, reason)

    # -- hearing -------------------------------------------------------------------------------

    def receive(self, envelope: Envelope) -> None:
        """Take one message from the wire; the session's id comes in a header."""
        session = envelope.headers.get("mcp-session-id")
        if session and self.state == "initializing":
            self.session_id = session
        if self.era == "modern" and jsonrpc.kind(envelope.message) == "request":
            self.strays.append("the server sent a request, which nobody may in this era")
            return
        super().receive(envelope)

    def hear(self, envelope: Envelope) -> Awaitable[Any] | None:
        """Take a notification: what was kept of a changed list is stale."""
        if envelope.message["method"].endswith(("/list_changed", "/updated")):
            self._kept.clear()
        return super().hear(envelope)

    # -- what servers offer --------------------------------------------------------------------

    async def list_tools(self) -> Listing:
        """All tools, every page. Over HTTP, ones that cannot be called are left out, with the
        reason in `refused_tools`. Clause: 2026-07-28 basic/transports/streamable-http"""
        tools = await self._all("tools/list", "tools")
        good = Listing(tool for tool in tools if not self._refuse(tool))
        self._schemas = {str(tool.get("name")): tool.get("inputSchema") for tool in good}
        return good

    def _refuse(self, tool: Message) -> str | None:
        if not self.wire.streams or self.era != "modern":
            return None
        try:
            modern.mirrored(tool.get("inputSchema"))
        except (ValueError, RecursionError) as problem:
            self.refused_tools[str(tool.get("name"))] = str(problem)
            return str(problem)
        return None

    async def call_tool(self, name: str, arguments: Message | None = None, **more: Any) -> Result:
        """Call a tool. A failing tool gives a Result whose `is_error` is true; it raises nothing.

        `more` is any further argument of `request`: timeout, progress.
        """
        params: Message = {"name": name}
        if arguments is not None:
            params["arguments"] = arguments
        return await self.request("tools/call", params, **more)

    async def list_resources(self) -> Listing:
        """All direct resources, every page."""
        return await self._all("resources/list", "resources")

    async def list_resource_templates(self) -> Listing:
        """All resource templates, every page."""
        return await self._all("resources/templates/list", "resourceTemplates")

    async def read_resource(self, uri: str) -> Result:
        """Read a resource; `.text` is its text."""
        return await self.request("resources/read", {"uri": uri})

    async def list_prompts(self) -> Listing:
        """All prompts, every page."""
        return await self._all("prompts/list", "prompts")

    async def get_prompt(self, name: str, arguments: dict[str, str] | None = None) -> Result:
        """Get a prompt, filled in."""
        params: Message = {"name": name}
        return await self.request(
            "prompts/get", params | ({"arguments": arguments} if arguments is not None else {})
        )

    async def complete(
        self, ref: Message, argument: str, value: str, filled: dict[str, str] | None = None
    ) -> list[str]:
        """What could stand in an argument: `ref` is {"type": "ref/prompt", "name": …} or
        {"type": "ref/resource", "uri": …}; `filled` are the arguments filled in already."""
        params = {"ref": ref, "argument": {"name": argument, "value": value}}
        params |= {"context": {"arguments": filled}} if filled else {}
        result = await self.request("completion/complete", params)
        completion = result.get("completion")
        values = completion.get("values") if isinstance(completion, dict) else None
        if not isinstance(values, list):
            raise McpError(jsonrpc.INVALID_REQUEST, "completion/complete was answered by no values")
        return list(values)

    async def subscribe(self, uri: str, listener: Handler | None = None) -> None:
        """Ask to be told when a resource changes. Legacy; the modern way is `listen`."""
        if listener:
            self.on("notifications/resources/updated", listener)
        if self.era == "modern":
            await self.listen({"resourceSubscriptions": [uri]})
        else:
            await self.request("resources/subscribe", {"uri": uri})

    async def listen(self, notifications: Message) -> "asyncio.Task[Message]":
        """Open a `subscriptions/listen` stream and wait until the server honours it.

        Cancel the task that comes back to end it. Clause: 2026-07-28 basic/patterns/subscriptions
        """
        id, heard = next(self._ids), asyncio.Event()

        def note(params: Message) -> None:
            if params.get("_meta", {}).get(META + "subscriptionId") == id:
                heard.set()

        stop = self.on("notifications/subscriptions/acknowledged", note)
        params, forever = self.with_meta({"notifications": notifications}), float("inf")
        stream = self.spawn(self.exchange("subscriptions/listen", params, timeout=forever, id=id))
        acknowledged = asyncio.ensure_future(heard.wait())
        await asyncio.wait(
            {stream, acknowledged},
            timeout=self.limits.request,
            return_when=asyncio.FIRST_COMPLETED,
        )
        stop()
        acknowledged.cancel()
        if stream.done():
            stream.result()
        if not heard.is_set():
            stream.cancel()
            raise RequestTimeout("the server did not acknowledge subscriptions/listen")
        return stream

    async def _all(self, method: str, member: str) -> Listing:
        """Every page of a list. Raises McpError when a cursor comes back a second time."""
        entries, seen, cursor = Listing(), set[str](), None
        for _ in range(self.limits.pages):
            params = {"cursor": cursor} if cursor is not None else None
            page = await self.request(method, params)
            found = page.get(member)
            entries += [e for e in found if isinstance(e, dict)] if isinstance(found, list) else []
            cursor = page.get("nextCursor")
            if cursor is None:
                return entries
            if not isinstance(cursor, str):
                raise McpError(jsonrpc.INVALID_REQUEST, f"{method} gave a cursor that is no text")
            if cursor in seen:
                raise McpError(jsonrpc.INVALID_REQUEST, f"{method} gave the same cursor twice")
            seen.add(cursor)
        raise McpError(jsonrpc.INVALID_REQUEST, f"{method} has over {self.limits.pages} pages")
