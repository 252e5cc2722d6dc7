"""Our client over HTTP, against servers that answer by script."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from by_hand import discovered, eventually
from raw_http import Request, event, respond, scripted

from mcp_lesson import (
    ConnectionLost,
    HandshakeError,
    Limits,
    McpError,
    RequestTimeout,
    Trace,
    connect,
    jsonrpc,
)
from mcp_lesson.revisions import LATEST_LEGACY, NEWEST
from mcp_lesson.transports import http

Writer = asyncio.StreamWriter
TEXT = {"content": [{"type": "text", "text": "hi"}]}


class Book:
    """A legacy server by script: it greets, and what it does with anything else is given.

    `others` maps a method (or "GET", "DELETE") to what answers it.
    """

    def __init__(self, session: str | None = "one", **others: Any) -> None:
        self.session = session
        self.others = {name.replace("__", "/"): way for name, way in others.items()}
        self.seen: list[Request] = []

    async def __call__(self, request: Request, writer: Writer) -> None:
        self.seen.append(request)
        message = request.json
        name = message["method"] if message and "method" in message else request.method
        way = self.others.get(name)
        if way is not None:
            done = way(request, writer)
            if done is not None:
                await done
        elif name == "initialize":
            self.greet(message, writer)
        elif message and "id" in message:
            respond(writer, jsonrpc.result(message["id"], TEXT | {"tools": []}))
        else:
            respond(writer, status=202 if request.method == "POST" else 405)

    def greet(self, message: dict, writer: Writer) -> None:
        result = {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "book", "version": "1"},
        }
        session = {"mcp_session_id": self.session} if self.session else {}
        respond(writer, jsonrpc.result(message["id"], result), **session)

    def calls(self, method: str) -> list[Request]:
        return [r for r in self.seen if r.json and r.json.get("method") == method]

    def of(self, verb: str) -> list[Request]:
        return [request for request in self.seen if request.method == verb]


# -- sessions --------------------------------------------------------------------------------------


async def test_a_session_from_its_first_word_to_its_last() -> None:
    book = Book()
    async with scripted(book) as url, connect(url, era="legacy") as client:
        assert (await client.call_tool("t")).text == "hi"
        await eventually(lambda: book.of("GET"))
    first, told, called = book.of("POST")
    (stream,), (ended,) = book.of("GET"), book.of("DELETE")
    assert "mcp-session-id" not in first.headers
    assert "mcp-protocol-version" not in first.headers
    for request in (told, called, stream, ended):
        assert request.headers["mcp-session-id"] == "one"
        assert request.headers["mcp-protocol-version"] == LATEST_LEGACY
    for request in (first, told, called):
        assert request.headers["accept"] == "application/json, text/event-stream"
        assert request.headers["content-type"] == "application/json"
    assert stream.headers["accept"] == "text/event-stream"
    assert "mcp-method" not in called.headers, "headers of the new era stay there"


async def test_a_server_without_sessions() -> None:
    book = Book(session=None)
    async with scripted(book) as url, connect(url, era="legacy") as client:
        await client.call_tool("t")
    assert not book.of("DELETE")
    assert not [r for r in book.seen if "mcp-session-id" in r.headers]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"Session not found",
        {"error": "Session not found"},
        {"detail": "gone"},
        jsonrpc.error("server-error", -32600, "Session not found"),
        jsonrpc.error(None, -32001),
    ],
    ids=str,
)
async def test_a_dead_session_is_replaced_whatever_the_404_says(body: object) -> None:
    def call(request: Request, writer: Writer) -> None:
        if request.headers["mcp-session-id"] == "one":
            book.session = "two"
            respond(writer, body, status=404)
        else:
            respond(writer, jsonrpc.result(request.json["id"], TEXT))

    book = Book(tools__call=call)
    async with scripted(book) as url, connect(url, era="legacy") as client:
        assert (await client.call_tool("t")).text == "hi"
        assert client.session_id == "two"
    assert len(book.calls("initialize")) == 2
    assert "mcp-session-id" not in book.calls("initialize")[1].headers


async def test_headers_of_the_caller_go_along_and_their_secret_is_not_recorded() -> None:
    book, trace = Book(), Trace()
    headers = {"Authorization": "Bearer secret", "X-Mine": "1"}
    async with scripted(book) as url, connect(url, era="legacy", headers=headers, trace=trace):
        await eventually(lambda: book.of("GET"))
    for request in book.seen:
        assert request.headers["authorization"] == "Bearer secret"
        assert request.headers["x-mine"] == "1"
    assert "secret" not in trace.dumps()
    assert '"authorization"' in trace.dumps()


# -- which era -------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 404, 405, 406, 415, 500])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>Bad Request</html>",
        {"detail": "Not Found"},
        {"error": "no"},
        [],
        5,
        {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "Bad Request"}},
        {"jsonrpc": "2.0", "id": "server-error", "error": {"code": -32600, "message": "x"}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "x"}},
    ],
    ids=str,
)
async def test_what_is_no_modern_answer_means_legacy(status: int, body: object) -> None:
    def refuse(request: Request, writer: Writer) -> None:
        respond(writer, body, status=status)

    book = Book(server__discover=refuse)
    async with scripted(book) as url, connect(url) as client:
        assert (client.era, client.revision.name) == ("legacy", LATEST_LEGACY)
    assert [r.json["method"] for r in book.of("POST")] == [
        "server/discover",
        "initialize",
        "notifications/initialized",
    ]


async def test_a_modern_server_needs_one_post_a_request() -> None:
    def discover(request: Request, writer: Writer) -> None:
        respond(writer, jsonrpc.result(request.json["id"], discovered()))

    book = Book(server__discover=discover)
    async with scripted(book) as url, connect(url) as client:
        await client.call_tool("t")
    assert [r.method for r in book.seen] == ["POST", "POST"]
    for request, method in zip(book.seen, ("server/discover", "tools/call"), strict=True):
        assert request.headers["mcp-protocol-version"] == NEWEST
        assert request.headers["mcp-method"] == method
        assert "mcp-session-id" not in request.headers
    assert book.seen[1].headers["mcp-name"] == "t"


async def test_a_modern_error_in_a_400_is_no_fallback() -> None:
    def refuse(request: Request, writer: Writer) -> None:
        data = {"supported": ["2099-01-01"], "requested": NEWEST}
        respond(writer, jsonrpc.error(request.json["id"], -32022, data=data), status=400)

    book = Book(server__discover=refuse)
    async with scripted(book) as url:
        with pytest.raises(HandshakeError, match="the server supports 2099-01-01"):
            await connect(url)
    assert not book.calls("initialize")


# -- answers ---------------------------------------------------------------------------------------


def stream_of(*pieces: bytes | float) -> Callable[[Request, Writer], Any]:
    """An answer by stream: pieces are written in turn, numbers are seconds between."""

    async def way(request: Request, writer: Writer) -> None:
        respond(writer, kind="text/event-stream")
        for piece in pieces:
            if isinstance(piece, bytes):
                writer.write(piece.replace(b'"ID"', str(request.json["id"]).encode()))
                await writer.drain()
            else:
                await asyncio.sleep(piece)

    return way


ANSWER = event(jsonrpc.result("ID", TEXT))


@pytest.mark.parametrize(
    "pieces",
    [
        (ANSWER,),
        (b": comment\n\n", event(id="1", retry=5), ANSWER, event(jsonrpc.result("x", {}))),
        tuple(bytes([byte]) for byte in ANSWER.replace(b'"ID"', b"2")),
        (ANSWER.replace(b"\n", b"\r\n"),),
        (ANSWER.replace(b"\n", b"\r"),),
        (event(jsonrpc.notification("notifications/tools/list_changed")), ANSWER),
        (b"data: no json\n\n", b"data: 5\n\n", ANSWER),
    ],
    ids=["plain", "framed", "torn", "CRLF", "CR", "after a notification", "after noise"],
)
async def test_an_answer_by_stream(pieces: tuple) -> None:
    book = Book(tools__call=stream_of(*pieces))
    async with scripted(book) as url, connect(url, era="legacy") as client:
        assert (await client.call_tool("t")).text == "hi"


@pytest.mark.parametrize("words", ["a\u2028b\u2029c\x85d", "你好 😀", "line\nbreak\r\n\ttab\x1c"])
async def test_letters_that_look_like_line_ends_are_letters(words: str) -> None:
    answer = event(jsonrpc.result("ID", {"content": [{"type": "text", "text": words}]}))
    book = Book(tools__call=stream_of(answer))
    async with scripted(book) as url, connect(url, era="legacy") as client:
        assert (await client.call_tool("t")).text == words


@pytest.mark.parametrize(
    ("way", "words"),
    [
        (lambda r, w: respond(w, status=202), "HTTP 202"),
        (lambda r, w: respond(w, status=204), "HTTP 204"),
        (lambda r, w: respond(w, b"<html>", status=200, kind="text/html"), "HTTP 200: <html>"),
        (lambda r, w: respond(w, b"oops", status=500), "HTTP 500: oops"),
        (lambda r, w: respond(w, status=307, location="/elsewhere"), "HTTP 307"),
        (lambda r, w: respond(w, {"detail": "x"}, status=422), 'HTTP 422: {"detail": "x"}'),
        (lambda r, w: respond(w, {"detail": "x"}), "without an answer"),
        (lambda r, w: respond(w, jsonrpc.result(999, {})), "without an answer"),
        (lambda r, w: w.close(), "no exchange with"),
        (stream_of(), "ended before the answer"),
        (stream_of(b"data: half"), "ended before the answer"),
        (stream_of(event(jsonrpc.result("other", {}))), "ended before the answer"),
    ],
    ids=[
        "202",
        "204",
        "html",
        "500",
        "307",
        "422",
        "no-message",
        "other-id",
        "closed",
        "empty-stream",
        "half-an-event",
        "another's-answer",
    ],
)
async def test_an_exchange_without_an_answer_ends_in_a_clear_error(way, words: str) -> None:
    book = Book(tools__call=way)
    async with scripted(book) as url, connect(url, era="legacy") as client:
        with pytest.raises(ConnectionLost, match=words):
            await asyncio.wait_for(client.call_tool("t"), 5)
        assert (await client.request("tools/list"))["tools"] == [], "and nobody else is harmed"


async def test_an_error_answer_keeps_its_status() -> None:
    def refuse(request: Request, writer: Writer) -> None:
        respond(writer, jsonrpc.error(request.json["id"], -32000, "busy"), status=429)

    book = Book(tools__call=refuse)
    async with scripted(book) as url, connect(url, era="legacy") as client:
        with pytest.raises(McpError, match="-32000 busy") as caught:
            await client.call_tool("t")
        assert caught.value.status == 429


async def test_a_body_or_an_event_beyond_the_limit_is_not_taken() -> None:
    long = {"content": [{"type": "text", "text": "x" * 5000}]}
    answers = [
        lambda r, w: respond(w, jsonrpc.result(r.json["id"], long)),
        stream_of(event(jsonrpc.result("ID", long))),
    ]
    for way in answers:
        book = Book(tools__call=way)
        limits = Limits(line=2000)
        async with scripted(book) as url, connect(url, era="legacy", limits=limits) as client:
            with pytest.raises(ConnectionLost, match="longer than 2,000 bytes"):
                await client.call_tool("t")


async def test_answers_come_beside_each_other() -> None:
    gate = asyncio.Event()

    async def call(request: Request, writer: Writer) -> None:
        name = request.json["params"]["name"]
        if name == "slow":
            await gate.wait()
        result = {"content": [{"type": "text", "text": name}]}
        respond(writer, jsonrpc.result(request.json["id"], result))
        if name == "fast":
            gate.set()

    book = Book(tools__call=call)
    async with scripted(book) as url, connect(url, era="legacy") as client:
        slow, fast = await asyncio.gather(client.call_tool("slow"), client.call_tool("fast"))
    assert (slow.text, fast.text) == ("slow", "fast")


# -- time ------------------------------------------------------------------------------------------


async def silence(request: Request, writer: Writer) -> None:
    await asyncio.Event().wait()


async def test_a_legacy_request_that_takes_too_long_is_cancelled_by_a_message() -> None:
    book = Book(tools__call=silence)
    async with scripted(book) as url, connect(url, era="legacy") as client:
        with pytest.raises(RequestTimeout):
            await client.call_tool("t", timeout=0.05)
        await eventually(lambda: book.calls("notifications/cancelled"))
    (cancelled,) = book.calls("notifications/cancelled")
    assert cancelled.json["params"]["requestId"] == book.calls("tools/call")[0].json["id"]


async def test_a_modern_request_that_takes_too_long_is_cancelled_by_leaving() -> None:
    left = asyncio.Event()

    async def call(request: Request, writer: Writer) -> None:
        while True:  # until the client is gone
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            try:
                await writer.drain()
            except ConnectionError:
                left.set()
                return
            await asyncio.sleep(0.01)

    def discover(request: Request, writer: Writer) -> None:
        respond(writer, jsonrpc.result(request.json["id"], discovered()))

    book = Book(tools__call=call, server__discover=discover)
    async with scripted(book) as url, connect(url, era="modern") as client:
        with pytest.raises(RequestTimeout):
            await client.call_tool("t", timeout=0.05)
        await asyncio.wait_for(left.wait(), 5)
    assert not book.calls("notifications/cancelled")
    asked = next(f for f in client.trace if f.message and f.message.get("method") == "tools/call")
    (closed,) = [frame for frame in client.trace if frame.kind == "lifecycle"]
    assert (closed.text, closed.x) == ("the client closed the stream of its request", asked.x)


async def test_a_notification_that_is_never_answered_ends_in_time() -> None:
    book = Book(notifications__roots__list_changed=silence)
    limits = Limits(request=0.1)
    async with scripted(book) as url, connect(url, era="legacy", limits=limits) as client:
        with pytest.raises(ConnectionLost, match=r"within 0.1 s"):
            await client.notify("notifications/roots/list_changed")


async def test_closing_ends_what_is_under_way_and_says_so() -> None:
    book = Book(tools__call=silence)
    async with scripted(book) as url:
        client = await connect(url, era="legacy")
        call = asyncio.ensure_future(client.call_tool("t"))
        await eventually(lambda: book.calls("tools/call"))
        await client.close()
        with pytest.raises(ConnectionLost, match="by this side"):
            await call
        await client.close()


async def test_a_delete_that_is_never_answered_delays_closing_by_its_limit_only() -> None:
    book = Book(DELETE=silence)
    async with scripted(book) as url:
        client = await connect(url, era="legacy", limits=Limits(leave=0.1))
        await asyncio.wait_for(client.close(), 2)
    assert book.of("DELETE")


async def test_nobody_listens_there() -> None:
    async with scripted(Book()) as url:
        pass
    with pytest.raises(ConnectionLost, match=r"no exchange with http://127\.0\.0\.1"):
        await connect(url)


@pytest.mark.parametrize("url", ["http://", "http:///mcp", "https://"])
async def test_an_address_without_a_host_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="has no host"):
        await connect(url)


# -- resuming (2025-11-25 basic/transports#resumability-and-redelivery) ----------------------------


class Broken:
    """A call's stream that breaks off, and what is there when it is taken up again."""

    def __init__(self, first: list[bytes], *later: Any) -> None:
        self.first, self.later = first, list(later)
        self.id: object = None
        self.gets: list[Request] = []
        self.broke_at, self.resumed_at = 0.0, 0.0

    async def call(self, request: Request, writer: Writer) -> None:
        self.id = request.json["id"]
        await stream_of(*self.first)(request, writer)
        self.broke_at = asyncio.get_running_loop().time()

    async def get(self, request: Request, writer: Writer) -> None:
        if "last-event-id" not in request.headers:
            respond(writer, status=405)
            return
        self.resumed_at = self.resumed_at or asyncio.get_running_loop().time()
        self.gets.append(request)
        way = self.later.pop(0) if self.later else 404
        if isinstance(way, int):
            respond(writer, status=way)
            return
        respond(writer, kind="text/event-stream")
        writer.write(way.replace(b'"ID"', str(self.id).encode()))

    @contextlib.asynccontextmanager
    async def client(self, **limits: float):
        book = Book(tools__call=self.call, GET=self.get)
        async with (
            scripted(book) as url,
            connect(url, era="legacy", limits=Limits(**limits)) as client,
        ):
            yield client


