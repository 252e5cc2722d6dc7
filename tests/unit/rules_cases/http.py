"""HTTP: posts, replies, streams, sessions, headers."""

from typing import Any

from mcp_lesson.trace import TO_CLIENT, Frame

from .talk import (
    JSON,
    KEPT,
    READY,
    STREAM,
    V,
    ask,
    bare,
    c,
    done,
    err,
    fetch,
    found_by_http,
    hello,
    meta,
    new,
    ok,
    on,
    post,
    reply,
    routed,
    session,
    stream,
    tell,
    welcome,
)

PING = ask(2, "ping")
PROGRESS = tell("notifications/progress", progressToken="p", progress=1)
ID = {"mcp_session_id": "s-1"}
NAMED = {**ID, **V}
LISTEN = fetch(3, **V)
OTHER = post(9, ask(9, "ping"), **V)


def call(**headers: Any) -> list[Frame]:
    """A call of a tool, since 2026-07-28, with these headers changed."""
    return [*found_by_http(tools={}), routed(2, new(2, "tools/call", name="add"), **headers)]


def named(name: str, header: str) -> list[Frame]:
    """A call of a tool by this name."""
    return [*found_by_http(tools={}), routed(2, new(2, "tools/call", name=name), mcp_name=header)]


def marked(**headers: Any) -> list[Frame]:
    """A call of a tool with an argument that is to be repeated."""
    field = {"type": "string", "x-mcp-header": "Region"}
    tool = {"name": "add", "inputSchema": {"type": "object", "properties": {"region": field}}}
    message = new(3, "tools/call", name="add", arguments={"region": "north"})
    return [
        *found_by_http(tools={}),
        routed(2, new(2, "tools/list")),
        reply(2, done(2, tools=[tool], **KEPT)),
        routed(3, message, **headers),
    ]


def event(x: int, id: str, message: Any = None) -> Frame:
    """An event with an id, with or without a message."""
    if message:
        return on(x, message, id)
    return Frame(0.0, TO_CLIENT, "http", x=x, sse={"id": id})


def resumed(seconds: float) -> list[Frame]:
    """A stream that is taken up again after so long."""
    open = [*session(), post(3, PING, **V), stream(3)]
    told = Frame(1.0, TO_CLIENT, "http", x=3, sse={"id": "e1", "retry": 2000})
    again = fetch(4, last_event_id="e1", **V)
    again.t = 1.0 + seconds
    return [*open, told, again]


def by_pair(version: str) -> list[Frame]:
    """A handshake with POSTs that are answered on the stream of exchange 1."""
    return [
        post(2, hello(version), path="/messages", accept=None),
        bare(2),
        on(1, welcome(version)),
        post(3, READY, path="/messages", accept=None),
        bare(3),
    ]


ENDPOINT = Frame(0.0, TO_CLIENT, "noise", raw=b"/messages", x=1, sse={"event": "endpoint"})
TOKENS = meta(progressToken="p")
WORK = routed(2, new(2, "tools/call", name="add", meta=TOKENS))
OTHER_WORK = routed(3, new(3, "tools/call", name="add"))

