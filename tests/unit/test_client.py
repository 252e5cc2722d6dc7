"""The client: what it declares and checks, what it answers, rounds, pages, and what it keeps."""

import asyncio

import pytest
from by_hand import PATIENCE, ClientByHand, complete, discovered
from wire_guard import broken_on_purpose

from mcp_lesson import Context, Limits, McpError, RequestTimeout, Server, connect, jsonrpc
from mcp_lesson.answers import accept_defaults
from mcp_lesson.client import NotDeclared
from mcp_lesson.revisions import META, NEWEST

TOOL = {"name": "t", "inputSchema": {"type": "object"}}
FORM = {"type": "object", "properties": {"name": {"type": "string", "default": "Ada"}}}


def question(method: str = "elicitation/create", **params: object) -> dict:
    return {"method": method, "params": params}


def input_required(questions: dict | None = None, state: str | None = None) -> dict:
    found: dict = {"resultType": "input_required"}
    if questions is not None:
        found["inputRequests"] = questions
    return found | ({"requestState": state} if state is not None else {})


# -- what it declares ------------------------------------------------------------------------------


async def test_it_declares_what_it_has_handlers_for() -> None:
    hand = ClientByHand(sampling=lambda params: "hi", roots=["file:///a"])
    starting = hand.calls(hand.client.start())
    hello = (await hand.next())["params"]
    assert hello["capabilities"] == {"sampling": {}, "roots": {"listChanged": True}}
    assert hello["clientInfo"]["name"] == "mcp-lesson"
    starting.cancel()


async def test_a_modern_request_says_who_asks_and_what_it_can() -> None:
    hand = ClientByHand("modern", elicitation=accept_defaults)
    client = await hand.shake()
    client.log_level = "debug"
    hand.calls(client.call_tool("t"))
    meta = (await hand.next())["params"]["_meta"]
    assert meta[META + "protocolVersion"] == NEWEST
    assert meta[META + "clientCapabilities"] == {"elicitation": {}}
    assert meta[META + "clientInfo"]["name"] == "mcp-lesson"
    assert meta[META + "logLevel"] == "debug"


async def test_what_a_caller_puts_into_meta_stays() -> None:
    hand = ClientByHand("modern")
    client = await hand.shake()
    with broken_on_purpose():
        lie = {"name": "t", "_meta": {META + "protocolVersion": "1900-01-01", "mine": 1}}
        hand.calls(client.request("tools/call", lie))
        meta = (await hand.next())["params"]["_meta"]
    assert meta[META + "protocolVersion"] == "1900-01-01"
    assert meta["mine"] == 1
    assert META + "clientCapabilities" in meta
    assert lie["_meta"] == {META + "protocolVersion": "1900-01-01", "mine": 1}, "not changed"


# -- what it checks --------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize(
    ("ask", "capability"),
    [
        (lambda client: client.list_tools(), "tools"),
        (lambda client: client.call_tool("t"), "tools"),
        (lambda client: client.list_resources(), "resources"),
        (lambda client: client.list_resource_templates(), "resources"),
        (lambda client: client.read_resource("a://b"), "resources"),
        (lambda client: client.list_prompts(), "prompts"),
        (lambda client: client.get_prompt("p"), "prompts"),
        (
            lambda client: client.complete({"type": "ref/prompt", "name": "p"}, "a", ""),
            "completions",
        ),
    ],
)
async def test_what_the_server_did_not_declare_is_not_asked(era, ask, capability) -> None:
    hand = ClientByHand(era)
    client = await hand.shake({})
    with pytest.raises(NotDeclared, match=f"did not declare {capability}"):
        await ask(client)
    assert hand.envelopes.empty()


@pytest.mark.parametrize("false", [False, None])
async def test_false_declares_nothing(false: object) -> None:
    hand = ClientByHand()
    client = await hand.shake({"resources": {"subscribe": false}})
    with pytest.raises(NotDeclared, match=r"resources\.subscribe"):
        await client.subscribe("a://b")


