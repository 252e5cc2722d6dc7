"""Tasks: an experiment of 2025-11-25."""

from typing import Any

from mcp_lesson.revisions import META
from mcp_lesson.trace import Frame

from .talk import ask, c, err, ok, old, s

OFFER = {"tools": {}, "tasks": {"cancel": {}, "requests": {"tools": {"call": {}}}}}
TIME = "2025-11-25T10:30:00Z"
CALL = c(ask(2, "tools/call", name="add", task={}))
PLAIN = c(ask(2, "tools/call", name="add"))


def task(status: str = "working", id: str = "t1", **more: Any) -> dict[str, Any]:
    """A task."""
    times = {"createdAt": TIME, "lastUpdatedAt": TIME, "ttl": None}
    return {"taskId": id, "status": status, **times, **more}


def began(**more: Any) -> list[Frame]:
    """A call that became a task."""
    return [*old(server=OFFER), CALL, s(ok(2, task=task(**more)))]


def listed(support: str | None, *more: Frame) -> list[Frame]:
    """A tool with this taskSupport, and what follows."""
    execution = {"execution": {"taskSupport": support}} if support else {}
    tool = {"name": "add", "inputSchema": {"type": "object"}, **execution}
    list_tools = c(ask(9, "tools/list"))
    return [*old(server=OFFER), list_tools, s(ok(9, tools=[tool])), *more]


RELATED = {META + "related-task": {"taskId": "t1"}}
ENDED = [c(ask(3, "tasks/get", taskId="t1")), s(ok(3, **task("completed")))]
AGAIN = c(ask(4, "tasks/get", taskId="t1"))
CANCEL = c(ask(4, "tasks/cancel", taskId="t1"))
RESULT = s(ok(2, content=[]))

CASES = {
    "tasks.declared": (
        [*old(server={"tools": {}}), PLAIN, s(ok(2, task=task()))],
        [*old(server=OFFER), CALL, s(ok(2, task=task()))],
    ),
    "tasks.not-offered": (
        [*old(server={"tools": {}}), CALL, RESULT],
        [*old(server={"tools": {}}), PLAIN, RESULT],
    ),
    "tasks.forbidden": (
        listed(None, CALL),
        listed("optional", CALL),
    ),
    "tasks.required": (
        listed("required", PLAIN, s(err(2, -32601))),
        listed("required", CALL),
    ),
    "tasks.required-refused": (
        listed("required", PLAIN, RESULT),
        listed("required", PLAIN, s(err(2, -32601))),
        {"tasks.required"},
    ),
    "tasks.create-result": (
        [*old(server=OFFER), CALL, RESULT],
        began(),
    ),
    "tasks.id": (
        began(id=7),
        began(id="7"),
    ),
    "tasks.id-unique": (
        [*began(), c(ask(3, "tools/call", name="add", task={})), s(ok(3, task=task()))],
        [*began(), c(ask(3, "tools/call", name="add", task={})), s(ok(3, task=task(id="t2")))],
    ),
    "tasks.begin-working": (
        began(status="completed"),
        began(status="working"),
    ),
    "tasks.end": (
        [*began(), *ENDED, AGAIN, s(ok(4, **task("working")))],
        [*began(), *ENDED, AGAIN, s(ok(4, **task("completed")))],
    ),
    "tasks.times": (
        [
            *old(server=OFFER),
            CALL,
            s(
                ok(
                    2,
                    task={
                        "taskId": "t1",
                        "status": "working",
                        "createdAt": TIME,
                        "lastUpdatedAt": TIME,
                    },
                )
            ),
        ],
        began(),
    ),
    "tasks.time-form": (
        began(createdAt="yesterday"),
        began(createdAt="2025-11-25T10:30:00.5+01:00"),
    ),
    "tasks.related": (
        [*began(), c(ask(3, "tasks/result", taskId="t1")), s(ok(3, content=[]))],
        [*began(), c(ask(3, "tasks/result", taskId="t1")), s(ok(3, content=[], _meta=RELATED))],
    ),
    "tasks.cancel-ended": (
        [*began(), *ENDED, CANCEL, s(err(4, -32603))],
        [*began(), *ENDED, CANCEL, s(err(4, -32602))],
    ),
    "tasks.cancelled": (
        [*began(), CANCEL, s(ok(4, **task("working")))],
        [*began(), CANCEL, s(ok(4, **task("cancelled")))],
    ),
}
