"""Streamable HTTP, the server's side: an ASGI application for any `Server`, both eras at one path.

Here it is decided what HTTP decides: who may knock (Origin, Host), which media types, how large a
body, JSON or a stream. What a message means, and with which status it is answered, is decided by
the `Connection` that it is handed to: one a session (legacy), or one a request (since 2026-07-28).
Clauses: 2025-11-25 basic/transports#streamable-http; 2026-07-28 basic/transports/streamable-http
"""

import asyncio
import functools
import secrets
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from .. import jsonrpc
from ..connection import Connection, admit
from ..jsonrpc import Id
from ..limits import DEFAULT, Limits
from ..peer import Envelope, McpError, is_request
from ..server import Server
from .events import COMMENT, MEDIA_TYPE, Event

LOOPBACK = ("127.0.0.1", "localhost", "::1")
KEEP_ALIVE = 15.0
"""Seconds of silence after which a stream sends a comment, so that nobody between closes it."""

GRACE = 0.2
"""Seconds that requests being served have left when a server stops."""

ROOM = 1_000
"""How many envelopes may wait in one response for a client that reads slowly."""

_END = Envelope(None)


class Outlet:
    """What leaves a connection by one HTTP response: a queue with an end."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Envelope] = asyncio.Queue(ROOM)
        self._over = False

    async def put(self, envelope: Envelope) -> None:
        """Add an envelope, to be sent in order; a reader that is slow slows down who writes.

        Raises TypeError or ValueError for what is no JSON: here, where it can still be answered.
        """
        jsonrpc.dumps(envelope.message)
        if not self._over:
            await self._queue.put(envelope)

    def end(self) -> None:
        """Nothing comes after what is in here."""
        self._over = True
        if not self._queue.full():  # a reader that waits must wake up
            self._queue.put_nowait(_END)

    def drop(self) -> None:
        """Nobody reads any more: what is in here is lost, and who waits to write goes on."""
        self._over = True
        while not self._queue.empty():
            self._queue.get_nowait()

    def empty(self) -> bool:
        """True if there is nothing to take yet."""
        return self._queue.empty()

    async def take(self) -> Envelope:
        """The next envelope, or the mark of the end."""
        return _END if self._over and self._queue.empty() else await self._queue.get()

    async def events(self, first: Envelope | None, answers: Id | None) -> AsyncIterator[bytes]:
        """The queue as server-sent events, up to the answer to the request with this id."""
        envelope = first
        while envelope is not _END:
            if envelope is not None:
                yield Event(jsonrpc.dumps(envelope.message)).encode()
                if is_answer(envelope, answers):
                    return
            try:
                envelope = await asyncio.wait_for(self.take(), KEEP_ALIVE)
            except TimeoutError:
                envelope = None
                yield COMMENT


def is_answer(envelope: Envelope, id: Id | None) -> bool:
    """True if this is what the request with this id waits for."""
    message = envelope.message
    answered = isinstance(message, list) or jsonrpc.is_response(message)
    return id is not None and answered and envelope.reply_to == id


class Session:
    """One legacy session: its connection, and the outlets that are open for it."""

    def __init__(self, server: Server, limits: Limits) -> None:
        self.connection = Connection(server, self.deliver, limits=limits)
        self.outlets: dict[Id | None, Outlet] = {}
        self.used = 0.0

    def touch(self) -> None:
        """Remember that somebody is using this session."""
        self.used = asyncio.get_running_loop().time()

    async def deliver(self, envelope: Envelope) -> None:
        """Send by the stream of the request that caused it; what is unsolicited by the GET one."""
        outlet = self.outlets.get(envelope.reply_to)
        if outlet:
            await outlet.put(envelope)

    def close(self, outlet_of: Id | None, outlet: Outlet) -> None:
        """A response is over, or its client left."""
        outlet.drop()
        if self.outlets.get(outlet_of) is outlet:
            del self.outlets[outlet_of]

    def end(self) -> None:
        """End the conversation and every stream of it."""
        self.connection.lost("the session ended")
        for outlet in self.outlets.values():
            outlet.end()


class Endpoint:
    """The one path that all messages come to, and the sessions that live behind it.

    An ASGI application: any server for those can run it, and any other application mount it.
    """

    def __init__(
        self,
        server: Server,
        path: str,
        hosts: tuple[str, ...],
        origins: tuple[str, ...],
        limits: Limits,
    ) -> None:
        self.server, self.path, self.limits = server, path, limits
        self.hosts, self.origins = hosts, origins
        self._ways = {"POST": self.post, "GET": self.get, "DELETE": self.delete}
        self.sessions: dict[str, Session] = {}
        self.open: dict[Outlet, Connection] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve what comes by HTTP; nothing else is spoken here."""
        if scope["type"] == "http":
            response = await self.handle(Request(scope, receive))
            await response(scope, receive, send)

    async def handle(self, request: Request) -> Response:
        """Serve one HTTP request."""
        way, heads = self._ways.get(request.method), _heads(request)
        try:
            if request.scope["path"] != self.path:
                raise McpError(jsonrpc.INVALID_REQUEST, f"MCP is at {self.path}", status=404)
            self._check_caller(heads)
            if way is None:
                text = f"{request.method} is not served here"
                raise McpError(jsonrpc.INVALID_REQUEST, text, status=405)
            return await way(request, heads)
        except McpError as problem:
            return refusal(problem)
        except ClientDisconnect:
            return Response(status_code=499)

    def _check_caller(self, heads: dict[str, str]) -> None:
        """Keep web pages of strangers out. Clause: basic/transports#security-warning"""
        host = _host("//" + heads.get("host", ""))
        if host not in self.hosts:
            raise McpError(jsonrpc.INVALID_REQUEST, f"Host {host!r} is not served here", status=421)
        origin = heads.get("origin")
        if origin is None or origin in self.origins:
            return
        if _host(origin) not in self.hosts:
            text = f"Origin {origin!r} is not allowed"
            raise McpError(jsonrpc.INVALID_REQUEST, text, status=403)

    # -- POST: a message -----------------------------------------------------------------------

    async def post(self, request: Request, heads: dict[str, str]) -> Response:
        """Take one message and answer it: by JSON if the answer comes first, else by a stream."""
        envelope = await self._read(request, heads)
        try:
            _check_message(envelope.message)
            return await self._admit(request, envelope)
        except McpError as problem:
            return refusal(problem, jsonrpc.readable_id(envelope.message))

    async def _admit(self, request: Request, envelope: Envelope) -> Response:
        place = admit(envelope, self.sessions.__contains__)
        if place == "modern":
            return await self._post_modern(request, envelope)
        if place == "new":
            self._make_room()
        session = self.sessions.get(place) or Session(self.server, self.limits)
        session.touch()
        return await self._post_legacy(session, envelope)

    async def _post_legacy(self, session: Session, envelope: Envelope) -> Response:
        """A message of a session; one that opens it is told its id."""
        asked, more = envelope.reply_to, dict[str, str]()
        if asked is None:
            session.connection.receive(envelope)
            return Response(status_code=202)
        if asked in session.outlets:
            raise McpError(jsonrpc.INVALID_REQUEST, f"the id {asked!r} is in use", status=400)
        outlet = session.outlets[asked] = Outlet()
        begun = session.connection.revision
        session.connection.receive(envelope)
        session.connection.when_served(asked, outlet.end)
        first = await outlet.take()
        if begun is None and session.connection.revision:
            more["mcp-session-id"] = secrets.token_urlsafe(24)
            self.sessions[more["mcp-session-id"]] = session
        return self._respond(outlet, first, asked, more, lambda: session.close(asked, outlet))

    def _make_room(self) -> None:
        """End the sessions that nobody used for long; refuse a new one where that is not enough."""
        now = asyncio.get_running_loop().time()
        for id, session in tuple(self.sessions.items()):
            if not session.outlets and now - session.used > self.limits.idle:
                self.sessions.pop(id).end()
        if len(self.sessions) >= self.limits.sessions:
            raise McpError(jsonrpc.INTERNAL_ERROR, "too many sessions", status=503)

    async def _post_modern(self, request: Request, envelope: Envelope) -> Response:
        """A request that stands alone: a connection for itself, and gone with its stream."""
        outlet, asked = Outlet(), envelope.reply_to
        connection = Connection(self.server, outlet.put, limits=self.limits)
        connection.receive(envelope)
        if asked is None:
            connection.lost("a notification is all there was")
            return Response(status_code=202)
        self.open[outlet] = connection

        def finished() -> None:
            self.open.pop(outlet, None)
            outlet.drop()
            connection.lost("the client closed the stream")

        first = await _first(outlet, request)
        return self._respond(outlet, first, asked, {}, finished)

    def _respond(
        self, outlet: Outlet, first: Envelope, asked: Id, heads: dict[str, str], finished: Any
    ) -> Response:
        if is_answer(first, asked):
            finished()
            body = jsonrpc.dumps(first.message)
            status = first.status or 200
            return Response(body, status, heads, media_type="application/json")
        return _Stream(outlet.events(first, asked), heads, finished)

    async def _read(self, request: Request, heads: dict[str, str]) -> Envelope:
        """The message of a POST. Raises McpError with the HTTP status of what is wrong with it."""
        _check_media(heads)
        try:
            async with asyncio.timeout(self.limits.request):
                message = jsonrpc.loads(await self._body(request))
        except TimeoutError:
            text = f"the body did not come within {self.limits.request:g} s"
            raise McpError(jsonrpc.INVALID_REQUEST, text, status=408) from None
        except jsonrpc.MalformedMessage as problem:
            raise McpError(problem.code, f"Parse error: {problem.reason}", status=400) from None
        return Envelope(message, _request_id(message), heads)

    async def _body(self, request: Request) -> bytes:
        body = bytearray()
        async for piece in request.stream():
            body += piece
            if len(body) > self.limits.line:
                text = f"a body longer than {self.limits.line:,} bytes"
                raise McpError(jsonrpc.INVALID_REQUEST, text, status=413)
        return bytes(body)

    # -- GET and DELETE: legacy only -----------------------------------------------------------

    async def get(self, request: Request, heads: dict[str, str]) -> Response:
        """Open the standalone stream of a session: what the server says unasked."""
        session = self._session(request, heads)
        if None in session.outlets:
            session.outlets[None].end()
        outlet = session.outlets[None] = Outlet()
        return _Stream(outlet.events(None, None), {}, lambda: session.close(None, outlet))

    async def delete(self, request: Request, heads: dict[str, str]) -> Response:
        """End a session."""
        session = self._session(request, heads)
        del self.sessions[heads["mcp-session-id"]]
        session.end()
        return Response(status_code=204)

    def _session(self, request: Request, heads: dict[str, str]) -> Session:
        id = heads.get("mcp-session-id")
        if id is None:
            text = f"{request.method} needs a session; since 2026-07-28 there is POST only"
            raise McpError(jsonrpc.INVALID_REQUEST, text, status=405)
        if id not in self.sessions:
            raise McpError(jsonrpc.INVALID_REQUEST, "Session not found", status=404)
        return self.sessions[id]

    async def close(self) -> None:
        """End every session and every stream, and give what is nearly answered a moment."""
        await asyncio.gather(*(connection.finish(GRACE) for connection in self.open.values()))
        for session in self.sessions.values():
            session.end()
        for outlet in tuple(self.open):
            outlet.end()
        self.sessions.clear()


