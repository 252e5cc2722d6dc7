"""The stateless era: the gate every request passes, mirrored headers, the state that travels."""

import base64
import json

import pytest
from by_hand import ServerByHand, code_of, meta_of
from wire_guard import broken_on_purpose

from mcp_lesson import Context, McpError, Server, jsonrpc, modern
from mcp_lesson.context import InputRequired
from mcp_lesson.peer import Envelope
from mcp_lesson.revisions import LEGACY, META, NEWEST

FORM = {"type": "object", "properties": {"name": {"type": "string"}}}


def server() -> Server:
    made = Server("modern", "1.0", logging=True)

    @made.tool
    async def greet(ctx: Context) -> str:
        """Ask for a name, then greet."""
        answer = await ctx.elicit("Name?", FORM, key="who")
        return f"Hello, {answer['content']['name']}!"

    @made.tool
    async def steps(ctx: Context) -> str:
        """Two questions, and something remembered between them."""
        ctx.state["seen"] = [*ctx.state.get("seen", []), "begin"]
        one = await ctx.elicit("First?", FORM, key="one")
        ctx.state["seen"] += ["middle"]
        two = await ctx.elicit("Second?", FORM, key="two")
        return f"{one['content']['name']} {two['content']['name']} {len(ctx.state['seen'])}"

    @made.tool(
        inputSchema={
            "type": "object",
            "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"},
                "count": {"type": "integer", "x-mcp-header": "Count"},
                "dry": {"type": "boolean", "x-mcp-header": "Dry"},
            },
        }
    )
    async def mirrored(**arguments: object) -> str:
        return str(sorted(arguments))

    @made.tool
    async def logs(ctx: Context) -> str:
        await ctx.log("info", "quiet")
        await ctx.log("error", "loud")
        return "done"

    @made.resource("memo://today")
    async def memo() -> str:
        return "Buy paper."

    @made.prompt
    async def hello(name: str) -> str:
        return f"Hello, {name}"

    return made


# -- the gate --------------------------------------------------------------------------------------


def headers_for(message: dict, **more: str | None) -> dict[str, str]:
    """The headers that a right request has; `more` changes some, None takes one away."""
    version = message["params"]["_meta"].get(META + "protocolVersion", NEWEST)
    right: dict = {"mcp-protocol-version": version, "mcp-method": message["method"]}
    name = message["params"].get("name") or message["params"].get("uri")
    if name and message["method"] in ("tools/call", "prompts/get", "resources/read"):
        right["mcp-name"] = name
    for key, value in more.items():
        right[key.replace("_", "-")] = value
    return {key: value for key, value in right.items() if value is not None}


PROTOCOL, CAPABILITIES = META + "protocolVersion", META + "clientCapabilities"

META_ROWS = [
    ({}, "protocolVersion"),
    ({CAPABILITIES: {}}, "protocolVersion"),
    ({PROTOCOL: NEWEST}, "clientCapabilities"),
    ({PROTOCOL: NEWEST, CAPABILITIES: []}, "clientCapabilities"),
    ({PROTOCOL: NEWEST, CAPABILITIES: None}, "clientCapabilities"),
    ({PROTOCOL: 20260728, CAPABILITIES: {}}, "protocolVersion"),
    ({PROTOCOL: None, CAPABILITIES: {}}, "protocolVersion"),
    ({PROTOCOL: NEWEST, CAPABILITIES: {}, META + "logLevel": "loud"}, "logLevel"),
    ({PROTOCOL: NEWEST, CAPABILITIES: {}, META + "logLevel": []}, "logLevel"),
]


@pytest.mark.parametrize("over_http", [True, False], ids=["http", "stdio"])
@pytest.mark.parametrize(("meta", "lacks"), META_ROWS)
async def test_a_request_that_lacks_its_meta_is_malformed(meta, lacks, over_http) -> None:
    hand = ServerByHand(server())
    message = jsonrpc.request(1, "server/discover", {"_meta": meta})
    headers = headers_for(message, mcp_protocol_version="wrong too") if over_http else {}
    hand.feed(message, headers)
    envelope = await hand.next_envelope()
    assert code_of(envelope.message) == jsonrpc.INVALID_PARAMS
    assert envelope.status == 400
    assert envelope.message["id"] == 1
    assert lacks in envelope.message["error"]["message"], "reported before the header"