async def test_a_stream_that_breaks_off_is_taken_up_where_it_ended() -> None:
    broken = Broken([event(id="e1", retry=200), event(id="e2")], ANSWER)
    async with broken.client() as client:
        assert (await client.call_tool("t")).text == "hi"
    assert [request.headers["last-event-id"] for request in broken.gets] == ["e2"]
    assert broken.gets[0].headers["mcp-session-id"] == "one"
    assert 0.2 <= broken.resumed_at - broken.broke_at < 1.0, "the server's own patience is kept"


async def test_it_is_taken_up_again_and_again_as_long_as_something_comes() -> None:
    pieces = [event(id=f"e{n}", retry=1) for n in range(10)]
    broken = Broken([pieces[0]], *pieces[1:], ANSWER)
    async with broken.client() as client:
        assert (await client.call_tool("t")).text == "hi"
    assert [r.headers["last-event-id"] for r in broken.gets] == [f"e{n}" for n in range(10)]


async def test_it_is_given_up_when_nothing_new_comes() -> None:
    broken = Broken([event(id="e1", retry=1)], *[event(id="e1", retry=1)] * 50)
    async with broken.client() as client:
        with pytest.raises(ConnectionLost, match="ended before the answer"):
            await client.call_tool("t")
    assert http.ATTEMPTS <= len(broken.gets) <= http.ATTEMPTS + 1


