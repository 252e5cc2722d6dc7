"""What a stranger may try on a server, and a handler on its own: found once, held since."""

import asyncio
import sys
from typing import Any

import pytest
import raw_http
from office import modern, modern_headers

from mcp_lesson import Context, Server, Trace, connect, jsonrpc, serve
from mcp_lesson.trace import TraceError

server = Server("hardened", ttl_ms=60_000)


@server.tool
def leave_at_once() -> str:
    """Wants the program to end."""
    sys.exit(3)


@server.tool
async def leave_later() -> str:
    """Wants the same, from the event loop."""
    raise SystemExit(3)


@server.tool
async def not_json() -> dict:
    """Builds a result that no JSON can hold."""
    return {"content": [], "odd": float("nan")}


@server.tool(
    inputSchema={
        "type": "object",
        "properties": {"n": {"type": "integer", "x-mcp-header": "N"}},
    }
)
async def mirrored(n: float = 0) -> str:
    """Has a number that a header repeats."""
    return f"{n:g}"


@pytest.mark.parametrize("name", ["leave_at_once", "leave_later"])
@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_a_tool_cannot_end_the_server(name: str, era: str) -> None:
    async with serve(server) as url, connect(url, era=era) as client:
        result = await client.call_tool(name)
        assert result.is_error
        assert "SystemExit" in result.text
        assert "mirrored" in (await client.list_tools()).names


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_an_answer_that_is_no_json_is_an_internal_error_over_http(era: str) -> None:
    async with serve(server) as url, connect(url, era=era) as client:
        with pytest.raises(Exception, match="-32603"):
            await client.call_tool("not_json")
        assert "mirrored" in (await client.list_tools()).names


async def test_a_header_that_comes_twice_is_two_values() -> None:
    body = modern("tools/call", {"name": "mirrored", "arguments": {}})
    async with serve(server) as url:
        heads = modern_headers("tools/call", "mirrored")
        right = await raw_http.send(url, body=body, **heads)
        twice = heads | {"mcp_name": "harmless\r\nMcp-Name: mirrored"}
        wrong = await raw_http.send(url, body=body, **twice)
        origins = heads | {"origin": "http://evil.example\r\nOrigin: http://localhost"}
        evil = await raw_http.send(url, body=body, **origins)
        split = heads | {"accept": "application/json\r\nAccept: text/event-stream"}
        kind = await raw_http.send(url, body=body, **split, content_type="Application/JSON")
    assert (right.status, wrong.status, evil.status, kind.status) == (200, 400, 403, 200)
    assert wrong.json["error"]["code"] == jsonrpc.HEADER_MISMATCH


async def test_an_error_over_http_names_an_id_that_can_be_read() -> None:
    async with serve(server) as url:
        response = await raw_http.send(url, body={"jsonrpc": "2.0", "id": 5, "method": 7})
    assert (response.status, response.json["id"]) == (400, 5)


@pytest.mark.parametrize("n", [42, 42.0])
async def test_a_whole_number_is_an_integer_to_headers_too(n: Any) -> None:
    async with serve(server) as url, connect(url, era="modern") as client:
        await client.list_tools()
        assert (await client.call_tool("mirrored", {"n": n})).text == "42"


@pytest.mark.parametrize("text", ["4_2", "４２", "0x2a", "42.5", ""])
async def test_a_header_must_spell_its_number_plainly(text: str) -> None:
    body = modern("tools/call", {"name": "mirrored", "arguments": {"n": 42}})
    async with serve(server) as url:
        heads = modern_headers("tools/call", "mirrored") | {"mcp_param_n": text}
        response = await raw_http.send(url, body=body, **heads)
    assert response.json["error"]["code"] == jsonrpc.HEADER_MISMATCH


async def test_what_a_client_keeps_is_its_own() -> None:
    async with connect(server, era="modern") as client:
        (await client.list_tools())[0]["name"] = "changed"
        assert "changed" not in (await client.list_tools()).names


async def test_a_handler_that_goes_on_after_a_cancel_is_not_heard() -> None:
    slow, begun = Server("slow"), asyncio.Event()

    @slow.tool
    async def stubborn(ctx: Context) -> str:
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return "all the same"
        return "never"

    trace = Trace()
    async with connect(slow, era="legacy", trace=trace) as client:
        call = asyncio.ensure_future(client.call_tool("stubborn"))
        await begun.wait()
        call.cancel()
        await client.request("ping")
        await client.request("ping")
    assert "all the same" not in trace.dumps()


def test_a_wrong_annotation_is_refused_where_it_is_written() -> None:
    wrong = {"type": "object", "properties": {"n": {"type": "number", "x-mcp-header": "N"}}}
    with pytest.raises(ValueError, match="not primitive"):
        Server("wrong").tool(inputSchema=wrong)(lambda n: n)


@pytest.mark.broken_messages  # that reference is none
async def test_only_what_has_arguments_can_be_completed() -> None:
    offering = Server("offering")
    offering.completion("p", "a")(lambda typed: [typed])
    async with connect(offering, era="legacy") as client:
        with pytest.raises(Exception, match=r"-32602 params\.ref\.type"):
            await client.complete({"type": "ref/nonsense", "uri": "p"}, "a", "x")


def test_a_bare_message_is_no_frame() -> None:
    with pytest.raises(TraceError, match="line 1: this is a bare message"):
        Trace.loads('{"jsonrpc": "2.0", "id": 1, "method": "ping"}')
