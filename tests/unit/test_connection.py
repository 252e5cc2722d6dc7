"""A server's side of a conversation: handshake, what may be asked when, batches, changes."""

import asyncio
import threading

import pytest
from by_hand import CALLER, ServerByHand, code_of

from mcp_lesson import Context, Server, ToolError, jsonrpc, revisions
from mcp_lesson.content import audio, link, text
from mcp_lesson.peer import Envelope
from mcp_lesson.revisions import LEGACY, NEWEST


def office() -> Server:
    """A server with a little of everything."""
    server = Server("office", "2.0", title="The office", instructions="Knock.", logging=True)

    @server.tool(
        title="Adder",
        annotations={"readOnlyHint": True},
        icons=[{"src": "https://example.com/i.png"}],
        outputSchema={"type": "object", "properties": {"sum": {"type": "integer"}}},
    )
    def add(a: int, b: int) -> dict:
        """Add."""
        return {"sum": a + b}

    @server.tool
    def fails() -> None:
        raise ToolError("the printer is out of paper")

    @server.tool
    async def logs(ctx: Context) -> str:
        for level in revisions.LOG_LEVELS:
            await ctx.log(level, f"at {level}", "office")
        return "logged"

    @server.resource("memo://today", mimeType="text/plain")
    def memo() -> str:
        return "Buy paper."

    @server.prompt
    def greet(name: str) -> str:
        return f"Greet {name}."

    @server.completion("greet", "name")
    def names(typed: str) -> list[str]:
        return [name for name in ("Ada", "Alan", "Bob") if name.startswith(typed)]

    return server


# -- the handshake ---------------------------------------------------------------------------------


@pytest.mark.parametrize("offered", [*LEGACY, "1999-01-01", NEWEST, "", "2099-12-31"])
async def test_the_offered_version_is_taken_where_it_is_known(offered: str) -> None:
    result = await ServerByHand(office()).shake(offered)
    assert result["protocolVersion"] == (offered if offered in LEGACY else LEGACY[-1])


async def test_the_answer_to_initialize() -> None:
    result = await ServerByHand(office()).shake("2025-11-25")
    assert result == {
        "protocolVersion": "2025-11-25",
        "capabilities": {
            "tools": {"listChanged": True},
            "resources": {"listChanged": True, "subscribe": True},
            "prompts": {"listChanged": True},
            "completions": {},
            "logging": {},
        },
        "serverInfo": {"name": "office", "version": "2.0", "title": "The office"},
        "instructions": "Knock.",
    }
    older = await ServerByHand(office()).shake("2025-03-26")
    assert older["serverInfo"] == {"name": "office", "version": "2.0"}
    assert await ServerByHand(Server("empty")).shake() == {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "serverInfo": {"name": "empty", "version": "1.0.0"},
    }


@pytest.mark.parametrize(
    "params",
    [
        None,
        {},
        {"protocolVersion": 5, "capabilities": {}, "clientInfo": CALLER},
        {"protocolVersion": "2025-11-25", "clientInfo": CALLER},
        {"protocolVersion": "2025-11-25", "capabilities": [], "clientInfo": CALLER},
        {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": "me"},
    ],
)
async def test_an_incomplete_initialize_is_refused_and_may_be_sent_again(params: object) -> None:
    hand = ServerByHand(office())
    assert code_of(await hand.ask("initialize", params)) == jsonrpc.INVALID_PARAMS
    assert (await hand.shake())["protocolVersion"] == "2025-11-25"


async def test_before_initialize_there_is_only_ping() -> None:
    hand = ServerByHand(office())
    assert (await hand.ask("ping"))["result"] == {}
    refused = await hand.ask("tools/list")
    assert code_of(refused) == jsonrpc.INVALID_REQUEST
    assert "send initialize first" in refused["error"]["message"]


async def test_initialize_comes_once() -> None:
    hand = ServerByHand(office())
    await hand.shake()
    hello = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": CALLER}
    assert code_of(await hand.ask("initialize", hello)) == jsonrpc.INVALID_REQUEST
    assert hand.connection.revision is revisions.ALL["2025-11-25"]


async def test_requests_are_served_before_initialized_arrives() -> None:
    """Nothing obliges a server to refuse them (basic/lifecycle#initialization)."""
    hand = ServerByHand(office())
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CALLER}
    await hand.ask("initialize", hello)
    assert (await hand.ask("tools/list"))["result"]["tools"]
    assert hand.connection.state == "agreed"
    hand.tell("notifications/initialized")
    assert await hand.is_silent()
    assert hand.connection.state == "operating"


