"""Questions put to a person: by script, by nobody, by hand; secrets, addresses, time limits."""

import asyncio
import re
from typing import Any

import pytest

from mcp_lesson import Context, Server, Trace, approve, ask_human, connect
from mcp_lesson.answers import elicited
from mcp_lesson.views import human as module
from mcp_lesson.views.form_widget import QuestionView, place
from mcp_lesson.views.question import Question, address_of

BOOKING = {
    "type": "object",
    "required": ["people"],
    "properties": {
        "people": {"type": "integer", "title": "How many?", "minimum": 1, "default": 2},
        "window": {"type": "boolean", "title": "At the window?"},
    },
}
ASKED = {"message": "A table on Friday?", "requestedSchema": BOOKING}
BY_URL = {"mode": "url", "message": "Pay here.", "elicitationId": "e",
          "url": "https://pay.example.com/order?id=1"}  # fmt: skip

# -- by script -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "params", "result"),
    [
        ({"people": 4}, ASKED, {"action": "accept", "content": {"people": 4}}),
        ({"window": True}, ASKED, {"action": "accept", "content": {"people": 2, "window": True}}),
        ("accept", ASKED, {"action": "accept", "content": {"people": 2}}),
        (True, ASKED, {"action": "accept", "content": {"people": 2}}),
        ("decline", ASKED, {"action": "decline"}),
        (False, ASKED, {"action": "decline"}),
        ("cancel", ASKED, {"action": "cancel"}),
        ({"people": 0}, ASKED, {"action": "cancel"}),
        ([], ASKED, {"action": "cancel"}),
        ("accept", BY_URL, {"action": "accept"}),
        ("decline", BY_URL, {"action": "decline"}),
        ("accept", BY_URL | {"url": "javascript:alert(1)"}, {"action": "cancel"}),
        ("accept", {}, {"action": "accept", "content": {}}),
        ("accept", {"requestedSchema": 5, "message": 7}, {"action": "accept", "content": {}}),
    ],
)
async def test_a_script_answers_at_once(script: Any, params: dict, result: dict) -> None:
    assert await ask_human(script)(params) == result


async def test_a_list_answers_one_question_after_another() -> None:
    human = ask_human([{"people": 1}, "decline", {"people": 3}])
    answers = [await human(ASKED) for _ in range(4)]
    assert [answer["action"] for answer in answers] == ["accept", "decline", "accept", "cancel"]
    assert [answers[0]["content"]["people"], answers[2]["content"]["people"]] == [1, 3]
    assert human.questions[3].said() == "cancelled since the script has no more answers"


async def test_one_answer_is_given_as_often_as_it_is_asked_for() -> None:
    human = ask_human({"people": 1})
    assert [(await human(ASKED))["action"] for _ in range(3)] == ["accept"] * 3


async def test_a_script_that_says_nothing_known_is_refused() -> None:
    with pytest.raises(ValueError, match="a script answers with content, or accept, decline"):
        await ask_human("perhaps")(ASKED)


async def test_what_a_script_says_wrongly_is_told() -> None:
    human = ask_human({"people": 0})
    await human(ASKED)
    assert "since the script does not fit: 0 is less than the minimum of 1" in repr(human)


# -- by nobody -------------------------------------------------------------------------------------


async def test_where_nobody_watches_it_declines_at_once_and_says_so() -> None:
    human = ask_human()
    assert await asyncio.wait_for(human(ASKED), 1) == {"action": "decline"}
    assert repr(human).endswith("declined since nobody is watching")


async def test_approval_without_anybody_is_no_approval() -> None:
    assert await approve("Delete it?", {"path": "x"}) is False


@pytest.mark.parametrize(("script", "yes"), [(True, True), (False, False), ("cancel", False)])
async def test_an_approval_is_true_only_for_a_yes(script: Any, yes: bool) -> None:
    human = ask_human(script)
    assert await human.approve("Delete it?", {"path": "x"}) is yes
    assert await approve("Delete it?", "all of it", scripted=script) is yes
    assert repr(human).startswith('the host asks: Delete it?\n  {"path": "x"}\n  ')


# -- by hand ---------------------------------------------------------------------------------------


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> list[Question]:
    """Somebody watches: what is displayed lands here."""
    shown: list[Question] = []
    monkeypatch.setattr(module, "is_live", lambda: True)
    monkeypatch.setattr(module, "_display", shown.append)
    monkeypatch.setattr(module, "_runs_a_cell", lambda: True)
    return shown


def send(view: Any, number: int, raw: Any, **more: Any) -> dict[str, Any]:
    view._handle_custom_msg({"n": number, "raw": raw, **more}, [])
    return dict(view.data)


