"""The statuses of our server over HTTP, as a table: what is refused, and what is let in."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
import raw_http
from office import HELLO, PING, Office, modern, modern_headers

from mcp_lesson import Limits, jsonrpc, serve
from mcp_lesson.revisions import NEWEST

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def url() -> AsyncIterator[str]:
    async with serve(Office(), limits=Limits(line=10_000)) as url:
        yield url


# -- statuses --------------------------------------------------------------------------------------

REFUSED = [
    # how it is called, what is sent, what comes: status, code, a word of the message
    ("GET", b"", {}, 405, -32600, "since 2026-07-28 there is POST only"),
    ("DELETE", b"", {}, 405, -32600, "since 2026-07-28 there is POST only"),
    ("GET", b"", {"mcp_session_id": "dead"}, 404, -32600, "Session not found"),
    ("DELETE", b"", {"mcp_session_id": "dead"}, 404, -32600, "Session not found"),
    ("POST", PING, {"mcp_session_id": "dead"}, 404, -32600, "Session not found"),
    ("POST", PING, {}, 400, -32600, "Mcp-Session-Id is missing"),
    ("POST", PING, {"accept": "application/json"}, 406, -32600, "Accept must list"),
    ("POST", PING, {"accept": "text/event-stream"}, 406, -32600, "Accept must list"),
    ("POST", PING, {"accept": "text/html, application/json"}, 406, -32600, "Accept must list"),
    ("POST", PING, {"content_type": "text/plain"}, 415, -32600, "'text/plain'"),
    ("POST", PING, {"content_type": None}, 415, -32600, "not application/json"),
    ("POST", PING, {"host": "evil.example"}, 421, -32600, "'evil.example' is not served"),
    ("POST", PING, {"host": "["}, 421, -32600, "is not served"),
    ("POST", PING, {"host": ""}, 421, -32600, "is not served"),
    ("POST", PING, {"origin": "http://evil.example"}, 403, -32600, "is not allowed"),
    ("POST", PING, {"origin": "null"}, 403, -32600, "is not allowed"),
    ("POST", PING, {"origin": "http://["}, 403, -32600, "is not allowed"),
    ("GET", b"", {"origin": "http://evil.example"}, 403, -32600, "is not allowed"),
    ("POST", b"x" * 20_000, {}, 413, -32600, "longer than 10,000 bytes"),
    ("POST", b"", {}, 400, -32700, "not JSON"),
    ("POST", b"{", {}, 400, -32700, "not JSON"),
    ("POST", b"\xff", {}, 400, -32700, "not UTF-8"),
    ("POST", b'{"a":NaN}', {}, 400, -32700, "no JSON number"),
    ("POST", b"5", {}, 400, -32600, "a message is an object"),
    ("POST", b"{}", {}, 400, -32600, "jsonrpc"),
    ("POST", {"jsonrpc": "2.0", "id": None, "method": "ping"}, {}, 400, -32600, "an id is"),
    ("POST", [PING], {}, 400, -32600, "Mcp-Session-Id is missing"),
    ("POST", [PING], {"mcp_protocol_version": NEWEST}, 400, -32600, "Mcp-Session-Id is missing"),
    ("POST", [], {}, 400, -32600, "Mcp-Session-Id is missing"),
    (
        "POST",
        jsonrpc.notification("notifications/initialized"),
        {"mcp_protocol_version": "1999-01-01"},
        400,
        -32600,
        "'1999-01-01' is not known",
    ),
    ("POST", PING, {"mcp_protocol_version": "1999-01-01"}, 400, -32602, "protocolVersion"),
]


@pytest.mark.parametrize(("method", "body", "headers", "status", "code", "words"), REFUSED)
async def test_what_is_refused(url, method, body, headers, status, code, words) -> None:
    response = await raw_http.send(url, method, body, **headers)
    assert response.status == status
    assert response.headers["content-type"] == "application/json"
    error = response.json["error"]
    assert error["code"] == code
    assert words in error["message"]
    if status == 405:
        assert response.headers["allow"] == "POST"


@pytest.mark.parametrize("method", ["PUT", "PATCH", "OPTIONS", "HEAD", "TRACE"])
async def test_methods_of_http_that_are_not_served(url: str, method: str) -> None:
    assert (await raw_http.send(url, method)).status == 405


async def test_another_path_is_not_served(url: str) -> None:
    assert (await raw_http.send(url + "/other", body=PING)).status == 404


MODERN = [
    (modern("server/discover"), modern_headers("server/discover"), 200, None),
    (modern("tools/call", {"name": "echo"}), modern_headers("tools/call", "echo"), 200, None),
    (modern("nothing/here"), modern_headers("nothing/here"), 404, -32601),
    (modern("ping"), modern_headers("ping"), 404, -32601),
    (jsonrpc.request(1, "server/discover"), modern_headers("server/discover"), 400, -32602),
    (modern("server/discover"), modern_headers("tools/list"), 400, -32020),
    (modern("server/discover"), {}, 400, -32020),
    (modern("tools/call", {"name": "echo"}), modern_headers("tools/call"), 400, -32020),
    (
        modern("server/discover", {}) | {"id": "x"},
        modern_headers("server/discover") | {"mcp_session_id": "ignored"},
        200,
        None,
    ),
]


@pytest.mark.parametrize(("body", "headers", "status", "code"), MODERN)
async def test_statuses_of_the_stateless_era(url, body, headers, status, code) -> None:
    response = await raw_http.send(url, body=body, **headers)
    assert response.status == status
    assert response.json["id"] == body["id"]
    assert response.json.get("error", {}).get("code") == code
    assert "mcp-session-id" not in response.headers


@pytest.mark.parametrize(
    "headers",
    [
        {"accept": "*/*"},
        {"accept": "application/json; q=0.5, text/event-stream;q=1"},
        {"accept": None},
        {"content_type": "application/json; charset=utf-8"},
        {"host": "localhost:1234"},
        {"host": "LOCALHOST"},
        {"host": "[::1]:80"},
        {"origin": "http://localhost:3000"},
        {"origin": "http://127.0.0.1"},
    ],
)
async def test_what_is_let_in(url: str, headers: dict) -> None:
    body = jsonrpc.request(0, "initialize", HELLO)
    assert (await raw_http.send(url, body=body, **headers)).status == 200