@pytest.mark.parametrize("status", [404, 405, 500])
async def test_it_is_given_up_when_the_server_says_so(status: int) -> None:
    broken = Broken([event(id="e1", retry=1)], status)
    async with broken.client() as client:
        with pytest.raises(ConnectionLost, match=f"HTTP {status}"):
            await client.exchange("tools/call", {"name": "t"})
    assert len(broken.gets) == 1


async def test_without_an_id_there_is_nothing_to_take_up() -> None:
    broken = Broken([event(retry=1)])
    async with broken.client() as client:
        with pytest.raises(ConnectionLost, match="ended before the answer"):
            await client.call_tool("t")
    assert not broken.gets


# -- the stream for what is unsolicited ------------------------------------------------------------


async def test_what_comes_unsolicited_is_heard_and_answered() -> None:
    asked = event(jsonrpc.request("q", "roots/list"))
    told = event(jsonrpc.notification("notifications/tools/list_changed"))

    async def get(request: Request, writer: Writer) -> None:
        respond(writer, kind="text/event-stream")
        writer.write(asked + told)
        await writer.drain()
        await asyncio.Event().wait()

    book, heard = Book(GET=get), asyncio.Event()
    async with scripted(book) as url, connect(url, era="legacy", roots=["file:///a"]) as client:
        client.on("notifications/tools/list_changed", lambda params: heard.set())
        await asyncio.wait_for(heard.wait(), 5)
        await eventually(lambda: [r for r in book.of("POST") if "result" in r.json])
    (answer,) = [r for r in book.of("POST") if "result" in r.json]
    assert answer.json == jsonrpc.result("q", {"roots": [{"uri": "file:///a"}]})
    assert answer.headers["mcp-session-id"] == "one"


