"""The eighty-line server, told by the bytes it writes: each behaviour over a real process.

Every message it sends in any test here is also held against the official schema, where the schemas
lie beside the checkout. Hypothesis feeds it what no client would send.
"""

import ast
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import official
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from linewise import LIMIT, ROOT, Program

SCRIPT = "servers/eighty_lines.py"
SOURCE = (ROOT / SCRIPT).read_text(encoding="utf-8")
NEWEST = "2025-11-25"
KNOWN = ["2024-11-05", "2025-06-18", "2025-11-25"]
NOTES = "docs://demo/protocol-notes"

schemas = pytest.mark.skipif(official.MISSING is not None, reason=str(official.MISSING))


@pytest.fixture(scope="module")
def server() -> Iterator[Program]:
    """One process for all that leaves no trace in it, which is everything: it keeps no state."""
    with Program(SCRIPT) as program:
        yield program
        assert program.end() == 0
        assert program.stderr == ""


_ids = count(1)


def request(method: str, params: Any = None, **more: Any) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": next(_ids), "method": method, **more}
    return message if params is None else message | {"params": params}


def judge(answer: Any, method: str | None = None, revision: str = NEWEST) -> None:
    """Fail if the schema of the revision refuses what the server sent."""
    exempt = "error" in answer and "id" not in answer and revision < "2025-11-25"
    if not official.MISSING and not exempt:
        complaints = official.schema(revision).judge(answer, "server", method)
        assert not complaints, (complaints, answer)


def result(server: Program, method: str, params: Any = None) -> Any:
    """Ask, and expect a result, whole and valid."""
    message = request(method, params)
    answer = server.ask(message)
    judge(answer, method)
    assert answer.keys() == {"jsonrpc", "id", "result"}
    assert (answer["jsonrpc"], answer["id"]) == ("2.0", message["id"])
    return answer["result"]


def error(server: Program, message: object) -> Any:
    """Ask, and expect an error, valid; return code, id (None: the member is not there), data."""
    answer = server.ask(message)
    judge(answer)
    assert answer["jsonrpc"] == "2.0"
    assert answer["error"]["message"]
    assert answer.get("id", 0) is not None
    return answer["error"]["code"], answer.get("id"), answer["error"].get("data")


def call(server: Program, name: str, arguments: Any = None) -> tuple[str, bool]:
    """Call a tool; return its text and whether it failed."""
    given = {} if arguments is None else {"arguments": arguments}
    value = result(server, "tools/call", {"name": name, **given})
    [content] = value["content"]
    assert content["type"] == "text"
    return content["text"], value.get("isError", False)


# --- the file -----------------------------------------------------------------------------------


def test_it_fits_on_one_screen() -> None:
    assert SOURCE.count("\n") <= 80
    assert max(map(len, SOURCE.splitlines())) <= 100
    assert SOURCE.startswith("# snippet: eighty_lines; stdlib\n")


def test_six_parts_in_order() -> None:
    parts = re.findall(r"# -+ (\d\. \w+) ---$", SOURCE, re.MULTILINE)
    assert parts == ["1. tools", "2. handlers", "3. dispatch", "4. send", "5. loop", "6. start"]


def test_standard_library_only() -> None:
    imported = [node for node in ast.walk(ast.parse(SOURCE)) if isinstance(node, ast.Import)]
    taken = [node for node in ast.walk(ast.parse(SOURCE)) if isinstance(node, ast.ImportFrom)]
    names = {alias.name for node in imported for alias in node.names} | {n.module for n in taken}
    assert names <= sys.stdlib_module_names


# --- the handshake ------------------------------------------------------------------------------


@pytest.mark.parametrize("version", KNOWN)
def test_a_known_version_is_echoed(server: Program, version: str) -> None:
    assert result(server, "initialize", hello(version))["protocolVersion"] == version


@pytest.mark.parametrize(
    "version", ["1999-01-01", "2025-03-26", "2026-07-28", "", None, 5, [NEWEST], {"a": 1}]
)
def test_any_other_version_is_answered_with_the_newest(server: Program, version: Any) -> None:
    assert result(server, "initialize", hello(version))["protocolVersion"] == NEWEST


