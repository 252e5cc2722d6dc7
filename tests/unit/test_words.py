"""The words and the record: JSON-RPC messages to text and back, and traces without loss.

Tables say what each rule decides; hypothesis says that nothing else falls through. Traffic that
real servers produced, and the specification's own examples, are taken where they are at hand.
"""

import json
import math
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_lesson import jsonrpc, trace
from mcp_lesson.jsonrpc import INVALID_REQUEST, PARSE_ERROR, MalformedMessage
from mcp_lesson.trace import Frame, Trace, TraceError

SHARED = Path(__file__).parents[3] / "shared"
CAPTURES = sorted((SHARED / "captures").glob("*.jsonl"))
EXAMPLES = sorted((SHARED / "spec" / "examples").glob("*/*.json"))

text = st.text(st.characters(exclude_categories=())).map(
    lambda text: text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
)
"""Any text, halves of characters included; two halves side by side are the one character."""

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=20,
)
ids = st.integers() | text


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def refused(line: str | bytes) -> MalformedMessage:
    with pytest.raises(MalformedMessage) as caught:
        jsonrpc.parse(line)
    return caught.value


# -- text and back ------------------------------------------------------------------------------


@given(values)
def test_json_comes_back_as_it_went(value: Any) -> None:
    line = jsonrpc.dumps(value)
    assert jsonrpc.loads(line) == value
    assert jsonrpc.loads(b"\xef\xbb\xbf " + line.encode("utf-8") + b"\r\n") == value
    assert not {"\n", "\r"} & set(line)
    assert json.loads(line) == value


@given(st.binary() | text)
def test_any_line_is_read_or_refused_as_parse_error(line: str | bytes) -> None:
    caught = None
    try:
        jsonrpc.loads(line)
    except MalformedMessage as problem:
        caught = problem
    assert caught is None or (caught.code == PARSE_ERROR and caught.reason)


