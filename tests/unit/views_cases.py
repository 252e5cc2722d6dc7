"""Small conversations for the tests of the views, each with a point of its own."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from mcp_lesson import Trace, jsonrpc
from mcp_lesson.trace import Frame

META = "io.modelcontextprotocol/"
CAPTURES = Path(__file__).parents[3] / "shared" / "captures"


class Talk:
    """A trace that is written down message by message."""

    def __init__(self) -> None:
        self.trace = Trace()
        self._time = 0.0

    def _put(self, dir: str, message: Any, more: dict[str, Any]) -> None:
        self._time += 0.001
        raw = jsonrpc.dumps(message).encode()
        self.trace.record(Frame(self._time, dir, "message", message, raw, **more))

    def ask(self, id: Any, method: str, params: Any = None, **more: Any) -> None:
        self._put("client->server", jsonrpc.request(id, method, params), more)

    def tell(self, method: str, params: Any = None, **more: Any) -> None:
        self._put("client->server", jsonrpc.notification(method, params), more)

    def result(self, id: Any, value: Any, **more: Any) -> None:
        self._put("server->client", jsonrpc.result(id, value), more)

    def error(self, id: Any, code: int, text: str, **more: Any) -> None:
        self._put("server->client", jsonrpc.error(id, code, text), more)

    def asked(self, id: Any, method: str, params: Any = None, **more: Any) -> None:
        self._put("server->client", jsonrpc.request(id, method, params), more)

    def told(self, method: str, params: Any = None, **more: Any) -> None:
        self._put("server->client", jsonrpc.notification(method, params), more)

    def answer(self, id: Any, value: Any, **more: Any) -> None:
        self._put("client->server", jsonrpc.result(id, value), more)

    def note(self, kind: str, text: str | None = None, dir: str = "server->client", **more: Any
             ) -> None:  # fmt: skip
        self._time += 0.001
        self.trace.record(Frame(self._time, dir, kind, text=text, **more))


def says(text: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **more}


def greet(talk: Talk, **more: Any) -> None:
    about = {"name": "my-agent", "version": "1.0"}
    wish = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about}
    talk.ask(1, "initialize", wish, **more)
    who = {"name": "demo-server", "version": "0.1.0"}
    can = {"tools": {}, "resources": {}}
    agreed = {"protocolVersion": "2025-11-25", "capabilities": can, "serverInfo": who}
    talk.result(1, agreed, **more)
    talk.tell("notifications/initialized", **more)


def lesson() -> Trace:
    """A whole legacy conversation: greeting, calls, progress, an error, noise, the end."""
    talk = Talk()
    greet(talk)
    talk.ask(2, "tools/list")
    talk.result(2, {"tools": [{"name": name} for name in ("echo", "add", "get_time")]})
    call = {"name": "add", "arguments": {"a": 3, "b": 4}, "_meta": {"progressToken": 3}}
    talk.ask(3, "tools/call", call)
    talk.told("notifications/progress", {"progressToken": 3, "progress": 1, "total": 2})
    talk.result(3, says("7"))
    talk.ask(4, "tools/call", {"name": "nope", "arguments": {}})
    talk.error(4, -32602, "Unknown tool: nope")
    talk.note("noise", "Hello from print()")
    talk.note("stderr", "[demo-server] ready for more")
    talk.note("lifecycle", "stdin closed", "client->server")
    talk.note("lifecycle", "server exits with 0 after 12 ms")
    return talk.trace


def troubles() -> Trace:
    """What goes wrong: tool failure, garbage, unknown method, cancelled, unmatched, a batch."""
    talk = Talk()
    talk.ask(1, "tools/call", {"name": "divide", "arguments": {"a": 1, "b": 0}})
    talk.result(1, says("Division by zero", isError=True))
    talk.note("noise", "this is not JSON", "client->server")
    talk.error(None, -32700, "Parse error")
    talk.ask(2, "no/such/method", {"x": 1})
    talk.error(2, -32601, "Method not found")
    talk.ask(3, "tools/call", {"name": "slow", "arguments": {}})
    talk.ask(4, "tools/call", {"name": "add", "arguments": {"a": 1, "b": 2}})
    talk.result(4, says("3"))
    talk.tell("notifications/cancelled", {"requestId": 3, "reason": "no patience"})
    talk.result(99, {})
    talk.trace.received("42")
    talk.ask(5, "tools/list")
    talk.trace.sent(jsonrpc.dumps([jsonrpc.request(6, "ping"), jsonrpc.request(7, "tools/list")]))
    return talk.trace


def company() -> Trace:
    """User, model, host, client and server."""
    talk = Talk()
    talk.note("speech", "What is 3 plus 4?", "user->host")
    greet(talk)
    talk.note("speech", "What is 3 plus 4? You may use: echo, add, get_time", "host->model")
    talk.note("speech", "add(a=3, b=4)", "model->host")
    talk.ask(2, "tools/call", {"name": "add", "arguments": {"a": 3, "b": 4}})
    talk.result(2, says("7"))
    talk.note("speech", "looks the answer over", "host->host")
    talk.note("speech", "3 plus 4 is 7.", "host->user")
    talk.note("lifecycle", "the server is idle", "server->server")
    return talk.trace


def rounds() -> Trace:
    """Two rounds of input in the stateless era, and a stream of changes."""
    talk = Talk()
    meta = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {}}

    def ask(id: int, method: str, **params: Any) -> None:
        talk.ask(id, method, {**params, "_meta": meta})

    call = {"name": "book_leave", "arguments": {"days": 3}}
    asks = {"who": {"method": "elicitation/create", "params": {"message": "Who are you?"}}}
    ask(1, "server/discover")
    talk.result(1, {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}})
    ask(2, "tools/call", **call)
    needed = {"resultType": "input_required", "inputRequests": asks, "requestState": "st4te-one"}
    talk.result(2, needed)
    who = {"who": {"action": "accept", "content": {"name": "Ada"}}}
    ask(3, "tools/call", **call, inputResponses=who, requestState="st4te-one")
    talk.result(3, says("3 days booked for Ada", resultType="complete"))
    ask(4, "subscriptions/listen", notifications={"toolsListChanged": True})
    own = {META + "subscriptionId": 4}
    granted = {"_meta": own, "notifications": {"toolsListChanged": True}}
    talk.told("notifications/subscriptions/acknowledged", granted)
    talk.told("notifications/tools/list_changed", {"_meta": own})
    return talk.trace


def web() -> Trace:
    """Streamable HTTP: a session, streams of a POST and a GET, a 202, a request back, a refusal."""
    talk, session = Talk(), {"mcp-session-id": "825794c7-2eb8-4657-9872-cd99173e0a4e"}
    post = {"http": "POST /mcp", "headers": {"host": "127.0.0.1:3122"}}
    about = {"name": "my-agent", "version": "1.0"}
    wish = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about}
    talk.ask(1, "initialize", wish, x=1, **post)
    talk.note("http", x=1, http="200", headers=session, sse="open")
    talk.note("http", x=1, sse={"id": "aaaa-1", "retry": 3000})
    agreed = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": about}
    talk.result(1, agreed, x=1, sse={"id": "aaaa-2", "event": "message"})
    talk.note("http", x=1, sse="close")
    talk.tell("notifications/initialized", x=2, **post)
    talk.note("http", x=2, http="202")
    talk.note("http", x=3, http="GET /mcp", dir="client->server",
              headers={"accept": "text/event-stream", "last-event-id": "aaaa-2"})  # fmt: skip
    talk.note("http", x=3, http="200", sse="open")
    talk.ask(2, "tools/call", {"name": "ask", "arguments": {}}, x=4, **post)
    talk.asked(0, "roots/list", x=3, sse={"id": "bbbb-1"})
    talk.answer(0, {"roots": [{"uri": "file:///srv/demo"}]}, x=5, **post)
    talk.note("http", x=5, http="202")
    talk.result(2, says("one root"), x=4, http="200")
    talk.ask(3, "tools/list", x=6, **post)
    talk.note("http", "Session not found", x=6, http="404")
    talk.note("noise", "<html>Bad gateway</html>", x=6, http="502")
    talk.note("http", x=7, http="DELETE /mcp", dir="client->server", headers=session)
    talk.note("http", x=3, sse="close")
    talk.note("http", x=7, http="200")
    return talk.trace


def servers() -> Trace:
    """Three servers behind one host, one of which dies."""
    talk = Talk()
    for peer in ("time", "git", "memory"):
        greet(talk, peer=peer)
    for peer in ("git", "memory", "time"):
        talk.ask(2, "tools/call", {"name": f"{peer}_tool", "arguments": {}}, peer=peer)
    for peer in ("time", "git"):
        talk.result(2, says(f"said {peer}"), peer=peer)
    talk.note("lifecycle", "the server ended with exit status 1", peer="memory")
    return talk.trace


HOSTILE = (
    "</text><script>alert(1)</script>",
    "\u202eevil\u202c\u2066x\u2069",
    "zero\u200bwidth\u200d\ufeff\u00ad",
    "\x00\x1b[31mred\x07\x7f\x85\u2028\u2029",
    "\ud800lone \ufffe \uffff \ue000 \U000e0041",
    "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034falgo",
    "你好世界 ★ 😀 日本語テキスト 한국어",
    "שלום עולם مرحبا بالعالم",
    "a\u3164b\u2800c\u115fd",
    "x" * 3000,
    "\"><img src=x onerror=alert(1)>&amp;'",
)


def hostile() -> Trace:
    """Strings that want to be something else, in every place where a string can be."""
    talk = Talk()
    for number, text in enumerate(HOSTILE):
        talk.ask(text, f"m{text}", {"name": text, "arguments": {text: text}})
        talk.result(text, says(text))
        talk.ask(number, "tools/call", {"name": text, "arguments": {text: text}})
        talk.error(number, -32602, text)
        talk.note("stderr", text)
        talk.note("noise", text)
        talk.note("speech", text, "user->host")
        talk.note("lifecycle", text)
        talk.told("notifications/message", {"level": text, "data": text}, peer=text[:20])
    talk.trace.received(b"\xff\xfe\x00binary\x1b[2J")
    return talk.trace


def long(count: int) -> Trace:
    """So many frames: calls and their answers, an error among fifty."""
    head = list(lesson())[:3]
    frames = list(head)
    for number in range(10, 10 + count // 2):
        call = {"name": "add", "arguments": {"a": number, "b": 1}}
        asked = jsonrpc.request(number, "tools/call", call)
        answer = jsonrpc.result(number, says(str(number + 1)))
        if number % 50 == 0:
            answer = jsonrpc.error(number, -32602, f"bad {number}")
        frames.append(Frame(number / 100, "client->server", "message", asked))
        frames.append(Frame(number / 100 + 0.002, "server->client", "message", answer))
    return Trace(frames[:count])


def finding(frame: int, rule: str, text: str) -> Any:
    return SimpleNamespace(frame=frame, rule=rule, text=text, clause="/specification/x")


CASES = {
    "lesson": lesson,
    "troubles": troubles,
    "company": company,
    "rounds": rounds,
    "web": web,
    "servers": servers,
}


def captures() -> list[Path]:
    """The recorded conversations, where the folder is at hand."""
    return sorted(CAPTURES.glob("*.jsonl"))