# -- which methods there are -----------------------------------------------------------------------


@pytest.mark.parametrize("revision", LEGACY)
async def test_every_method_of_a_revision_is_there_and_no_other(revision: str) -> None:
    hand = ServerByHand(office())
    await hand.shake(revision)
    for method in ("nothing/here", "server/discovery", "roots/list", "notifications/initialized"):
        assert code_of(await hand.ask(method)) == jsonrpc.METHOD_NOT_FOUND, method
    mine = {
        name
        for name, row in revisions.ALL[revision].methods.items()
        if row.kind == "request" and "client" in row.senders and not name.startswith("tasks/")
    }
    for method in mine:
        answer = await hand.ask(method, {})
        assert code_of(answer) != jsonrpc.METHOD_NOT_FOUND, method


@pytest.mark.parametrize("revision", LEGACY)
@pytest.mark.parametrize(
    "method", ["tools/list", "resources/list", "prompts/get", "logging/setLevel"]
)
async def test_what_is_not_offered_is_not_there(revision: str, method: str) -> None:
    hand = ServerByHand(Server("empty"))
    await hand.shake(revision)
    assert code_of(await hand.ask(method, {})) == jsonrpc.METHOD_NOT_FOUND


# -- what is no message ----------------------------------------------------------------------------

BROKEN = [
    ({"jsonrpc": "2.0", "id": 1, "method": 5}, 1),
    ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, 1),
    ({"jsonrpc": "2.0", "id": "a", "method": "ping", "params": 5}, "a"),
    ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, 1),
    ({"id": 1, "method": "ping"}, 1),
    ({"jsonrpc": "2.0", "id": None, "method": "ping"}, None),
    ({"jsonrpc": "2.0", "id": True, "method": "ping"}, None),
    ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, None),
    ({"jsonrpc": "2.0", "id": {}, "method": "ping"}, None),
    ({"jsonrpc": "2.0", "id": 1, "method": "ping", "result": {}}, 1),
    ({"jsonrpc": "2.0"}, None),
    ({}, None),
    (5, None),
    ("ping", None),
    (None, None),
    ([], None),
    ([{"jsonrpc": "2.0", "id": 1, "method": "ping"}], None),
]


@pytest.mark.parametrize(("message", "id"), BROKEN, ids=[str(message) for message, _ in BROKEN])
async def test_what_is_no_message_is_refused_by_its_id_if_it_can_be_read(message, id) -> None:
    hand = ServerByHand(office())
    await hand.shake()
    hand.feed(message)
    refused = await hand.next()
    assert code_of(refused) == jsonrpc.INVALID_REQUEST
    assert refused.get("id", "none") == (id if id is not None else "none")
    assert (await hand.ask("ping"))["result"] == {}


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/nothing"},
        {"jsonrpc": "2.0", "method": "tools/list"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": [1]},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": {}}},
        {"jsonrpc": "2.0", "id": 77, "result": {}},
        {"jsonrpc": "2.0", "id": 77, "error": {"code": 1, "message": "x"}},
        {"jsonrpc": "2.0", "error": {"code": 1, "message": "x"}},
        {"jsonrpc": "2.0", "id": 77, "result": 5},
        {"jsonrpc": "2.0", "id": None, "result": {}},
        {"jsonrpc": "2.0", "id": 77, "error": 5},
    ],
    ids=str,
)
async def test_notifications_and_stray_answers_are_never_answered(message: dict) -> None:
    hand = ServerByHand(office())
    await hand.shake()
    hand.feed(message)
    assert await hand.is_silent()


