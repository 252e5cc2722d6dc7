"""What each request means to a server: tools, resources, prompts, completion, pages."""

import asyncio
import datetime
import threading

import pytest
from by_hand import ServerByHand, code_of
from pydantic import BaseModel
from wire_guard import broken_on_purpose

from mcp_lesson import Context, McpError, Server, ToolError, connect, jsonrpc
from mcp_lesson.content import audio, contents, embedded, image, link, text

# -- tools -----------------------------------------------------------------------------------------


async def called(function, arguments: object = None, **more: object) -> dict:
    """The answer to a call of this function as a tool."""
    server = Server("s")
    server.tool(name="t", **more)(function)
    hand = ServerByHand(server)
    await hand.shake()
    params = {"name": "t"} | ({} if arguments is None else {"arguments": arguments})
    return await hand.ask("tools/call", params)


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ("words", [text("words")]),
        (None, []),
        (5, [text("5")]),
        (True, [text("true")]),
        ({"a": [1]}, [text('{"a":[1]}')]),
        ([1, 2], [text("[1,2]")]),
        ([], [text("[]")]),
        ("", [text("")]),
        ("你好 \U0001f600 \u2028", [text("你好 \U0001f600 \u2028")]),
        (
            {"content": "a dictionary with that key"},
            [text('{"content":"a dictionary with that key"}')],
        ),
        ({"content": [1]}, [text('{"content":[1]}')]),
        ({"type": ["text"]}, [text('{"type":["text"]}')]),
        (image(b"x"), [image(b"x")]),
        ([text("a"), audio(b"x")], [text("a"), audio(b"x")]),
        (embedded("a://b", b"x"), [embedded("a://b", b"x")]),
        (link("a://b", "b"), [link("a://b", "b")]),
        ({"content": [text("whole")], "isError": True}, [text("whole")]),
    ],
)
async def test_what_a_tool_returns_becomes_content(value: object, content: list) -> None:
    assert (await called(lambda: value))["result"]["content"] == content


async def test_a_handler_may_build_the_whole_result() -> None:
    whole = {"content": [text("x")], "isError": True, "_meta": {"mine": 1}}
    assert (await called(lambda: whole))["result"] == whole


@pytest.mark.parametrize("wrong", [object(), {1, 2}, datetime.date(2026, 7, 28), float("nan")])
async def test_what_is_no_json_fails_the_tool_in_clear_words(wrong: object) -> None:
    result = (await called(lambda: wrong))["result"]
    assert result["isError"]
    assert "JSON" in result["content"][0]["text"]


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (ToolError("out of paper"), "out of paper"),
        (ValueError("bad day"), "ValueError: bad day"),
        (KeyError("x"), "KeyError: 'x'"),
        (StopIteration(), "RuntimeError: StopIteration()"),
        (TimeoutError("slow"), "TimeoutError: slow"),
    ],
)
@pytest.mark.parametrize("kind", ["plain", "async"])
async def test_a_failing_tool_is_a_result(problem: Exception, words: str, kind: str) -> None:
    def plain() -> None:
        raise problem

    async def waits() -> None:
        raise problem

    if isinstance(problem, StopIteration) and kind == "async":
        words = "RuntimeError: coroutine raised StopIteration"
    answer = await called(plain if kind == "plain" else waits)
    assert answer["result"] == {"content": [text(words)], "isError": True}


async def test_a_tool_may_answer_with_an_error_of_the_protocol() -> None:
    def refuses() -> None:
        raise McpError(-31000, "Closed", {"until": "Monday"})

    answer = await called(refuses)
    assert answer["error"] == {"code": -31000, "message": "Closed", "data": {"until": "Monday"}}


@pytest.mark.parametrize("arguments", [None, {}, {"name": "x"}])
async def test_arguments_may_be_left_out(arguments: object) -> None:
    answer = await called(lambda name="nobody": f"hello {name}", arguments)
    who = "x" if arguments else "nobody"
    assert answer["result"]["content"] == [text(f"hello {who}")]


@pytest.mark.parametrize(
    "params", [{}, {"name": 5}, {"name": None}, {"name": "nothing"}, {"name": "t", "arguments": []}]
)
async def test_a_call_that_is_malformed_or_names_no_tool_is_an_error(params: dict) -> None:
    server = Server("s")
    server.tool(name="t")(lambda: 1)
    hand = ServerByHand(server)
    await hand.shake()
    answer = await hand.ask("tools/call", params)
    assert code_of(answer) == jsonrpc.INVALID_PARAMS