def test_letters_stay_letters_unless_utf8_cannot_carry_them() -> None:
    assert jsonrpc.dumps({"你好": "★"}) == '{"你好":"★"}'
    assert jsonrpc.dumps(["★", "\ud800"]) == r'["\u2605","\ud800"]'


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "not JSON: at character 1"),
        ("{", "not JSON: at character 2"),
        ("7 8", "not JSON: at character 3"),
        ("\ufeff\ufeff7", "not JSON: at character 1"),
        ("NaN", "not JSON: NaN is no JSON number"),
        ("[-Infinity]", "not JSON: -Infinity is no JSON number"),
        ("1e400", "number too large"),
        ("[-1e400]", "number too large"),
        ("9" * 5000, "number too large"),
        (nested(201), "nested too deeply"),
        ('{"a":' * 201 + "1" + "}" * 201, "nested too deeply"),
        (nested(100_000), "nested too deeply"),
        (b'"\xff"', "not UTF-8: byte 0xff at 1"),
        (b'"\xed\xa0\x80"', "not UTF-8: byte 0xed at 1"),
        ('"a"'.encode("utf-16"), "not UTF-8: byte 0xff at 0"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_is_no_json_is_refused_with_its_reason(line: str | bytes, reason: str) -> None:
    problem = refused(line)
    assert (problem.code, problem.reason, problem.id) == (PARSE_ERROR, reason, None)


@pytest.mark.parametrize("value", [math.nan, math.inf, [-math.inf]])
def test_what_json_has_not_is_never_written(value: Any) -> None:
    with pytest.raises(ValueError, match="JSON"):
        jsonrpc.dumps(value)


def test_depth_is_counted_in_levels_not_in_brackets() -> None:
    wide = "[" + ",".join(["[]"] * 1000) + "]"
    assert len(jsonrpc.loads(wide)) == 1000
    assert jsonrpc.dumps(jsonrpc.loads(nested(200))) == nested(200)
    assert jsonrpc.loads(json.dumps("[" * 500)) == "[" * 500


def test_what_was_read_can_be_written_from_further_down_the_stack() -> None:
    value = jsonrpc.loads(nested(jsonrpc.MAX_DEPTH))

    def dive(levels: int) -> str:
        return dive(levels - 1) if levels else jsonrpc.dumps(value)

    assert dive(300) == nested(jsonrpc.MAX_DEPTH)


# -- the shapes ---------------------------------------------------------------------------------

R = {"jsonrpc": "2.0"}
KINDS: list[tuple[Any, str, str | None]] = [
    (R | {"id": 1, "method": "ping"}, "request", None),
    (R | {"id": "", "method": "ping", "params": {}}, "request", None),
    (R | {"id": -(10**30), "method": ""}, "request", None),
    (R | {"method": "x"}, "notification", None),
    (R | {"id": 1, "result": {}}, "result", None),
    (R | {"id": 1, "result": {}, "more": 1}, "result", None),
    (R | {"id": 1, "error": {"code": 1, "message": ""}}, "error", None),
    (R | {"error": {"code": -32700, "message": "Parse error"}}, "error", None),
    (R | {"id": None, "method": "x"}, "request", "an id is a string or an integer, not null"),
    (R | {"id": True, "method": "x"}, "request", "an id is a string or an integer, not true"),
    (R | {"id": 1.5, "method": "x"}, "request", "an id is a string or an integer, not a fraction"),
    (R | {"id": [1], "method": "x"}, "request", "an id is a string or an integer, not an array"),
    (R | {"id": 1, "method": 7}, "request", "the method must be a string, not a number"),
    (R | {"method": None}, "notification", "the method must be a string, not null"),
    (R | {"method": "x", "params": []}, "notification", "params must be an object, not an array"),
    (R | {"method": "x", "params": None}, "notification", "params must be an object, not null"),
    (R | {"id": 1, "method": "x", "result": {}}, "request", "only one of them"),
    (R | {"id": 1, "method": "x", "error": {}}, "request", "only one of them"),
    (R | {"id": 1, "result": {}, "error": {}}, "result", "never both"),
    (R | {"result": {}}, "result", "a result needs the id of its request"),
    (R | {"id": None, "result": {}}, "result", "a result needs the id of its request"),
    (R | {"id": False, "result": {}}, "result", "a result needs the id of its request"),
    (R | {"id": 1, "result": "7"}, "result", "a result must be an object, not a string"),
    (R | {"id": 1, "result": None}, "result", "a result must be an object, not null"),
    (R | {"id": None, "error": {"code": 1, "message": ""}}, "error", "not null"),
    (R | {"id": 1, "error": "no"}, "error", "an error must be an object, not a string"),
    (R | {"id": 1, "error": {"message": ""}}, "error", "an error needs a code"),
    (R | {"id": 1, "error": {"code": True, "message": ""}}, "error", "an error needs a code"),
    (R | {"id": 1, "error": {"code": 1.5, "message": ""}}, "error", "an error needs a code"),
    (R | {"id": 1, "error": {"code": 1}}, "error", "an error needs a message"),
    (R | {"id": 1, "error": {"code": 1, "message": 2}}, "error", "an error needs a message"),
    (R | {"id": 1}, "invalid", "this has none"),
    (R, "invalid", "this has none"),
    ({"id": 1, "method": "x"}, "request", '"jsonrpc" must be the string "2.0"'),
    ({"jsonrpc": 2.0, "method": "x"}, "notification", '"jsonrpc" must be the string "2.0"'),
    ([R | {"method": "x"}], "batch", "a message is an object, not an array"),
    ([], "batch", "a message is an object, not an array"),
    ("ping", "invalid", "a message is an object, not a string"),
    (None, "invalid", "a message is an object, not null"),
    (True, "invalid", "a message is an object, not true"),
    (7, "invalid", "a message is an object, not a number"),
]


@pytest.mark.parametrize(("message", "kind", "fault"), KINDS, ids=lambda value: str(value)[:60])
def test_kind_and_check(message: Any, kind: str, fault: str | None) -> None:
    assert jsonrpc.kind(message) == kind
    assert jsonrpc.is_response(message) == (kind in ("result", "error"))
    if fault is None:
        assert jsonrpc.check(message) is None
        assert jsonrpc.parse(json.dumps(message)) == message
        return
    assert fault in (jsonrpc.check(message) or "")
    problem = refused(json.dumps(message))
    assert problem.code == INVALID_REQUEST
    assert fault in problem.reason
    assert problem.id == jsonrpc.readable_id(message)


@given(values)
def test_any_json_is_a_message_or_has_a_fault(value: Any) -> None:
    line = jsonrpc.dumps(value)
    if jsonrpc.check(value) is None:
        assert jsonrpc.parse(line) == value
    else:
        assert refused(line).code == INVALID_REQUEST


shapes = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0") | values},
    optional={
        "id": values,
        "method": values,
        "params": values,
        "result": values,
        "error": st.fixed_dictionaries({}, optional={"code": values, "message": values}) | values,
    },
)