async def test_a_line_that_is_no_json_is_answered_without_id() -> None:
    hand = ServerByHand(office())
    await hand.shake()
    problem = jsonrpc.MalformedMessage(jsonrpc.PARSE_ERROR, "not JSON: at character 1")
    hand.connection.malformed(problem, Envelope(None))
    refused = await hand.next()
    assert code_of(refused) == jsonrpc.PARSE_ERROR
    assert "id" not in refused


# -- batches (2025-03-26 alone) --------------------------------------------------------------------


@pytest.mark.parametrize("revision", [r for r in LEGACY if r != "2025-03-26"])
async def test_a_batch_is_refused_by_every_other_revision(revision: str) -> None:
    hand = ServerByHand(office())
    await hand.shake(revision)
    hand.feed([jsonrpc.request("a", "ping")])
    refused = await hand.next()
    assert code_of(refused) == jsonrpc.INVALID_REQUEST
    assert "2025-03-26 only" in refused["error"]["message"]


async def test_a_batch_is_answered_by_a_batch() -> None:
    hand = ServerByHand(office())
    await hand.shake("2025-03-26")
    call = {"name": "add", "arguments": {"a": 1, "b": 2}}
    hand.feed(
        [
            jsonrpc.notification("notifications/nothing"),
            jsonrpc.request("a", "ping"),
            jsonrpc.request("b", "nothing/here"),
            jsonrpc.request("c", "tools/call", call),
            jsonrpc.result(99, {}),
        ]
    )
    answers = await hand.next()
    assert [answer["id"] for answer in answers] == ["a", "b", "c"]
    assert answers[0]["result"] == {}
    assert code_of(answers[1]) == jsonrpc.METHOD_NOT_FOUND
    assert '"sum":3' in answers[2]["result"]["content"][0]["text"]


@pytest.mark.parametrize("parts", [["notification"], ["answer"], ["notification", "answer"]])
async def test_a_batch_without_a_request_is_not_answered(parts: list[str]) -> None:
    made = {
        "notification": jsonrpc.notification("notifications/x"),
        "answer": jsonrpc.result(9, {}),
    }
    hand = ServerByHand(office())
    await hand.shake("2025-03-26")
    hand.feed([made[part] for part in parts])
    assert await hand.is_silent()


async def test_the_parts_of_a_batch_that_are_no_message_are_refused_each() -> None:
    hand = ServerByHand(office())
    await hand.shake("2025-03-26")
    bad = [5, [jsonrpc.request("x", "ping")], {"jsonrpc": "2.0", "id": None, "method": "ping"}]
    hand.feed([*bad, jsonrpc.request("good", "ping")])
    said = await hand.several(4)
    assert [code_of(one) for one in said[:3]] == [jsonrpc.INVALID_REQUEST] * 3
    assert said[3] == [{"jsonrpc": "2.0", "id": "good", "result": {}}]


@pytest.mark.parametrize("empty", [[], [1, 2]])
async def test_an_empty_or_senseless_batch_is_refused(empty: list) -> None:
    hand = ServerByHand(office())
    await hand.shake("2025-03-26")
    hand.feed(empty)
    assert code_of(await hand.next()) == jsonrpc.INVALID_REQUEST


# -- what differs between revisions ----------------------------------------------------------------


def shown(revision: str) -> set[str]:
    """The members of the tool `add` that this revision knows."""
    members = {"name", "description", "inputSchema"}
    members |= {"annotations"} if revision >= "2025-03-26" else set()
    members |= {"title", "outputSchema"} if revision >= "2025-06-18" else set()
    return members | ({"icons"} if revision >= "2025-11-25" else set())


@pytest.mark.parametrize("revision", [*LEGACY, NEWEST])
async def test_a_definition_has_only_what_its_revision_knows(revision: str) -> None:
    hand = ServerByHand(office())
    if revision in LEGACY:
        await hand.shake(revision)
        tools = (await hand.ask("tools/list"))["result"]["tools"]
    else:
        tools = (await hand.ask_modern("tools/list"))["result"]["tools"]
    assert tools[0].keys() == shown(revision)