async def test_unchecked_asks_all_the_same() -> None:
    hand = ClientByHand()
    client = await hand.shake({})
    call = hand.calls(client.request("tools/list", unchecked=True))
    hand.answer(await hand.next(), {"tools": []})
    assert (await call)["tools"] == []


async def test_a_method_nobody_knows_is_sent() -> None:
    hand = ClientByHand()
    client = await hand.shake({})
    with broken_on_purpose():
        call = hand.calls(client.request("x/y"))
        asked = await hand.next()
    assert "params" not in asked
    hand.refuse(asked, -32601)
    with pytest.raises(McpError, match="-32601 Method not found"):
        await call


# -- what it answers (legacy) ----------------------------------------------------------------------


async def asked_of(hand: ClientByHand, method: str, params: dict | None = None) -> dict:
    hand.feed(jsonrpc.request("q", method, params))
    return await hand.next()


@pytest.mark.parametrize(
    ("said", "result"),
    [
        ("four", {"role": "assistant", "content": {"type": "text", "text": "four"}}),
        (
            {"role": "assistant", "content": {"type": "text", "text": "4"}, "model": "m"},
            {"role": "assistant", "content": {"type": "text", "text": "4"}, "model": "m"},
        ),
    ],
)
async def test_sampling(said: object, result: dict) -> None:
    hand = ClientByHand(sampling=lambda params: said)
    await hand.shake()
    params = {"messages": [], "maxTokens": 5}
    answer = (await asked_of(hand, "sampling/createMessage", params))["result"]
    assert result.items() <= answer.items()
    assert isinstance(answer["model"], str)


@pytest.mark.parametrize(
    ("said", "result"),
    [
        (None, {"action": "decline"}),
        ({"action": "cancel"}, {"action": "cancel"}),
        ({"name": "Ada"}, {"action": "accept", "content": {"name": "Ada"}}),
    ],
)
async def test_elicitation(said: object, result: dict) -> None:
    async def person(params: dict) -> object:
        return said

    hand = ClientByHand(elicitation=person)
    await hand.shake()
    params = {"message": "Name?", "requestedSchema": FORM}
    assert (await asked_of(hand, "elicitation/create", params))["result"] == result


async def test_a_form_can_be_accepted_as_it_stands() -> None:
    hand = ClientByHand(elicitation=accept_defaults)
    await hand.shake()
    params = {"message": "Name?", "requestedSchema": FORM}
    answer = (await asked_of(hand, "elicitation/create", params))["result"]
    assert answer == {"action": "accept", "content": {"name": "Ada"}}


@pytest.mark.parametrize("roots", [["file:///a"], lambda: [{"uri": "file:///a"}]])
async def test_roots(roots: object) -> None:
    hand = ClientByHand(roots=roots)
    await hand.shake()
    assert (await asked_of(hand, "roots/list"))["result"] == {"roots": [{"uri": "file:///a"}]}


@pytest.mark.parametrize(
    "method", ["sampling/createMessage", "elicitation/create", "roots/list", "x/y", "roots/other"]
)
async def test_what_it_did_not_declare_it_does_not_answer(method: str) -> None:
    hand = ClientByHand(elicitation=None)
    await hand.shake()
    assert (await asked_of(hand, method))["error"]["code"] == jsonrpc.METHOD_NOT_FOUND


async def test_it_answers_ping_while_it_waits() -> None:
    hand = ClientByHand()
    client = await hand.shake()
    call = hand.calls(client.call_tool("t"))
    asked = await hand.next()
    assert (await asked_of(hand, "ping"))["result"] == {}
    hand.answer(asked, {"content": []})
    await call


async def test_a_handler_that_asks_back_does_not_deadlock() -> None:
    async def handler(params: dict) -> str:
        return (await hand.client.call_tool("helper")).text

    hand = ClientByHand(sampling=handler)
    client = await hand.shake()
    call = hand.calls(client.call_tool("outer"))
    outer = await hand.next()
    hand.feed(jsonrpc.request("q", "sampling/createMessage", {"messages": [], "maxTokens": 1}))
    inner = await hand.next()
    assert inner["params"]["name"] == "helper"
    hand.answer(inner, {"content": [{"type": "text", "text": "helped"}]})
    assert (await hand.next())["result"]["content"]["text"] == "helped"
    hand.answer(outer, {"content": []})
    await call