@pytest.mark.parametrize("params", [None, {}, {"_meta": None}, {"_meta": []}, {"_meta": "x"}])
async def test_a_method_of_the_new_era_without_meta_is_malformed(params: object) -> None:
    hand = ServerByHand(server())
    answer = await hand.ask("server/discover", params)
    assert code_of(answer) == jsonrpc.INVALID_PARAMS


async def test_who_asks_need_not_be_said() -> None:
    meta = meta_of()
    del meta[META + "clientInfo"]
    hand = ServerByHand(server())
    answer = await hand.ask("server/discover", {"_meta": meta})
    assert answer["result"]["supportedVersions"] == [NEWEST]


@pytest.mark.parametrize("version", ["v999.0.0", "2099-12-31", "", *LEGACY])
@pytest.mark.parametrize("over_http", [True, False], ids=["http", "stdio"])
async def test_a_version_that_is_not_known_is_refused_with_the_known_ones(
    version: str, over_http: bool
) -> None:
    hand = ServerByHand(server())
    message = hand.modern("server/discover", meta={PROTOCOL: version})
    hand.feed(message, headers_for(message) if over_http else {})
    envelope = await hand.next_envelope()
    assert (code_of(envelope.message), envelope.status) == (jsonrpc.UNSUPPORTED_VERSION, 400)
    assert envelope.message["error"]["data"] == {"supported": [NEWEST], "requested": version}


@pytest.mark.parametrize(
    "method",
    [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "unknown/method",
        "tasks/get",
        "roots/list",
        "notifications/initialized",
        "TOOLS/LIST",
        "",
    ],
)
async def test_methods_that_are_gone_or_never_were_are_not_found(method: str) -> None:
    hand = ServerByHand(server())
    message = hand.modern(method)
    hand.feed(message, headers_for(message))
    envelope = await hand.next_envelope()
    assert (code_of(envelope.message), envelope.status) == (jsonrpc.METHOD_NOT_FOUND, 404)
    assert envelope.message["id"] == message["id"]


async def test_a_capability_that_is_not_offered_is_not_found() -> None:
    hand = ServerByHand(Server("empty"))
    for method in ("tools/list", "prompts/list", "resources/read", "completion/complete"):
        hand.feed(message := hand.modern(method), headers_for(message))
        envelope = await hand.next_envelope()
        assert (code_of(envelope.message), envelope.status) == (jsonrpc.METHOD_NOT_FOUND, 404)


HEADER_ROWS = [
    ({"mcp_protocol_version": None}, "mcp-protocol-version is missing"),
    ({"mcp_protocol_version": "2025-11-25"}, "mcp-protocol-version says"),
    ({"mcp_protocol_version": "v999.0.0"}, "mcp-protocol-version says"),
    ({"mcp_method": None}, "mcp-method is missing"),
    ({"mcp_method": "tools/list"}, "mcp-method says"),
    ({"mcp_method": "TOOLS/CALL"}, "mcp-method says"),
    ({"mcp_method": modern.encode("=?base64??=")}, "mcp-method says"),
    ({"mcp_method": "=?base64?dG9vbHMvY2FsbA==?="}, "mcp-method says"),
    ({"mcp_name": None}, "mcp-name is missing"),
    ({"mcp_name": "other"}, "mcp-name says"),
    ({"mcp_name": "Logs"}, "mcp-name says"),
    ({"mcp_name": "=?base64?bG9ncw?="}, "bad base64"),
    ({"mcp_name": "=?base64?bG9n!cw==?="}, "bad base64"),
]


@pytest.mark.parametrize(("wrong", "words"), HEADER_ROWS)
async def test_headers_that_differ_from_the_body_are_refused(wrong: dict, words: str) -> None:
    hand = ServerByHand(server())
    message = hand.modern("tools/call", {"name": "logs"})
    hand.feed(message, headers_for(message, **wrong))
    envelope = await hand.next_envelope()
    assert (code_of(envelope.message), envelope.status) == (jsonrpc.HEADER_MISMATCH, 400)
    assert words in envelope.message["error"]["message"]


