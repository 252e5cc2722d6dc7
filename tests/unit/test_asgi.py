"""Our server over HTTP, spoken to by hand: sessions, streams, who leaves when, and the end."""

import asyncio
import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest
import raw_http
from by_hand import eventually
from office import HELLO, PING, Office, call, modern, modern_headers, open_session
from wire_guard import sampled

from mcp_lesson import Limits, jsonrpc, serve
from mcp_lesson.revisions import META
from mcp_lesson.transports import asgi


@pytest.fixture
async def office() -> Office:
    return Office()


@pytest.fixture
async def url(office: Office) -> AsyncIterator[str]:
    async with serve(office, limits=Limits(line=10_000, request=1.0)) as url:
        yield url


async def test_hosts_and_origins_can_be_added(office: Office) -> None:
    body = jsonrpc.request(0, "initialize", HELLO)
    more = {"hosts": ("office.example",), "origins": ("https://shop.example",)}
    async with serve(office, path="/there", **more) as url:
        assert url.endswith("/there")
        for headers, status in (
            ({"host": "office.example"}, 200),
            ({"host": "office.example", "origin": "https://shop.example"}, 200),
            ({"host": "office.example", "origin": "http://shop.example"}, 403),
            ({}, 421),
        ):
            assert (await raw_http.send(url, body=body, **headers)).status == status


async def test_a_body_that_never_ends_is_given_up(url: str) -> None:
    exchange = await raw_http.begin(url, body=b"{", content_length="1000")
    waiting = asyncio.ensure_future(exchange.head())
    assert (await raw_http.send(url, body=jsonrpc.request(0, "initialize", HELLO))).status == 200
    assert (await waiting).status == 408, "after limits.request, and nobody else had to wait"
    exchange.close()


# -- sessions (2025-03-26 to 2025-11-25) -----------------------------------------------------------


async def test_the_life_of_a_session(url: str) -> None:
    headers = await open_session(url)
    response = await raw_http.send(url, body=call("echo", arguments={"words": "hi"}), **headers)
    assert response.json["result"]["content"][0]["text"] == "hi"
    assert "mcp-session-id" not in response.headers
    other = await open_session(url)
    assert other["mcp_session_id"] != headers["mcp_session_id"]
    assert (await raw_http.send(url, "DELETE", **headers)).status == 204
    assert (await raw_http.send(url, body=PING, **headers)).status == 404
    assert (await raw_http.send(url, "DELETE", **headers)).status == 404
    assert (await raw_http.send(url, body=PING, **other)).status == 200


async def test_answers_and_notifications_are_taken_without_a_word(url: str) -> None:
    headers = await open_session(url)
    for body in (
        jsonrpc.notification("notifications/nothing"),
        jsonrpc.result(99, {}),
        jsonrpc.error(99, -1),
        [],
    ):
        response = await raw_http.send(url, body=body, **headers)
        assert (response.status, response.body) == (202, b"")


async def test_a_failed_handshake_opens_no_session(url: str) -> None:
    response = await raw_http.send(url, body=jsonrpc.request(0, "initialize", {}))
    assert (response.status, response.json["error"]["code"]) == (200, -32602)
    assert "mcp-session-id" not in response.headers


async def test_what_is_wrong_inside_a_session(url: str) -> None:
    headers = await open_session(url)
    for body, status, code in (
        (jsonrpc.request(1, "nothing/here"), 200, -32601),
        (jsonrpc.request(1, "tools/call", {}), 200, -32602),
        ([PING], 400, -32600),
        (jsonrpc.request(1, "initialize", HELLO), 400, -32600),
    ):
        response = await raw_http.send(url, body=body, **headers)
        assert (response.status, response.json["error"]["code"]) == (status, code)