async def test_a_question_that_the_server_takes_back_is_not_answered() -> None:
    ended: list[str] = []

    async def person(params: dict) -> dict:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("gave up")
        return {}

    hand = ClientByHand(elicitation=person)
    await hand.shake()
    params = {"message": "Name?", "requestedSchema": FORM}
    hand.feed(jsonrpc.request("q", "elicitation/create", params))
    await asyncio.sleep(0)
    hand.feed(jsonrpc.notification("notifications/cancelled", {"requestId": "q"}))
    hand.feed(jsonrpc.request("after", "ping"))
    assert await hand.next() == jsonrpc.result("after", {}), "the first thing that is said"
    assert ended == ["gave up"]


async def test_answers_may_come_in_a_batch_in_2025_03_26() -> None:
    hand = ClientByHand("2025-03-26")
    client = await hand.shake()
    calls = [hand.calls(client.call_tool("t")) for _ in range(2)]
    first, second = await hand.several(2)
    told = jsonrpc.notification("notifications/tools/list_changed")
    hand.feed([jsonrpc.result(second["id"], {"n": 2}), told, jsonrpc.result(first["id"], {"n": 1})])
    assert [result["n"] for result in await asyncio.gather(*calls)] == [1, 2]


async def test_a_modern_server_that_asks_is_not_answered() -> None:
    """Since 2026-07-28 servers send no requests and clients no responses: basic/patterns."""
    hand = ClientByHand("modern", roots=[])
    client = await hand.shake()
    hand.feed(jsonrpc.request("q", "roots/list"))
    call = hand.calls(client.call_tool("t"))
    asked = await hand.next()
    assert asked["method"] == "tools/call", "and no answer before it"
    hand.answer(asked, complete(content=[]))
    await call
    assert "sent a request" in client.strays[-1]


# -- rounds (2026-07-28 basic/patterns/mrtr) -------------------------------------------------------


async def test_a_round_answers_every_question_and_echoes_the_state() -> None:
    hand = ClientByHand("modern", elicitation=accept_defaults, roots=["file:///a"])
    client = await hand.shake()
    call = hand.calls(client.call_tool("t", {"x": 1}))
    first = await hand.next()
    questions = {
        "who": question(message="Name?", requestedSchema=FORM),
        "where": {"method": "roots/list"},
    }
    state = 'opaque é "\\'
    hand.answer(first, input_required(questions, state))
    second = await hand.next()
    assert second["id"] != first["id"]
    assert second["params"]["name"] == "t"
    assert second["params"]["arguments"] == {"x": 1}
    assert second["params"]["requestState"] == state
    assert second["params"]["inputResponses"] == {
        "who": {"action": "accept", "content": {"name": "Ada"}},
        "where": {"roots": [{"uri": "file:///a"}]},
    }
    hand.answer(second, complete(content=[]))
    assert (await call)["resultType"] == "complete"


async def test_each_round_carries_only_its_own_state_and_answers() -> None:
    hand = ClientByHand("modern", elicitation=accept_defaults)
    client = await hand.shake()
    call = hand.calls(client.call_tool("t"))
    ask = question(message="?", requestedSchema=FORM)
    hand.answer(await hand.next(), input_required({"one": ask}, "s1"))
    second = await hand.next()
    assert second["params"]["requestState"] == "s1"
    hand.answer(second, input_required({"two": ask}))
    third = await hand.next()
    assert "requestState" not in third["params"]
    assert list(third["params"]["inputResponses"]) == ["two"]
    hand.answer(third, input_required(None, "s3"))
    fourth = await hand.next()
    assert fourth["params"]["requestState"] == "s3"
    assert "inputResponses" not in fourth["params"]
    hand.answer(fourth, complete(content=[]))
    await call