@pytest.mark.parametrize(
    ("method", "params", "name"),
    [
        ("tools/call", {"name": "logs"}, "logs"),
        ("tools/call", {"name": "logs"}, "  logs\t"),
        ("tools/call", {"name": "logs"}, "=?base64?bG9ncw==?="),
        ("prompts/get", {"name": "hello", "arguments": {"name": "x"}}, "hello"),
        ("resources/read", {"uri": "memo://today"}, "memo://today"),
        ("resources/read", {"uri": "memo://today"}, modern.encode("memo://today ").strip()),
    ],
)
async def test_a_name_may_be_padded_or_encoded(method: str, params: dict, name: str) -> None:
    hand = ServerByHand(server())
    message = hand.modern(method, params)
    hand.feed(message, headers_for(message, mcp_name=name))
    answer = await hand.next()
    assert ("result" in answer) is (
        modern.decode(name.strip()) == params.get("name", params.get("uri"))
    )


async def test_a_name_that_is_no_text_has_no_header_and_is_refused_for_itself() -> None:
    hand = ServerByHand(server())
    message = hand.modern("tools/call", {"name": 5})
    hand.feed(message, headers_for(message, mcp_name=None))
    answer = await hand.next()
    assert code_of(answer) == jsonrpc.INVALID_PARAMS
    assert "params.name must be a string" in answer["error"]["message"]


async def test_a_name_of_half_a_character_is_no_fault_of_ours() -> None:
    hand = ServerByHand(server())
    message = hand.modern("tools/call", {"name": "\ud800"})
    hand.feed(message, headers_for(message, mcp_name="x"))
    assert code_of(await hand.next()) == jsonrpc.HEADER_MISMATCH


# -- which era -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "headers", "expected"),
    [
        ({"method": "tools/list", "params": {"_meta": meta_of()}}, {}, True),
        ({"method": "tools/list", "params": {"_meta": {PROTOCOL: 5}}}, {}, True),
        ({"method": "tools/list", "params": {"_meta": {"progressToken": 1}}}, {}, False),
        ({"method": "tools/list"}, {}, False),
        ({"method": "tools/list", "params": 5}, {}, False),
        ({"method": "server/discover"}, {}, True),
        ({"method": "subscriptions/listen"}, {}, True),
        ({"method": "initialize"}, {}, False),
        ({"method": "initialize"}, {"mcp-protocol-version": "2025-11-25"}, False),
        ({"method": "tools/list"}, {"mcp-protocol-version": NEWEST}, True),
        ({"method": "tools/list"}, {"mcp-protocol-version": "1999-01-01"}, True),
        ({"method": 5}, {}, False),
        ({"result": {}}, {}, False),
    ],
)
def test_the_era_of_a_request(message: dict, headers: dict, expected: bool) -> None:
    assert modern.is_modern(Envelope(message, headers=headers)) is expected


# -- what every result carries ---------------------------------------------------------------------


async def test_discover() -> None:
    hand = ServerByHand(server())
    result = (await hand.ask_modern("server/discover"))["result"]
    assert result == {
        "resultType": "complete",
        "supportedVersions": [NEWEST],
        "capabilities": server().capabilities(),
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {META + "serverInfo": {"name": "modern", "version": "1.0"}},
    }


@pytest.mark.parametrize(
    ("method", "params", "cached"),
    [
        ("tools/list", {}, True),
        ("prompts/list", {}, True),
        ("resources/list", {}, True),
        ("resources/templates/list", {}, True),
        ("resources/read", {"uri": "memo://today"}, True),
        ("server/discover", {}, True),
        ("tools/call", {"name": "logs"}, False),
        ("prompts/get", {"name": "hello", "arguments": {"name": "x"}}, False),
    ],
)
async def test_every_result_has_a_type_and_a_name_and_some_may_be_kept(method, params, cached):
    made = server()
    made.ttl_ms, made.cache_scope = 5000, "public"
    result = (await ServerByHand(made).ask_modern(method, params))["result"]
    assert result["resultType"] == "complete"
    assert result["_meta"][META + "serverInfo"]["name"] == "modern"
    hints = {"ttlMs": 5000, "cacheScope": "public"} if cached else {}
    assert {k: v for k, v in result.items() if k in ("ttlMs", "cacheScope")} == hints


async def test_a_result_that_a_handler_keeps_is_not_changed() -> None:
    made, kept = Server("s"), {"content": [], "_meta": {"mine": 1}}
    made.tool(name="t")(lambda: kept)
    hand = ServerByHand(made)
    result = (await hand.ask_modern("tools/call", {"name": "t"}))["result"]
    assert result["_meta"]["mine"] == 1
    assert kept == {"content": [], "_meta": {"mine": 1}}
    await hand.shake()
    assert (await hand.ask("tools/call", {"name": "t"}))["result"] == kept