async def asked_of(human: Any, watched: list[Question]) -> tuple[Any, Any]:
    """A question under way and its view."""
    asking = asyncio.ensure_future(human(ASKED))
    await asyncio.sleep(0)
    return asking, watched[-1]._widget()


async def test_a_person_fills_in_and_accepts(watched: list[Question]) -> None:
    asking, view = await asked_of(ask_human(), watched)
    assert isinstance(view, QuestionView)
    assert repr(view) == "<QuestionView>"
    data = send(view, 1, {"people": "none", "window": -1})
    assert (data["problems"], data["n"]) == ({}, 1)
    data = send(view, 2, {"people": "none", "window": -1}, press="accept")
    assert data["problems"] == {'["people"]': "'none' is not of type 'integer'"}
    assert data["outcome"] == ""
    data = send(view, 3, {"people": "4", "window": 0}, press="accept")
    assert (data["outcome"], data["said"]) == ("accept", "accepted by you")
    assert '"content": {"people": 4, "window": true}' in data["preview"]
    assert await asking == {"action": "accept", "content": {"people": 4, "window": True}}


@pytest.mark.parametrize("press", ["decline", "cancel"])
async def test_a_person_may_say_no_to_a_form_full_of_mistakes(
    watched: list[Question], press: str
) -> None:
    asking, view = await asked_of(ask_human(), watched)
    send(view, 1, {"people": "none"}, press=press)
    assert await asking == {"action": press}
    later = send(view, 2, {"people": "4"}, press="accept")  # too late: it has been answered
    assert later["outcome"] == press


async def test_nobody_answers_in_time(watched: list[Question]) -> None:
    human = ask_human(limit=0.05)
    assert await asyncio.wait_for(human(ASKED), 5) == {"action": "cancel"}
    assert watched[0].said() == "cancelled since nobody answered within 0.05 s"


async def test_a_question_that_is_taken_back_says_so(watched: list[Question]) -> None:
    asking, view = await asked_of(ask_human(), watched)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert view.data["said"] == "taken back by the server"


async def test_a_question_without_a_cell_appears_in_the_place(
    watched: list[Question], monkeypatch: pytest.MonkeyPatch
) -> None:
    human = ask_human()
    monkeypatch.setattr(module, "_runs_a_cell", lambda: False)
    box = human._widget()
    assert len(box.children) == 1
    asking = asyncio.ensure_future(human(ASKED))
    await asyncio.sleep(0)
    assert watched == []
    (card,) = box.children
    send(card, 1, {}, press="decline")
    assert await asking == {"action": "decline"}
    assert place(human.questions).children == (card,)


# -- in a conversation -----------------------------------------------------------------------------


@pytest.mark.parametrize("era", ["2025-06-18", "2025-11-25", "modern"])
async def test_a_server_asks_and_the_answer_reaches_it(era: str) -> None:
    server, trace = Server("restaurant"), Trace()

    @server.tool
    async def book(ctx: Context) -> str:
        return str(await ctx.elicit("How many?", BOOKING))

    human = ask_human({"people": 4})
    async with connect(server, era=era, elicitation=human, trace=trace) as client:
        assert "'people': 4" in str(await client.call_tool("book"))
        assert client.capabilities == {"elicitation": {"form": {}, "url": {}}}
    assert human.questions[0].who == "restaurant"


async def test_whoever_configured_the_server_may_name_it() -> None:
    human = ask_human("decline", who="my calendar")
    server = Server("restaurant")

    @server.tool
    async def book(ctx: Context) -> str:
        return str(await ctx.elicit("How many?", BOOKING))

    async with connect(server, era="legacy", elicitation=human) as client:
        await client.call_tool("book")
    assert repr(human).startswith("my calendar asks: How many?")


async def test_cancelling_the_call_takes_the_question_back(watched: list[Question]) -> None:
    server = Server("restaurant")

    @server.tool
    async def book(ctx: Context) -> str:
        return str(await ctx.elicit("How many?", BOOKING))

    async with connect(server, era="legacy", elicitation=ask_human()) as client:
        call = asyncio.ensure_future(client.call_tool("book"))
        async with asyncio.timeout(5):
            while not watched:  # noqa: ASYNC110 -- there is no event to wait for
                await asyncio.sleep(0.001)
        call.cancel()
        async with asyncio.timeout(5):
            await watched[0].answered.wait()
    assert watched[0].outcome == "withdrawn"


async def test_the_handler_is_one_that_answers_understand() -> None:
    assert await elicited(ask_human({"people": 4}), ASKED) == {
        "action": "accept", "content": {"people": 4},
    }  # fmt: skip


