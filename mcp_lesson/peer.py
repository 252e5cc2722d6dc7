"""One side of a conversation: ids, pending requests, requests being served, and how each ends.

Client and server have most of their day in common. Both send requests and wait for answers that may
come in any order; both are asked, and answer while the next question already arrives; both tell and
are told. `Peer` is that common part. What a method means is said by its two children.

No byte enters this module. What passes between a peer and a wire is an `Envelope`: the message, and
what a wire must know to carry it. The peer fills it from the tables of the revision; the wire turns
it into bytes and back and decides nothing. So the same peers speak over pipes, over HTTP, and in a
test over nothing at all.
"""

import asyncio
import itertools
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from . import jsonrpc
from .jsonrpc import Id, Message
from .limits import DEFAULT, Limits
from .revisions import Revision

log = logging.getLogger("mcp_lesson")

ProgressCallback = Callable[[Message], Any]


@dataclass(frozen=True, slots=True)
class Envelope:
    """A message on its way between a peer and a wire.

    message   one JSON-RPC message, or a list of them (a batch, 2025-03-26)
    reply_to  the id of the request being served when this was sent: an answer, and also the
              progress, log lines and questions that the request caused. None: unsolicited
    headers   HTTP headers, names in lower case; wires without headers ignore them
    status    the HTTP status of an answer
    """

    message: Any
    reply_to: Id | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int | None = None


class Wire(Protocol):
    """What a peer needs of a wire.

    `streams` says whether every request has a stream of its own (HTTP): then closing it is how a
    modern request is cancelled, and headers are looked at.
    """

    streams: bool

    def attach(self, peer: "Peer") -> None:
        """Whom to hand what arrives: `receive`, `malformed`, `fail` and `lost` are called."""

    async def send(self, envelope: Envelope) -> None:
        """Carry one message. When that cannot be done it raises ConnectionLost, or calls `lost`."""

    async def listen(self, headers: Mapping[str, str]) -> None:
        """Open the channel for what the other side says unasked, where there is a separate one."""

    async def drop(self, id: Id) -> None:
        """Close the stream of one request."""

    async def close(self, headers: Mapping[str, str]) -> None:
        """End the connection; nothing is left behind. May be called twice."""