async def test_log_lines_come_only_to_a_request_that_asked_for_them() -> None:
    hand = ServerByHand(server())
    answer = await hand.ask_modern("tools/call", {"name": "logs"})
    assert "result" in answer, "no line before it"
    hand.feed(hand.modern("tools/call", {"name": "logs"}, meta={META + "logLevel": "warning"}))
    line = await hand.next_envelope()
    assert line.message["params"] == {"level": "error", "data": "loud"}
    assert line.reply_to is not None
    assert "result" in await hand.next()


# -- rounds ----------------------------------------------------------------------------------------

CAN = {"elicitation": {}}


def accepted(name: str) -> dict:
    return {"action": "accept", "content": {"name": name}}


async def test_a_question_is_asked_in_a_result() -> None:
    hand = ServerByHand(server())
    result = (await hand.ask_modern("tools/call", {"name": "greet"}, CAN))["result"]
    params = {"message": "Name?", "requestedSchema": FORM}
    assert result["resultType"] == "input_required"
    assert result["inputRequests"] == {"who": {"method": "elicitation/create", "params": params}}
    assert "requestState" not in result, "nothing to remember"
    assert "ttlMs" not in result
    answered = {"name": "greet", "inputResponses": {"who": accepted("Ada"), "more": 5}}
    result = (await hand.ask_modern("tools/call", answered, CAN))["result"]
    assert result["content"][0]["text"] == "Hello, Ada!"


@pytest.mark.parametrize(
    "responses", [None, {}, {"other": accepted("Ada")}, {"who": 5}, {"who": {}}, {"who": None}, []]
)
async def test_what_is_still_missing_is_asked_again(responses: object) -> None:
    hand = ServerByHand(server())
    params = {"name": "greet", "inputResponses": responses}
    result = (await hand.ask_modern("tools/call", params, CAN))["result"]
    assert list(result["inputRequests"]) == ["who"]


async def test_a_question_needs_the_capability() -> None:
    hand = ServerByHand(server())
    message = hand.modern("tools/call", {"name": "greet"}, {"sampling": {}})
    hand.feed(message)
    envelope = await hand.next_envelope()
    assert (code_of(envelope.message), envelope.status) == (-32021, 400)
    assert envelope.message["error"]["data"] == {"requiredCapabilities": {"elicitation": {}}}


async def test_several_rounds_remember_what_was_said_and_done() -> None:
    hand = ServerByHand(server())
    params: dict = {"name": "steps"}
    states = []
    for key, name in (("one", "Ada"), ("two", "Bob")):
        result = (await hand.ask_modern("tools/call", params, CAN))["result"]
        assert list(result["inputRequests"]) == [key]
        states.append(result["requestState"])
        params = {
            "name": "steps",
            "requestState": result["requestState"],
            "inputResponses": {key: accepted(name)},
        }
    result = (await hand.ask_modern("tools/call", params, CAN))["result"]
    assert states[0] != states[1]
    assert result["content"][0]["text"].startswith("Ada Bob")


async def retried(state: object, caller: str = "", made: Server | None = None, **params) -> dict:
    """The answer to a second round with this state."""
    hand = ServerByHand(made or SHARED, caller=caller)
    asked = {"name": "steps", "inputResponses": {"one": accepted("Ada")}} | params
    return await hand.ask_modern("tools/call", {**asked, "requestState": state}, CAN)


SHARED = server()


async def first_state(made: Server = SHARED, caller: str = "") -> str:
    hand = ServerByHand(made, caller=caller)
    return (await hand.ask_modern("tools/call", {"name": "steps"}, CAN))["result"]["requestState"]


async def test_a_state_comes_back_as_it_was() -> None:
    assert (await retried(await first_state()))["result"]["resultType"] == "input_required"


def forged(state: str) -> str:
    """A state that says what its sender wants, with the mark of the old one."""
    packed, _, mark = state.rpartition(".")
    body = json.loads(base64.urlsafe_b64decode(packed))
    body["state"]["state"] = {"admin": True}
    return base64.urlsafe_b64encode(json.dumps(body).encode()).decode() + "." + mark


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state + "-TAMPERED",
        lambda state: state[:-1],
        lambda state: "",
        lambda state: ".",
        lambda state: "\ud800." + state,
        lambda state: state.rpartition(".")[0],
        lambda state: state.rpartition(".")[2],
        lambda state: None,
        lambda state: 5,
        lambda state: {"state": state},
        lambda state: state.upper(),
        forged,
    ],
)
async def test_a_changed_state_is_refused(change) -> None:
    with broken_on_purpose():
        answer = await retried(change(await first_state()))
    assert code_of(answer) == jsonrpc.INVALID_PARAMS
    assert "not as this server made it" in answer["error"]["message"]