def test_a_greeting_without_params_is_answered(server: Program) -> None:
    assert result(server, "initialize")["protocolVersion"] == NEWEST


def hello(version: Any) -> dict[str, Any]:
    client = {"name": "test", "version": "1"}
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": client}


SERVED = ["tools/list", "resources/list", "resources/templates/list"]
NOT_SERVED = ["prompts/list", "logging/setLevel", "completion/complete", "resources/subscribe"]


def test_it_declares_what_it_serves_and_nothing_else(server: Program) -> None:
    greeting = result(server, "initialize", hello(NEWEST))
    assert greeting["capabilities"] == {"tools": {}, "resources": {}}
    assert greeting["serverInfo"].keys() >= {"name", "version"}
    for method in SERVED:
        result(server, method)
    for method in NOT_SERVED:
        assert error(server, request(method))[0] == -32601


def test_ping_is_answered_before_the_handshake() -> None:
    with Program(SCRIPT) as program:
        assert result(program, "ping") == {}
        assert result(program, "ping", {"_meta": {"progressToken": 1}}) == {}


# --- tools --------------------------------------------------------------------------------------


def test_the_tools_and_what_they_need(server: Program) -> None:
    tools = {tool["name"]: tool for tool in result(server, "tools/list")["tools"]}
    assert list(tools) == ["echo", "add", "get_time"]
    assert all(tool["description"] for tool in tools.values())
    needs = {name: tool["inputSchema"] for name, tool in tools.items()}
    assert all(schema["type"] == "object" for schema in needs.values())
    assert needs["echo"]["properties"] == {"text": {"type": "string"}}
    assert needs["add"]["properties"] == {"a": {"type": "number"}, "b": {"type": "number"}}
    assert needs["get_time"]["properties"] == {}
    assert [schema["required"] for schema in needs.values()] == [["text"], ["a", "b"], []]


@pytest.mark.parametrize(
    "text", ["", "hi", "你好 ★ 😀 Messgerät", "a\nb\r\n\t\0", "\u2028", "\ud83d"]
)
def test_echo_gives_back_exactly_what_it_got(server: Program, text: str) -> None:
    assert call(server, "echo", {"text": text}) == (text, False)


@pytest.mark.parametrize(
    ("a", "b", "sum"),
    [
        (3, 4, "7"),
        (-3, 3, "0"),
        (0.5, 0.25, "0.75"),
        (3, 4.0, "7.0"),
        (10**400, 1, str(10**400 + 1)),
        (2**53, 1, "9007199254740993"),
    ],
)
def test_add(server: Program, a: Any, b: Any, sum: str) -> None:
    assert call(server, "add", {"a": a, "b": b}) == (sum, False)


@pytest.mark.parametrize("arguments", [None, {}])
def test_get_time_needs_no_arguments(server: Program, arguments: Any) -> None:
    text, failed = call(server, "get_time", arguments)
    assert not failed
    assert abs(datetime.now(UTC) - datetime.fromisoformat(text)) < timedelta(seconds=LIMIT)


BAD_VALUES = [
    ("add", None),
    ("add", {}),
    ("add", {"a": 1}),
    ("add", {"a": 1, "b": 2, "c": 3}),
    ("add", {"a": True, "b": 1}),
    ("add", {"a": 1, "b": False}),
    ("add", {"a": "1", "b": 2}),
    ("add", {"a": None, "b": 2}),
    ("add", {"a": [1], "b": {"b": 2}}),
    ("echo", {}),
    ("echo", {"text": 5}),
    ("echo", {"text": None}),
    ("echo", {"Text": "hi"}),
    ("get_time", {"zone": "UTC"}),
]


@pytest.mark.parametrize(("name", "arguments"), BAD_VALUES)
def test_bad_values_are_told_to_the_model(server: Program, name: str, arguments: Any) -> None:
    text, failed = call(server, name, arguments)
    assert failed
    assert text.startswith("the arguments must be {")