# -- faces -----------------------------------------------------------------------------------------


async def test_the_text_is_what_was_asked_and_what_was_answered() -> None:
    human = ask_human([{"people": 4}, "decline"])
    assert repr(human) == "nothing was asked yet"
    await human(ASKED)
    await human(ASKED)
    assert repr(human) == (
        "a server asks: A table on Friday?\n"
        "  people  4  How many?\n"
        "  window     At the window?\n"
        "  accepted by the script\n"
        "\n"
        "a server asks: A table on Friday?\n"
        "  people  How many? · a whole number, 1 or more, required, 2 unless changed\n"
        "  window  At the window? · yes or no\n"
        "  declined by the script"
    )


async def test_the_html_needs_no_style_and_no_script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_LESSON_STATIC", "1")
    evil = "<script>x</script>\u202e"
    human = ask_human("accept", who=evil)
    await human({"message": evil, "requestedSchema": {"properties": {evil: {"title": evil}}}})
    await human(BY_URL | {"message": evil, "url": f"https://example.com/{evil}"})
    bundle = human._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    assert not re.search(r"<(style|script|svg|button|input|a )|style=|\u202e", bundle["text/html"])
    assert "\u202e" not in bundle["text/plain"]


# -- secrets ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "field",
    [
        {"password": {"type": "string"}},
        {"apiKey": {"type": "string"}},
        {"x": {"type": "string", "title": "Your access token"}},
        {"x": {"type": "string", "description": "the PIN of your card"}},
        {"x": {"type": "string", "format": "password"}},
        {"in": {"type": "object", "properties": {"client_secret": {"type": "string"}}}},
    ],
)
def test_a_form_that_asks_for_a_secret_is_warned_of(field: dict) -> None:
    question = Question("s", {"message": "?", "requestedSchema": {"properties": field}})
    (warning,) = question.warnings
    assert "A form must never ask for one: decline." in warning
    assert f"⚠ {warning}" in repr(question)
    assert "⚠" in question.html()


def test_a_message_alone_may_give_it_away() -> None:
    assert Question("s", {"message": "Please type your password."}).warnings


@pytest.mark.parametrize(
    "field", ["name", "people", "keyboard", "pinboard", "tokenizer", "passenger", "secretary"]
)
def test_ordinary_fields_are_not(field: str) -> None:
    asked = {"message": "?", "requestedSchema": {"properties": {field: {"type": "string"}}}}
    assert Question("s", asked).warnings == []


# -- addresses -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "host", "warnings"),
    [
        ("https://pay.example.com/a?b=c#d", "pay.example.com", []),
        ("https://pay.example.com", "pay.example.com", []),
        ("HTTPS://Pay.Example.com:8443/", "Pay.Example.com", []),
        ("http://127.0.0.1:8000/x", "127.0.0.1", []),
        ("http://localhost/x", "localhost", []),
        ("http://[::1]/x", "[::1]", []),
        ("http://example.com/x", "example.com", ["not encrypted"]),
        ("https://good.example@evil.example/", "evil.example", ["before the @"]),
        ("https://good.example:pw@evil.example:1/", "evil.example", ["before the @"]),
        ("https://x/@good.example", "x", []),
        ("https://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com", ["may imitate"]),
        ("https://аррӏе.com/", "аррӏе.com", ["may imitate"]),
        ("https://3232235777/", "3232235777", ["is a number"]),
        ("https://10.0.0.1/", "10.0.0.1", ["is a number"]),
    ],
)
def test_the_host_of_an_address_is_seen_for_what_it_is(
    url: str, host: str, warnings: list[str]
) -> None:
    address = address_of(url)
    assert address.opens
    assert address.host == host
    assert address.before + address.host + address.after == url
    assert len(address.warnings) == len(warnings)
    assert all(word in said for word, said in zip(warnings, address.warnings, strict=True))


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "https://", "example.com",
        "https://good.example\\@evil.example/", "https://good.example%2f@evil.example%2f/", "",
        " https://example.com", "https://exa mple.com", "https://example.com/\n", None, 5,
        "https://example.com/\u202egnp", "//example.com", "https://%65vil.example/",
    ],
)  # fmt: skip
def test_what_should_not_be_opened_is_not(url: Any) -> None:
    address = address_of(url)
    assert not address.opens
    assert address.warnings == ("This is no address that should be opened.",)
    question = Question("s", BY_URL | {"url": url})
    assert not question.answer("accept")
    assert question.answer("decline")


def test_a_whole_address_is_shown_however_long() -> None:
    url = "https://example.com/" + "a" * 3000 + "/end"
    assert url in "".join(repr(Question("s", BY_URL | {"url": url})).split())
