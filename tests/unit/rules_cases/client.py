"""Roots, sampling, elicitation."""

from typing import Any

from mcp_lesson.trace import Frame

from .talk import ask, c, done, err, found, new, ok, old, s, tell

ROOTS = {"roots": {}}
ASK_ROOTS = s(ask(1, "roots/list"))
SAMPLING = {"sampling": {}}
WITH_TOOLS = {"sampling": {"tools": {}}}
TEXT = {"type": "text", "text": "hello"}
TURN = {"role": "user", "content": TEXT}
USE = {"type": "tool_use", "id": "u1", "name": "add", "input": {}}
RESULT = {"type": "tool_result", "toolUseId": "u1", "content": []}
TOOL = {"name": "add", "inputSchema": {"type": "object"}}
ANSWER = {"role": "assistant", "content": TEXT, "model": "m"}
USES = {"role": "assistant", "content": [USE], "model": "m"}
FORM = {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}
VISIT = {"mode": "url", "message": "?", "elicitationId": "v1", "url": "https://example.com/pay"}
BOTH = {"elicitation": {"form": {}, "url": {}}}


def sampled(client: Any, *turns: Any, **more: Any) -> list[Frame]:
    """A question to the model."""
    question = ask(1, "sampling/createMessage", messages=list(turns or [TURN]), maxTokens=9, **more)
    return [*old(client=client), s(question)]


def asked(client: Any, version: str = "2025-11-25", **params: Any) -> list[Frame]:
    """A question to the user."""
    return [*old(version, client=client), s(ask(1, "elicitation/create", **params))]


def question(**params: Any) -> list[Frame]:
    """A question in a result, since 2026-07-28."""
    client = {"sampling": {}}
    call = c(new(2, "tools/call", client, name="add"))
    asks = {"q": {"method": "sampling/createMessage", "params": {"maxTokens": 9, **params}}}
    return [*found(tools={}), call, s(done(2, resultType="input_required", inputRequests=asks))]


BALANCED = ({"role": "assistant", "content": [USE]}, {"role": "user", "content": [RESULT]})
NO_TOOL, SOME_TOOL = {"mode": "none"}, {"mode": "required"}
VISITED = tell("notifications/elicitation/complete", elicitationId="v1")

CASES = {
    "roots.declared": (
        [*old("2025-03-26"), ASK_ROOTS, c(ok(1, roots=[]))],
        [*old("2025-03-26", client=ROOTS), ASK_ROOTS, c(ok(1, roots=[]))],
    ),
    "roots.file-uri": (
        [*old(client=ROOTS), ASK_ROOTS, c(ok(1, roots=[{"uri": "https://example.com"}]))],
        [*old(client=ROOTS), ASK_ROOTS, c(ok(1, roots=[{"uri": "file:///home"}]))],
    ),
    "sampling.declared": (
        [
            *old("2025-03-26"),
            s(ask(1, "sampling/createMessage", messages=[TURN], maxTokens=9)),
            c(ok(1, **ANSWER)),
        ],
        [*sampled(SAMPLING), c(ok(1, **ANSWER))],
    ),
    "sampling.tools-declared": (
        sampled(SAMPLING, tools=[TOOL]),
        sampled(WITH_TOOLS, tools=[TOOL]),
    ),
    "sampling.tools-refused": (
        [*sampled(SAMPLING, tools=[TOOL]), c(ok(1, **ANSWER))],
        [*sampled(SAMPLING, tools=[TOOL]), c(err(1, -32602))],
        {"sampling.tools-declared"},
    ),
    "sampling.results-alone": (
        sampled(WITH_TOOLS, BALANCED[0], {"role": "user", "content": [RESULT, TEXT]}),
        sampled(WITH_TOOLS, *BALANCED),
    ),
    "sampling.uses-answered": (
        sampled(WITH_TOOLS, BALANCED[0], TURN),
        sampled(WITH_TOOLS, TURN, *BALANCED, TURN),
    ),
    "sampling.choice-none": (
        [*sampled(WITH_TOOLS, tools=[TOOL], toolChoice=NO_TOOL), c(ok(1, **USES))],
        [*sampled(WITH_TOOLS, tools=[TOOL], toolChoice=NO_TOOL), c(ok(1, **ANSWER))],
    ),
    "sampling.choice-required": (
        [*sampled(WITH_TOOLS, tools=[TOOL], toolChoice=SOME_TOOL), c(ok(1, **ANSWER))],
        [*sampled(WITH_TOOLS, *BALANCED, tools=[TOOL], toolChoice=SOME_TOOL), c(ok(1, **ANSWER))],
    ),
    "sampling.role": (
        question(messages=[{"content": TEXT}]),
        question(messages=[TURN]),
    ),
    "elicitation.declared": (
        [*asked({}, **FORM), c(ok(1, action="decline"))],
        [*asked({"elicitation": {}}, **FORM), c(ok(1, action="decline"))],
        {"lifecycle.capabilities-kept"},
    ),
    "elicitation.mode": (
        asked({"elicitation": {}}, **VISIT),
        asked(BOTH, **VISIT),
    ),
    "elicitation.mode-refused": (
        [*asked({"elicitation": {}}, **VISIT), c(ok(1, action="accept"))],
        [*asked({"elicitation": {}}, **VISIT), c(err(1, -32602))],
        {"elicitation.mode"},
    ),
    "elicitation.form": (
        asked(BOTH, requestedSchema=FORM["requestedSchema"]),
        asked(BOTH, **FORM),
    ),
    "elicitation.url-form": (
        asked(BOTH, mode="url", message="?", url="https://example.com"),
        asked(BOTH, **VISIT),
    ),
    "elicitation.url": (
        asked(BOTH, **{**VISIT, "url": "example.com/pay"}),
        asked(BOTH, **VISIT),
    ),
    "elicitation.complete-known": (
        [*old(client=BOTH), s(VISITED)],
        [*asked(BOTH, **VISIT), c(ok(1, action="accept")), s(VISITED)],
    ),
    "elicitation.complete-id": (
        [*old(client=BOTH), s(tell("notifications/elicitation/complete"))],
        [*asked(BOTH, **VISIT), s(VISITED)],
        {"elicitation.complete-known"},
    ),
    "elicitation.required-error": (
        [*old(client=BOTH), c(ask(2, "a/b")), s(err(2, -32042, elicitation=VISIT))],
        [*old(client=BOTH), c(ask(2, "a/b")), s(err(2, -32042, elicitations=[VISIT]))],
    ),
}