@pytest.mark.parametrize(
    "line",
    [
        b'{"a":1e308,"b":1e308}',
        b'{"a":1e999,"b":1}',
        b'{"a":1e999,"b":-1e999}',
        b'{"a":1%s,"b":1.5}' % (b"0" * 400),
        b'{"a":9%s,"b":9%s}' % (b"9" * 4299, b"9" * 4299),
    ],
)
def test_a_tool_that_fails_is_a_result(server: Program, line: bytes) -> None:
    head = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":'
    answer = server.ask(head + line + b"}}")
    judge(answer, "tools/call")
    assert answer["result"]["isError"] is True
    assert answer["result"]["content"][0]["text"]


MALFORMED_CALLS: list[Any] = [
    {"name": "no_such_tool"},
    {"name": "ADD", "arguments": {"a": 1, "b": 2}},
    {"name": ""},
    {"name": None},
    {"name": 5},
    {"name": ["add"]},
    {"name": {"add": 1}},
    {"arguments": {}},
    {},
    {"name": "get_time", "arguments": []},
    {"name": "get_time", "arguments": None},
    {"name": "add", "arguments": "a=1"},
    {"name": "add", "arguments": 7},
]


@pytest.mark.parametrize("params", MALFORMED_CALLS)
def test_a_malformed_call_is_an_error(server: Program, params: Any) -> None:
    message = request("tools/call", params)
    assert error(server, message)[:2] == (-32602, message["id"])


def test_a_call_without_params_is_an_error(server: Program) -> None:
    assert error(server, request("tools/call"))[0] == -32602


# --- resources ----------------------------------------------------------------------------------


def test_the_resource_is_listed_and_read(server: Program) -> None:
    [resource] = result(server, "resources/list")["resources"]
    [contents] = result(server, "resources/read", {"uri": resource["uri"]})["contents"]
    assert resource["uri"] == contents["uri"] == NOTES
    assert resource["mimeType"] == contents["mimeType"] == "text/plain"
    assert resource["name"]
    assert contents["text"]


def test_there_are_no_templates(server: Program) -> None:
    assert result(server, "resources/templates/list") == {"resourceTemplates": []}


@pytest.mark.parametrize("uri", ["docs://demo/none", NOTES + "/", NOTES.upper(), "", "\ud800"])
def test_an_unknown_resource_is_named_in_the_error(server: Program, uri: str) -> None:
    message = request("resources/read", {"uri": uri})
    assert error(server, message) == (-32002, message["id"], {"uri": uri})


@pytest.mark.parametrize("params", [{}, {"uri": None}, {"uri": 5}, {"uri": [NOTES]}, {"uri": {}}])
def test_a_malformed_read_is_an_error(server: Program, params: Any) -> None:
    assert error(server, request("resources/read", params))[0] == -32602


# --- what is answered, and how ------------------------------------------------------------------

GOOD_IDS = [1, 0, -1, 2**53 + 1, 10**400, "1", "", "a-b", "你好", "\ud800", "null"]


@pytest.mark.parametrize("id", GOOD_IDS)
def test_ids_come_back_exactly(server: Program, id: Any) -> None:
    for method in ("ping", "no/such/method"):
        answer = server.ask({"jsonrpc": "2.0", "id": id, "method": method})
        judge(answer)
        assert answer["id"] == id
        assert type(answer["id"]) is type(id)


@pytest.mark.parametrize("id", [True, False, None, 1.5, 1.0, [], [1], {}])
def test_what_is_no_id_is_refused_without_one(server: Program, id: Any) -> None:
    message = {"jsonrpc": "2.0", "id": id, "method": "ping"}
    assert error(server, message) == (-32600, None, None)


SILENT: list[Any] = [
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": [1]},
    {"jsonrpc": "2.0", "method": "notifications/nobody_knows_me"},
    {"jsonrpc": "2.0", "method": "tools/list"},
    {"jsonrpc": "2.0", "method": "ping", "params": None},
    {"method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 1, "result": {}},
    {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}},
    {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}},
    {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid request"}},
    {"id": 1, "result": None},
    {"jsonrpc": "2.0", "result": {}, "error": {}},
]