async def test_a_result_without_a_type_is_complete() -> None:
    hand = ClientByHand("modern")
    client = await hand.shake()
    call = hand.calls(client.call_tool("t"))
    hand.answer(await hand.next(), {"content": []})
    assert (await call)["content"] == []


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ({"resultType": "later"}, "resultType 'later' is not known"),
        (input_required([]), "inputRequests is no object"),  # type: ignore[arg-type]
        (input_required({"k": question("sampling/createMessage")}), "Method not found"),
        (input_required({"k": "nonsense"}), "Method not found"),
    ],
)
async def test_an_unusable_round_ends_in_one_clear_error(result: dict, words: str) -> None:
    hand = ClientByHand("modern")
    client = await hand.shake()
    call = hand.calls(client.call_tool("t"))
    hand.answer(await hand.next(), result)
    with pytest.raises(McpError, match=words):
        await call


async def test_a_server_that_never_stops_asking_is_left() -> None:
    hand = ClientByHand("modern", limits=Limits(rounds=3))
    client = await hand.shake()
    call = hand.calls(client.call_tool("t"))
    for _ in range(3):
        hand.answer(await hand.next(), input_required({}, "again"))
    with pytest.raises(McpError, match="3 times and never completed"):
        await call


async def test_two_calls_at_once_do_not_mix_their_rounds() -> None:
    hand = ClientByHand("modern")
    client = await hand.shake()
    calls = [hand.calls(client.call_tool(name)) for name in ("a", "b")]
    first = await hand.several(2)
    hand.answer(first[0], input_required(None, "state of a"))
    again = await hand.next()
    assert (again["params"]["name"], again["params"]["requestState"]) == ("a", "state of a")
    hand.answer(first[1], complete(content=[]))
    hand.answer(again, complete(content=[]))
    await asyncio.gather(*calls)


# -- pages -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("cursor", ["two", "", "0"])
async def test_every_page_of_a_list_is_followed(cursor: str) -> None:
    hand = ClientByHand()
    client = await hand.shake()
    call = hand.calls(client.list_tools())
    first = await hand.next()
    assert "params" not in first
    hand.answer(first, {"tools": [TOOL | {"name": "a"}], "nextCursor": cursor})
    second = await hand.next()
    assert second["params"] == {"cursor": cursor}
    hand.answer(second, {"tools": [TOOL | {"name": "b"}]})
    assert (await call).names == ["a", "b"]


@pytest.mark.parametrize(
    ("cursors", "words"),
    [
        (["a", "a"], "the same cursor twice"),
        (["a", "b", "a"], "the same cursor twice"),
        ([7], "a cursor that is no text"),
        ([["a"]], "a cursor that is no text"),
        (["a", "b", "c", "d"], "over 4 pages"),
    ],
)
async def test_a_list_without_end_is_left(cursors: list, words: str) -> None:
    hand = ClientByHand(limits=Limits(pages=4))
    client = await hand.shake()
    call = hand.calls(client.list_tools())
    for cursor in cursors:
        hand.answer(await hand.next(), {"tools": [], "nextCursor": cursor})
    with pytest.raises(McpError, match=words):
        await call


@pytest.mark.parametrize("tools", [None, "t", 5, [None, "t", []], {}])
async def test_a_list_that_is_none_is_empty(tools: object) -> None:
    hand = ClientByHand()
    client = await hand.shake()
    call = hand.calls(client.list_tools())
    hand.answer(await hand.next(), {"tools": tools})
    assert await call == []


# -- what it keeps (2026-07-28 server/utilities/caching) -------------------------------------------


async def kept_by(hand: ClientByHand, ttl: object, ask, again=None) -> bool:
    """True if the second time the server was not asked."""
    call = hand.calls(ask())
    hand.answer(await hand.next(), complete(tools=[], contents=[], ttlMs=ttl, cacheScope="public"))
    await call
    second = hand.calls((again or ask)())
    await asyncio.wait({second}, timeout=0.05)
    if second.done():
        await second
        return True
    hand.answer(await hand.next(), complete(tools=[], contents=[], ttlMs=0, cacheScope="public"))
    await second
    return False