@given(shapes)
def test_no_object_however_odd_breaks_the_judgement(message: dict[str, Any]) -> None:
    fault = jsonrpc.check(message)
    assert fault is None or fault
    if fault is None and jsonrpc.kind(message) in ("request", "result"):
        assert jsonrpc.is_id(message["id"])


@given(ids, text, st.none() | st.dictionaries(text, values, max_size=3), st.integers(), values)
def test_what_is_made_here_is_valid(
    id: Any, method: str, params: dict[str, Any] | None, code: int, data: Any
) -> None:
    made = {
        "request": jsonrpc.request(id, method, params),
        "notification": jsonrpc.notification(method, params),
        "result": jsonrpc.result(id, params or {}),
        "error": jsonrpc.error(id, code, method or None, data),
    }
    for kind, message in made.items():
        assert (jsonrpc.check(message), jsonrpc.kind(message)) == (None, kind)
        assert jsonrpc.parse(jsonrpc.dumps(message)) == message
    assert ("params" in made["request"]) == (params is not None)


def test_an_error_without_an_id_leaves_it_out_and_is_named_after_its_code() -> None:
    assert jsonrpc.error(None, PARSE_ERROR) == R | {
        "error": {"code": PARSE_ERROR, "message": "Parse error"}
    }
    assert jsonrpc.error(7, 1)["error"] == {"code": 1, "message": "Error"}
    assert "data" not in jsonrpc.error(7, 1, "no")["error"]


@given(values)
def test_a_readable_id_is_an_id(value: Any) -> None:
    assert jsonrpc.readable_id({"id": value}) == (value if jsonrpc.is_id(value) else None)
    assert jsonrpc.readable_id([{"id": value}]) is None


# -- the record ---------------------------------------------------------------------------------


def reread(original: Trace) -> Trace:
    copy = Trace.loads(original.dumps())
    assert copy == original
    assert copy.dumps() == original.dumps()
    return copy


@given(st.lists(st.binary() | text | values.map(jsonrpc.dumps)))
def test_lines_come_back_byte_for_byte(lines: list[bytes | str]) -> None:
    recorded = Trace()
    for line in lines:
        recorded.sent(line)
        recorded.received(line)
    raw = [x.encode("utf-8", "surrogatepass") if isinstance(x, str) else x for x in lines]
    expected = [line.removesuffix(b"\n") for line in raw for _ in "ab"]
    assert [frame.line for frame in recorded] == expected
    assert [frame.line for frame in reread(recorded)] == expected


@given(values)
def test_a_message_recorded_as_json_keeps_its_value(value: Any) -> None:
    recorded = Trace()
    recorded.sent(jsonrpc.dumps(value))
    recorded.sent(json.dumps(value, indent=1))
    recorded.record(Frame(0.5, trace.TO_CLIENT, "message", value))
    assert recorded.messages() == [value] * 3
    assert reread(recorded).messages() == [value] * 3
    assert "raw" not in recorded[0].to_json()
    assert recorded[2].line == jsonrpc.dumps(value).encode()


members = st.fixed_dictionaries(
    {},
    optional={
        "t": st.integers() | st.floats(allow_nan=False, allow_infinity=False),
        "x": st.integers(),
        "dir": st.sampled_from(["client->server", "server->client", "user->host", "->"]),
        "kind": st.sampled_from(trace.KINDS),
        "peer": text,
        "http": text,
        "headers": st.dictionaries(text, text, max_size=3),
        "sse": values,
        "message": values,
        "raw": text,
        "raw_base64": st.sampled_from(["", "/w==", "YQ=="]),
        "text": text,
    },
)


unknown = st.dictionaries(text.filter(lambda name: name not in KNOWN), values, max_size=3)
KNOWN = {*trace._MEMBERS, "raw_base64"}


@given(unknown, members)
def test_unknown_members_survive(unknown: dict[str, Any], known: dict[str, Any]) -> None:
    frame = reread(Trace.loads(json.dumps(unknown | known)))[0]
    assert frame.extra == unknown
    assert frame.to_json().items() >= unknown.items()


