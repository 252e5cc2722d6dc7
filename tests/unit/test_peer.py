"""What client and server have in common: ids, answers in any order, limits, progress, cancel."""

import asyncio
import logging

import pytest
from by_hand import PATIENCE, ClientByHand, ServerByHand, code_of
from wire_guard import sampled

from mcp_lesson import (
    ConnectionLost,
    Context,
    Limits,
    McpError,
    RequestTimeout,
    Server,
    connect,
    jsonrpc,
)
from mcp_lesson.peer import Envelope

SHORT = 0.05
"""Seconds: a limit that a test waits out."""


def slow_server() -> Server:
    """A server with a tool that waits for ever and notes how it ended."""
    server = Server("slow")
    server.ended = []  # type: ignore[attr-defined]

    @server.tool
    async def wait() -> str:
        try:
            await asyncio.Event().wait()
        finally:
            server.ended.append("wait")  # type: ignore[attr-defined]
        return "never"

    @server.tool
    async def ask_back(ctx: Context) -> str:
        return str(await ctx.roots())

    return server


# -- asking ----------------------------------------------------------------------------------------


async def test_ids_are_numbered_and_answers_may_come_in_any_order() -> None:
    hand = ClientByHand()
    client = await hand.shake()
    calls = [hand.calls(client.call_tool("t", {"n": n})) for n in range(5)]
    asked = await hand.several(5)
    assert len({message["id"] for message in asked}) == 5
    for message in reversed(asked):
        hand.answer(message, {"content": [], "n": message["params"]["arguments"]["n"]})
    assert [result["n"] for result in await asyncio.gather(*calls)] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("wrong", ["1", "two", 99, 2.0, True, None])
async def test_an_answer_counts_for_exactly_its_id(wrong: object) -> None:
    hand = ClientByHand()
    client = await hand.shake()
    call = hand.calls(client.exchange("ping", timeout=SHORT))
    asked = await hand.next()
    assert asked["id"] == 2
    hand.feed({"jsonrpc": "2.0", "id": wrong, "result": {}})
    with pytest.raises(
        RequestTimeout, match=r"no request waits for|no valid|needs the id|no message"
    ):
        await call


async def test_an_answer_that_comes_twice_counts_once() -> None:
    hand = ClientByHand()
    client = await hand.shake()
    call = hand.calls(client.exchange("ping"))
    asked = await hand.next()
    hand.answer(asked, {"first": True})
    hand.answer(asked, {"second": True})
    assert await call == {"first": True}
    assert "no request waits for" in client.strays[-1]


async def test_an_error_answer_is_raised_with_all_it_says() -> None:
    hand = ClientByHand()
    client = await hand.shake()
    call = hand.calls(client.exchange("ping"))
    hand.feed(jsonrpc.error((await hand.next())["id"], -32050, "Busy", {"seconds": 3}))
    with pytest.raises(McpError, match="-32050 Busy") as caught:
        await call
    assert caught.value.data == {"seconds": 3}


@pytest.mark.parametrize(
    "answer",
    [
        {"error": "no"},
        {"error": {"code": "1", "message": "x"}},
        {"error": {"code": 1}},
        {"result": 5},
        {"result": {}, "error": {"code": 1, "message": "both"}},
    ],
    ids=["error is text", "code is text", "no message", "result is a number", "both"],
)
async def test_a_malformed_answer_fails_its_request_at_once(answer: dict) -> None:
    hand = ClientByHand()
    client = await hand.shake()
    call = hand.calls(client.exchange("ping"))
    hand.feed({"jsonrpc": "2.0", "id": (await hand.next())["id"], **answer})
    with pytest.raises(ConnectionLost, match="no valid message"):
        await call
    again = hand.calls(client.exchange("ping"))
    hand.answer(await hand.next(), {})
    assert await again == {}


async def test_an_error_without_id_belongs_to_the_only_request_that_waits() -> None:
    hand = ClientByHand()
    client = await hand.shake()
    call = hand.calls(client.exchange("ping"))
    await hand.next()
    hand.feed({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}})
    with pytest.raises(McpError, match="Parse error"):
        await call