@pytest.mark.parametrize("message", SILENT)
def test_notifications_and_responses_are_never_answered(server: Program, message: Any) -> None:
    server.write(json.dumps(message).encode() + b"\n")
    assert result(server, "ping") == {}  # and its answer is the next line


def test_a_request_with_empty_members_of_a_response_is_a_request(server: Program) -> None:
    message = request("ping", result=None, error=None)
    assert server.ask(message) == {"jsonrpc": "2.0", "id": message["id"], "result": {}}


INVALID: list[tuple[Any, Any]] = [
    ([], None),
    ([{"jsonrpc": "2.0", "id": 1, "method": "ping"}], None),
    (["method", "result"], None),
    (1, None),
    ("ping", None),
    (None, None),
    (True, None),
    ({}, None),
    ({"jsonrpc": "2.0"}, None),
    ({"jsonrpc": "2.0", "id": 7}, 7),
    ({"jsonrpc": "2.0", "method": 1, "params": "bar"}, None),
    ({"jsonrpc": "2.0", "id": "x", "method": None}, "x"),
    ({"jsonrpc": "2.0", "id": 7, "method": ["ping"]}, 7),
    ({"jsonrpc": "1.0", "id": 7, "method": "ping"}, 7),
    ({"jsonrpc": 2.0, "id": 7, "method": "ping"}, 7),
    ({"id": 7, "method": "ping"}, 7),
    ({"jsonrpc": "2.0", "id": 7, "method": "ping", "params": []}, 7),
    ({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": ["add", {"a": 1, "b": 2}]}, 7),
    ({"jsonrpc": "2.0", "id": 7, "method": "ping", "params": None}, 7),
    ({"jsonrpc": "2.0", "id": 7, "method": "ping", "params": "x"}, 7),
]


@pytest.mark.parametrize(("message", "id"), INVALID)
def test_invalid_requests(server: Program, message: Any, id: Any) -> None:
    assert error(server, message) == (-32600, id, None)


NOT_JSON = [
    b"hello",
    b"{",
    b'{"jsonrpc":"2.0","id":1,"method":"ping"',
    b"{'jsonrpc':'2.0','id':1,'method':'ping'}",
    b'{"jsonrpc":"2.0","id":1,"method":"ping"} {}',
    b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":Infinity}}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":-Infinity}}',
    b'{"jsonrpc":"2.0","id":1,"method":"p\ning"}'.replace(b"\n", b"\x01"),
    '{"jsonrpc":"2.0","id":1,"method":"Messgerät"}'.encode("latin-1"),
    '{"jsonrpc":"2.0","id":1,"method":"你好"}'.encode("gbk"),
    b'{"jsonrpc":"2.0","id":1,"method":"\xed\xa0\x80"}',
    b'{"jsonrpc":"2.0","id":1,"method":"\xff"}',
    '{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-16-be"),
    b"\x00",
    b"7" * 5000,
    b'{"jsonrpc":"2.0","id":' + b"7" * 5000 + b',"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":-' + b"7" * 5000 + b"}}",
]


@pytest.mark.parametrize("line", NOT_JSON, ids=lambda line: repr(line[:40]))
def test_what_is_no_json_is_a_parse_error_without_id(server: Program, line: bytes) -> None:
    assert error(server, line) == (-32700, None, None)
    assert result(server, "ping") == {}


def test_an_unknown_method_is_refused_and_the_server_stays(server: Program) -> None:
    for method in ("no/such/method", "", "tools/list ", "Ping", "\ud800", "x" * 100_000):
        message = request(method)
        assert error(server, message)[:2] == (-32601, message["id"])
    assert result(server, "ping") == {}


def test_the_probe_of_a_2026_client_is_refused_politely() -> None:
    """What the official client sends first; then it greets the old way."""
    prefix = "io.modelcontextprotocol/"
    meta = {prefix + "protocolVersion": "2026-07-28", prefix + "clientCapabilities": {}}
    with Program(SCRIPT) as program:
        probe = request("server/discover", {"_meta": meta})
        assert error(program, probe)[:2] == (-32601, probe["id"])
        assert result(program, "initialize", hello(NEWEST))["protocolVersion"] == NEWEST