@given(members)
def test_known_members_survive(body: dict[str, Any]) -> None:
    frame = reread(Trace.loads(json.dumps(body)))[0]
    for name in body.keys() - {"raw", "raw_base64", "message", "sse"}:
        assert getattr(frame, name) == body[name]
    assert repr(frame).isprintable()
    if "raw" not in body and "raw_base64" not in body:
        assert frame.message == body.get("message")
        assert frame.sse == body.get("sse")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON: at character 2"),
        ("\ufffe", "not JSON: at character 1"),
        ('{"t": NaN}', "NaN is no JSON number"),
        ('{"message": ' + nested(202) + "}", "nested too deeply"),
        ("[]", "a frame is a JSON object"),
        ("null", "a frame is a JSON object"),
        ('{"t": "now"}', "\"t\" is 'now'; it must be a number of seconds"),
        ('{"t": true}', '"t" is True; it must be a number of seconds'),
        ('{"x": 1.5}', '"x" is 1.5; it must be an integer'),
        ('{"x": "1"}', "\"x\" is '1'; it must be an integer"),
        ('{"dir": "client"}', '"dir" is \'client\'; it must look like "client->server"'),
        ('{"dir": ["->"]}', '"dir" is'),
        ('{"kind": "talk"}', "\"kind\" is 'talk'; it must be one of message, noise, stderr"),
        ('{"kind": {}}', '"kind" is {}; it must be text'),
        ('{"kind": ""}', '"kind" is'),
        ('{"peer": 1}', '"peer" is 1; it must be text'),
        ('{"http": 200}', '"http" is 200; it must be text'),
        ('{"headers": ["a"]}', '"headers" is'),
        ('{"raw": 7}', '"raw" is 7; it must be text'),
        ('{"text": ["a"]}', '"text" is'),
        ('{"raw_base64": "*"}', '"raw_base64" must be base64 text'),
        ('{"raw_base64": "é"}', '"raw_base64" must be base64 text'),
        ('{"raw_base64": 7}', '"raw_base64" must be base64 text'),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_bad_trace_is_refused_with_its_line(line: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text(f'{{"text": "one"}}\n\n{line}\n{{"text": "four"}}\n', encoding="utf-8")
    with pytest.raises(TraceError) as caught:
        Trace.load(path)
    assert str(caught.value).startswith("line 3: ")
    assert reason in str(caught.value)
    assert len(str(caught.value)) < 200


def test_a_null_member_counts_as_absent() -> None:
    names = (*(name for name in trace._MEMBERS if name != "message"), "raw_base64")
    frame = Frame.from_json(dict.fromkeys(names))
    assert frame.to_json() == {"t": 0.0, "dir": trace.TO_SERVER, "kind": "lifecycle"}


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"message": {}}, "message"),
        ({"message": None}, "message"),
        ({"message": None, "http": "200", "raw": None}, "http"),
        ({"message": {}, "http": "200", "raw": "{}"}, "message"),
        ({"http": "200"}, "http"),
        ({"sse": "open"}, "http"),
        ({"raw": "oops"}, "noise"),
        ({"raw_base64": "/w=="}, "noise"),
        ({"text": "closed"}, "lifecycle"),
        ({}, "lifecycle"),
    ],
    ids=str,
)
def test_a_frame_without_kind_is_known_by_its_members(body: dict[str, Any], kind: str) -> None:
    assert Frame.from_json(body).kind == kind


def test_a_message_that_is_null_is_a_message() -> None:
    recorded = Trace()
    recorded.sent("null")
    assert reread(recorded)[0].line == b"null"


def test_a_file_keeps_a_trace_whatever_its_line_ends(tmp_path: Path) -> None:
    recorded, path = Trace(), tmp_path / "trace.jsonl"
    recorded.sent('{"jsonrpc":"2.0","method":"你好"}')
    recorded.received(b"\xff\r\n")
    recorded.noted("stderr", "★ \ud800")
    recorded.save(path)
    assert b"\r" not in path.read_bytes()
    assert Trace.load(path) == recorded
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert Trace.load(str(path)) == recorded
    path.write_bytes(b'{"text": "\xff"}')
    with pytest.raises(TraceError, match="is not UTF-8 text: byte 10"):
        Trace.load(path)
    with pytest.raises(OSError, match="gone"):
        Trace.load(tmp_path / "gone.jsonl")


def test_a_trace_belongs_to_a_side() -> None:
    client, server = Trace(), Trace(side="server")
    assert client.sent("1").dir == server.received("1").dir == "client->server"
    assert client.received("1").dir == server.sent("1").dir == "server->client"
    assert (client[0].sender, client[0].receiver) == ("client", "server")
    with pytest.raises(ValueError, match='it must be "client" or "server"'):
        Trace(side="host")