@pytest.mark.parametrize("revision", [*LEGACY, NEWEST])
async def test_structured_results_are_as_the_revision_knows_them(revision: str) -> None:
    server = office()
    server.tool(name="some", outputSchema={"type": "array"})(lambda: [1, 2])
    hand = ServerByHand(server)
    results = []
    for name, arguments in (("add", {"a": 1, "b": 2}), ("some", {})):
        call = {"name": name, "arguments": arguments}
        if revision in LEGACY and not results:
            await hand.shake(revision)
        ask = hand.ask if revision in LEGACY else hand.ask_modern
        results.append((await ask("tools/call", call))["result"])
    assert results[0].get("structuredContent") == ({"sum": 3} if revision > "2025-06" else None)
    assert results[1].get("structuredContent") == ([1, 2] if revision == NEWEST else None)
    assert results[1]["content"] == [text("[1,2]")]


@pytest.mark.parametrize("revision", LEGACY)
async def test_blocks_that_a_revision_lacks_are_only_mentioned(revision: str) -> None:
    server = Server("s")
    server.tool(name="sound")(lambda: [audio(b"beep"), link("a://b", "b")])
    server.prompt(name="sounds", arguments=[])(lambda: [audio(b"beep"), link("a://b", "b")])
    hand = ServerByHand(server)
    await hand.shake(revision)
    content = (await hand.ask("tools/call", {"name": "sound"}))["result"]["content"]
    messages = (await hand.ask("prompts/get", {"name": "sounds"}))["result"]["messages"]
    kinds = ["text" if revision < since else kind for kind, since in
             (("audio", "2025-03-26"), ("resource_link", "2025-06-18"))]  # fmt: skip
    assert [block["type"] for block in content] == kinds
    assert [message["content"]["type"] for message in messages] == kinds


@pytest.mark.parametrize("revision", [*LEGACY, NEWEST])
async def test_bad_arguments_are_answered_as_the_revision_wants(revision: str) -> None:
    hand = ServerByHand(office())
    call = {"name": "add", "arguments": {"a": "one", "b": 2}}
    if revision in LEGACY:
        await hand.shake(revision)
        answer = await hand.ask("tools/call", call)
    else:
        answer = await hand.ask_modern("tools/call", call)
    words = "Invalid arguments for add: a: 'one' is not of type 'integer'"
    if revision <= "2025-06-18":
        assert (code_of(answer), answer["error"]["message"]) == (jsonrpc.INVALID_PARAMS, words)
    else:
        assert answer["result"]["isError"] is True
        assert answer["result"]["content"] == [text(words)]


@pytest.mark.parametrize("revision", [*LEGACY, NEWEST])
async def test_a_missing_resource_is_answered_as_the_revision_wants(revision: str) -> None:
    hand = ServerByHand(office())
    if revision in LEGACY:
        await hand.shake(revision)
        answer = await hand.ask("resources/read", {"uri": "memo://tomorrow"})
    else:
        answer = await hand.ask_modern("resources/read", {"uri": "memo://tomorrow"})
    assert code_of(answer) == (-32002 if revision in LEGACY else -32602)
    assert answer["error"]["data"] == {"uri": "memo://tomorrow"}


# -- log lines -------------------------------------------------------------------------------------


async def levels_told(hand: ServerByHand) -> list[str]:
    """Which lines the tool `logs` sends before its answer."""
    hand.feed(jsonrpc.request("log", "tools/call", {"name": "logs"}))
    told = []
    while "method" in (message := await hand.next()):
        assert message["params"] == {
            "level": message["params"]["level"],
            "data": f"at {message['params']['level']}",
            "logger": "office",
        }
        told.append(message["params"]["level"])
    return told


