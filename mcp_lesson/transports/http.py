"""Streamable HTTP, the client's side: every message is a POST, answered by JSON or by a stream.

The wire posts what it is given, with the headers it is given, and hands over what comes back, with
the status and headers it came with. A stream that breaks off before the answer is taken up again
where the server gave its events ids; a stream for what the server says unasked is opened by GET.
Clauses: 2025-11-25 basic/transports#streamable-http; 2026-07-28 basic/transports/streamable-http
"""

import asyncio
import contextlib
import itertools
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx2

from .. import jsonrpc
from ..jsonrpc import Id
from ..limits import DEFAULT, Limits
from ..peer import ConnectionLost, Envelope, Peer
from ..trace import TO_CLIENT, TO_SERVER, Frame, Trace
from .events import MEDIA_TYPE, Event, Parser, TooLong

SHOWN = frozenset(
    {"accept", "allow", "cache-control", "content-type", "host", "last-event-id", "location"}
    | {"origin", "retry-after", "www-authenticate", "x-accel-buffering"}
)
"""Headers a trace records, besides all `mcp-…`; of an authorization only that there was one."""

RETRY = 1.0
"""Seconds before a stream is taken up again, where the server named no time."""

ATTEMPTS = 5
"""How often a stream is taken up again without anything new on it, or without staying open."""

LONG = 5.0
"""Seconds after which a stream was not opened in vain, though nothing came."""