async def test_the_stream_is_opened_again_when_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "RETRY", 0.01)
    count = 0

    async def get(request: Request, writer: Writer) -> None:
        nonlocal count
        count += 1
        respond(writer, kind="text/event-stream")
        if count == 3:
            writer.write(event(jsonrpc.notification("notifications/tools/list_changed")))
            await writer.drain()
            await asyncio.Event().wait()

    book, heard = Book(GET=get), asyncio.Event()
    async with scripted(book) as url, connect(url, era="legacy") as client:
        client.on("notifications/tools/list_changed", lambda params: heard.set())
        await asyncio.wait_for(heard.wait(), 5)


# -- what a trace tells ----------------------------------------------------------------------------


async def test_a_trace_tells_which_answer_belongs_to_which_exchange() -> None:
    trace = Trace()
    book = Book(tools__call=stream_of(event(id="e1"), ANSWER))
    async with scripted(book) as url, connect(url, era="legacy", trace=trace) as client:
        await client.call_tool("t")
    frames = [f for f in trace if f.x is not None and f.dir == "client->server" and f.message]
    call = next(f for f in frames if f.message.get("method") == "tools/call")
    assert call.http == "POST /mcp"
    assert call.headers["host"].startswith("127.0.0.1:")
    answer = [f for f in trace if f.x == call.x][1:]
    assert [(f.kind, f.sse) for f in answer] == [
        ("http", "open"),
        ("http", {"id": "e1"}),
        ("message", {}),
    ]
    assert answer[0].http == "200"
    assert Trace.loads(trace.dumps()) == trace


def test_which_headers_a_trace_records() -> None:
    headers = {"Mcp-Name": "a", "Host": "h", "Cookie": "c", "AUTHORIZATION": "Bearer x"}
    assert http.shown(headers) == {"mcp-name": "a", "host": "h", "authorization": "…"}


async def test_localhost_is_found_by_either_address() -> None:
    async with scripted(Book()) as url:
        named = url.replace("127.0.0.1", "localhost")
        async with connect(named, era="legacy") as client:
            assert (await client.call_tool("t")).text == "hi"