class McpError(Exception):
    """An answer that is an error: sent to us, or to be sent by us.

    `status` is the HTTP status, where the code alone does not settle it.
    """

    def __init__(
        self, code: int, message: str | None = None, data: Any = None, status: int | None = None
    ) -> None:
        self.code, self.data, self.status = code, data, status
        self.message = message or jsonrpc.CODES.get(code, "Error")
        super().__init__(f"{code} {self.message}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, self.message, self.data, self.status)


class ConnectionLost(ConnectionError):
    """The wire broke, or was closed, before the answer came. `status`: the HTTP status, if any."""

    def __init__(self, reason: str, status: int | None = None) -> None:
        super().__init__(reason)
        self.reason, self.status = reason, status


class RequestTimeout(TimeoutError):
    """No answer within the limit. The other side was told that nobody waits any longer."""


@dataclass(slots=True)
class Pending:
    """A request of ours that waits for its answer."""

    method: str
    answer: "asyncio.Future[Message]"
    progress: ProgressCallback | None = None
    extend: Callable[[float], None] | None = None


class Peer:
    """The part that client and server share.

    A child says what requests and notifications mean, in `answer` and `hear`, and may refine what
    goes out in `seal`.
    """

    role = "peer"
    other = "peer"

    def __init__(self, limits: Limits = DEFAULT) -> None:
        self.limits = limits
        self.revision: Revision | None = None
        self.state = "new"
        self.strays: deque[str] = deque(maxlen=100)
        self._ids = itertools.count(1)
        self._pending: dict[Id, Pending] = {}
        self._serving: dict[Id, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._lost: ConnectionLost | None = None

    # -- what children say ---------------------------------------------------------------------

    async def answer(self, envelope: Envelope) -> Message:
        """The result of a request. Raises McpError to answer with an error instead."""
        raise McpError(jsonrpc.METHOD_NOT_FOUND)

    def hear(self, envelope: Envelope) -> Awaitable[Any] | None:
        """Take a notification; what is awaitable runs beside everything else."""
        return None

    def seal(self, envelope: Envelope) -> Envelope:
        """The last look at what goes out: headers and status, from the revision's tables."""
        return envelope

    async def deliver(self, envelope: Envelope) -> None:
        """Hand an envelope to the wire."""
        raise NotImplementedError

    # -- asking and telling --------------------------------------------------------------------

    async def exchange(
        self,
        method: str,
        params: Message | None = None,
        *,
        timeout: float | None = None,
        progress: ProgressCallback | None = None,
        reply_to: Id | None = None,
        id: Id | None = None,
    ) -> Message:
        """Send one request and wait for its answer, whatever arrives in between.

        `progress` is called with the params of each progress notification; its token is the id of
        the request, the next free one unless `id` says otherwise. `timeout` is in seconds and
        defaults to `limits.request`; progress starts it anew, `limits.progress` ends it all the
        same. Raises McpError, RequestTimeout or ConnectionLost.
        """
        id = next(self._ids) if id is None else id
        if progress:
            params = with_meta(params, {"progressToken": id})
        limit = self.limits.request if timeout is None else timeout
        envelope = self.seal(Envelope(jsonrpc.request(id, method, params), reply_to))
        waiting = Pending(method, asyncio.get_running_loop().create_future(), progress)
        self._pending[id] = waiting
        try:
            async with asyncio.timeout(limit) as clock:
                waiting.extend = self._extender(clock, limit)
                self._check_open()
                await self.deliver(envelope)
                return await waiting.answer
        except TimeoutError:
            self._give_up(id, method, f"no answer within {limit:g} s")
            raise RequestTimeout(self._timeout_text(method, id, limit)) from None
        except asyncio.CancelledError:
            self._give_up(id, method, "the caller cancelled it")
            raise
        finally:
            self._pending.pop(id, None)
            if waiting.answer.done() and not waiting.answer.cancelled():
                waiting.answer.exception()  # seen, so that asyncio need not mention it

    async def tell(
        self, method: str, params: Message | None = None, *, reply_to: Id | None = None
    ) -> None:
        """Send a notification: nothing comes back. Raises ConnectionLost."""
        self._check_open()
        await self.deliver(self.seal(Envelope(jsonrpc.notification(method, params), reply_to)))
        self._check_open()

    def _extender(self, clock: asyncio.Timeout, limit: float) -> Callable[[float], None]:
        loop = asyncio.get_running_loop()
        last = loop.time() + max(limit, self.limits.progress)

        def extend(least: float) -> None:
            if not clock.expired():
                clock.reschedule(min(loop.time() + max(limit, least), last))

        return extend

    def _give_up(self, id: Id, method: str, reason: str) -> None:
        """Tell the other side that nobody waits for this answer any more."""
        if self._lost is None and method not in ("initialize", "server/discover"):
            self.spawn(self.withdraw(id, reason))

    async def withdraw(self, id: Id, reason: str) -> None:
        """Cancel a request of ours. Clause: basic/utilities/cancellation."""
        await self.tell("notifications/cancelled", {"requestId": id, "reason": reason})

    def _timeout_text(self, method: str, id: Id, limit: float) -> str:
        return f"no answer to {method} (id {id!r}) within {limit:g} s{self.clues()}"

    def clues(self) -> str:
        """What may explain that no answer came, to stand behind the error that says so."""
        return "".join(f"; {stray[:200]}" for stray in list(self.strays)[-3:])

    def _check_open(self) -> None:
        if self._lost:
            raise ConnectionLost(self._lost.reason, self._lost.status)

    # -- being asked and told ------------------------------------------------------------------

    def receive(self, envelope: Envelope) -> None:
        """Take one message from the wire. Never blocks and never raises, whatever it holds."""
        if self._lost is not None:
            return
        if isinstance(envelope.message, list):
            self._receive_batch(envelope)
        else:
            self._receive_one(envelope)

    def _receive_one(self, envelope: Envelope) -> None:
        message, shape = envelope.message, jsonrpc.kind(envelope.message)
        reason, id = jsonrpc.check(message), jsonrpc.readable_id(message)
        if shape == "error" and id is None:
            self._idless_error(envelope)
        elif reason:
            if id is not None and jsonrpc.is_response(message):
                self.fail(id, f"the answer was no valid message: {reason}")
            self.malformed(jsonrpc.MalformedMessage(jsonrpc.INVALID_REQUEST, reason, id), envelope)
        elif shape == "request":
            self._start(envelope)
        elif shape == "notification":  # behind the requests before it, which start in their turn
            asyncio.get_running_loop().call_soon(self._notice, envelope)
        else:
            self._settle(message["id"], message, envelope.status)

    def malformed(self, problem: jsonrpc.MalformedMessage, envelope: Envelope) -> None:
        """Take what is no message. A server answers it; a client can only remember it."""
        self.strays.append(f"what came was no message: {problem.reason}")

    def _receive_batch(self, envelope: Envelope) -> None:
        if not (self.revision and self.revision.batches) or not envelope.message:
            reason = "an array is no message: batches exist in 2025-03-26 only"
            problem = jsonrpc.MalformedMessage(jsonrpc.INVALID_REQUEST, reason)
            return self.malformed(problem, envelope)
        asked = []
        for message in envelope.message:
            part = Envelope(message, headers=envelope.headers)
            if is_request(message):
                asked.append(part)
            else:
                self._receive_one(part)
        if asked:
            self.spawn(self._serve_batch(asked))
        return None

    async def _serve_batch(self, asked: list[Envelope]) -> None:
        replies = await asyncio.gather(*(self._reply(part) for part in asked))
        answers = [reply.message for reply in replies]
        await self.deliver(self.seal(Envelope(answers, asked[0].message["id"])))

    def _start(self, envelope: Envelope) -> None:
        id = envelope.message["id"]
        if len(self._tasks) > 2 * self.limits.concurrent:  # answers pile up: it reads none
            self.strays.append(f"request {id!r} is not answered: too many answers wait to be read")
            return
        if id in self._serving or len(self._serving) >= self.limits.concurrent:
            reason = "this id is in use" if id in self._serving else "too many requests at once"
            reply = jsonrpc.error(id, jsonrpc.INVALID_REQUEST, f"Invalid request: {reason}")
            self.spawn(self.deliver(self.seal(Envelope(reply, id, status=400))))
            return
        task = self.spawn(self._serve(envelope))
        self._serving[id] = task
        task.add_done_callback(lambda task: self._served(id, task))

    def _served(self, id: Id, task: "asyncio.Task[None]") -> None:
        if self._serving.get(id) is task:
            del self._serving[id]

    async def _serve(self, envelope: Envelope) -> None:
        reply = await self._reply(envelope)
        del self._serving[envelope.message["id"]]  # it may be used again once the answer is there
        task = asyncio.current_task()
        if task and task.cancelling():  # nobody waits any more, whatever the handler made of it
            return
        try:
            await self.deliver(self.seal(reply))
        except (TypeError, ValueError, RecursionError):  # no JSON: our mistake, so we own up to it
            log.exception("what answers %s cannot be written as JSON", envelope.message["method"])
            failed = jsonrpc.error(envelope.message["id"], jsonrpc.INTERNAL_ERROR)
            await self.deliver(self.seal(Envelope(failed, reply.reply_to)))

    async def _reply(self, envelope: Envelope) -> Envelope:
        """The answer to a request, result or error, as an envelope."""
        id, status = envelope.message["id"], None
        try:
            message = jsonrpc.result(id, await self.answer(envelope))
        except McpError as problem:
            message = jsonrpc.error(id, problem.code, problem.message, problem.data)
            status = problem.status
        except Exception:
            log.exception("while answering %s", envelope.message["method"])
            message = jsonrpc.error(id, jsonrpc.INTERNAL_ERROR)
        return Envelope(message, id, status=status)

    def _notice(self, envelope: Envelope) -> None:
        method, params = envelope.message["method"], envelope.message.get("params", {})
        if method == "notifications/cancelled":
            self.cancelled(params.get("requestId"))
        elif method == "notifications/progress":
            self._progressed(params)
        self._run(lambda: self.hear(envelope), method)

    def cancelled(self, id: object) -> None:
        """Stop serving a request that nobody waits for. An unknown id is ignored, as it should."""
        task = self._serving.get(id) if jsonrpc.is_id(id) else None
        if task:
            task.cancel()

    def when_served(self, id: Id, call: Callable[[], Any]) -> None:
        """Call this once the request is served: its answer is on its way, or nobody wants it."""
        task = self._serving.get(id)
        if task:
            task.add_done_callback(lambda _: call())

    def _progressed(self, params: Message) -> None:
        token = params.get("progressToken")
        waiting = self._pending.get(token) if jsonrpc.is_id(token) else None
        if waiting and waiting.progress:
            if waiting.extend:
                waiting.extend(0)
            callback = waiting.progress
            self._run(lambda: callback(params), "notifications/progress")

    def _settle(self, id: Id, message: Message, status: int | None) -> None:
        waiting = self._pending.get(id)
        if waiting is None or waiting.answer.done():
            self.strays.append(f"an answer came with id {id!r}, which no request waits for")
            return
        if "error" in message:
            body = message["error"]
            problem = McpError(body["code"], body["message"], body.get("data"), status)
            waiting.answer.set_exception(problem)
        else:
            waiting.answer.set_result(message["result"])

    def _idless_error(self, envelope: Envelope) -> None:
        """An error that names no request: it belongs to the one that waits, if only one does."""
        id, body = envelope.reply_to, envelope.message["error"]
        if id is None and len(self._pending) == 1:
            id = next(iter(self._pending))
        body = body if isinstance(body, dict) else {}
        text = body["message"] if isinstance(body.get("message"), str) else "(no message)"
        if id is None or not isinstance(body.get("code"), int):
            self.strays.append(f"an error came that names no request: {text[:200]}")
            return
        readable = jsonrpc.error(id, body["code"], text, body.get("data"))
        self._settle(id, readable, envelope.status)

    # -- work beside the conversation ----------------------------------------------------------

    def spawn(self, work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        """Run something beside the conversation; it ends with the connection at the latest."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (problem := task.exception()):
            level = logging.DEBUG if isinstance(problem, ConnectionLost) else logging.ERROR
            log.log(level, "a task of the connection failed", exc_info=problem)

    def _run(self, call: Callable[[], Any], what: str) -> None:
        """Call a listener; it may be async, and its mistakes are its own."""
        try:
            outcome = call()
        except Exception:
            log.exception("in a listener for %s", what)
            return
        if asyncio.iscoroutine(outcome):
            self.spawn(outcome)

    async def finish(self, limit: float) -> None:
        """Wait for the answers still owed, `limit` seconds at the most."""
        if self._tasks:
            await asyncio.wait(tuple(self._tasks), timeout=limit)

    def lost(self, reason: str, status: int | None = None) -> None:
        """The wire is gone: all that is pending fails at once, all that is served stops."""
        if self._lost is not None:
            return
        self._lost = ConnectionLost(reason, status)
        self.state = "closed"
        for waiting in tuple(self._pending.values()):
            if not waiting.answer.done():
                waiting.answer.set_exception(ConnectionLost(reason, status))
        for task in tuple(self._tasks):
            if task is not _current_task():
                task.cancel()

    def fail(self, id: Id, reason: str, status: int | None = None) -> None:
        """One request can no longer be answered; the connection lives on."""
        waiting = self._pending.get(id)
        if waiting and not waiting.answer.done():
            waiting.answer.set_exception(ConnectionLost(reason, status))


def is_request(message: Any) -> bool:
    """True for a valid request: one whose answer can name it."""
    return jsonrpc.kind(message) == "request" and jsonrpc.check(message) is None


def _current_task() -> "asyncio.Task[Any] | None":
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


def with_meta(params: Message | None, meta: Message) -> Message:
    """Params with these keys set in their `_meta`; neither argument is changed."""
    params = params or {}
    return params | {"_meta": {**params.get("_meta", {}), **meta}}