def add(a: int, b: int = 1) -> int:
    return a + b


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "'a' is a required property"),
        ({"a": "1"}, "a: '1' is not of type 'integer'"),
        ({"a": None}, "a: None is not of type 'integer'"),
        ({"a": 1.5}, "a: 1.5 is not of type 'integer'"),
        ({"a": "x" * 1000}, "…"),
    ],
)
async def test_bad_values_are_named(arguments: dict, words: str) -> None:
    result = (await called(add, arguments))["result"]
    assert result["isError"]
    assert result["content"][0]["text"].startswith("Invalid arguments for t: ")
    assert words in result["content"][0]["text"]
    assert len(result["content"][0]["text"]) < 400


async def test_values_are_converted_to_what_the_signature_says() -> None:
    class Point(BaseModel):
        x: int

    def kinds(at: Point, when: datetime.date, ratio: float) -> str:
        return f"{type(at).__name__} {when.year} {type(ratio).__name__}"

    arguments = {"at": {"x": 1}, "when": "2026-07-28", "ratio": 1}
    assert (await called(kinds, arguments))["result"]["content"] == [text("Point 2026 float")]
    bad = (await called(kinds, arguments | {"when": "never"}))["result"]
    assert bad["isError"]
    assert "date" in bad["content"][0]["text"]


@pytest.mark.parametrize("name", ["offer", "context", "function", "self", "args", "kwargs", "ctx"])
async def test_no_name_of_an_argument_is_taken(name: str) -> None:
    schema = {"type": "object", "properties": {name: {"type": "integer"}}}

    def tool(**given: int) -> str:
        return str(given)

    answer = await called(tool, {name: 1}, inputSchema=schema)
    assert answer["result"]["content"] == [text(str({name: 1}))]


async def test_the_context_cannot_be_given_by_the_caller() -> None:
    async def tool(ctx: Context) -> str:
        return type(ctx).__name__

    answer = await called(tool, {"ctx": "mine"}, inputSchema={"type": "object"})
    assert answer["result"]["content"] == [text("Context")]


@pytest.mark.parametrize(("value", "good"), [({"n": 1}, True), ({"n": "one"}, False), ({}, False)])
async def test_a_promised_result_is_kept_or_the_tool_fails(value: dict, good: bool) -> None:
    promise = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    result = (await called(lambda: value, outputSchema=promise))["result"]
    if good:
        assert result["structuredContent"] == value
        assert result["content"] == [text('{"n":1}')]
    else:
        assert result["isError"]
        assert "breaks its outputSchema" in result["content"][0]["text"]
        assert "structuredContent" not in result


async def test_plain_handlers_run_on_threads_and_stop_nobody() -> None:
    server, gate = Server("s"), threading.Event()

    @server.tool
    def blocks() -> str:
        return "free" if gate.wait(5) else "never"

    hand = ServerByHand(server)
    await hand.shake()
    hand.feed(jsonrpc.request("slow", "tools/call", {"name": "blocks"}))
    for _ in range(3):
        assert (await hand.ask("ping"))["result"] == {}
    gate.set()
    answer = await hand.next()
    assert (answer["id"], answer["result"]["content"]) == ("slow", [text("free")])


async def test_a_blocked_handler_that_is_cancelled_is_not_answered() -> None:
    server, gate = Server("s"), threading.Event()
    server.tool(name="blocks")(lambda: gate.wait(5))
    hand = ServerByHand(server)
    await hand.shake()
    hand.feed(jsonrpc.request("slow", "tools/call", {"name": "blocks"}))
    await asyncio.sleep(0.01)
    hand.tell("notifications/cancelled", {"requestId": "slow"})
    assert await hand.is_silent()
    gate.set()
    assert await hand.is_silent()


async def test_a_plain_function_that_returns_a_coroutine_is_awaited() -> None:
    async def later() -> str:
        return "later"

    assert (await called(lambda: later()))["result"]["content"] == [text("later")]


# -- resources -------------------------------------------------------------------------------------


async def read(uri: object, *offers: tuple) -> dict:
    server = Server("s")
    server.resource("kept://first", name="first")(lambda: "first")
    for template, function, more in offers:
        server.resource(template, name=template, **more)(function)
    hand = ServerByHand(server)
    await hand.shake()
    return await hand.ask("resources/read", {"uri": uri})


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("words", [contents("a://b", "words", "text/plain")]),
        (b"\x00\xff", [contents("a://b", b"\x00\xff", "text/plain")]),
        ({"a": 1}, [contents("a://b", '{"a":1}', "text/plain")]),
        ({"uri": "c://d", "text": "x"}, [{"uri": "c://d", "text": "x"}]),
        ([{"uri": "c://d", "text": "x"}], [{"uri": "c://d", "text": "x"}]),
        ([1], [contents("a://b", "[1]", "text/plain")]),
    ],
)
async def test_what_a_resource_returns_becomes_contents(value: object, found: list) -> None:
    answer = await read("a://b", ("a://b", lambda: value, {"mimeType": "text/plain"}))
    assert answer["result"]["contents"] == found