def refusal(problem: McpError, id: Id | None = None) -> Response:
    """An error before any connection saw the message; `id` where one could be read."""
    body = jsonrpc.error(id, problem.code, problem.message, problem.data)
    heads = {"allow": "POST"} if problem.status == 405 else {}
    text = jsonrpc.dumps(body)
    return Response(text, problem.status or 400, heads, media_type="application/json")


def _heads(request: Request) -> dict[str, str]:
    """The headers, names in lower case; of one that is repeated, all values, as HTTP joins them.

    So a header that must have one value has a wrong one when it comes twice, whoever reads which.
    """
    heads: dict[str, str] = {}
    for name, value in request.scope["headers"]:
        key, text = name.decode("latin-1"), value.decode("latin-1")
        heads[key] = f"{heads[key]}, {text}" if key in heads else text
    return heads


def _check_message(message: Any) -> None:
    reason = None if isinstance(message, list) else jsonrpc.check(message)
    if reason:
        raise McpError(jsonrpc.INVALID_REQUEST, f"Invalid request: {reason}", status=400)


def _check_media(heads: dict[str, str]) -> None:
    accepted = heads.get("accept", "*/*")
    kinds = [part.partition(";")[0].strip().lower() for part in accepted.split(",")]
    wanted = ("application/json", MEDIA_TYPE)
    if "*/*" not in kinds and not all(kind in kinds for kind in wanted):
        text = f"Accept must list {' and '.join(wanted)}"
        raise McpError(jsonrpc.INVALID_REQUEST, text, status=406)
    sent = heads.get("content-type", "").partition(";")[0].strip().lower()
    if sent != "application/json":
        raise McpError(
            jsonrpc.INVALID_REQUEST, f"Content-Type is {sent!r}, not application/json", status=415
        )