async def test_a_stolen_state_is_refused() -> None:
    state = await first_state(caller="ada")
    assert "result" in await retried(state, caller="ada")
    for thief in ("bob", ""):
        answer = await retried(state, caller=thief)
        assert "belongs to another request" in answer["error"]["message"]


@pytest.mark.parametrize("other", [{"name": "greet"}, {"arguments": {"x": 1}}])
async def test_a_state_of_another_request_is_refused(other: dict) -> None:
    answer = await retried(await first_state(), **other)
    assert "belongs to another request" in answer["error"]["message"]


async def test_a_state_of_another_method_or_server_is_refused() -> None:
    state = await first_state()
    hand = ServerByHand(SHARED)
    params = {"uri": "memo://today", "requestState": state}
    answer = await hand.ask_modern("resources/read", params, CAN)
    assert "belongs to another request" in answer["error"]["message"]
    answer = await retried(state, made=server())
    assert "not as this server made it" in answer["error"]["message"]


async def test_a_state_is_shared_by_workers_that_share_the_secret() -> None:
    one, two = server(), server()
    one.secret = two.secret = b"shared"
    assert "result" in await retried(await first_state(one), made=two)


async def test_a_stale_state_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    state = await first_state()
    now = modern.time.time()
    monkeypatch.setattr(modern.time, "time", lambda: now + modern.STATE_SECONDS + 1)
    answer = await retried(state)
    assert code_of(answer) == jsonrpc.INVALID_PARAMS
    assert "too old" in answer["error"]["message"]


def test_a_question_that_stops_a_handler_names_what_it_asks() -> None:
    assert str(InputRequired({"who": {}, "where": {}})) == "who, where"


# -- values in headers -----------------------------------------------------------------------------

ENCODINGS = [
    ("us-west1", "us-west1"),
    ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
    (" padded ", "=?base64?IHBhZGRlZCA=?="),
    ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
    ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
    ("", ""),
    (" ", "=?base64?IA==?="),
    ("us west 1", "us west 1"),
    ("tab\there", "=?base64?dGFiCWhlcmU=?="),
    ("\r\nX-Evil: 1", "=?base64?DQpYLUV2aWw6IDE=?="),
    ("\x7f", "=?base64?fw==?="),
    ("=?base64?open", "=?base64?open"),
    ("closed?=", "closed?="),
    ("=?BASE64?x?=", "=?BASE64?x?="),
    (42, "42"),
    (-7, "-7"),
    (True, "true"),
    (False, "false"),
]


@pytest.mark.parametrize(("value", "header"), ENCODINGS, ids=[repr(v) for v, _ in ENCODINGS])
def test_values_are_encoded_as_the_specification_shows(value: object, header: str) -> None:
    """The first five rows are the specification's own: transports/streamable-http."""
    assert modern.encode(value) == header  # type: ignore[arg-type]
    if isinstance(value, str):
        assert modern.decode(header) == value


@pytest.mark.parametrize("bad", ["=?base64?SGVsbG8?=", "=?base64?SGVs!!!bG8=?=", "=?base64?/w==?="])
def test_bad_base64_is_refused(bad: str) -> None:
    with pytest.raises(McpError, match="bad base64"):
        modern.decode(bad)


@pytest.mark.parametrize("bad", ["é", "a\nb", "\x00", "\x7f", "世"])
def test_characters_that_no_header_may_hold_are_refused(bad: str) -> None:
    with pytest.raises(McpError, match="no header may hold"):
        modern.decode(bad)


@pytest.mark.parametrize("plain", ["SGVsbG8=", "=?base64?SGVsbG8=", "SGVsbG8=?=", "=?base64?="])
def test_without_both_marks_a_value_is_itself(plain: str) -> None:
    assert modern.decode(plain) == plain