def test_notes_have_a_kind_and_a_direction() -> None:
    recorded = Trace()
    assert recorded.noted("stderr", "ready").dir == "server->client"
    assert recorded.noted("lifecycle", "closed").dir == "client->server"
    assert recorded.noted("speech", "what is 3 plus 4?", "user->host").sender == "user"
    for kind in ("message", "talk"):
        with pytest.raises(ValueError, match=f"kind is '{kind}'; it must be one of noise, "):
            recorded.noted(kind, "x")
    assert len(recorded) == 3


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ('{"jsonrpc":"2.0","id":1,"method":"ping"}', "message: ping"),
        ('{"jsonrpc":"2.0","id":1,"result":{}}', "message: result of 1"),
        ('{"jsonrpc":"2.0","error":{}}', "message: error of None"),
        ("[]", "message: batch"),
        ("7", "message: invalid"),
        ("ready!", "noise: ready!"),
        ("\x1b[31mred\r", r"noise: \x1b[31mred\r"),
        (r'{"method": "\ud800\n"}', r"message: \ud800\n"),
        ("x" * 100, f"noise: {'x' * 60}"),
        ("", "noise: None"),
    ],
)
def test_a_frame_is_shown_in_one_harmless_line(line: str, shown: str) -> None:
    assert repr(Trace().sent(line)) == f"<Frame client->server {shown}>"


def test_a_trace_is_shown_by_its_length() -> None:
    assert repr(Trace()) == "<Trace: 0 frames>"
    assert repr(Trace([Frame(0, "a->b", "speech")])) == "<Trace: 1 frame>"


def test_a_full_trace_says_so_once_and_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "MAX_FRAMES", 3)
    recorded, seen = Trace(), []
    recorded.watch(seen.append)
    for number in range(10):
        recorded.sent(str(number))
    assert recorded.messages() == [0, 1, 2]
    assert [frame.text for frame in recorded][3:] == ["the trace is full at 3"]
    assert seen == recorded.frames
    assert reread(recorded)


def test_watchers_see_each_frame_until_they_stop() -> None:
    recorded, first, second = Trace(), [], []
    stop = recorded.watch(first.append)
    recorded.watch(second.append)
    recorded.sent("1")
    stop()
    stop()
    recorded.sent("2")
    assert (len(first), len(second)) == (1, 2)


def test_recording_is_safe_from_many_threads() -> None:
    recorded, seen = Trace(), []
    recorded.watch(seen.append)
    start = threading.Barrier(8)

    def record(thread: int) -> None:
        start.wait(timeout=30)
        for number in range(500):
            recorded.sent(f"[{thread},{number}]")

    threads = [threading.Thread(target=record, args=(n,), daemon=True) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len(recorded) == len(seen) == 8 * 500
    for thread in range(8):
        assert [n for t, n in recorded.messages() if t == thread] == list(range(500))


# -- what others wrote --------------------------------------------------------------------------


@pytest.mark.skipif(not CAPTURES, reason="no recorded conversations beside this project")
def test_recorded_conversations_come_back_without_loss() -> None:
    for path in CAPTURES:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        recorded = Trace.load(path)
        assert len(recorded) == len(lines) > 5
        for frame, line in zip(reread(recorded), lines, strict=True):
            assert frame.to_json().items() >= line.items()
            assert frame.kind != "message" or jsonrpc.loads(frame.line) == frame.message


@pytest.mark.skipif(not CAPTURES, reason="no recorded conversations beside this project")
def test_real_messages_are_valid_but_for_an_error_with_a_null_id() -> None:
    messages = [message for path in CAPTURES for message in Trace.load(path).messages()]
    faults = [
        (message.get("id"), jsonrpc.kind(message)) for message in messages if jsonrpc.check(message)
    ]
    assert len(messages) > 200
    assert set(faults) <= {(None, "error")}


@pytest.mark.skipif(not EXAMPLES, reason="no examples of the specification beside this project")
def test_the_examples_of_the_specification_are_taken() -> None:
    shapes = set()
    for path in EXAMPLES:
        value = json.loads(path.read_text(encoding="utf-8"))
        recorded = Trace()
        recorded.sent(path.read_bytes())
        recorded.received(jsonrpc.dumps(value))
        assert reread(recorded).messages() == [value, value]
        if isinstance(value, dict) and "jsonrpc" in value:
            assert jsonrpc.check(value) is None, path
            shapes.add(jsonrpc.kind(value))
    assert shapes == {"request", "notification", "result", "error"}
