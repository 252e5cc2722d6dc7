"""Forms and questions in JupyterLab: filled in, sent, refused, and answered during a call."""

import json
from typing import Any

import pytest
from conftest import Lab
from stage import DARK, LIGHT, PAGE
from test_browser_view import axe
from test_companions import cells, focused, reopen_without_kernel, run, save

from mcp_lesson import tool_form
from mcp_lesson.views.question import Question

RESTAURANT = """
import asyncio
from mcp_lesson import Context, Server, ask_human, connect, tool_form

server = Server("restaurant")
FORM = {"type": "object", "required": ["people"], "properties": {
    "people": {"type": "integer", "title": "How many?", "minimum": 1},
    "window": {"type": "boolean", "title": "At the window?", "default": False}}}

@server.tool
async def book(day: str, ctx: Context) -> str:
    "Book a table."
    answer = await ctx.elicit(f"A table on {day}?", FORM)
    return f"{answer['action']} {answer.get('content')}"

@server.tool
def add(a: int, b: int) -> str:
    "Add two whole numbers."
    return f"they make {a + b}"

@server.tool
async def forever() -> str:
    await asyncio.Event().wait()
    return "never"
"""

OPEN = """
client = await connect(server, era="legacy", elicitation=human)
tools = await client.list_tools()
"""

IN_FLIGHT = """
call = asyncio.create_task(client.call_tool("book", {"day": "Friday"}))
while not human.questions:
    await asyncio.sleep(0.01)
await client.request("ping")
print("pong, and the call is", "done" if call.done() else "open")
"it was", await call
"""


def restaurant(lab: Lab, name: str, *sources: str, human: str = "human = ask_human()") -> str:
    return lab.notebook(name, f"{RESTAURANT}\n{human}\n{OPEN}", *sources)


def output(number: int, inside: str = "") -> str:
    """A selector for what a cell shows."""
    return f".jp-Notebook .jp-CodeCell:nth-child({number}) .jp-OutputArea {inside}"


# -- the form of a tool ----------------------------------------------------------------------------


async def test_a_tool_is_called_once_its_arguments_keep_the_schema(lab: Lab, page: Any) -> None:
    source = "form = tool_form(tools[1], client.call_tool)\nform"
    address = restaurant(lab, "form.ipynb", source, "form.arguments, str(form.result)")
    await run(page, address, ".tool-form .main")
    before = await cells(page)
    assert await page.inner_text(".tool-form .main") == "Call add"
    await page.click(".tool-form .main")
    await page.wait_for_selector(".tool-form .bad:visible")
    assert await page.locator(".tool-form .bad:visible").all_inner_texts() == [
        "✕ 'a' is a required property", "✕ 'b' is a required property",
    ]  # fmt: skip
    assert "Nothing was sent" in await page.inner_text(".tool-form .tools")
    assert await page.evaluate("document.activeElement.getAttribute('aria-invalid')") == "true"
    await page.keyboard.type("two")
    await page.keyboard.press("Tab")
    await page.keyboard.type("4")
    await page.keyboard.press("Enter")
    await page.wait_for_selector("text=✕ 'two' is not of type 'integer'")
    await page.fill(".tool-form input >> nth=0", "3")
    await page.keyboard.press("Enter")
    await page.wait_for_selector(".tool-form .came:visible")
    assert await page.inner_text(".tool-form .came pre") == "they make 7"
    assert await page.inner_text(".tool-form .preview pre") == '{"a": 3, "b": 4}'
    assert await cells(page) == before
    await page.click(".tool-form >> text=Start again")
    await page.wait_for_selector(".tool-form .preview pre >> text={}")
    assert not await page.is_visible(".tool-form .came")


async def test_a_call_that_never_ends_can_be_stopped(lab: Lab, page: Any) -> None:
    await run(page, restaurant(lab, "stop.ipynb", "tool_form(tools[2], client.call_tool)"),
              ".tool-form .main")  # fmt: skip
    await page.click(".tool-form .main")
    await page.click(".tool-form >> text=Stop")
    await page.wait_for_selector(".tool-form .failed:visible")
    assert await page.inner_text(".tool-form .came pre") == "stopped"
    assert await page.is_enabled(".tool-form .main")


async def test_a_form_without_its_kernel_says_that_nobody_answers(lab: Lab, page: Any) -> None:
    address = restaurant(lab, "alone.ipynb", "tool_form(tools[1], client.call_tool)")
    await run(page, address, ".tool-form .main")
    await page.fill(".tool-form input >> nth=0", "3")
    await page.wait_for_selector('.tool-form .preview >> text={"a": 3}')
    await save(page, lab.folder / "alone.ipynb")
    await reopen_without_kernel(page, lab, address)
    await page.wait_for_selector(".tool-form .main")
    assert await page.input_value(".tool-form input >> nth=0") == "3"
    await page.click(".tool-form .main")
    await page.wait_for_selector("text=Nobody answers")


