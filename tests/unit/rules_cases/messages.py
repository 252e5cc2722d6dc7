"""Messages: what every one of them is."""

from mcp_lesson.trace import TO_SERVER

from .talk import (
    READY,
    V,
    ask,
    c,
    done,
    err,
    found,
    hello,
    meta,
    new,
    noise,
    ok,
    old,
    post,
    reply,
    s,
    session,
    tell,
    welcome,
)

TOOL = {"name": "add", "inputSchema": {"type": "object"}}
TOOLS = {"tools": {}}
HERE = old("2025-03-26")

CASES = {
    "jsonrpc.version": (
        [c({"id": 1, "method": "ping"})],
        [c(ask(1, "ping"))],
    ),
    "jsonrpc.shape": (
        [s({"jsonrpc": "2.0", "id": 1})],
        [s(ok(1))],
    ),
    "jsonrpc.one-of-three": (
        [c(ask(1, "ping")), s(ok(1) | {"error": {"code": 1, "message": "no"}})],
        [c(ask(1, "ping")), s(ok(1))],
    ),
    "jsonrpc.utf8": (
        [*old(), noise(b"\xff\xfe")],
        [*old(), noise("ü".encode())],
        {"stdio.server-only-messages"},
    ),
    "form.missing": (
        [*old(server=TOOLS), c(ask(2, "tools/call", arguments={}))],
        [*old(server=TOOLS), c(ask(2, "tools/call", name="add", arguments={}))],
    ),
    "form.type": (
        [*old(server=TOOLS), c(ask(2, "tools/call", name="add", arguments=[]))],
        [*old(server=TOOLS), c(ask(2, "tools/call", name="add", arguments={}))],
    ),
    "form.value": (
        [
            *old(client={"elicitation": {}}),
            s(
                ask(
                    1,
                    "elicitation/create",
                    message="?",
                    requestedSchema={"type": "object", "properties": {}},
                )
            ),
            c(ok(1, action="accepted")),
        ],
        [
            *old(client={"elicitation": {}}),
            s(
                ask(
                    1,
                    "elicitation/create",
                    message="?",
                    requestedSchema={"type": "object", "properties": {}},
                )
            ),
            c(ok(1, action="accept")),
        ],
    ),
    "form.level": (
        [*old(server={"logging": {}}), s(tell("notifications/message", level="loud", data=1))],
        [*old(server={"logging": {}}), s(tell("notifications/message", level="info", data=1))],
    ),
    "ids.present": (
        [c(tell("ping"))],
        [c(tell("notifications/of-our-own"))],
    ),
    "ids.form": (
        [c(ask(1.5, "ping"))],
        [c(ask("1.5", "ping"))],
    ),
    "ids.not-null": (
        [c(ask(None, "ping"))],
        [c(ask(0, "ping"))],
    ),
    "ids.not-reused": (
        [*old(), c(ask(1, "ping")), s(ok(1))],
        [*old(), c(ask("1", "ping")), s(ok("1")), s(ask(1, "ping")), c(ok(1))],
    ),
    "ids.not-in-use": (
        [*found(), c(new(2, "a/b")), c(new(2, "a/b"))],
        [*found(), c(new(2, "a/b")), s(done(2)), c(new(2, "a/b"))],
    ),
    "notifications.no-id": (
        [*old(), c(ask(2, "notifications/initialized"))],
        [*old()],
    ),
    "notifications.unanswered": (
        [*old(), s({"jsonrpc": "2.0", "error": {"code": -32601, "message": "no"}})],
        [*old(), c(ask(2, "ping")), s(ok(2))],
    ),
    "answers.id": (
        [*old(), c(ask(2, "ping")), s(ok("2"))],
        [*old(), c(ask(2, "ping")), s(ok(2))],
    ),
    "answers.result-object": (
        [*old(), c(ask(2, "ping")), s({"jsonrpc": "2.0", "id": 2, "result": []})],
        [*old(), c(ask(2, "ping")), s(ok(2))],
    ),
    "answers.result-id": (
        [c(ask(1, "ping")), s({"jsonrpc": "2.0", "result": {}})],
        [c(ask(1, "ping")), s(ok(1))],
    ),
    "answers.error-id": (
        [c(ask(1, "ping")), s(err(None, -32700))],
        [
            noise(b"{", TO_SERVER, x=1, http="POST /mcp"),
            s({"jsonrpc": "2.0", "error": {"code": -32700, "message": "no"}}, x=1, http="400"),
        ],
    ),
    "answers.error-for-request": (
        [
            *session(),
            post(3, ask(2, "ping"), **V),
            reply(3, {"jsonrpc": "2.0", "error": {"code": -32603, "message": "no"}}),
        ],
        [*session(), post(3, ask(2, "ping"), **V), reply(3, err(2, -32603))],
    ),
    "errors.form": (
        [*old(), c(ask(2, "a/b")), s({"jsonrpc": "2.0", "id": 2, "error": {"code": 1}})],
        [*old(), c(ask(2, "a/b")), s(err(2, 1))],
    ),
    "errors.code-integer": (
        [*old(), c(ask(2, "a/b")), s(err(2, "E_NO"))],
        [*old(), c(ask(2, "a/b")), s(err(2, -32601))],
    ),
    "batches.none": (
        [*old(), c([ask(2, "ping")])],
        [*HERE, c([ask(2, "ping")])],
    ),
    "batches.not-empty": (
        [*HERE, c([])],
        [*HERE, c([tell("notifications/of-our-own")])],
    ),
    "batches.one-kind": (
        [*HERE, s(ask(1, "ping")), c([ok(1), ask(2, "ping")])],
        [*HERE, s(ask(1, "ping")), c([ok(1)]), c([ask(2, "ping"), tell("notifications/x")])],
    ),
    "batches.accepted": (
        [
            *HERE,
            c([ask(2, "ping")]),
            s({"jsonrpc": "2.0", "error": {"code": -32600, "message": "no"}}),
        ],
        [*HERE, c([ask(2, "ping"), ask(3, "ping")]), s([ok(3), ok(2)])],
    ),
    "batches.no-initialize": (
        [c([hello("2025-03-26")]), s(welcome("2025-03-26")), c(READY)],
        [*HERE],
    ),
    "meta.keys": (
        [*old(), c(ask(2, "ping", _meta={"-no-": 1})), s(ok(2))],
        [*old(), c(ask(2, "ping", _meta={"com.example/a.b": 1, "plain": 2})), s(ok(2))],
    ),
    "meta.traceparent": (
        [*found(), c(ask(2, "a/b", _meta=meta() | {"traceparent": "here"}))],
        [
            *found(),
            c(ask(2, "a/b", _meta=meta() | {"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"})),
        ],
    ),
    "meta.tracestate": (
        [*found(), c(ask(2, "a/b", _meta=meta() | {"baggage": "everything"}))],
        [*found(), c(ask(2, "a/b", _meta=meta() | {"baggage": "user=7,from=here"}))],
    ),
    "schemas.valid": (
        [
            *old(server=TOOLS),
            c(ask(2, "tools/list")),
            s(ok(2, tools=[TOOL | {"inputSchema": {"type": "object", "required": "a"}}])),
        ],
        [
            *old(server=TOOLS),
            c(ask(2, "tools/list")),
            s(ok(2, tools=[TOOL | {"inputSchema": {"type": "object", "required": ["a"]}}])),
        ],
    ),
}