def shown(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers that a trace records, names in lower case."""
    lower = {name.lower(): value for name, value in headers.items()}
    kept = {n: v for n, v in lower.items() if n in SHOWN or n.startswith("mcp-")}
    return kept | ({"authorization": "…"} if "authorization" in lower else {})


class HttpWire:
    """A wire to a server at a URL. Requests run beside each other, each on its own exchange."""

    streams = True

    def __init__(
        self,
        url: str,
        trace: Trace,
        limits: Limits = DEFAULT,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        parts = urlsplit(url)
        if not parts.hostname:
            raise ValueError(f"{url!r} has no host; a URL looks like http://127.0.0.1:8000/mcp")
        self.url, self.trace, self.limits, self.headers = url, trace, limits, dict(headers or {})
        self.path = parts.path or "/"
        local = parts.hostname in ("127.0.0.1", "localhost", "::1")
        waits = httpx2.Timeout(None, connect=limits.connect)
        room = httpx2.Limits(max_connections=None, max_keepalive_connections=100)
        secure = parts.scheme == "https"  # otherwise there are no certificates to load
        self._http = httpx2.AsyncClient(
            timeout=waits, limits=room, trust_env=not local, verify=secure
        )
        self._numbers = itertools.count(1)
        self._exchanges: dict[Id, asyncio.Task[None]] = {}
        self._posts: dict[Id, int] = {}
        self._listening: asyncio.Task[None] | None = None

    def attach(self, peer: Peer) -> None:
        """Whom to hand what arrives."""
        self.peer = peer

    # -- sending -------------------------------------------------------------------------------

    async def send(self, envelope: Envelope) -> None:
        """Post a message. A request is answered in its own time; anything else is done at once."""
        if jsonrpc.kind(envelope.message) != "request":
            limit = self.limits.request
            try:
                async with asyncio.timeout(limit):
                    await self._post(envelope, None)
            except TimeoutError:
                raise ConnectionLost(f"no answer to a POST within {limit:g} s") from None
            return
        id = envelope.message["id"]
        task = asyncio.get_running_loop().create_task(self._post(envelope, id))
        self._exchanges[id] = task
        task.add_done_callback(lambda task: self._finished(id, task))

    def _finished(self, id: Id, task: "asyncio.Task[None]") -> None:
        self._exchanges.pop(id, None)
        self._posts.pop(id, None)
        if task.cancelled():
            return self.peer.fail(id, "this side ended the exchange")
        problem = task.exception()
        if isinstance(problem, ConnectionLost):
            return self.peer.fail(id, problem.reason, problem.status)
        reason = "the server ended the exchange without an answer"
        return self.peer.fail(id, f"{type(problem).__name__}: {problem}" if problem else reason)

    async def _post(self, envelope: Envelope, id: Id | None) -> None:
        body = jsonrpc.dumps(envelope.message).encode()
        asked = {"accept": f"application/json, {MEDIA_TYPE}", "content-type": "application/json"}
        headers = asked | self.headers | dict(envelope.headers)
        number = next(self._numbers)
        if id is not None:
            self._posts[id] = number
        self.trace.sent(
            body,
            message=envelope.message,
            x=number,
            http=f"POST {self.path}",
            headers=shown({"host": self._host} | headers),
        )
        last = await self._exchange("POST", headers, number, id, body)
        if last is not None and id is not None:
            await self._resume(dict(envelope.headers), id, last)

    @property
    def _host(self) -> str:
        return urlsplit(self.url).netloc

    async def _exchange(
        self,
        method: str,
        headers: Mapping[str, str],
        number: int,
        id: Id | None,
        body: bytes | None = None,
    ) -> Event | None:
        """One HTTP exchange. Returns the last event of a stream that owes an answer, else None."""
        try:
            async with self._http.stream(
                method, self.url, content=body, headers=dict(headers)
            ) as response:
                if MEDIA_TYPE in response.headers.get("content-type", ""):
                    return await self._take_stream(response, number, id)
                await self._take_body(response, number, id)
                return None
        except httpx2.HTTPError as problem:
            text = f"{type(problem).__name__}: {problem}".rstrip(": ")
            self.trace.noted("http", text, TO_CLIENT, x=number)
            raise ConnectionLost(f"no exchange with {self.url}: {text}") from problem

    # -- what comes back -----------------------------------------------------------------------

    async def _take_body(self, response: Any, number: int, id: Id | None) -> None:
        body = await self._read(response)
        about: dict[str, Any] = {
            "x": number,
            "http": str(response.status_code),
            "headers": shown(response.headers),
        }
        if body.strip():
            frame = self.trace.received(body, **about)
        else:
            frame = self.trace.record(Frame(self.trace.now(), TO_CLIENT, "http", **about))
        status = response.status_code
        if frame.kind == "message" and id is not None:
            self.peer.receive(Envelope(frame.message, id, dict(response.headers), status))
        if status >= 400 or (id is not None and frame.kind != "message"):  # answered or not
            said = "" if frame.kind == "http" else f": {body[:200].decode('utf-8', 'replace')}"
            raise ConnectionLost(f"the server answered with HTTP {status}{said}", status)

    async def _read(self, response: Any) -> bytes:
        body = bytearray()
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > self.limits.line:
                raise ConnectionLost(f"a body longer than {self.limits.line:,} bytes (limits.line)")
        return bytes(body)

    async def _take_stream(self, response: Any, number: int, id: Id | None) -> Event | None:
        """Hand over every message of a stream; the last event with an id, if the answer is owed."""
        status, heads = str(response.status_code), shown(response.headers)
        opened = Frame(self.trace.now(), TO_CLIENT, "http", x=number, http=status, headers=heads)
        opened.sse = "open"
        self.trace.record(opened)
        parser, last = Parser(self.limits.line), Event()
        try:
            async for piece in response.aiter_bytes():
                for event in parser.feed(piece):
                    last = Event(id=event.id or last.id, retry=event.retry or last.retry)
                    if self._take_event(event, response, number, id):
                        return None
        except TooLong as problem:
            raise ConnectionLost(str(problem)) from None
        except httpx2.HTTPError as problem:
            self.trace.noted("http", f"the stream broke off: {problem!r}", TO_CLIENT, x=number)
        return last

    def _take_event(self, event: Event, response: Any, number: int, id: Id | None) -> bool:
        """Hand over the message of one event; True if it is the answer that was waited for."""
        about: dict[str, Any] = {"x": number, "sse": event.told()}
        if not event.data:
            self.trace.record(Frame(self.trace.now(), TO_CLIENT, "http", **about))
            return False
        frame = self.trace.received(event.data, **about)
        if frame.kind != "message":
            return False
        heads = dict(response.headers)
        self.peer.receive(Envelope(frame.message, id, heads, response.status_code))
        is_answer = jsonrpc.is_response(frame.message) and frame.message.get("id") == id
        return id is not None and (is_answer or isinstance(frame.message, list))

    # -- streams that go on --------------------------------------------------------------------

    async def _resume(self, headers: dict[str, str], id: Id | None, last: Event | None) -> None:
        """Take up a stream where it broke off, as long as there is something to take up.

        Clause: 2025-11-25 basic/transports#resumability-and-redelivery
        """
        attempts = 0
        while last is not None and (last.id is not None or id is None):
            await asyncio.sleep(RETRY if last.retry is None else last.retry / 1000)
            seen, began = last.id, asyncio.get_running_loop().time()
            try:
                last = await self._get(headers, id, last)
            except ConnectionLost as problem:
                if problem.status or attempts >= ATTEMPTS:
                    raise
            short = asyncio.get_running_loop().time() - began < LONG
            attempts = attempts + 1 if short and last is not None and last.id == seen else 0
            if attempts > ATTEMPTS:
                break
        if id is not None and last is not None:
            raise ConnectionLost("the stream ended before the answer")

    async def _get(self, headers: dict[str, str], id: Id | None, last: Event) -> Event | None:
        resumed = {"last-event-id": last.id} if last.id is not None else {}
        headers = {"accept": MEDIA_TYPE} | self.headers | headers | resumed
        number = next(self._numbers)
        asked = Frame(self.trace.now(), TO_SERVER, "http", x=number, http=f"GET {self.path}")
        asked.headers = shown({"host": self._host} | headers)
        self.trace.record(asked)
        found = await self._exchange("GET", headers, number, id)
        return None if found is None else Event(id=found.id or last.id, retry=found.retry)

    async def listen(self, headers: Mapping[str, str]) -> None:
        """Open the stream for what the server says unasked; a server without one says 405."""
        if self._listening:
            self._listening.cancel()  # it belongs to a session that is over
        loop = asyncio.get_running_loop()
        self._listening = loop.create_task(self._listen(dict(headers)))

    async def _listen(self, headers: dict[str, str]) -> None:
        with contextlib.suppress(ConnectionLost):
            last = await self._get(headers, None, Event())
            await self._resume(headers, None, last)

    async def drop(self, id: Id) -> None:
        """Close the stream of one request; since 2026-07-28 that cancels it."""
        task = self._exchanges.get(id)
        if task:
            task.cancel()
        if task and id in self._posts:
            text = "the client closed the stream of its request"
            self.trace.noted("lifecycle", text, TO_SERVER, x=self._posts[id])

    async def close(self, headers: Mapping[str, str]) -> None:
        """End the session, if there is one, by DELETE, and all exchanges."""
        tasks = [*self._exchanges.values(), *([self._listening] if self._listening else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if "mcp-session-id" in headers and not self._http.is_closed:
            with contextlib.suppress(ConnectionLost, TimeoutError):
                async with asyncio.timeout(self.limits.leave):
                    await self._delete(dict(headers))
        await self._http.aclose()

    async def _delete(self, headers: dict[str, str]) -> None:
        number = next(self._numbers)
        asked = Frame(self.trace.now(), TO_SERVER, "http", x=number, http=f"DELETE {self.path}")
        asked.headers = shown({"host": self._host} | self.headers | headers)
        self.trace.record(asked)
        await self._exchange("DELETE", self.headers | headers, number, None)
