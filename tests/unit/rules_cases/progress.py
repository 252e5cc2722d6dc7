"""Progress, cancellation and ping."""

from mcp_lesson.trace import Frame

from .talk import ask, c, err, found, new, of, ok, old, s, tell

TOOLS = {"tools": {}}
CALL = c(ask(2, "tools/call", name="add", _meta={"progressToken": "p"}))
DONE = s(ok(2, content=[]))
AS_TASK = {"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}}


def progress(value: float, token: object = "p") -> Frame:
    return s(tell("notifications/progress", progressToken=token, progress=value))


def cancelled(id: object) -> dict[str, object]:
    return tell("notifications/cancelled", requestId=id)


CASES = {
    "progress.token-form": (
        [*old(), c(ask(2, "ping", _meta={"progressToken": 1.5})), s(ok(2))],
        [*old(), c(ask(2, "ping", _meta={"progressToken": 1})), s(ok(2))],
    ),
    "progress.token-unique": (
        [*old(), *(c(ask(n, "ping", _meta={"progressToken": 1})) for n in (2, 3))],
        [
            *old(),
            c(ask(2, "ping", _meta={"progressToken": 1})),
            s(ok(2)),
            c(ask(3, "ping", _meta={"progressToken": 1})),
            c(ask(4, "ping", _meta={"progressToken": 2})),
        ],
    ),
    "progress.token-known": (
        [*old(server=TOOLS), CALL, progress(1, "q"), DONE],
        [*old(server=TOOLS), CALL, progress(1), DONE],
    ),
    "progress.grows": (
        [*old(server=TOOLS), CALL, progress(1), progress(1), DONE],
        [*old(server=TOOLS), CALL, progress(1), progress(1.5), DONE],
    ),
    "progress.stops": (
        [*old(server=TOOLS), CALL, progress(1), DONE, progress(2)],
        [*old(server=TOOLS), CALL, progress(1), progress(2), DONE],
    ),
    "cancel.known": (
        [*old(), c(cancelled(7))],
        [*old(), c(ask(7, "ping")), c(cancelled(7))],
    ),
    "cancel.known-to-server": (
        [*old(), c(ask(7, "ping")), s(cancelled(7))],
        [*old(), s(ask(7, "ping")), s(cancelled(7))],
    ),
    "cancel.not-initialize": (
        [*old(), c(cancelled(1))],
        [*old(), c(ask(2, "ping")), c(cancelled(2))],
    ),
    "cancel.not-a-task": (
        [*old(server=AS_TASK), c(ask(2, "tools/call", name="a", task={})), c(cancelled(2))],
        [*old(server=AS_TASK), c(ask(2, "tools/call", name="a")), c(cancelled(2))],
    ),
    "cancel.id-given": (
        [*old(), c(tell("notifications/cancelled", reason="no more"))],
        [*old(), c(ask(2, "ping")), c(cancelled(2))],
    ),
    "cancel.server-ends-subscription": (
        [*found(), c(new(2, "a/b")), s(cancelled(2))],
        [
            *found(),
            c(new(2, "subscriptions/listen", notifications={})),
            s(tell("notifications/subscriptions/acknowledged", _meta=of(2), notifications={})),
            s(cancelled(2)),
        ],
    ),
    "ping.empty": (
        [*old(), c(ask(2, "ping")), s(ok(2, pong=True))],
        [*old(), c(ask(2, "ping")), s(ok(2))],
    ),
    "ping.answered": (
        [*old(), s(ask(2, "ping")), c(err(2, -32601))],
        [*old(), s(ask(2, "ping")), c(ok(2))],
    ),
}