# --- the wire -----------------------------------------------------------------------------------

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


@pytest.mark.parametrize(
    "line",
    [
        PING + b"\r\n",
        b"\xef\xbb\xbf" + PING + b"\n",
        b"\xef\xbb\xbf" + PING + b"\r\n",
        b"\n\r\n \t \r\n" + PING + b"\n",
        b"  " + PING + b"\t \n",
    ],
)
def test_line_ends_byte_order_marks_and_blank_lines(server: Program, line: bytes) -> None:
    server.write(line)
    assert server.hear() == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_many_requests_in_one_write_are_answered_in_order(server: Program) -> None:
    messages = [request("ping") for _ in range(50)]
    server.write(b"".join(json.dumps(message).encode() + b"\n" for message in messages))
    assert [server.hear()["id"] for _ in messages] == [message["id"] for message in messages]


def test_a_message_in_pieces_is_one_message(server: Program) -> None:
    for byte in PING:
        server.write(bytes([byte]))
    server.write(b"\n")
    assert server.hear()["id"] == 1


def test_a_long_message_goes_both_ways(server: Program) -> None:
    text = "★" * 300_000
    assert call(server, "echo", {"text": text}) == (text, False)


FOREIGN: dict[str, dict[str, str]] = {
    "gbk": {"PYTHONIOENCODING": "gbk", "PYTHONUTF8": "0"},
    "strict ascii": {"PYTHONIOENCODING": "ascii:strict", "PYTHONUTF8": "0"},
    "utf-16": {"PYTHONIOENCODING": "utf-16", "PYTHONUTF8": "0"},
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "no UTF-8 mode": {"PYTHONUTF8": "0"},
    "UTF-8 mode": {"PYTHONUTF8": "1"},
    "unbuffered": {"PYTHONUNBUFFERED": "1"},
    "buffered": {"PYTHONUNBUFFERED": ""},
}


@pytest.mark.parametrize("env", FOREIGN.values(), ids=FOREIGN.keys())
def test_it_speaks_utf_8_whatever_the_locale(env: dict[str, str]) -> None:
    text = "你好 ★ 😀 Messgerät \xa0 \ud83d"
    raw = '{"jsonrpc":"2.0","id":"é","method":"你好"}'.encode()
    with Program(SCRIPT, env) as program:
        result(program, "initialize", hello(NEWEST))
        program.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        assert call(program, "echo", {"text": text}) == (text, False)
        assert error(program, raw)[:2] == (-32601, "é")
        assert program.end() == 0
        assert program.stderr == ""


# --- the end ------------------------------------------------------------------------------------


def test_it_ends_at_the_end_of_input() -> None:
    with Program(SCRIPT) as program:
        assert result(program, "ping") == {}
        assert program.end() == 0
        assert program.read() is None
        assert program.stderr == ""


def test_a_last_line_without_newline_is_answered_before_the_end() -> None:
    with Program(SCRIPT) as program:
        program.write(PING)
        assert program.end() == 0
        assert program.hear()["id"] == 1
        assert program.read() is None


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_it_leaves_quietly_when_nobody_reads_any_more(unbuffered: str) -> None:
    process = _bare(PYTHONUNBUFFERED=unbuffered)
    try:
        process.stdin.write(PING + b"\n")
        process.stdin.flush()
        assert b"result" in process.stdout.readline()
        process.stdout.close()
        _, complaint = process.communicate(PING + b"\n", LIMIT)
        assert (process.returncode, complaint) == (0, b"")
    finally:
        process.kill()
        process.wait(LIMIT)


@pytest.mark.skipif(
    os.name == "nt", reason="Windows sends Ctrl+C to a whole console, not to a child"
)
def test_it_leaves_quietly_on_control_c() -> None:
    process = _bare()
    try:
        process.stdin.write(PING + b"\n")
        process.stdin.flush()
        assert b"result" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(LIMIT) == 0
        assert process.stderr.read() == b""
    finally:
        process.kill()
        process.communicate()


