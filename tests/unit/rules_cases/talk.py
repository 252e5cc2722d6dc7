"""Words to write small conversations with: each function makes a message, a frame or several.

    old(server={"tools": {}}) + [c(ask(2, "tools/list")), s(ok(2, tools=[]))]

`c` is said by the client, `s` by the server; `post` and `reply` say it over HTTP.
"""

from typing import Any

from mcp_lesson.revisions import META
from mcp_lesson.trace import TO_CLIENT, TO_SERVER, Frame

JSON, STREAM = "application/json", "text/event-stream"
INFO = {"name": "somebody", "version": "1"}


def c(message: Any, **more: Any) -> Frame:
    """The client says this."""
    return Frame(0.0, TO_SERVER, "message", message, **more)


def s(message: Any, **more: Any) -> Frame:
    """The server says this."""
    return Frame(0.0, TO_CLIENT, "message", message, **more)


def noise(raw: bytes, side: str = TO_CLIENT, **more: Any) -> Frame:
    """A line that is no JSON."""
    return Frame(0.0, side, "noise", raw=raw, **more)


def ask(id: Any, method: str, **params: Any) -> dict[str, Any]:
    """A request."""
    message = {"jsonrpc": "2.0", "id": id, "method": method}
    return message | ({"params": params} if params else {})


def tell(method: str, **params: Any) -> dict[str, Any]:
    """A notification."""
    return {"jsonrpc": "2.0", "method": method} | ({"params": params} if params else {})


def ok(id: Any, **result: Any) -> dict[str, Any]:
    """A result."""
    return {"jsonrpc": "2.0", "id": id, "result": result}


def err(id: Any, code: Any, **data: Any) -> dict[str, Any]:
    """An error."""
    body = {"code": code, "message": "no"} | ({"data": data} if data else {})
    return {"jsonrpc": "2.0", "id": id, "error": body}


# -- the handshake ---------------------------------------------------------------------------------


def hello(version: str = "2025-11-25", client: Any = None, id: Any = 1) -> dict[str, Any]:
    """initialize."""
    return ask(
        id, "initialize", protocolVersion=version, capabilities=client or {}, clientInfo=INFO
    )


def welcome(version: str = "2025-11-25", server: Any = None, id: Any = 1) -> dict[str, Any]:
    """The answer to initialize."""
    return ok(id, protocolVersion=version, capabilities=server or {}, serverInfo=INFO)


READY = tell("notifications/initialized")


def old(version: str = "2025-11-25", *, server: Any = None, client: Any = None) -> list[Frame]:
    """A handshake."""
    return [c(hello(version, client)), s(welcome(version, server)), c(READY)]


# -- since 2026-07-28 ------------------------------------------------------------------------------


def meta(client: Any = None, **more: Any) -> dict[str, Any]:
    """The _meta of a request."""
    kept = {"protocolVersion": "2026-07-28", "clientCapabilities": client or {}} | more
    plain = ("progressToken",)
    return {(k if k in plain else META + k): v for k, v in kept.items()}


def new(id: Any, method: str, client: Any = None, **params: Any) -> dict[str, Any]:
    """A request."""
    return ask(id, method, _meta=params.pop("meta", None) or meta(client), **params)


def done(id: Any, **result: Any) -> dict[str, Any]:
    """A result that is complete."""
    return ok(id, **{"resultType": "complete"} | result)


KEPT = {"ttlMs": 0, "cacheScope": "private"}


def discovered(**server: Any) -> dict[str, Any]:
    """The answer to server/discover."""
    return done(1, supportedVersions=["2026-07-28"], capabilities=server, **KEPT)


def found(**server: Any) -> list[Frame]:
    """A conversation that begins with server/discover."""
    return [c(new(1, "server/discover")), s(discovered(**server))]


def of(id: Any) -> dict[str, Any]:
    """The _meta of what belongs to a subscription."""
    return {META + "subscriptionId": id}


# -- HTTP ------------------------------------------------------------------------------------------


def post(x: int, message: Any, path: str = "/mcp", **headers: str | None) -> Frame:
    """The client posts this; `None` takes a header away."""
    sent = {"accept": f"{JSON}, {STREAM}", "content-type": JSON}
    return c(message, x=x, http=f"POST {path}", headers=_headers(sent, headers))


def fetch(x: int, verb: str = "GET", **headers: str | None) -> Frame:
    """The client sends a GET or a DELETE."""
    sent = {"accept": STREAM} if verb == "GET" else {}
    return Frame(0.0, TO_SERVER, "http", x=x, http=f"{verb} /mcp", headers=_headers(sent, headers))


def reply(x: int, message: Any, status: int = 200, **headers: str | None) -> Frame:
    """The server answers with this, in JSON."""
    return s(message, x=x, http=str(status), headers=_headers({"content-type": JSON}, headers))


def bare(x: int, status: int = 202, **headers: str | None) -> Frame:
    """The server answers without a body."""
    return Frame(0.0, TO_CLIENT, "http", x=x, http=str(status), headers=_headers({}, headers))


def stream(x: int, **headers: str | None) -> Frame:
    """The server opens a stream."""
    sent = _headers({"content-type": STREAM}, headers)
    return Frame(0.0, TO_CLIENT, "http", x=x, http="200", headers=sent, sse="open")


def on(x: int, message: Any, id: Any = None, **more: Any) -> Frame:
    """The server says this on an open stream."""
    return s(message, x=x, sse={"event": "message"} | ({"id": id} if id else {}) | more)


def _headers(sent: dict[str, str], more: dict[str, str | None]) -> dict[str, str]:
    named = {name.replace("_", "-"): value for name, value in more.items()}
    return {name: value for name, value in (sent | named).items() if value is not None}


V = {"mcp_protocol_version": "2025-11-25"}


def session(version: str = "2025-11-25", id: str | None = None, **server: Any) -> list[Frame]:
    """A handshake over HTTP, in exchanges 1 and 2; `id` is that of the session."""
    known = {"mcp_session_id": id} if id else {}
    named = {"mcp_protocol_version": version} if version >= "2025-06-18" else {}
    return [
        post(1, hello(version)),
        reply(1, welcome(version, server), **known),
        post(2, READY, **known, **named),
        bare(2),
    ]


def routed(x: int, message: dict[str, Any], **headers: str | None) -> Frame:
    """A request of 2026-07-28, with the headers that repeat it."""
    params = message.get("params", {})
    name = params.get("name", params.get("uri"))
    sent = {"mcp_protocol_version": "2026-07-28", "mcp_method": message["method"]}
    named = {"mcp_name": name} if message["method"] in NAMED else {}
    return post(x, message, **{**sent, **named, **headers})


NAMED = ("tools/call", "resources/read", "prompts/get")


def found_by_http(**server: Any) -> list[Frame]:
    """server/discover and its answer, over HTTP, in exchange 1."""
    return [routed(1, new(1, "server/discover")), reply(1, discovered(**server))]