PARAM_ROWS = [
    ({"region": "eu"}, {"region": "eu"}, True),
    ({"region": "eu"}, {"region": "us"}, False),
    ({"region": "eu"}, {}, False),
    ({}, {}, True),
    ({"region": None}, {}, True),
    ({}, {"region": "eu"}, False),
    ({"region": ""}, {"region": ""}, True),
    ({"region": "é"}, {"region": "=?base64?w6k=?="}, True),
    ({"region": "é"}, {"region": "é"}, False),
    ({"region": "Hello"}, {"region": "=?base64?SGVsbG8?="}, False),
    ({"count": 42}, {"count": "42"}, True),
    ({"count": 42}, {"count": "42.0"}, True),
    ({"count": 42}, {"count": "43"}, False),
    ({"count": 42}, {"count": "many"}, False),
    ({"count": 2**53}, {"count": str(2**53)}, False),
    ({"count": 2**53 - 1}, {"count": str(2**53 - 1)}, True),
    ({"dry": True}, {"dry": "true"}, True),
    ({"dry": True}, {"dry": "True"}, False),
    ({"dry": False}, {"dry": "false"}, True),
    ({"dry": False}, {}, False),
]


@pytest.mark.parametrize(("arguments", "given", "right"), PARAM_ROWS)
async def test_mirrored_arguments_must_match(arguments: dict, given: dict, right: bool) -> None:
    hand = ServerByHand(server())
    message = hand.modern("tools/call", {"name": "mirrored", "arguments": arguments})
    extra = {f"mcp-param-{name}": value for name, value in given.items()}
    hand.feed(message, headers_for(message) | extra)
    envelope = await hand.next_envelope()
    if right:
        assert "result" in envelope.message
    else:
        assert (code_of(envelope.message), envelope.status) == (jsonrpc.HEADER_MISMATCH, 400)


async def test_a_header_that_mirrors_nothing_is_ignored() -> None:
    hand = ServerByHand(server())
    message = hand.modern("tools/call", {"name": "logs"})
    hand.feed(message, headers_for(message) | {"mcp-param-region": "eu"})
    assert "result" in await hand.next()


def object_of(**properties: object) -> dict:
    return {"type": "object", "properties": properties}


def marked(name: object, kind: object = "string", **more: object) -> dict:
    return {"type": kind, "x-mcp-header": name, **more}


GOOD = [
    (object_of(), {}),
    (True, {}),
    (None, {}),
    (object_of(a=marked("Region")), {"region": ("a",)}),
    (object_of(a=object_of(b=marked("N", "integer"))), {"n": ("a", "b")}),
    (object_of(a=marked("A", "boolean"), b=marked("B")), {"a": ("a",), "b": ("b",)}),
    ({"type": "object", "properties": {"x-mcp-header": {"type": "string"}}}, {}),
    (object_of(a={"type": "object", "default": {"x-mcp-header": "no"}}), {}),
    (object_of(a={"enum": [{"x-mcp-header": "no"}], "const": {"x-mcp-header": "no"}}), {}),
]

BAD = [
    (object_of(a=marked("")), "no header name"),
    (object_of(a=marked(None)), "no header name"),
    (object_of(a=marked("two words")), "no header name"),
    (object_of(a=marked("a:b")), "no header name"),
    (object_of(a=marked("é")), "no header name"),
    (object_of(a=marked("a\tb")), "no header name"),
    (object_of(a=marked("a\r\nX: 1")), "no header name"),
    (object_of(a=marked("A", "number")), "not primitive"),
    (object_of(a=marked("A", "object")), "not primitive"),
    (object_of(a=marked("A", "array")), "not primitive"),
    (object_of(a=marked("A", "null")), "not primitive"),
    (object_of(a=marked("A", ["string", "null"])), "not primitive"),
    (object_of(a={"x-mcp-header": "A"}), "not primitive"),
    (object_of(a=marked("Same"), b=marked("sAME")), "used twice"),
    (object_of(a={"type": "array", "items": marked("A")}), "no chain of properties"),
    (object_of(a={"anyOf": [marked("A")]}), "no chain of properties"),
    ({"type": "object", "allOf": [object_of(a=marked("A"))]}, "no chain of properties"),
    ({"type": "object", "$defs": {"d": marked("A")}}, "no chain of properties"),
    ({"type": "object", "x-mcp-header": "A"}, "no chain of properties"),
    ({"type": "object", "if": object_of(a=marked("A"))}, "no chain of properties"),
]


@pytest.mark.parametrize(("schema", "found"), GOOD, ids=str)
def test_what_a_schema_wants_mirrored(schema: object, found: dict) -> None:
    assert modern.mirrored(schema) == found