async def test_direct_resources_come_before_templates_and_templates_in_order() -> None:
    offers = (
        ("kept://{x}", lambda x: f"one {x}", {}),
        ("kept://{+y}", lambda y: f"two {y}", {}),
    )
    for uri, words in (("first", "first"), ("b%20c", "one b c"), ("b/c", "two b/c")):
        answer = await read(f"kept://{uri}", *offers)
        assert answer["result"]["contents"] == [contents(f"kept://{uri}", words)]


@pytest.mark.parametrize("uri", [None, 5, [], {}])
async def test_a_uri_is_a_string(uri: object) -> None:
    assert code_of(await read(uri)) == jsonrpc.INVALID_PARAMS


async def test_a_resource_may_fail_in_words_for_its_caller() -> None:
    def fails() -> str:
        raise ToolError("the archive is closed")

    answer = await read("a://b", ("a://b", fails, {}))
    assert answer["error"] == {"code": jsonrpc.INTERNAL_ERROR, "message": "the archive is closed"}


# -- prompts ---------------------------------------------------------------------------------------


async def prompted(function, arguments: object = None, **more: object) -> dict:
    server = Server("s")
    server.prompt(name="p", **more)(function)
    hand = ServerByHand(server)
    await hand.shake()
    params = {"name": "p"} | ({} if arguments is None else {"arguments": arguments})
    return await hand.ask("prompts/get", params)


@pytest.mark.parametrize(
    ("value", "messages"),
    [
        ("words", [{"role": "user", "content": text("words")}]),
        (
            [image(b"x"), text("a")],
            [{"role": "user", "content": c} for c in (image(b"x"), text("a"))],
        ),
        (
            [{"role": "assistant", "content": text("b")}],
            [{"role": "assistant", "content": text("b")}],
        ),
    ],
)
async def test_what_a_prompt_returns_becomes_messages(value: object, messages: list) -> None:
    answer = await prompted(lambda: value, description="About.")
    assert answer["result"] == {"description": "About.", "messages": messages}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (None, "Missing arguments for p: topic"),
        ({}, "Missing arguments for p: topic"),
        ({"topic": 5}, "an object of strings"),
        ({"topic": None}, "an object of strings"),
        ([], "an object of strings"),
        ("x", "an object of strings"),
    ],
)
async def test_arguments_of_a_prompt_are_checked(arguments: object, words: str) -> None:
    answer = await prompted(lambda topic, tone="kind": topic, arguments)
    assert code_of(answer) == jsonrpc.INVALID_PARAMS
    assert words in answer["error"]["message"]


async def test_arguments_a_prompt_does_not_know_are_passed_over() -> None:
    answer = await prompted(lambda topic: f"About {topic}", {"topic": "tea", "offer": "x"})
    assert answer["result"]["messages"][0]["content"] == text("About tea")


@pytest.mark.parametrize("name", ["q", None, 5, []])
async def test_a_prompt_that_is_none(name: object) -> None:
    server = Server("s")
    server.prompt(name="p")(lambda: "x")
    hand = ServerByHand(server)
    await hand.shake()
    assert code_of(await hand.ask("prompts/get", {"name": name})) == jsonrpc.INVALID_PARAMS


# -- completion ------------------------------------------------------------------------------------


def library() -> Server:
    server = Server("library")
    server.prompt(name="review", arguments=[{"name": "book"}, {"name": "tone"}])(lambda: "x")
    server.resource("book://{name}", name="book")(lambda name: name)
    server.completion("review", "book")(lambda typed: [f"{typed}{n}" for n in range(250)])

    @server.completion("book://{name}", "name")
    async def names(typed: str) -> list[str]:
        return ["emma"]

    return server


PROMPT, RESOURCE = {"type": "ref/prompt", "name": "review"}, {
    "type": "ref/resource",
    "uri": "book://{name}",
}  # fmt: skip


@pytest.mark.parametrize(
    ("ref", "argument", "values", "total"),
    [
        (PROMPT, "book", [f"b{n}" for n in range(100)], 250),
        (RESOURCE, "name", ["emma"], 1),
        (PROMPT, "tone", [], 0),
        (RESOURCE, "other", [], 0),
    ],
)
async def test_completion(ref: dict, argument: str, values: list, total: int) -> None:
    hand = ServerByHand(library())
    await hand.shake()
    params = {"ref": ref, "argument": {"name": argument, "value": "b"}}
    found = (await hand.ask("completion/complete", params))["result"]["completion"]
    assert found == {"values": values, "total": total, "hasMore": total > 100}


