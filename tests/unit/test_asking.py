"""Asking back, the finer points: declared modes, answers that fit, time that stands still."""

import asyncio
from typing import Any

import pytest
from by_hand import ClientByHand, ServerByHand

from mcp_lesson import Client, Context, Limits, RequestTimeout, Server, jsonrpc
from mcp_lesson.context import lacking

FORM = {"type": "object", "properties": {"people": {"type": "integer"}}, "required": ["people"]}
BY_FORM = {"message": "How many?", "requestedSchema": FORM}
BY_URL = {"mode": "url", "message": "Here", "url": "https://example.com", "elicitationId": "e"}
WITH_TOOLS = {"messages": [], "maxTokens": 1, "tools": []}


@pytest.mark.parametrize(
    ("declared", "method", "params", "missing"),
    [
        ({}, "elicitation/create", BY_FORM, "elicitation"),
        ({"elicitation": {}}, "elicitation/create", BY_FORM, None),
        ({"elicitation": {}}, "elicitation/create", {"mode": "form"} | BY_FORM, None),
        ({"elicitation": {}}, "elicitation/create", BY_URL, "elicitation.url"),
        ({"elicitation": {"form": {}}}, "elicitation/create", BY_FORM, None),
        ({"elicitation": {"form": {}}}, "elicitation/create", BY_URL, "elicitation.url"),
        ({"elicitation": {"url": {}}}, "elicitation/create", BY_FORM, "elicitation.form"),
        ({"elicitation": {"url": {}}}, "elicitation/create", BY_URL, None),
        ({"sampling": {}}, "sampling/createMessage", {"messages": []}, None),
        ({"sampling": {}}, "sampling/createMessage", WITH_TOOLS, "sampling.tools"),
        ({"sampling": {"tools": {}}}, "sampling/createMessage", WITH_TOOLS, None),
        ({"roots": {}}, "roots/list", {}, None),
        ({"roots": False}, "roots/list", {}, "roots"),
    ],
)
def test_what_a_client_lacks_to_be_asked(
    declared: dict, method: str, params: dict, missing: str | None
) -> None:
    assert lacking(declared, method, params) == missing


def a_server_that_asks(params: dict) -> Server:
    server = Server("asks")

    @server.tool
    async def ask(ctx: Context) -> str:
        return str((await ctx.ask("elicitation/create", params))["action"])

    return server


async def test_a_server_sends_no_mode_that_was_not_declared() -> None:
    hand = ServerByHand(a_server_that_asks(BY_URL))
    await hand.shake(elicitation={})
    result = (await hand.ask("tools/call", {"name": "ask"}))["result"]
    assert "needs the client capability elicitation.url" in result["content"][0]["text"]


async def test_a_modern_refusal_spells_the_capability_out() -> None:
    hand = ServerByHand(a_server_that_asks(BY_URL))
    answer = await hand.ask_modern("tools/call", {"name": "ask"}, {"elicitation": {}})
    assert answer["error"]["data"] == {"requiredCapabilities": {"elicitation": {"url": {}}}}


@pytest.mark.parametrize("handler", [lambda params: {"action": "accept"}])
async def test_a_client_refuses_a_mode_that_it_did_not_declare(handler: Any) -> None:
    hand = ClientByHand(elicitation=handler)
    await hand.shake()
    hand.feed(jsonrpc.request("q", "elicitation/create", BY_URL))
    error = (await hand.next())["error"]
    assert error["code"] == jsonrpc.INVALID_PARAMS
    assert error["message"] == "this client did not declare elicitation.url"


class Knowing:
    """A handler that declares more, and knows who asks."""

    declares = {"form": {}, "url": {}}

    def of(self, client: Client) -> Any:
        return lambda params: {"who": client.server_info["name"]}


async def test_a_handler_may_say_what_it_declares_and_learn_who_asks() -> None:
    hand = ClientByHand(elicitation=Knowing(), sampling=lambda params: "words")
    client = await hand.shake()
    assert client.capabilities == {"elicitation": {"form": {}, "url": {}}, "sampling": {}}
    hand.feed(jsonrpc.request("q", "elicitation/create", BY_FORM))
    assert (await hand.next())["result"]["content"] == {"who": "by hand"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"people": "four"}, "people: 'four' is not of type 'integer'"),
        ({"How many?": 4}, "'people' is a required property"),
        ([4], "[4] is not of type 'object'"),
        (None, "None is not of type 'object'"),
    ],
)
async def test_an_answer_that_does_not_fit_the_form_fails_the_tool(
    content: Any, words: str
) -> None:
    server = Server("asks")

    @server.tool
    async def ask(ctx: Context) -> str:
        return str((await ctx.elicit("How many?", FORM))["content"]["people"])

    hand = ServerByHand(server)
    await hand.shake(elicitation={})
    hand.feed(jsonrpc.request("c", "tools/call", {"name": "ask"}))
    question = await hand.next()
    hand.feed(jsonrpc.result(question["id"], {"action": "accept", "content": content}))
    result = (await hand.next())["result"]
    assert result["isError"]
    assert f"the answer does not fit the form: {words}" in result["content"][0]["text"]


# -- time ------------------------------------------------------------------------------------------


async def test_a_request_does_not_run_out_while_we_owe_an_answer() -> None:
    thought = asyncio.Event()

    async def slow_person(params: dict) -> dict:
        await thought.wait()
        return {"people": 4}

    hand = ClientByHand(elicitation=slow_person, limits=Limits(request=0.1))
    client = await hand.shake()
    call = hand.calls(client.call_tool("book"))
    asked = await hand.next()
    hand.feed(jsonrpc.request("q", "elicitation/create", BY_FORM))
    await asyncio.sleep(0.3)  # three times what the request would have had
    assert not call.done()
    thought.set()
    assert (await hand.next())["result"]["action"] == "accept"
    hand.answer(asked, {"content": []})
    await call


async def test_the_time_of_a_request_begins_anew_after_our_answer() -> None:
    hand = ClientByHand(elicitation=lambda params: None, limits=Limits(request=0.1))
    client = await hand.shake()
    call = hand.calls(client.call_tool("book"))
    await hand.next()
    hand.feed(jsonrpc.request("q", "elicitation/create", BY_FORM))
    assert (await hand.next())["result"] == {"action": "decline"}
    with pytest.raises(RequestTimeout, match=r"within 0\.1 s"):
        await call


async def test_questions_cannot_stretch_a_request_without_end() -> None:
    forever = asyncio.Event()
    limits = Limits(request=0.05, progress=0.2)

    async def silent_person(params: dict) -> None:
        await forever.wait()

    hand = ClientByHand(elicitation=silent_person, limits=limits)
    client = await hand.shake()
    call = hand.calls(client.call_tool("book"))
    await hand.next()
    hand.feed(jsonrpc.request("q", "elicitation/create", BY_FORM))
    with pytest.raises(RequestTimeout):
        await asyncio.wait_for(call, 5)
    await client.close()


async def test_a_server_waits_for_a_person_as_long_as_its_limits_say() -> None:
    hand = ServerByHand(a_server_that_asks(BY_FORM), limits=Limits(request=5, asked=0.05))
    await hand.shake(elicitation={})
    hand.feed(jsonrpc.request("c", "tools/call", {"name": "ask"}))
    question = await hand.next()
    told = [await hand.next(), await hand.next()]
    cancelled = next(one for one in told if "method" in one)
    assert cancelled["params"]["requestId"] == question["id"]
    result = next(one for one in told if "result" in one)["result"]
    assert "no answer to elicitation/create" in result["content"][0]["text"]