async def test_a_batch_is_answered_in_one_body(url: str) -> None:
    hello = jsonrpc.request(0, "initialize", HELLO | {"protocolVersion": "2025-03-26"})
    session = (await raw_http.send(url, body=hello)).headers["mcp-session-id"]
    batch = [5, jsonrpc.notification("notifications/initialized"), PING, call("echo", "two")]
    response = await raw_http.send(url, body=batch, mcp_session_id=session)
    assert response.status == 200
    assert [answer["id"] for answer in response.json] == [1, "two"]


async def test_an_id_that_is_in_use_is_refused_and_the_first_is_answered(url, office) -> None:
    headers = await open_session(url)
    first = await raw_http.begin(url, body=call("wait", 7), **headers)
    await eventually(lambda: office.running)
    second = await raw_http.send(url, body=jsonrpc.request(7, "ping"), **headers)
    assert second.status == 400
    assert "in use" in second.json["error"]["message"]
    office.gate.set()
    await first.head()
    assert (await first.rest()).json["result"]["content"][0]["text"] == "waited"


async def test_a_cancelled_request_ends_its_exchange_without_an_answer(url, office) -> None:
    headers = await open_session(url)
    exchange = await raw_http.begin(url, body=call("wait", 7), **headers)
    await eventually(lambda: office.running)
    cancel = jsonrpc.notification("notifications/cancelled", {"requestId": 7})
    assert (await raw_http.send(url, body=cancel, **headers)).status == 202
    assert (await exchange.head()).headers["content-type"].startswith("text/event-stream")
    assert (await exchange.rest()).events == []
    assert office.ended == ["cancelled"]
    assert (await raw_http.send(url, body=jsonrpc.request(7, "ping"), **headers)).status == 200


async def test_a_legacy_client_that_leaves_cancels_nothing(url: str, office: Office) -> None:
    """Disconnection is no cancellation before 2026-07-28: basic/transports."""
    headers = await open_session(url)
    for name in ("wait", "steps"):
        exchange = await raw_http.begin(
            url, body=call(name, name, _meta={"progressToken": 1}), **headers
        )
        if name == "steps":
            await exchange.head()
            assert (await exchange.event())["method"] == "notifications/progress"
        await eventually(lambda: office.running)
        exchange.close()
        assert (await raw_http.send(url, body=PING, **headers)).status == 200
        assert office.running == 1
        office.gate.set()
        await eventually(lambda: not office.running)
        office.gate.clear()
    assert office.ended == ["done", "done"]


async def test_a_modern_client_that_leaves_cancels_its_request(url: str, office: Office) -> None:
    for name in ("wait", "steps"):
        body = modern("tools/call", {"name": name})
        body["params"]["_meta"]["progressToken"] = 1
        exchange = await raw_http.begin(url, body=body, **modern_headers("tools/call", name))
        if name == "steps":
            await exchange.head()
            assert (await exchange.event())["method"] == "notifications/progress"
        await eventually(lambda: office.running)
        exchange.close()
        await eventually(lambda: not office.running)
    assert office.ended == ["cancelled", "cancelled"]


# -- streams ---------------------------------------------------------------------------------------


async def test_what_comes_before_the_answer_makes_it_a_stream(url: str, office: Office) -> None:
    headers = await open_session(url)
    body = call("steps", "s", _meta={"progressToken": "t"})
    exchange = await raw_http.begin(url, body=body, **headers)
    head = (await exchange.head()).headers
    assert head["content-type"].startswith("text/event-stream")
    assert head["x-accel-buffering"] == "no"
    assert head["cache-control"] == "no-cache"
    assert (await exchange.event())["params"] == {"progressToken": "t", "progress": 1}
    office.gate.set()
    assert (await exchange.event())["id"] == "s"
    with pytest.raises(EOFError):
        await exchange.event()
    exchange.close()


async def test_a_question_goes_out_by_the_stream_of_its_call_and_the_answer_by_post(url) -> None:
    headers = await open_session(url)
    stream = await raw_http.begin(url, "GET", **headers)
    await stream.head()
    exchange = await raw_http.begin(url, body=call("ask_back", "q"), **headers)
    await exchange.head()
    question = await exchange.event()
    assert question["method"] == "roots/list"
    answer = jsonrpc.result(question["id"], {"roots": [{"uri": "file:///a"}]})
    assert (await raw_http.send(url, body=answer, **headers)).status == 202
    result = await exchange.event()
    assert (result["id"], result["result"]["content"][0]["text"]) == ("q", "1")
    exchange.close()
    stream.close()