@pytest.mark.parametrize("level", revisions.LOG_LEVELS)
async def test_log_lines_of_the_wanted_level_and_above_are_told(level: str) -> None:
    hand = ServerByHand(office())
    await hand.shake()
    assert (await hand.ask("logging/setLevel", {"level": level}))["result"] == {}
    wanted = revisions.LOG_LEVELS[revisions.LOG_LEVELS.index(level) :]
    assert await levels_told(hand) == list(wanted)


@pytest.mark.parametrize("level", ["loud", "", None, 5, "INFO", []])
async def test_a_level_that_is_none_is_refused(level: object) -> None:
    hand = ServerByHand(office())
    await hand.shake()
    answer = await hand.ask("logging/setLevel", {"level": level})
    assert code_of(answer) == jsonrpc.INVALID_PARAMS
    assert (await levels_told(hand))[0] == "info"


async def test_a_server_that_did_not_declare_logging_sends_no_lines() -> None:
    server = office()
    server.logging = False
    hand = ServerByHand(server)
    await hand.shake()
    assert await levels_told(hand) == []


async def test_log_refuses_a_word_that_is_no_level() -> None:
    server = Server("s", logging=True)

    @server.tool
    async def logs(ctx: Context) -> None:
        await ctx.log("loud", "x")

    hand = ServerByHand(server)
    await hand.shake()
    result = (await hand.ask("tools/call", {"name": "logs"}))["result"]
    assert "level is 'loud'; it must be one of debug, info" in result["content"][0]["text"]


# -- progress --------------------------------------------------------------------------------------


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-11-25"])
@pytest.mark.parametrize("token", ["mine", 7, None, True, 1.5, [], "absent"])
async def test_progress_needs_a_token_and_grows(revision: str, token: object) -> None:
    server = Server("s")

    @server.tool
    async def work(ctx: Context) -> str:
        for done in (1, 2, 2, 1, 3):
            await ctx.progress(done, 3, f"step {done}")
        await ctx.progress(3.5)
        return "done"

    hand = ServerByHand(server)
    await hand.shake(revision)
    meta = {} if token == "absent" else {"_meta": {"progressToken": token}}
    hand.feed(jsonrpc.request("w", "tools/call", {"name": "work", **meta}))
    told = []
    while "method" in (message := await hand.next()):
        told.append(message["params"])
    if token not in ("mine", 7):
        assert told == []
        return
    assert [params["progress"] for params in told] == [1, 2, 3, 3.5]
    assert all(params["progressToken"] == token for params in told)
    assert ("message" in told[0]) is (revision > "2024-11-05")
    assert "total" not in told[-1]


# -- capabilities of the client --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("revision", "declared", "words"),
    [
        ("2025-11-25", {}, "needs the client capability elicitation"),
        ("2025-03-26", {"elicitation": {}}, "does not exist in 2025-03-26"),
    ],
)
async def test_a_client_is_asked_only_what_it_declared_and_its_revision_has(
    revision: str, declared: dict, words: str
) -> None:
    server = Server("s")

    @server.tool
    async def ask(ctx: Context) -> str:
        return str(await ctx.elicit("Name?", {"type": "object", "properties": {}}))

    hand = ServerByHand(server)
    await hand.shake(revision, **declared)
    result = (await hand.ask("tools/call", {"name": "ask"}))["result"]
    assert result["isError"]
    assert words in result["content"][0]["text"]


@pytest.mark.parametrize("answer", [{}, {"action": "maybe"}, {"action": None}, {"content": {}}])
async def test_an_answer_that_is_none_fails_the_tool_in_clear_words(answer: dict) -> None:
    server = Server("s")

    @server.tool
    async def ask(ctx: Context) -> str:
        return str(await ctx.elicit("?", {"type": "object", "properties": {}}, key="name"))

    hand = ServerByHand(server)
    await hand.shake(elicitation={})
    hand.feed(jsonrpc.request("c", "tools/call", {"name": "ask"}))
    hand.feed(jsonrpc.result((await hand.next())["id"], answer))
    result = (await hand.next())["result"]
    assert "the client's answer to name is none" in result["content"][0]["text"]