async def test_an_error_without_id_ends_none_of_several_requests() -> None:
    hand = ClientByHand()
    client = await hand.shake()
    calls = [hand.calls(client.exchange("ping")) for _ in range(2)]
    asked = await hand.several(2)
    hand.feed({"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}})
    for message in asked:
        hand.answer(message, {})
    assert await asyncio.gather(*calls) == [{}, {}]
    assert "names no request: Parse error" in client.strays[-1]


async def test_params_that_are_no_json_harm_only_their_caller() -> None:
    server = Server("s")
    server.tool(name="t")(lambda: "fine")
    async with connect(server, era="legacy") as client:
        for wrong in (float("nan"), object(), {1, 2}):
            with pytest.raises((ValueError, TypeError)):
                await client.call_tool("t", {"x": wrong})
        assert (await client.call_tool("t")).text == "fine"
        assert not client._pending


# -- limits ----------------------------------------------------------------------------------------


async def test_a_request_that_is_not_answered_in_time_is_cancelled() -> None:
    hand = ClientByHand()
    client = await hand.shake()
    call = hand.calls(client.call_tool("t", timeout=SHORT))
    asked = await hand.next()
    with pytest.raises(RequestTimeout, match=r"no answer to tools/call \(id 2\) within 0.05 s"):
        await call
    told = await hand.next()
    assert told["method"] == "notifications/cancelled"
    assert told["params"]["requestId"] == asked["id"]
    assert "id" not in told
    hand.answer(asked, {"content": []})  # too late: ignored
    assert not client._pending


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_the_first_request_is_never_cancelled(era: str) -> None:
    hand = ClientByHand(era, limits=Limits(start=SHORT, request=SHORT))
    with pytest.raises(RequestTimeout):
        await hand.client.start()
    assert (await hand.next())["method"] in ("initialize", "server/discover")
    await asyncio.sleep(0)
    assert hand.envelopes.empty()


async def test_the_default_limit_holds_for_every_request() -> None:
    hand = ClientByHand(limits=Limits(request=SHORT))
    client = await hand.shake()
    with pytest.raises(RequestTimeout):
        await client.call_tool("t")


async def test_a_caller_that_goes_away_cancels_its_request() -> None:
    hand = ClientByHand()
    client = await hand.shake()
    call = hand.calls(client.call_tool("t"))
    asked = await hand.next()
    call.cancel()
    told = await hand.next()
    assert (told["method"], told["params"]["requestId"]) == ("notifications/cancelled", asked["id"])


async def test_progress_starts_the_limit_anew_and_has_a_limit_itself() -> None:
    hand = ClientByHand(limits=Limits(request=PATIENCE, progress=0.5))
    client = await hand.shake()
    seen: list[dict] = []
    call = hand.calls(client.call_tool("t", timeout=0.2, progress=seen.append))
    asked = await hand.next()
    token = asked["params"]["_meta"]["progressToken"]
    loop = asyncio.get_running_loop()
    began = loop.time()
    while not call.done():
        params = {"progressToken": token, "progress": len(seen) + 1}
        hand.feed(jsonrpc.notification("notifications/progress", params))
        await asyncio.sleep(0.02)
    took = loop.time() - began
    with pytest.raises(RequestTimeout):
        await call
    assert 0.4 < took < 2.0, "longer than its own limit of 0.2 s, and ended by limits.progress"
    assert len(seen) > 5


async def test_progress_is_heard_by_its_own_caller_only() -> None:
    hand = ClientByHand()
    client = await hand.shake()
    mine: list[dict] = []
    other: list[dict] = []
    calls = [
        hand.calls(client.call_tool("a", progress=mine.append)),
        hand.calls(client.call_tool("b", progress=other.append)),
    ]
    asked = await hand.several(2)
    token = asked[0]["params"]["_meta"]["progressToken"]
    assert token != asked[1]["params"]["_meta"]["progressToken"]
    for strange in (token, "unknown", None, True, [1]):
        params = {"progressToken": strange, "progress": 1}
        hand.feed(jsonrpc.notification("notifications/progress", params))
    for message in asked:
        hand.answer(message, {"content": []})
    await asyncio.gather(*calls)
    assert mine == [{"progressToken": token, "progress": 1}]
    assert not other


async def test_a_failing_progress_callback_does_not_fail_its_call(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hand = ClientByHand()
    client = await hand.shake()
    call = hand.calls(client.call_tool("t", progress=lambda params: 1 / 0))
    asked = await hand.next()
    params = {"progressToken": asked["params"]["_meta"]["progressToken"], "progress": 1}
    hand.feed(jsonrpc.notification("notifications/progress", params))
    hand.answer(asked, {"content": []})
    assert (await call)["content"] == []
    assert "in a listener for notifications/progress" in caplog.text


# -- being asked -----------------------------------------------------------------------------------


async def test_what_is_cancelled_stops_and_is_not_answered() -> None:
    server = slow_server()
    hand = ServerByHand(server)
    await hand.shake()
    hand.feed(jsonrpc.request("slow", "tools/call", {"name": "wait"}))
    hand.tell("notifications/cancelled", {"requestId": "slow", "reason": "enough"})
    assert await hand.is_silent()
    assert server.ended == ["wait"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("id", ["unknown", 1, True, None, [1], {"a": 1}, 1.0])
async def test_cancelling_what_is_not_being_served_is_ignored(id: object) -> None:
    server = slow_server()
    hand = ServerByHand(server)
    await hand.shake()
    hand.feed(jsonrpc.request(7, "tools/call", {"name": "wait"}))
    hand.tell("notifications/cancelled", {"requestId": id})
    hand.tell("notifications/cancelled")
    assert await hand.is_silent()
    assert not server.ended  # type: ignore[attr-defined]


async def test_true_is_not_the_id_one() -> None:
    server = slow_server()
    hand = ServerByHand(server)
    await hand.shake()
    hand.feed(jsonrpc.request(1, "tools/call", {"name": "wait"}))
    hand.tell("notifications/cancelled", {"requestId": True})
    assert await hand.is_silent()
    assert not server.ended  # type: ignore[attr-defined]


async def test_a_question_to_the_client_is_cancelled_with_the_call_that_caused_it() -> None:
    hand = ServerByHand(slow_server())
    await hand.shake(roots={})
    hand.feed(jsonrpc.request("call", "tools/call", {"name": "ask_back"}))
    question = await hand.next()
    assert question["method"] == "roots/list"
    hand.tell("notifications/cancelled", {"requestId": "call"})
    told = await hand.next()
    assert told["method"] == "notifications/cancelled"
    assert told["params"]["requestId"] == question["id"]
    assert await hand.is_silent()


async def test_a_question_names_the_call_that_caused_it_and_so_does_its_answer() -> None:
    hand = ServerByHand(slow_server())
    await hand.shake(roots={})
    hand.feed(jsonrpc.request("call", "tools/call", {"name": "ask_back"}))
    question = await hand.next_envelope()
    assert question.reply_to == "call"
    hand.feed(jsonrpc.result(question.message["id"], {"roots": [{"uri": "file:///a"}]}))
    answer = await hand.next_envelope()
    assert answer.reply_to == "call"
    assert answer.message["id"] == "call"


async def test_an_id_in_use_is_refused_and_free_again_afterwards() -> None:
    hand = ServerByHand(slow_server())
    await hand.shake()
    hand.feed(jsonrpc.request(5, "tools/call", {"name": "wait"}))
    hand.feed(jsonrpc.request(5, "ping"))
    refused = await hand.next()
    assert code_of(refused) == jsonrpc.INVALID_REQUEST
    assert "in use" in refused["error"]["message"]
    hand.tell("notifications/cancelled", {"requestId": 5})
    assert await hand.is_silent()
    hand.feed(jsonrpc.request(5, "ping"))
    assert (await hand.next())["result"] == {}


async def test_an_id_is_free_as_soon_as_its_answer_is_there() -> None:
    hand = ServerByHand(slow_server())
    await hand.shake()
    again: list[str] = []

    async def answered(envelope: Envelope) -> None:
        if len(again) < 3:
            again.append("again")
            hand.feed(jsonrpc.request(5, "ping"))
        await hand.envelopes.put(envelope)

    hand.connection._deliver = answered
    hand.feed(jsonrpc.request(5, "ping"))
    assert await hand.several(4) == [jsonrpc.result(5, {})] * 4


async def test_the_string_and_the_number_are_two_ids() -> None:
    hand = ServerByHand(slow_server())
    await hand.shake()
    hand.feed(jsonrpc.request(5, "tools/call", {"name": "wait"}))
    hand.feed(jsonrpc.request("5", "ping"))
    assert (await hand.next())["id"] == "5"


async def test_too_many_requests_at_once_are_refused() -> None:
    hand = ServerByHand(slow_server(), Limits(concurrent=2))
    await hand.shake()
    for id in ("a", "b", "c"):
        hand.feed(jsonrpc.request(id, "tools/call", {"name": "wait"}))
    refused = await hand.next()
    assert refused["id"] == "c"
    assert "too many" in refused["error"]["message"]


async def test_a_handler_that_breaks_is_an_internal_error_without_its_secrets(
    caplog: pytest.LogCaptureFixture,
) -> None:
    server = Server("s")

    @server.resource("a://b")
    async def broken() -> str:
        raise RuntimeError("password 1234")

    hand = ServerByHand(server)
    await hand.shake()
    answer = await hand.ask("resources/read", {"uri": "a://b"})
    assert code_of(answer) == jsonrpc.INTERNAL_ERROR
    assert "1234" not in str(answer)
    assert "1234" in caplog.text


async def test_a_result_that_is_no_json_is_an_internal_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    server = Server("s")

    @server.prompt
    async def broken() -> list:
        return [{"role": "user", "content": {"type": "text", "text": object()}}]

    async with connect(server, era="legacy") as client:
        with pytest.raises(McpError, match="-32603"):
            await client.get_prompt("broken")
    assert "cannot be written as JSON" in caplog.text


# -- the end ---------------------------------------------------------------------------------------


async def test_when_the_wire_goes_everything_pending_fails_with_its_reason() -> None:
    hand = ClientByHand()
    client = await hand.shake()
    calls = [hand.calls(client.call_tool("t")) for _ in range(3)]
    await hand.several(3)
    client.lost("the server ended with exit status 3")
    client.lost("a second time says nothing new")
    for call in calls:
        with pytest.raises(ConnectionLost, match="exit status 3"):
            await call
    with pytest.raises(ConnectionLost, match="exit status 3"):
        await client.call_tool("t")
    with pytest.raises(ConnectionLost, match="exit status 3"):
        await client.notify("notifications/cancelled", {"requestId": 1})
    assert client.state == "closed"


async def test_when_the_wire_goes_what_is_being_served_stops() -> None:
    server = slow_server()
    hand = ServerByHand(server)
    await hand.shake()
    hand.feed(jsonrpc.request(5, "tools/call", {"name": "wait"}))
    await asyncio.sleep(0)
    hand.connection.lost("gone")
    await asyncio.sleep(0.01)
    assert server.ended == ["wait"]  # type: ignore[attr-defined]
    assert hand.envelopes.empty() or (await hand.next())["id"] != 5
    assert not server.watchers


async def test_finish_waits_for_the_answers_still_owed() -> None:
    server = Server("s")

    @server.tool
    async def short() -> str:
        await asyncio.sleep(SHORT)
        return "done"

    hand = ServerByHand(server)
    await hand.shake()
    hand.feed(jsonrpc.request(5, "tools/call", {"name": "short"}))
    await asyncio.sleep(0)
    await hand.connection.finish(PATIENCE)
    assert (await hand.next())["result"]["content"][0]["text"] == "done"


async def test_when_served_is_called_for_an_answer_and_for_a_cancelled_request() -> None:
    hand = ServerByHand(slow_server())
    await hand.shake()
    ended: list[str] = []
    hand.feed(jsonrpc.request("a", "ping"))
    hand.connection.when_served("a", lambda: ended.append("answered"))
    await hand.next()
    hand.feed(jsonrpc.request("b", "tools/call", {"name": "wait"}))
    hand.connection.when_served("b", lambda: ended.append("cancelled"))
    hand.tell("notifications/cancelled", {"requestId": "b"})
    assert await hand.is_silent()
    assert ended == ["answered", "cancelled"]


# -- listeners -------------------------------------------------------------------------------------


async def test_listeners_may_ask_without_a_deadlock() -> None:
    hand = ClientByHand()
    client = await hand.shake()
    listed: list[list[str]] = []

    async def relist(params: dict) -> None:
        listed.append((await client.list_tools()).names)

    client.on("notifications/tools/list_changed", relist)
    call = hand.calls(client.call_tool("slow"))
    slow = await hand.next()
    hand.feed(jsonrpc.notification("notifications/tools/list_changed"))
    hand.answer(await hand.next(), {"tools": [{"name": "new", "inputSchema": {"type": "object"}}]})
    hand.answer(slow, {"content": []})
    await call
    assert listed == [["new"]]


async def test_a_failing_listener_harms_nobody(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR, "mcp_lesson")
    hand = ClientByHand()
    client = await hand.shake()
    heard: list[dict] = []

    async def breaks(params: dict) -> None:
        raise RuntimeError("mine alone")

    client.on("notifications/message", lambda params: 1 / 0)
    client.on("notifications/message", breaks)
    stop = client.on("notifications/message", heard.append)
    hand.feed(jsonrpc.notification("notifications/message", {"level": "info", "data": 1}))
    call = hand.calls(client.exchange("ping"))
    hand.answer(await hand.next(), {})
    assert await call == {}
    assert heard == [{"level": "info", "data": 1}]
    stop()
    stop()
    hand.feed(jsonrpc.notification("notifications/message", {"level": "info", "data": 2}))
    await asyncio.sleep(0)
    assert len(heard) == 1
    assert "in a listener" in caplog.text


# -- many at once ----------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_ten_thousand_requests_in_flight(era: str) -> None:
    """All are sent before the first is answered, and each gets its own answer."""
    server, count = Server("many"), 10_000
    gate, arrived = asyncio.Event(), 0

    @server.tool
    async def double(n: int) -> int:
        nonlocal arrived
        arrived += 1
        if arrived == count:
            gate.set()
        await gate.wait()
        return 2 * n

    limits = Limits(request=60)
    async with connect(server, era=era, limits=limits) as client:
        with sampled(100):
            results = await asyncio.gather(
                *(client.call_tool("double", {"n": n}) for n in range(count))
            )
    assert [int(result.text) for result in results] == [2 * n for n in range(count)]