async def test_what_is_unsolicited_goes_out_by_the_get_stream(url: str, office: Office) -> None:
    headers = await open_session(url)
    stream = await raw_http.begin(url, "GET", **headers)
    assert (await stream.head()).headers["content-type"].startswith("text/event-stream")
    office.changed("tools")
    assert (await stream.event())["method"] == "notifications/tools/list_changed"
    newer = await raw_http.begin(url, "GET", **headers)
    await newer.head()
    with pytest.raises(EOFError):
        await stream.event()
    office.changed("tools")
    assert (await newer.event())["method"] == "notifications/tools/list_changed"
    assert (await raw_http.send(url, "DELETE", **headers)).status == 204
    with pytest.raises(EOFError):
        await newer.event()
    for exchange in (stream, newer):
        exchange.close()


async def test_an_answer_whose_stream_was_left_goes_nowhere_else(url, office) -> None:
    """A response on the GET stream would break basic/transports#listening-for-messages."""
    headers = await open_session(url)
    stream = await raw_http.begin(url, "GET", **headers)
    await stream.head()
    body = call("steps", "s", _meta={"progressToken": "t"})
    exchange = await raw_http.begin(url, body=body, **headers)
    await exchange.head()
    await exchange.event()
    exchange.close()
    assert (await raw_http.send(url, body=PING, **headers)).status == 200
    office.gate.set()
    await eventually(lambda: office.ended)
    office.changed("tools")
    assert (await stream.event())["method"] == "notifications/tools/list_changed"
    stream.close()


async def test_a_quiet_stream_is_kept_open_by_comments(
    url: str, office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asgi, "KEEP_ALIVE", 0.05)
    headers = await open_session(url)
    stream = await raw_http.begin(url, "GET", **headers)
    await stream.head()
    async with asyncio.timeout(raw_http.PATIENCE):
        assert (await stream.reader.readline()).startswith(b":")
    office.changed("tools")
    assert (await stream.event())["method"] == "notifications/tools/list_changed"
    stream.close()