async def test_a_refusal_by_the_client_fails_the_call_with_its_error() -> None:
    server = Server("s")

    @server.tool
    async def ask(ctx: Context) -> str:
        return str(await ctx.sample([]))

    hand = ServerByHand(server)
    await hand.shake(sampling={})
    hand.feed(jsonrpc.request("c", "tools/call", {"name": "ask"}))
    hand.feed(jsonrpc.error((await hand.next())["id"], -1, "User rejected"))
    answer = await hand.next()
    assert (answer["id"], answer["error"]["message"]) == ("c", "User rejected")


async def test_a_server_cannot_ask_what_the_protocol_does_not_have() -> None:
    server = Server("s")

    @server.tool
    async def ask(ctx: Context) -> str:
        return str(await ctx.ask("client/secrets"))

    hand = ServerByHand(server)
    await hand.shake()
    result = (await hand.ask("tools/call", {"name": "ask"}))["result"]
    assert "a server cannot ask 'client/secrets'" in result["content"][0]["text"]


# -- changes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["tools", "resources", "prompts"])
async def test_a_change_is_told_to_who_is_connected(what: str) -> None:
    server = office()
    hands = [ServerByHand(server) for _ in range(2)]
    for hand in hands:
        await hand.shake()
        assert await hand.is_silent()
    server.changed(what)
    for hand in hands:
        assert await hand.next() == {
            "jsonrpc": "2.0",
            "method": f"notifications/{what}/list_changed",
        }
        hand.connection.lost("done")
    server.changed(what)
    await asyncio.sleep(0)
    assert all(hand.envelopes.empty() for hand in hands)


async def test_no_change_is_told_of_what_was_not_declared_nor_before_initialized() -> None:
    server = Server("s")
    server.tool(name="t")(lambda: 1)
    hand = ServerByHand(server)
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CALLER}
    await hand.ask("initialize", hello)
    server.changed("tools")
    assert await hand.is_silent()
    hand.tell("notifications/initialized")
    assert await hand.is_silent()
    server.changed("prompts")
    assert await hand.is_silent()


async def test_a_change_may_come_from_a_thread() -> None:
    server = office()
    hand = ServerByHand(server)
    await hand.shake()
    assert await hand.is_silent()
    thread = threading.Thread(target=server.changed, args=("tools",))
    thread.start()
    assert (await hand.next())["method"] == "notifications/tools/list_changed"
    thread.join()


def test_only_lists_change() -> None:
    with pytest.raises(ValueError, match="'tool' is no list"):
        Server("s").changed("tool")


async def test_updates_are_told_to_who_subscribed_until_they_unsubscribe() -> None:
    server = office()
    one, other = ServerByHand(server), ServerByHand(server)
    for hand in (one, other):
        await hand.shake()
    assert (await one.ask("resources/subscribe", {"uri": "memo://today"}))["result"] == {}
    server.updated("memo://today")
    server.updated("memo://other")
    told = await one.next()
    assert (told["method"], told["params"]) == (
        "notifications/resources/updated",
        {"uri": "memo://today"},
    )
    assert (await one.ask("resources/unsubscribe", {"uri": "memo://today"}))["result"] == {}
    server.updated("memo://today")
    assert await one.is_silent()
    assert await other.is_silent()
    assert code_of(await one.ask("resources/subscribe", {"uri": 5})) == jsonrpc.INVALID_PARAMS


# -- both eras on one wire -------------------------------------------------------------------------


async def test_both_eras_are_served_on_one_wire_and_neither_sees_the_other() -> None:
    hand = ServerByHand(office())
    before = await hand.ask_modern("tools/list")
    assert before["result"]["resultType"] == "complete"
    await hand.shake("2024-11-05")
    legacy = await hand.ask("tools/list")
    assert "resultType" not in legacy["result"]
    assert "title" not in legacy["result"]["tools"][0]
    after = await hand.ask_modern("tools/list")
    assert after["result"]["tools"][0]["title"] == "Adder"
    assert hand.connection.client_capabilities == {}
