"""Logging, completion and pages."""

from .talk import (
    ask,
    c,
    done,
    found,
    meta,
    new,
    of,
    ok,
    old,
    s,
    tell,
)

LOG = tell("notifications/message", level="info", data="hello")
REF = {"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}}
ACKNOWLEDGED = tell("notifications/subscriptions/acknowledged", _meta=of(2), notifications={})
LISTEN = c(new(2, "subscriptions/listen", notifications={}))
ON_STREAM = tell("notifications/message", level="info", data=1, _meta=of(2))

CASES = {
    "logging.declared": (
        [*old(), s(LOG)],
        [*old(server={"logging": {}}), s(LOG)],
    ),
    "logging.wanted": (
        [*found(logging={}), c(new(2, "a/b")), s(LOG), s(done(2))],
        [*found(logging={}), c(new(2, "a/b", meta=meta(logLevel="info"))), s(LOG), s(done(2))],
    ),
    "logging.own-stream": (
        [
            *found(logging={}),
            c(new(3, "a/b", meta=meta(logLevel="info"))),
            LISTEN,
            s(ACKNOWLEDGED),
            s(ON_STREAM),
        ],
        [
            *found(logging={}),
            c(new(3, "a/b", meta=meta(logLevel="info"))),
            LISTEN,
            s(ACKNOWLEDGED),
            s(LOG),
        ],
    ),
    "completion.declared": (
        [
            *old("2025-03-26"),
            c(ask(2, "completion/complete", **REF)),
            s(ok(2, completion={"values": []})),
        ],
        [
            *old("2025-03-26", server={"completions": {}}),
            c(ask(2, "completion/complete", **REF)),
            s(ok(2, completion={"values": []})),
        ],
    ),
    "pages.opaque-cursor": (
        [
            *old(server={"tools": {}}),
            c(ask(2, "tools/list")),
            s(ok(2, tools=[], nextCursor="page-1")),
            c(ask(3, "tools/list", cursor="page-2")),
        ],
        [
            *old(server={"tools": {}}),
            c(ask(2, "tools/list")),
            s(ok(2, tools=[], nextCursor="page-1")),
            c(ask(3, "tools/list", cursor="page-1")),
        ],
    ),
}