async def test_a_completion_sees_what_is_filled_in_already() -> None:
    server = library()

    @server.completion("review", "tone")
    def tones(typed: str, ctx: Context) -> list[str]:
        return [ctx.params["context"]["arguments"]["book"] + typed]

    async with connect(server, era="legacy") as client:
        assert await client.complete(PROMPT, "tone", "!", {"book": "emma"}) == ["emma!"]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"ref": PROMPT},
        {"ref": PROMPT, "argument": {"name": "book"}},
        {"ref": PROMPT, "argument": {"name": "book", "value": 5}},
        {"ref": {"type": "ref/prompt", "name": "nothing"}, "argument": {"name": "a", "value": ""}},
        {"ref": {"type": "ref/prompt", "name": []}, "argument": {"name": "a", "value": ""}},
        {"ref": {"type": "ref/resource", "uri": {}}, "argument": {"name": "a", "value": ""}},
        {"ref": {"type": "ref/prompt"}, "argument": {"name": "a", "value": ""}},
        {"ref": {}, "argument": {"name": "a", "value": ""}},
        {"ref": [], "argument": []},
        {"ref": PROMPT, "argument": {"name": "book", "value": ""}, "context": []},
        {"ref": PROMPT, "argument": {"name": "book", "value": ""}, "context": {"arguments": []}},
    ],
)
async def test_a_completion_that_asks_for_nothing_known(params: dict) -> None:
    hand = ServerByHand(library())
    await hand.shake()
    assert code_of(await hand.ask("completion/complete", params)) == jsonrpc.INVALID_PARAMS


# -- pages -----------------------------------------------------------------------------------------

LISTS = [
    ("tools/list", "tools"),
    ("prompts/list", "prompts"),
    ("resources/list", "resources"),
    ("resources/templates/list", "resourceTemplates"),
]


def full(count: int, page_size: int | None) -> Server:
    server = Server("full", page_size=page_size)
    for n in range(count):
        server.tool(name=f"n{n}")(lambda: 1)
        server.prompt(name=f"n{n}")(lambda: "")
        server.resource(f"a://{n}", name=f"n{n}")(lambda: "")
        server.resource(f"b://{n}/{{x}}", name=f"n{n}")(lambda x: "")
    return server


@pytest.mark.parametrize(("method", "member"), LISTS)
@pytest.mark.parametrize(
    ("count", "size", "pages"), [(5, 2, 3), (4, 2, 2), (3, 5, 1), (3, None, 1)]
)
async def test_lists_come_in_pages(method, member, count, size, pages) -> None:
    hand = ServerByHand(full(count, size))
    await hand.shake()
    names, cursor, seen = [], None, 0
    while seen == 0 or cursor:
        result = (await hand.ask(method, {"cursor": cursor} if cursor else {}))["result"]
        names += [entry["name"] for entry in result[member]]
        cursor, seen = result.get("nextCursor"), seen + 1
    assert seen == pages
    assert names == [f"n{n}" for n in range(count)]


@pytest.mark.parametrize("method", [method for method, _ in LISTS])
@pytest.mark.parametrize(
    "cursor",
    ["", "x", "ZnJvbTo5OQ==", "ZnJvbTotMQ==", "ZnJvbTow", "ZnJvbTp4", 5, [], {}, True, "é"],
)
async def test_a_cursor_that_was_never_given_out_is_refused(method: str, cursor: object) -> None:
    hand = ServerByHand(full(5, 2))
    await hand.shake()
    answer = await hand.ask(method, {"cursor": cursor})
    assert code_of(answer) == jsonrpc.INVALID_PARAMS
    assert "none that this server gave out" in answer["error"]["message"]


async def test_a_cursor_of_a_list_that_has_shrunk_is_refused_not_wrong() -> None:
    server = full(5, 2)
    hand = ServerByHand(server)
    await hand.shake()
    cursor = (await hand.ask("tools/list"))["result"]["nextCursor"]
    for name in ("n2", "n3", "n4"):
        del server.tools[name]
    assert code_of(await hand.ask("tools/list", {"cursor": cursor})) == jsonrpc.INVALID_PARAMS


async def test_an_invalid_result_of_a_handler_is_seen_by_the_guard() -> None:
    """The guard over all tests is awake: what it would complain of here, it complains of."""
    import wire_guard

    server = Server("s")
    server.tool(name="t")(lambda: {"content": [{"type": "text"}]})
    hand = ServerByHand(server)
    await hand.shake()
    await hand.ask("tools/call", {"name": "t"})
    complaints = list(wire_guard.GUARD.complaints)
    wire_guard.GUARD.complaints.clear()
    if wire_guard.official.MISSING:
        pytest.skip(wire_guard.official.MISSING)
    assert len(complaints) == 1
    assert "CallToolResult" in complaints[0]
    with broken_on_purpose():
        await hand.ask("tools/call", {"name": "t"})
    assert not wire_guard.GUARD.complaints