@pytest.mark.parametrize(
    ("ttl", "kept"), [(60_000, True), (0, False), (-5, False), (None, False), ("60000", False)]
)
async def test_a_result_is_kept_as_long_as_its_server_says(ttl: object, kept: bool) -> None:
    hand = ClientByHand("modern")
    client = await hand.shake()
    assert await kept_by(hand, ttl, client.list_tools) is kept


async def test_a_result_grows_stale() -> None:
    hand = ClientByHand("modern")
    client = await hand.shake()
    call = hand.calls(client.list_tools())
    hand.answer(await hand.next(), complete(tools=[], ttlMs=20, cacheScope="public"))
    await call
    await asyncio.sleep(0.03)
    hand.calls(client.list_tools())
    assert (await hand.next())["method"] == "tools/list"


async def test_other_params_are_another_result() -> None:
    hand = ClientByHand("modern")
    client = await hand.shake()
    one, two = (lambda uri=uri: client.read_resource(uri) for uri in ("a://1", "a://2"))
    assert not await kept_by(hand, 60_000, one, two)


@pytest.mark.parametrize(
    "method", ["notifications/tools/list_changed", "notifications/resources/updated"]
)
async def test_a_change_makes_what_is_kept_stale(method: str) -> None:
    hand = ClientByHand("modern")
    client = await hand.shake()

    async def changed() -> object:
        hand.feed(jsonrpc.notification(method, {"uri": "a://b"}))
        await asyncio.sleep(0)
        return await client.list_tools()

    assert not await kept_by(hand, 60_000, client.list_tools, changed)


async def test_calls_are_never_kept() -> None:
    hand = ClientByHand("modern")
    client = await hand.shake()
    assert not await kept_by(hand, 60_000, lambda: client.call_tool("t"))


async def test_what_depends_on_answers_is_not_kept() -> None:
    server, asked = Server("s", ttl_ms=60_000), []

    @server.resource("ask://me")
    async def ask(ctx: Context) -> str:
        return str((await ctx.elicit("Name?", FORM))["content"])

    names = iter(["Ada", "Bob"])

    def person(params: dict) -> dict:
        asked.append(params)
        return {"name": next(names)}

    async with connect(server, era="modern", elicitation=person) as client:
        assert "Ada" in (await client.read_resource("ask://me")).text
        assert "Bob" in (await client.read_resource("ask://me")).text
    assert len(asked) == 2


# -- listening (2026-07-28 basic/patterns/subscriptions) -------------------------------------------


def acknowledged(id: object) -> dict:
    params = {"notifications": {}, "_meta": {META + "subscriptionId": id}}
    return jsonrpc.notification("notifications/subscriptions/acknowledged", params)


async def test_a_stream_is_open_when_its_own_acknowledgement_came() -> None:
    hand = ClientByHand("modern")
    client = await hand.shake()
    opening = [hand.calls(client.listen({"toolsListChanged": True})) for _ in range(2)]
    first, second = await hand.several(2)
    hand.feed(acknowledged(second["id"]))
    await asyncio.wait(opening, timeout=0.05)
    assert [task.done() for task in opening] == [False, True]
    hand.feed(acknowledged(first["id"]))
    streams = await asyncio.gather(*opening)
    hand.answer(first, complete(_meta={META + "subscriptionId": first["id"]}))
    assert (await streams[0])["resultType"] == "complete"
    streams[1].cancel()
    told = await hand.next()
    assert (told["method"], told["params"]["requestId"]) == (
        "notifications/cancelled",
        second["id"],
    )


async def test_a_stream_that_is_refused_raises() -> None:
    hand = ClientByHand("modern")
    client = await hand.shake()
    opening = hand.calls(client.listen({"toolsListChanged": True}))
    hand.refuse(await hand.next(), -32601)
    with pytest.raises(McpError, match="-32601"):
        await opening


async def test_a_stream_that_is_never_acknowledged_ends_in_time() -> None:
    hand = ClientByHand("modern", limits=Limits(request=0.05))
    client = await hand.shake()
    with pytest.raises(RequestTimeout, match="did not acknowledge"):
        await client.listen({"toolsListChanged": True})
    assert (await hand.several(2))[1]["method"] == "notifications/cancelled"