async def test_a_listen_stream_over_http(url: str, office: Office) -> None:
    body = modern("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, id=5)
    exchange = await raw_http.begin(url, body=body, **modern_headers("subscriptions/listen"))
    await exchange.head()
    assert (await exchange.event())["method"] == "notifications/subscriptions/acknowledged"
    office.changed("tools")
    told = await exchange.event()
    assert told["params"]["_meta"] == {META + "subscriptionId": 5}
    assert len(office.watchers) == 1
    exchange.close()
    await eventually(lambda: not office.watchers)


async def test_a_slow_reader_slows_down_its_own_call_only(url: str, office: Office) -> None:
    headers = await open_session(url)
    body = call("flood", "f", _meta={"progressToken": "t"})
    with sampled(100):
        exchange = await raw_http.begin(url, body=body, **headers)  # and nothing is read
        await eventually(lambda: office.running)
        for n in range(20):
            response = await raw_http.send(url, body=call("echo", n), **headers)
            assert response.status == 200
        assert office.running == 1, "it waits for its reader"
        exchange.close()
        await eventually(lambda: not office.running)


# -- limits ----------------------------------------------------------------------------------------


async def test_sessions_that_nobody_uses_make_room(office: Office) -> None:
    async with serve(office, limits=Limits(sessions=2, idle=0.0)) as url:
        one = await open_session(url)
        await open_session(url)
        await open_session(url)
        assert (await raw_http.send(url, body=PING, **one)).status == 404


async def test_too_many_sessions_are_refused(office: Office) -> None:
    async with serve(office, limits=Limits(sessions=2)) as url:
        one = await open_session(url)
        await open_session(url)
        response = await raw_http.send(url, body=jsonrpc.request(0, "initialize", HELLO))
        assert (response.status, response.json["error"]["code"]) == (503, -32603)
        assert (await raw_http.send(url, "DELETE", **one)).status == 204
        await open_session(url)


# -- the end ---------------------------------------------------------------------------------------


async def tasks_now() -> set[asyncio.Task]:
    await asyncio.sleep(0)
    return {task for task in asyncio.all_tasks() if not task.done()}


async def test_serve_leaves_nothing_behind(office: Office, capfd: pytest.CaptureFixture) -> None:
    """Whatever is under way when it ends: a call, a stream, a listener, an idle connection."""
    before = await tasks_now()
    async with serve(office) as url:
        headers = await open_session(url)
        stream = await raw_http.begin(url, "GET", **headers)
        legacy = await raw_http.begin(url, body=call("wait", 7), **headers)
        body, about = modern("tools/call", {"name": "wait"}), modern_headers("tools/call", "wait")
        stateless = await raw_http.begin(url, body=body, **about)
        asked = modern("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
        listener = await raw_http.begin(url, body=asked, **modern_headers("subscriptions/listen"))
        await listener.head()
        assert "acknowledged" in (await listener.event())["method"]
        await eventually(lambda: office.running == 2)
        began = asyncio.get_running_loop().time()
    took = asyncio.get_running_loop().time() - began
    assert took < 2.0
    assert office.running == 0
    assert not office.watchers
    told, answer = await listener.event(), await listener.event()
    assert told["method"] == "notifications/cancelled"
    assert answer["result"]["resultType"] == "complete", "a graceful end"
    for exchange in (stream, legacy, stateless, listener):
        async with asyncio.timeout(raw_http.PATIENCE):
            await exchange.reader.read()
        exchange.close()
    with pytest.raises(OSError):
        await raw_http.send(url, body=PING)
    await eventually(lambda: True)
    assert await tasks_now() == before
    assert capfd.readouterr() == ("", "")


async def test_an_answer_does_not_wait_to_be_acknowledged(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its two halves go out at once: who accepts inherits this from the socket that listens."""
    listeners: list[socket.socket] = []
    create = socket.create_server

    def remember(*arguments: Any, **more: Any) -> socket.socket:
        listeners.append(create(*arguments, **more))
        return listeners[-1]

    monkeypatch.setattr(socket, "create_server", remember)
    async with serve(office):
        assert listeners[0].getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_serve_ends_when_its_block_fails(office: Office) -> None:
    with pytest.raises(RuntimeError, match="mine"):
        async with serve(office) as url:
            raise RuntimeError("mine")
    with pytest.raises(OSError):
        await raw_http.send(url, body=PING)


async def test_two_servers_at_once(office: Office) -> None:
    async with serve(office) as one, serve(Office()) as two:
        assert one != two
        headers = await open_session(one)
        assert (await raw_http.send(one, body=PING, **headers)).status == 200
        assert (await raw_http.send(two, body=PING, **headers)).status == 404


async def test_one_server_may_be_served_twice(office: Office) -> None:
    async with serve(office) as one, serve(office) as two:
        streams = []
        for url in (one, two):
            headers = await open_session(url)
            streams.append(await raw_http.begin(url, "GET", **headers))
            await streams[-1].head()
        office.changed("tools")
        for stream in streams:
            assert (await stream.event())["method"] == "notifications/tools/list_changed"
            stream.close()


async def test_a_port_that_is_taken_is_named(office: Office) -> None:
    async with serve(office) as url:
        port = int(url.rpartition(":")[2].partition("/")[0])
        with pytest.raises(OSError, match=str(port)):
            async with serve(office, port=port):
                pass
        await open_session(url)


async def test_serve_on_ipv6(office: Office) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("no IPv6 loopback on this machine")
    async with serve(office, host="::1") as url:
        assert url.startswith("http://[::1]:")
        await open_session(url)