@pytest.mark.parametrize(("schema", "words"), BAD, ids=str)
def test_annotations_that_break_a_rule(schema: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        modern.mirrored(schema)


# -- streams of notifications (basic/patterns/subscriptions) ---------------------------------------


async def listen(hand: ServerByHand, wanted: object) -> tuple[dict, dict]:
    """Open a stream; the request, and what came first."""
    message = hand.modern("subscriptions/listen", {"notifications": wanted})
    hand.feed(message)
    return message, await hand.next()


async def test_a_stream_begins_with_its_acknowledgement_and_everything_names_it() -> None:
    made = server()
    hand = ServerByHand(made)
    wanted = {"toolsListChanged": True, "resourceSubscriptions": ["memo://today"]}
    asked, first = await listen(hand, wanted)
    name = {META + "subscriptionId": asked["id"]}
    assert first["method"] == "notifications/subscriptions/acknowledged"
    assert first["params"] == {"notifications": wanted, "_meta": name}
    made.changed("prompts")
    made.updated("memo://other")
    made.changed("tools")
    made.updated("memo://today")
    said = await hand.several(2)
    assert [one["method"] for one in said] == [
        "notifications/tools/list_changed",
        "notifications/resources/updated",
    ]
    assert said[0]["params"] == {"_meta": name}
    assert said[1]["params"] == {"uri": "memo://today", "_meta": name}


async def test_two_streams_get_each_their_own() -> None:
    made = server()
    hand = ServerByHand(made)
    tools, _ = await listen(hand, {"toolsListChanged": True})
    both, _ = await listen(hand, {"toolsListChanged": True, "promptsListChanged": True})
    made.changed("prompts")
    made.changed("tools")
    told = [(m["method"].split("/")[1], m["params"]["_meta"]) for m in await hand.several(3)]
    ids = [{META + "subscriptionId": asked["id"]} for asked in (tools, both)]
    assert told == [("prompts", ids[1]), ("tools", ids[0]), ("tools", ids[1])]


@pytest.mark.parametrize(
    ("wanted", "honoured"),
    [
        ({}, {}),
        ({"unknown": True}, {}),
        ({"toolsListChanged": False}, {}),
        ({"toolsListChanged": "yes"}, {}),
        ({"toolsListChanged": 1}, {}),
        ({"resourceSubscriptions": True}, {}),
        ({"resourceSubscriptions": [5]}, {}),
        ({"resourceSubscriptions": []}, {"resourceSubscriptions": []}),
        ({"promptsListChanged": True, "x": 1}, {"promptsListChanged": True}),
    ],
)
async def test_what_is_not_understood_is_not_honoured(wanted: dict, honoured: dict) -> None:
    _, first = await listen(ServerByHand(server()), wanted)
    assert first["params"]["notifications"] == honoured


async def test_what_a_server_does_not_offer_it_does_not_honour() -> None:
    made = Server("tools only")
    made.tool(name="t")(lambda: 1)
    wanted = {"toolsListChanged": True, "promptsListChanged": True, "resourceSubscriptions": ["a"]}
    _, first = await listen(ServerByHand(made), wanted)
    assert first["params"]["notifications"] == {"toolsListChanged": True}


@pytest.mark.parametrize("wanted", [None, [], "tools", 5])
async def test_a_filter_that_is_none_is_refused(wanted: object) -> None:
    _, answer = await listen(ServerByHand(server()), wanted)
    assert code_of(answer) == jsonrpc.INVALID_PARAMS


async def test_a_cancelled_stream_is_over() -> None:
    made = server()
    hand = ServerByHand(made)
    asked, _ = await listen(hand, {"toolsListChanged": True})
    hand.tell("notifications/cancelled", {"requestId": asked["id"]})
    assert await hand.is_silent()
    made.changed("tools")
    assert await hand.is_silent()
    assert not hand.connection.listening


async def test_a_server_that_leaves_ends_its_streams_in_order() -> None:
    made = server()
    hand = ServerByHand(made)
    asked, _ = await listen(hand, {"toolsListChanged": True})
    await hand.connection.finish(1)
    told, answer = await hand.several(2)
    name = META + "subscriptionId"
    assert (told["method"], told["params"]["requestId"]) == ("notifications/cancelled", asked["id"])
    assert (answer["id"], answer["result"]["_meta"][name]) == (asked["id"], asked["id"])