async def test_subscribe_asks_in_the_way_of_the_era() -> None:
    heard: list[dict] = []
    hand = ClientByHand()
    client = await hand.shake()
    call = hand.calls(client.subscribe("a://b", heard.append))
    asked = await hand.next()
    assert (asked["method"], asked["params"]) == ("resources/subscribe", {"uri": "a://b"})
    hand.answer(asked, {})
    await call
    hand.feed(jsonrpc.notification("notifications/resources/updated", {"uri": "a://b"}))
    await asyncio.sleep(0)
    assert heard == [{"uri": "a://b"}]

    hand = ClientByHand("modern")
    client = await hand.shake()
    call = hand.calls(client.subscribe("a://b"))
    asked = await hand.next()
    assert asked["params"]["notifications"] == {"resourceSubscriptions": ["a://b"]}
    hand.feed(acknowledged(asked["id"]))
    await call


# -- over HTTP: headers ----------------------------------------------------------------------------


async def http_client(tools: list | None = None) -> tuple[ClientByHand, object]:
    hand = ClientByHand("modern", streams=True)
    client = await hand.shake()
    if tools is not None:
        call = hand.calls(client.list_tools())
        hand.answer(await hand.next(), complete(tools=tools, ttlMs=60_000, cacheScope="public"))
        await call
    return hand, client


SQL = {
    "name": "sql",
    "inputSchema": {
        "type": "object",
        "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "deep": {
                "type": "object",
                "properties": {"n": {"type": "integer", "x-mcp-header": "N"}},
            },
        },
    },
}


async def test_headers_repeat_what_a_gateway_routes_by() -> None:
    hand, client = await http_client([SQL])
    arguments = {"region": "münchen", "deep": {"n": 7}}
    call = hand.calls(client.call_tool("sql", arguments))  # type: ignore[attr-defined]
    sent = await hand.next_envelope()
    assert sent.headers == {
        "mcp-protocol-version": NEWEST,
        "mcp-method": "tools/call",
        "mcp-name": "sql",
        "mcp-param-region": "=?base64?bcO8bmNoZW4=?=",
        "mcp-param-n": "7",
    }
    hand.answer(sent.message, complete(content=[]))
    await call


async def test_a_tool_with_bad_annotations_is_left_out_with_its_reason() -> None:
    bad = {"type": "object", "properties": {"x": {"type": "number", "x-mcp-header": "X"}}}
    _, client = await http_client(
        [SQL, {"name": "bad", "inputSchema": bad}, {"name": ["?"], "inputSchema": bad}]
    )
    assert client.refused_tools["bad"].endswith("not primitive")  # type: ignore[attr-defined]
    assert client._schemas.keys() == {"sql"}  # type: ignore[attr-defined]


async def test_without_http_bad_annotations_do_not_matter() -> None:
    bad = {"type": "object", "properties": {"x": {"type": "number", "x-mcp-header": "X"}}}
    hand = ClientByHand("modern")
    client = await hand.shake()
    call = hand.calls(client.list_tools())
    tools = [{"name": "bad", "inputSchema": bad}]
    hand.answer(await hand.next(), complete(tools=tools, ttlMs=0, cacheScope="public"))
    assert (await call).names == ["bad"]


async def test_a_refused_header_is_looked_up_and_the_call_tried_once_more() -> None:
    hand, client = await http_client([])
    call = hand.calls(client.call_tool("sql", {"region": "eu"}))  # type: ignore[attr-defined]
    first = await hand.next_envelope()
    assert "mcp-param-region" not in first.headers
    hand.refuse(first.message, jsonrpc.HEADER_MISMATCH)
    listing = await hand.next()
    assert listing["method"] == "tools/list", "asked anew, though a list was kept"
    hand.answer(listing, complete(tools=[SQL], ttlMs=0, cacheScope="public"))
    second = await hand.next_envelope()
    assert second.headers["mcp-param-region"] == "eu"
    hand.refuse(second.message, jsonrpc.HEADER_MISMATCH)
    with pytest.raises(McpError, match="-32020"):
        await call


