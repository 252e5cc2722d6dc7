"""Tools."""

from typing import Any

from .talk import KEPT, ask, c, done, err, found, found_by_http, new, ok, old, reply, routed, s

OBJECT = {"type": "object"}
TOOL = {"name": "add", "inputSchema": OBJECT}
NUMBER = {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}
TOOLS = {"tools": {}}


def marked(type: str, header: str = "Region") -> dict[str, Any]:
    """A tool with an argument that is to be repeated in a header."""
    field = {"type": type, "x-mcp-header": header}
    return {"name": "add", "inputSchema": {"type": "object", "properties": {"region": field}}}


def listed(tool: dict[str, Any]) -> list[Any]:
    return [
        *old(server=TOOLS),
        c(ask(2, "tools/list")),
        s(ok(2, tools=[tool])),
        c(ask(3, "tools/call", name="add")),
    ]


def told(tool: dict[str, Any]) -> list[Any]:
    return [
        *found_by_http(tools={}),
        routed(2, new(2, "tools/list")),
        reply(2, done(2, tools=[tool], **KEPT)),
    ]


TEXT = [{"type": "text", "text": "3"}]
CALL = routed(3, new(3, "tools/call", name="add", arguments={}))

CASES = {
    "tools.declared": (
        [*old("2025-03-26"), c(ask(2, "tools/list")), s(ok(2, tools=[]))],
        [*old("2025-03-26", server=TOOLS), c(ask(2, "tools/list")), s(ok(2, tools=[]))],
    ),
    "tools.list-answered": (
        [*found(tools={}), c(new(2, "tools/list")), s(err(2, -32601))],
        [*found(), c(new(2, "tools/list")), s(err(2, -32601))],
    ),
    "tools.input-schema": (
        [
            *old(server=TOOLS),
            c(ask(2, "tools/list")),
            s(ok(2, tools=[TOOL | {"inputSchema": None}])),
        ],
        [*old(server=TOOLS), c(ask(2, "tools/list")), s(ok(2, tools=[TOOL]))],
    ),
    "tools.structured-result": (
        [
            *listed(TOOL | {"outputSchema": NUMBER}),
            s(ok(3, content=TEXT, structuredContent={"n": "3"})),
        ],
        [
            *listed(TOOL | {"outputSchema": NUMBER}),
            s(ok(3, content=TEXT, structuredContent={"n": 3})),
        ],
    ),
    "tools.header-annotations": (
        [*found(tools={}), c(new(2, "tools/list")), s(done(2, tools=[marked("number")], **KEPT))],
        [*found(tools={}), c(new(2, "tools/list")), s(done(2, tools=[marked("integer")], **KEPT))],
    ),
    "tools.header-annotations-refused": (
        [*told(marked("string", "no header")), CALL],
        [*told(marked("string")), CALL],
        {"tools.header-annotations"},
    ),
}
