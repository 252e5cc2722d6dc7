"""The stateless era, since 2026-07-28."""

from mcp_lesson.revisions import META

from .talk import (
    KEPT,
    ask,
    c,
    done,
    err,
    found,
    found_by_http,
    meta,
    new,
    ok,
    reply,
    routed,
    s,
)

LATER = meta(protocolVersion="2027-01-01")
SUPPORTED = {"supported": ["2026-07-28"], "requested": "2027-01-01"}
BARE = {META + "protocolVersion": "2026-07-28"}

CASES = {
    "stateless.meta": (
        [*found(), c(ask(2, "a/b", _meta=BARE)), s(err(2, -32602)), c(ask(3, "tools/list"))],
        [*found(), c(new(2, "a/b")), s(err(2, -32602))],
    ),
    "stateless.meta-refused": (
        [*found(), c(ask(2, "a/b", _meta=BARE)), s(done(2))],
        [*found(), c(ask(2, "a/b", _meta=BARE)), s(err(2, -32602))],
        {"stateless.meta"},
    ),
    "stateless.meta-refused-status": (
        [*found_by_http(), routed(2, ask(2, "a/b")), reply(2, err(2, -32602))],
        [*found_by_http(), routed(2, ask(2, "a/b")), reply(2, err(2, -32602), 400)],
        {"stateless.meta"},
    ),
    "stateless.no-server-requests": (
        [*found(), c(new(2, "a/b")), s(ask(1, "ping"))],
        [*found(), c(new(2, "a/b")), s(done(2))],
    ),
    "stateless.no-client-answers": (
        [*found(), c(ok(1))],
        [*found()],
        {"answers.id"},
    ),
    "stateless.version-refused": (
        [*found(), c(ask(2, "a/b", _meta=LATER)), s(done(2))],
        [*found(), c(ask(2, "a/b", _meta=LATER)), s(err(2, -32022, **SUPPORTED))],
    ),
    "stateless.version-error": (
        [*found(), c(ask(2, "a/b", _meta=LATER)), s(err(2, -32022, supported=["2026-07-28"]))],
        [*found(), c(ask(2, "a/b", _meta=LATER)), s(err(2, -32022, **SUPPORTED))],
    ),
    "stateless.discover": (
        [c(new(1, "server/discover")), s(err(1, -32601)), c(new(2, "a/b")), s(done(2))],
        [c(new(1, "server/discover")), s(err(1, -32601)), c(new(2, "a/b")), s(err(2, -32601))],
    ),
    "stateless.extension-names": (
        [*found(extensions={"ui": {}})],
        [*found(extensions={"io.modelcontextprotocol/ui": {}})],
    ),
    "results.type": (
        [*found(tools={}), c(new(2, "tools/list")), s(ok(2, tools=[], **KEPT))],
        [c(new(2, "tools/list")), s(ok(2, tools=[]))],
    ),
    "results.known-type": (
        [*found(), c(new(2, "a/b")), s(done(2, resultType="half"))],
        [
            *found(extensions={"com.example/halves": {}}),
            c(new(2, "a/b")),
            s(done(2, resultType="half")),
        ],
    ),
    "errors.retired": (
        [*found(resources={}), c(new(2, "resources/read", uri="a:b")), s(err(2, -32002))],
        [*found(resources={}), c(new(2, "resources/read", uri="a:b")), s(err(2, -32602))],
    ),
    "errors.reserved": (
        [*found(), c(new(2, "a/b")), s(err(2, -32050))],
        [*found(), c(new(2, "a/b")), s(err(2, -32100))],
    ),
    "errors.meaning": (
        [*found(), c(new(2, "a/b")), s(err(2, -32020))],
        [*found_by_http(), routed(2, new(2, "a/b")), reply(2, err(2, -32020), 400)],
    ),
    "errors.capability": (
        [*found(), c(new(2, "a/b")), s(err(2, -32021, requiredCapabilities=["sampling"]))],
        [*found(), c(new(2, "a/b")), s(err(2, -32021, requiredCapabilities={"sampling": {}}))],
    ),
    "errors.status-400": (
        [*found_by_http(), routed(2, new(2, "a/b")), reply(2, err(2, -32020))],
        [*found_by_http(), routed(2, new(2, "a/b")), reply(2, err(2, -32020), 400)],
    ),
    "errors.status-404": (
        [*found_by_http(), routed(2, new(2, "a/b")), reply(2, err(2, -32601))],
        [*found_by_http(), routed(2, new(2, "a/b")), reply(2, err(2, -32601), 404)],
    ),
}