async def test_a_modern_request_over_http_is_cancelled_by_closing_its_stream() -> None:
    hand, client = await http_client()
    call = hand.calls(client.call_tool("t"))  # type: ignore[attr-defined]
    asked = await hand.next()
    call.cancel()
    await asyncio.wait({call}, timeout=PATIENCE)
    await asyncio.sleep(0)
    assert hand.dropped == [asked["id"]]
    assert hand.envelopes.empty()


# -- sessions (legacy over HTTP) -------------------------------------------------------------------


async def session_client() -> tuple[ClientByHand, object]:
    hand = ClientByHand(streams=True)
    starting = hand.calls(hand.client.start())
    await open_session(hand, "one")
    await starting
    return hand, hand.client


async def open_session(hand: ClientByHand, name: str) -> None:
    sent = await hand.next_envelope()
    assert sent.message["method"] == "initialize"
    assert not sent.headers, "a new session is asked for without the id of an old one"
    result = {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "s", "version": "1"},
    }
    hand.feed(jsonrpc.result(sent.message["id"], result), headers={"mcp-session-id": name})
    told = await hand.next_envelope()
    assert told.message["method"] == "notifications/initialized"
    assert told.headers == {"mcp-session-id": name, "mcp-protocol-version": "2025-11-25"}


async def test_a_session_is_named_in_everything_that_follows() -> None:
    hand, client = await session_client()
    hand.calls(client.call_tool("t"))  # type: ignore[attr-defined]
    sent = await hand.next_envelope()
    assert sent.headers == {"mcp-session-id": "one", "mcp-protocol-version": "2025-11-25"}


async def test_another_session_id_later_is_not_taken() -> None:
    hand, client = await session_client()
    call = hand.calls(client.exchange("ping"))  # type: ignore[attr-defined]
    asked = await hand.next()
    hand.feed(jsonrpc.result(asked["id"], {}), headers={"mcp-session-id": "stolen"})
    await call
    assert client.session_id == "one"  # type: ignore[attr-defined]


async def test_of_many_requests_that_find_the_session_dead_one_opens_the_next() -> None:
    hand, client = await session_client()
    calls = [hand.calls(client.call_tool("t")) for _ in range(5)]  # type: ignore[attr-defined]
    for asked in await hand.several(5):
        client.fail(asked["id"], "HTTP 404", 404)  # type: ignore[attr-defined]
    await open_session(hand, "two")
    for _ in range(5):
        again = await hand.next_envelope()
        assert again.message["method"] == "tools/call"
        assert again.headers["mcp-session-id"] == "two"
        hand.answer(again.message, {"content": []})
    await asyncio.gather(*calls)


async def test_a_dead_session_is_opened_anew_once_only() -> None:
    hand, client = await session_client()
    call = hand.calls(client.call_tool("t"))  # type: ignore[attr-defined]
    hand.feed(jsonrpc.error((await hand.next())["id"], -32600, "Session not found"), status=404)
    await open_session(hand, "two")
    hand.feed(jsonrpc.error((await hand.next())["id"], -32600, "Session not found"), status=404)
    with pytest.raises(McpError, match="Session not found"):
        await call


# -- the end ---------------------------------------------------------------------------------------


async def test_a_client_says_what_it_is() -> None:
    hand = ClientByHand()
    assert repr(hand.client) == "<Client of a server, no revision yet, new>"
    client = await hand.shake(instructions="be kind")
    assert repr(client) == "<Client of by hand, 2025-11-25, operating>"
    assert client.instructions == "be kind"
    async with client:
        pass
    await client.close()
    assert repr(client) == "<Client of by hand, 2025-11-25, closed>"


async def test_what_a_server_says_of_itself_may_be_nonsense() -> None:
    for nonsense in (None, 5, "x", []):
        hand = ClientByHand("modern")
        starting = hand.calls(hand.client.start())
        answer = discovered() | {"_meta": nonsense, "capabilities": nonsense, "instructions": 5}
        hand.answer(await hand.next(), answer)
        await starting
        assert (hand.client.server_info, hand.client.server_capabilities) == ({}, {})
        assert hand.client.instructions is None