CASES = {
    "http.accept-post": (
        [post(1, hello(), accept=JSON)],
        [post(1, hello(), accept=f"{STREAM};q=1, {JSON}")],
    ),
    "http.accept-get": (
        [*session(), fetch(3, accept="*/*", **V)],
        [*session(), fetch(3, **V)],
    ),
    "http.post-only": (
        [*session(), c(PING, x=3, http="PUT /mcp", headers={"mcp-protocol-version": "2025-11-25"})],
        [*session(), post(3, PING, **V)],
    ),
    "http.accepted": (
        [*session(), post(3, tell("notifications/x"), **V), bare(3, 200)],
        [*session(), post(3, tell("notifications/x"), **V), bare(3, 400)],
    ),
    "http.accepted-empty": (
        [*session(), post(3, tell("notifications/x"), **V), reply(3, tell("notifications/x"), 202)],
        [*session(), post(3, tell("notifications/x"), **V), bare(3, 202)],
    ),
    "http.answer-type": (
        [*session(), post(3, PING, **V), reply(3, ok(2), content_type="text/plain")],
        [*session(), post(3, PING, **V), reply(3, ok(2), content_type=f"{JSON}; charset=utf-8")],
    ),
    "http.json-body": (
        [
            *session(),
            post(3, PING, **V),
            Frame(
                0.0,
                TO_CLIENT,
                "noise",
                raw=b"pong",
                x=3,
                http="200",
                headers={"content-type": JSON},
            ),
        ],
        [*session(), post(3, PING, **V), reply(3, ok(2))],
    ),
    "http.get-type": (
        [*session(), LISTEN, bare(3, 200, content_type=JSON)],
        [*session(), LISTEN, stream(3)],
    ),
    "http.get-no-answers": (
        [*session(), LISTEN, stream(3), post(4, PING, **V), on(3, ok(2))],
        [
            *session(),
            fetch(3, last_event_id="e1", **V),
            stream(3),
            post(4, PING, **V),
            on(3, ok(2)),
        ],
    ),
    "http.no-broadcast": (
        [
            *session(),
            LISTEN,
            stream(3),
            OTHER,
            stream(9),
            on(3, ask(1, "ping")),
            on(9, ask(1, "ping")),
        ],
        [
            *session(),
            LISTEN,
            stream(3),
            OTHER,
            stream(9),
            on(3, ask(1, "ping")),
            on(9, ask(2, "ping")),
        ],
    ),
    "http.event-ids": (
        [*session(), LISTEN, stream(3), event(3, "e1"), event(3, "e1", ask(1, "ping"))],
        [*session(), LISTEN, stream(3), event(3, "e1"), event(3, "e2", ask(1, "ping"))],
    ),
    "http.retry": (
        resumed(1.5),
        resumed(2.1),
    ),
    "http.sse-endpoint": (
        [fetch(1), stream(1), *by_pair("2024-11-05")],
        [fetch(1), stream(1), ENDPOINT, *by_pair("2024-11-05"), *by_pair("2025-11-25")],
    ),
    "http.session-id": (
        session(id="session one"),
        session(id="session-one"),
    ),
    "http.session-sent": (
        [*session(id="s-1"), post(3, PING, **V)],
        [*session(id="s-1"), post(3, PING, **NAMED)],
    ),
    "http.session-ended": (
        [
            *session(id="s-1"),
            fetch(3, "DELETE", **NAMED),
            bare(3, 204),
            post(4, PING, **NAMED),
            reply(4, ok(2)),
        ],
        [
            *session(id="s-1"),
            fetch(3, "DELETE", **NAMED),
            bare(3, 204),
            post(4, PING, **NAMED),
            bare(4, 404),
        ],
    ),
    "http.session-anew": (
        [
            *session(id="s-1"),
            post(3, PING, **NAMED),
            bare(3, 404),
            post(4, hello(), **ID),
            bare(4, 404),
        ],
        [*session(id="s-1"), post(3, PING, **NAMED), bare(3, 404), post(4, hello())],
    ),
    "http.version": (
        [*session(), post(3, PING)],
        [*session(), post(3, PING, **V)],
    ),
    "http.version-refused": (
        [*session(), post(3, PING, mcp_protocol_version="2025-13-01"), reply(3, ok(2))],
        [*session(), post(3, PING, mcp_protocol_version="2025-13-01"), bare(3, 400)],
    ),
    "http.version-repeated": (
        call(mcp_protocol_version="2025-11-25"),
        call(),
    ),
    "http.method-repeated": (
        call(mcp_method="tools/list"),
        call(),
    ),
    "http.name-repeated": (
        call(mcp_name="Add"),
        named("größer", "=?base64?Z3LDtsOfZXI=?="),
    ),
    "http.name-encoded": (
        named("größer", "größer"),
        named("größer", "=?base64?Z3LDtsOfZXI=?="),
    ),
    "http.arguments-repeated": (
        marked(),
        marked(mcp_param_region="north"),
    ),
    "http.mismatch-refused": (
        [*call(mcp_method="tools/list"), reply(2, done(2, content=[]))],
        [*call(mcp_method="tools/list"), reply(2, err(2, -32020), 400)],
        {"http.method-repeated"},
    ),
    "http.stream-relates": (
        [*found_by_http(tools={}), WORK, OTHER_WORK, stream(3), on(3, PROGRESS)],
        [*found_by_http(tools={}), WORK, OTHER_WORK, stream(2), on(2, PROGRESS)],
    ),
}