def _bare(**env: str) -> Any:
    pipe = subprocess.PIPE
    command = [sys.executable, str(ROOT / SCRIPT)]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=os.environ | env)


# --- what no client would send ------------------------------------------------------------------


@pytest.mark.parametrize("depth", [10, 500, *range(900, 1100, 7), 3000, 20_000, 500_000])
def test_it_survives_deep_nesting(server: Program, depth: int) -> None:
    deep = b"[" * depth + b"]" * depth
    wide = b'{"a":' * depth + b"1" + b"}" * depth
    head = b'{"jsonrpc":"2.0","id":1,'
    for line in (
        deep,
        wide,
        head + b'"method":' + deep + b"}",
        head + b'"method":"initialize","params":{"protocolVersion":' + wide + b"}}",
        head + b'"method":"tools/call","params":{"name":' + deep + b"}}",
        head
        + b'"method":"tools/call","params":{"name":"echo","arguments":{"text":'
        + deep
        + b"}}}",
        head + b'"method":"resources/read","params":{"uri":' + deep + b"}}",
    ):
        judge(server.ask(line))
    assert result(server, "ping") == {}


@schemas
@pytest.mark.parametrize("revision", KNOWN)
def test_whole_conversations_are_valid_by_the_official_schema(revision: str) -> None:
    calls = [
        ("initialize", hello(revision)),
        ("ping", None),
        ("tools/list", {}),
        ("tools/call", {"name": "echo", "arguments": {"text": "hi"}}),
        ("tools/call", {"name": "add", "arguments": {"a": 3, "b": 4}}),
        ("tools/call", {"name": "add", "arguments": {"a": "3"}}),
        ("tools/call", {"name": "get_time"}),
        ("tools/call", {"name": "no_such_tool"}),
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("resources/read", {"uri": NOTES}),
        ("resources/read", {"uri": "docs://demo/none"}),
        ("no/such/method", None),
    ]
    with Program(SCRIPT) as program:
        for method, params in calls:
            judge(program.ask(request(method, params)), method, revision)
        for line in (b"no JSON", b"[]", b'{"jsonrpc":"2.0","id":null,"method":"ping"}'):
            answer = program.ask(line)
            assert answer.keys() == {"jsonrpc", "error"}  # the one exemption before 2025-11-25
            judge(answer, None, revision)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
METHODS = ["initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/read"]


def often(*likely: Any) -> st.SearchStrategy[Any]:
    """Mostly one of these, sometimes any JSON."""
    return st.sampled_from(likely) | values


params = st.fixed_dictionaries(
    {},
    optional={
        "name": often("echo", "add", "get_time"),
        "arguments": often({}) | st.dictionaries(st.sampled_from(["text", "a", "b"]), values),
        "uri": often(NOTES),
        "protocolVersion": often(*KNOWN),
    },
)
near_misses = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": often("2.0"),
        "id": often(1, "1"),
        "method": often(*METHODS),
        "params": params | values,
        "result": values,
        "error": values,
    },
)
json_lines = (near_misses | values).map(lambda value: json.dumps(value).encode())
any_lines = st.lists(st.binary(max_size=60) | json_lines, min_size=1, max_size=4).map(b"\n".join)


@settings(max_examples=300, deadline=None)
@given(data=any_lines)
def test_whatever_comes_in_only_valid_messages_go_out(server: Program, data: bytes) -> None:
    mine = f"still there? {next(_ids)}"
    ping = json.dumps({"jsonrpc": "2.0", "id": mine, "method": "ping"}).encode()
    server.write(data + b"\n" + ping + b"\n")
    answers = [server.hear()]
    while answers[-1].get("id") != mine:
        answers.append(server.hear())
    assert answers[-1] == {"jsonrpc": "2.0", "id": mine, "result": {}}
    assert len(answers) - 1 <= len([line for line in data.split(b"\n") if line.strip()])
    for answer in answers:
        assert answer["jsonrpc"] == "2.0"
        assert answer.keys() in (
            {"jsonrpc", "id", "result"},
            {"jsonrpc", "id", "error"},
            {"jsonrpc", "error"},
        )
        judge(answer)
