"""Results of every wrong shape: each member of each answer is given each wrong type.

No process is needed for that: a wire hands the client what a server might have said. The call is
answered, or ends in one of the errors that the client promises; what comes back can be printed.
"""

import asyncio
import copy
import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from processes import PEERS

from mcp_lesson import ConnectionLost, HandshakeError, Limits, McpError, RequestTimeout
from mcp_lesson.client import Client, NotDeclared
from mcp_lesson.peer import Envelope

sys.path.append(str(PEERS))
import good

PROMISED = (ConnectionLost, HandshakeError, McpError, NotDeclared, RequestTimeout)
DEEP = json.loads("[" * 500 + "]" * 500)
GONE = object()
WRONG: dict[str, Any] = {
    "list": [],
    "lists": [[], {}, None, [[]]],
    "null": None,
    "true": True,
    "fraction": 1.5,
    "long": 10**4000,
    "text": "x" * 5000,
    "object": {},
    "objects": {"a": {}, "type": [], "text": {}, "name": []},
    "deep": DEEP,
    "gone": GONE,
}
LEGACY = {
    "initialize": " protocolVersion capabilities capabilities/tools serverInfo serverInfo/name"
    " instructions _meta",
    "tools/list": " tools tools/0 tools/0/name tools/0/inputSchema tools/0/description nextCursor",
    "tools/call": " content content/0 content/0/text content/0/type isError structuredContent",
    "resources/read": " contents contents/0 contents/0/text",
    "prompts/get": " messages messages/0 messages/0/content messages/0/content/text",
    "completion/complete": " completion completion/values",
}
MODERN = {
    "server/discover": " supportedVersions supportedVersions/0 capabilities resultType _meta"
    " instructions ttlMs",
    "tools/list": " resultType ttlMs cacheScope tools",
    "tools/call": " resultType inputRequests inputRequests/a inputRequests/a/params requestState",
}
RESULTS = copy.deepcopy(good.RESULTS) | {
    "resources/read": {"contents": [{"uri": "a://b", "text": "words"}]},
    "prompts/get": {"messages": [{"role": "user", "content": {"type": "text", "text": "hello"}}]},
    "completion/complete": {"completion": {"values": ["a"]}},
}
EVERYTHING = {"tools": {}, "resources": {}, "prompts": {}, "completions": {}}
RESULTS["initialize"]["capabilities"] = RESULTS["server/discover"]["capabilities"] = EVERYTHING
ASKED = {"a": {"method": "roots/list", "params": {}}}


def with_member(result: Any, path: str, value: Any) -> Any:
    """A copy of a result with one member replaced, added or taken away."""
    whole = {"": copy.deepcopy(result)}
    *way, last = ["", *filter(None, path.split("/"))]
    place: Any = whole
    for step in way:
        place = place[int(step) if isinstance(place, list) else step]
    last = int(last) if isinstance(place, list) else last
    if value is not GONE:
        place[last] = value
    elif isinstance(place, list) or last in place:
        del place[last]
    return whole.get("", GONE)


class Canned:
    """A wire whose server gives the answers in a table."""

    streams = False

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self.answers = answers

    def attach(self, peer: Any) -> None:
        self.peer = peer

    async def send(self, envelope: Envelope) -> None:
        message = envelope.message
        if "id" in message and "method" in message:
            result = self.answers.get(message["method"], GONE)
            body = {"error": {"code": -32601, "message": "no"}} if result is GONE else {}
            reply = {"jsonrpc": "2.0", "id": message["id"], **(body or {"result": result})}
            asyncio.get_running_loop().call_soon(self.peer.receive, Envelope(reply))

    async def listen(self, headers: Any) -> None: ...

    async def drop(self, id: Any) -> None: ...

    async def close(self, headers: Any) -> None: ...


async def use(client: Client) -> Iterator[Any]:
    """Everything a person might ask for; what it gives is printed."""
    await client.start()
    calls = (
        client.list_tools,
        lambda: client.call_tool("wait"),
        lambda: client.read_resource("a://b"),
        lambda: client.get_prompt("p"),
        lambda: client.complete({"type": "ref/prompt", "name": "p"}, "a", ""),
    )
    for call in calls:
        try:
            yield await call()
        except PROMISED as problem:
            yield problem


def cases(era: str, table: dict[str, str]) -> list[Any]:
    return [
        pytest.param(era, method, path, id=f"{era}-{method}-{path or 'whole'}")
        for method, paths in table.items()
        for path in paths.split(" ")
    ]


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_the_right_shapes_are_served(era: str) -> None:
    client = Client(Canned(RESULTS), era=era)
    given = [outcome async for outcome in use(client)]
    assert given[0].names == ["wait"]
    assert [outcome.text for outcome in given[1:4]] == ["done", "words", "hello"]
    assert given[4] == ["a"]


@pytest.mark.parametrize(
    ("era", "method", "path"),
    cases("legacy", LEGACY) + cases("auto", LEGACY | MODERN) + cases("modern", MODERN),
)
async def test_a_wrong_shape_is_a_clear_error_or_none(era: str, method: str, path: str) -> None:
    for name, value in WRONG.items():
        answers = dict(RESULTS)
        if era == "auto" and method not in MODERN:
            del answers["server/discover"]
        if path.startswith(("inputRequests", "requestState")):
            answers[method] = {"resultType": "input_required", "inputRequests": ASKED}
        answers[method] = with_member(answers[method], path, value)
        limits = Limits(start=1, request=1, probe=0.01, rounds=3, pages=3)
        client = Client(Canned(answers), era=era, limits=limits, roots=[])
        problem = await first_problem(client)
        assert isinstance(problem, (*PROMISED, type(None))), f"{name}: {problem!r}"
        assert len(str(problem)) < 1000, name
        assert repr(client)
        await client.close()


async def first_problem(client: Client) -> Exception | None:
    try:
        async with asyncio.timeout(10):
            async for outcome in use(client):
                look_at(outcome)
    except Exception as problem:
        return problem
    return None


def look_at(outcome: Any) -> None:
    """Everything a notebook does with what it was given."""
    assert isinstance(repr(outcome), str)
    for name in ("text", "is_error", "structured", "names"):
        getattr(outcome, name, None)