# -- questions -------------------------------------------------------------------------------------


async def test_a_question_is_answered_while_the_call_is_in_flight(lab: Lab, page: Any) -> None:
    """It appears in the cell that calls, not in the one that connected, and pings go through."""
    address = restaurant(lab, "asked.ipynb", IN_FLIGHT, "human")
    await open_and_run(page, address, ".question-card .main")
    assert await page.locator(output(2, ".question-card")).count() == 1
    await page.wait_for_selector("text=pong, and the call is open")
    assert await page.inner_text(".question-card .asks") == "restaurant asks"
    assert await page.inner_text(".question-card .question") == "A table on Friday?"
    await page.click(".question-card .main")
    await page.wait_for_selector("text=✕ 'people' is a required property")
    await page.keyboard.type("4")  # the bad field has the focus
    await page.click(".question-card >> text=yes")
    await page.click(".question-card .main")
    await page.wait_for_selector("text=✓ accepted by you")
    await page.wait_for_selector(output(2, "pre >> text=accept {'people': 4, 'window': True}"))
    await page.wait_for_selector(output(3, ".question-card"))
    assert await page.is_disabled(output(3, ".question-card input >> nth=0"))


async def test_a_person_declines_by_keyboard(lab: Lab, page: Any) -> None:
    address = restaurant(lab, "no.ipynb", IN_FLIGHT)
    await open_and_run(page, address, ".question-card .main")
    await page.focus(".question-card input >> nth=0")
    for _ in range(4):
        await page.keyboard.press("Tab")
        if await focused(page) == "Decline":
            break
    assert await focused(page) == "Decline"
    await page.keyboard.press("Enter")
    await page.wait_for_selector("text=decline None")
    assert await page.inner_text(".question-card .settled") == "✕ declined by you"
    status = await page.text_content(".question-card [role=status]")
    assert status == "✕ declined by you"


async def test_nobody_answers_and_a_caller_who_gives_up(lab: Lab, page: Any) -> None:
    given_up = IN_FLIGHT.rpartition('"it was"')[0] + "call.cancel()"
    address = restaurant(lab, "late.ipynb", IN_FLIGHT, "human._limit = 60\nhuman.questions.clear()",
                         given_up, human="human = ask_human(limit=0.5)")  # fmt: skip
    await open_and_run(page, address, output(4, ".question-card .settled:visible"))
    assert "cancelled since nobody answered within 0.5 s" in await page.inner_text(output(2))
    assert "taken back by the server" in await page.inner_text(output(4))


async def test_what_a_form_asks_appears_where_the_human_stands(lab: Lab, page: Any) -> None:
    """No cell runs when a button calls a tool, so the question needs a place of its own."""
    address = restaurant(lab, "place.ipynb", "human", "tool_form(tools[0], client.call_tool)")
    await run(page, address, ".tool-form .main")
    await page.fill(".tool-form textarea", "Monday")
    await page.click(".tool-form .main")
    await page.wait_for_selector(output(2, ".question-card"))
    await page.fill(".question-card input >> nth=0", "2")
    await page.click(".question-card .main")
    await page.wait_for_selector(".tool-form .came:visible")
    assert "accept {'people': 2" in await page.inner_text(".tool-form .came")


ADDRESS = """
params = {"mode": "url", "message": "Connect.", "elicitationId": "1", "url": "%s/api?elicit=1"}
asked = asyncio.create_task(human(params))
await asked
"""


async def test_an_address_is_opened_after_consent_and_not_before(lab: Lab, page: Any) -> None:
    address = restaurant(lab, "url.ipynb", ADDRESS % lab.url)
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    await open_and_run(page, address, ".question-card .main")
    assert await page.inner_text(".question-card .host") == "Host: 127.0.0.1"
    assert await page.locator(".question-card a").count() == 0
    assert not any("elicit=1" in url for url in asked)
    async with page.context.expect_page() as opening:
        await page.click(".question-card >> text=Agree and open")
    opened = await opening.value
    assert "elicit=1" in opened.url
    assert await opened.evaluate("window.opener") is None
    await page.wait_for_selector("text=✓ accepted by you")
    await page.wait_for_selector(output(2, "pre >> text={'action': 'accept'}"))


async def open_and_run(page: Any, address: str, seen: str) -> None:
    """As `run`, for cells that do not end by themselves."""
    await run(page, address, seen)