def _request_id(message: Any) -> Id | None:
    """The id that an answer will carry; of a batch, that of its first request."""
    parts = message if isinstance(message, list) else [message]
    return next((part["id"] for part in parts if is_request(part)), None)


@functools.lru_cache(maxsize=256)  # the same few callers come again and again
def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:  # such as http://[
        return None


async def _first(outlet: Outlet, request: Request) -> Envelope:
    """The first thing to send; the mark of the end if the client left before there was any."""
    await asyncio.sleep(0)
    if not outlet.empty():  # answered at once: nobody needs to watch the door
        return await outlet.take()
    leaving = asyncio.ensure_future(request.receive())
    leaving.add_done_callback(lambda left: None if left.cancelled() else outlet.end())
    first = await outlet.take()
    leaving.cancel()
    return first


class _Stream(StreamingResponse):
    """A stream of events that says when it is over, however that came about."""

    def __init__(self, events: AsyncIterator[bytes], heads: dict[str, str], finished: Any) -> None:
        heads = heads | {"cache-control": "no-cache", "x-accel-buffering": "no"}
        super().__init__(events, headers=heads, media_type=MEDIA_TYPE)
        self._finished = finished

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._finished()


def application(
    server: Server,
    *,
    path: str = "/mcp",
    hosts: tuple[str, ...] = LOOPBACK,
    origins: tuple[str, ...] = (),
    limits: Limits = DEFAULT,
) -> Endpoint:
    """An ASGI application that serves at `path`.

    hosts    names that a Host header may have; add the real one behind a proxy
    origins  web pages that may call, such as "https://office.example", besides those of `hosts`
    """
    return Endpoint(server, path, hosts, origins, limits)
