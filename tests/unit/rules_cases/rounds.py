"""Rounds, since 2026-07-28."""

from typing import Any

from mcp_lesson.trace import Frame

from .talk import c, done, found, new, s

FORM = {
    "method": "elicitation/create",
    "params": {"message": "?", "requestedSchema": {"type": "object", "properties": {}}},
}
SAMPLE = {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 9}}
TOOL = {"name": "add", "inputSchema": {"type": "object"}}
WITH_TOOLS = {"method": "sampling/createMessage", "params": {**SAMPLE["params"], "tools": [TOOL]}}
CAN = {"elicitation": {}}
CALL = {"name": "add", "arguments": {"a": 1}}
ANSWERED = {"q": {"action": "decline"}}


def asked(
    method: str = "tools/call", client: Any = CAN, params: Any = CALL, **more: Any
) -> list[Frame]:
    """A request that is answered by a question."""
    return [
        *found(tools={}, prompts={}),
        c(new(2, method, client, **params)),
        s(done(2, resultType="input_required", **more)),
    ]


def again(id: int = 3, **more: Any) -> Frame:
    """The request once more."""
    return c(new(id, "tools/call", CAN, **{**CALL, **more}))


ONE = {"inputRequests": {"q": FORM}}
BOTH = {**ONE, "requestState": "s1"}

CASES = {
    "rounds.where": (
        asked("a/b", params={}, requestState="s"),
        asked("prompts/get", params={"name": "p"}, requestState="s"),
    ),
    "rounds.something": (
        asked(),
        asked(requestState="s"),
    ),
    "rounds.questions": (
        asked(inputRequests={"q": {"method": "tools/list"}}),
        asked(inputRequests={"q": FORM}),
    ),
    "rounds.capabilities": (
        asked(client={}, **ONE),
        asked(client=CAN, **ONE),
    ),
    "rounds.sampling-tools": (
        asked(client={"sampling": {}}, inputRequests={"q": WITH_TOOLS}),
        asked(client={"sampling": {"tools": {}}}, inputRequests={"q": WITH_TOOLS}),
    ),
    "rounds.new-id": (
        [*asked(**BOTH), again(2, requestState="s1", inputResponses=ANSWERED)],
        [*asked(**BOTH), again(3, requestState="s1", inputResponses=ANSWERED)],
    ),
    "rounds.state-repeated": (
        [*asked(requestState="s1"), again(requestState="S1")],
        [*asked(requestState="s1"), again(requestState="s1")],
    ),
    "rounds.state-kept": (
        [*asked(**BOTH), again(inputResponses=ANSWERED)],
        [*asked(**ONE), again(inputResponses=ANSWERED)],
    ),
    "rounds.same-request": (
        [*asked(requestState="s1"), again(requestState="s1", arguments={"a": 2})],
        [*asked(requestState="s1"), again(requestState="s1")],
    ),
    "rounds.answered": (
        [*asked(**BOTH), again(requestState="s1")],
        [*asked(**BOTH), again(requestState="s1", inputResponses=ANSWERED)],
    ),
}