# -- alone on a page -------------------------------------------------------------------------------

EVERYTHING = {
    "name": "plan",
    "description": "Plan it.",
    "inputSchema": {
        "type": "object",
        "required": ["days", "names"],
        "properties": {
            "days": {"type": "integer", "minimum": 1, "description": "whole days"},
            "half": {"enum": ["morning", "afternoon"]},
            "names": {"type": "array", "items": {"type": "string"}},
            "cities": {"type": "array", "items": {"enum": ["Oslo", "Lima"]}},
            "zone": {"enum": [f"Area/{n}" for n in range(9)]},
            "contact": {"type": "object", "properties": {"mail": {"format": "email",
                                                                  "type": "string"}}},
            "anything": {},
        },
    },
}  # fmt: skip
SECRET = {
    "message": "Your key?",
    "requestedSchema": {"type": "object", "properties": {"api_key": {"type": "string"}}},
}
ODD = {"mode": "url", "message": "Here.", "url": "http://a@xn--b.example/"}


def tool_view() -> Any:
    form = tool_form(EVERYTHING)
    view = form._widget()
    raw = {**form.raw, "days": "none", "zone": 3}
    view._handle_custom_msg({"n": 1, "raw": raw, "press": "call"}, [])
    return view


def settled() -> Any:
    question = Question("restaurant", SECRET)
    question.answer("decline", "by you")
    return question._widget()


VIEWS = {
    "tool": tool_view,
    "form": lambda: Question("restaurant", SECRET)._widget(),
    "settled": settled,
    "address": lambda: Question("restaurant", ODD)._widget(),
    "approval": lambda: Question("the host", {"message": "Sure?"}, {"path": "x"})._widget(),
}


async def show(page: Any, view: Any, dark: bool, width: int) -> None:
    await page.set_viewport_size({"width": width, "height": 900})
    state = json.dumps({"data": view.data, "state": view.state})
    parts = {"css": view._css, "esm": script(str(view._esm)), "state": script(state),
             "light": json.dumps(not dark), "ground": "#111" if dark else "#fff",
             "jupyter": DARK if dark else LIGHT}  # fmt: skip
    await page.set_content(PAGE % parts)
    await page.wait_for_function("window.first !== undefined")


def script(text: str) -> str:
    return json.dumps(text).replace("</", "<\\/")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", VIEWS)
async def test_a_form_bars_nobodys_way(page: Any, name: str, dark: bool) -> None:
    await show(page, VIEWS[name](), dark, 900)
    await page.evaluate(axe())
    result = await page.evaluate("axe.run(document.querySelector('.mcp-lesson'))")
    assert [(one["id"], one["nodes"][0]["html"]) for one in result["violations"]] == []


@pytest.mark.parametrize("width", [320, 900, 1920])
@pytest.mark.parametrize("name", VIEWS)
async def test_nothing_is_wider_than_its_card(page: Any, name: str, width: int) -> None:
    await show(page, VIEWS[name](), False, width)
    wide = """() => [...document.querySelectorAll('.mcp-lesson *')].filter((one) =>
        one.getBoundingClientRect().right > document.querySelector('.mcp-lesson')
            .getBoundingClientRect().right + 1 && !one.closest('pre, .unseen'))
        .map((one) => one.className)"""
    assert await page.evaluate(wide) == []


async def test_what_a_server_wrote_is_text_and_stays_text(page: Any) -> None:
    evil = "<img src=x onerror='window.hit = 1'>"
    field = {"title": evil, "description": evil, "type": "string", "enum": [evil, "\u202eb"]}
    form = {"type": "object", "properties": {evil: field}}
    question = Question(evil, {"message": f"{evil}\nmore", "requestedSchema": form})
    await show(page, question._widget(), False, 900)
    assert await page.locator(".mcp-lesson img").count() == 0
    assert await page.evaluate("window.hit") is None
    assert "‹U+202E›b" in await page.inner_text(".mcp-lesson")


async def test_items_come_and_go_and_keep_what_was_filled_in(page: Any) -> None:
    view = tool_form(EVERYTHING)._widget()
    await show(page, view, False, 900)
    await page.evaluate("window.toPython = () => {}")
    add = page.locator(".list >> text=Add an item")
    await page.locator(".list textarea").first.fill("ada")
    await add.click()
    assert await page.evaluate("document.activeElement.tagName") == "TEXTAREA"
    await page.keyboard.type("grace")
    await add.click()
    await page.click("[aria-label='Remove item 1']")
    texts = [await one.input_value() for one in await page.locator(".list textarea").all()]
    assert texts == ["grace", ""]
    assert await focused(page) == "−"
