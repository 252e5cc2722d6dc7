"""The ladder in `servers/`: each rung is started as a program and does what it says it does."""

import asyncio
import base64
import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from rungs import SERVERS, Heard, every_way, meeting

from mcp_lesson import Client, McpError, connect

RUNGS = sorted(path.stem for path in SERVERS.glob("*.py"))
HTTP_RUNGS = [
    name for name in RUNGS if "run(server)" in (SERVERS / f"{name}.py").read_text("utf-8")
]


# -- the ladder ------------------------------------------------------------------------------------


def test_the_readme_names_each_rung_once_and_nothing_else() -> None:
    rows = re.findall(r"^\| \d+ \| \[`(\w+)`\]\((\w+)\.py\)", readme(), re.MULTILINE)
    assert sorted(name for name, _ in rows) == RUNGS
    assert all(name == file for name, file in rows)
    assert set(re.findall(r"(\w+)\.py\b", readme())) <= set(RUNGS)


def test_the_readme_says_how_each_rung_is_run_and_what_it_needs() -> None:
    for row in re.findall(r"^\| \d+ \|.*$", readme(), re.MULTILINE):
        name = re.findall(r"`(\w+)`", row)[0]
        first = (SERVERS / f"{name}.py").read_text("utf-8").partition("\n")[0]
        needs = {"stdlib": "Python alone", "mcp_lesson": "this package", "sdk": "the official SDK"}
        assert f"| {needs[first.partition('; ')[2]]} |" in row
        assert ("--http" in row) == (name in HTTP_RUNGS), row
        assert f"`python {name}.py`" in row


def test_the_licence_is_said() -> None:
    assert "MIT-0" in readme()
    assert "MIT-0" in (SERVERS / "LICENSE").read_text("utf-8")


def readme() -> str:
    return (SERVERS / "README.md").read_text("utf-8")


@pytest.mark.parametrize(
    "arguments",
    [["--http"], ["--http", "x"], ["--http", "70000"], ["--http", "0", "1"], ["--sse"]],
    ids=" ".join,
)
def test_a_bad_argument_gives_one_clear_line(arguments: list[str]) -> None:
    done = run_program("dual_era", *arguments)
    assert done.returncode == 1
    assert done.stdout == ""
    assert re.fullmatch(r".*(port from 0 to 65535|usage: dual_era\.py).*\n", done.stderr)


def test_a_port_that_is_taken_or_a_host_that_is_not_here_gives_one_clear_line() -> None:
    for address in ("no.such.host.invalid:0", "192.0.2.1:0"):
        done = run_program("dual_era", "--http", address)
        assert done.returncode == 1
        assert re.fullmatch(r"cannot listen at .*\n", done.stderr), done.stderr


def run_program(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SERVERS / f"{name}.py"), *arguments]
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )


# -- dual_era, recipes, asks_back ------------------------------------------------------------------


@every_way
async def test_dual_era(wire: str, era: str) -> None:
    async with meeting("dual_era", wire, era) as client:
        assert (await client.list_tools()).names == ["echo", "add", "get_time"]
        assert (await client.call_tool("echo", {"text": "你好 ★"})).text == "你好 ★"
        assert (await client.call_tool("add", {"a": 3, "b": 4})).text == "7"
        assert (await client.call_tool("add", {"a": 1_234_567, "b": 1})).text == "1234568"
        assert (await client.call_tool("add", {"a": 0.1, "b": 0.2})).text == "0.3"
        assert (await client.call_tool("add", {"a": "x", "b": 1})).is_error
        now = datetime.fromisoformat((await client.call_tool("get_time")).text)
        assert now.tzinfo is not None
        assert (await client.list_resources())[0]["uri"] == "docs://demo/protocol-notes"
        notes = await client.read_resource("docs://demo/protocol-notes")
        assert "One message is one line." in notes.text
        assert notes.get("cacheScope") == ("public" if era == "modern" else None)
        await refused(client.read_resource("docs://none"), -32602 if era == "modern" else -32002)


@every_way
async def test_recipes(wire: str, era: str) -> None:
    async with meeting("recipes", wire, era) as client:
        assert (await client.list_prompts()).names == ["knowledge-qa", "doc-summary", "code-review"]
        asked = await client.get_prompt("doc-summary", {"document": "handbook", "sentences": "2"})
        words, page = (message["content"] for message in asked["messages"])
        assert words["text"] == "Summarise in 2 sentences."
        assert page["resource"]["uri"] == "docs://demo/handbook"
        review = await client.get_prompt("code-review", {"code": "x = 1"})
        assert [message["role"] for message in review["messages"]] == ["user", "assistant"]
        await refused(client.get_prompt("doc-summary", {}), -32602)
        await refused(client.get_prompt("doc-summary", {"document": "nothing"}), -32602)
        ref = {"type": "ref/prompt", "name": "knowledge-qa"}
        assert await client.complete(ref, "document", "p") == ["protocol-notes"]
        ref = {"type": "ref/prompt", "name": "code-review"}
        assert await client.complete(ref, "language", "PY") == ["python"]


@every_way
async def test_asks_back(wire: str, era: str) -> None:
    answers: list[Any] = [{"people": 4, "window": True}, None, {"people": 0}]
    steps: list[dict[str, Any]] = []
    handlers: dict[str, Any] = {
        "elicitation": lambda params: answers.pop(0),
        "sampling": lambda params: "Short.",
        "roots": ["file:///home", "file:///srv"],
    }
    async with meeting("asks_back", wire, era, **handlers) as client:
        book = {"day": "Friday"}
        booked = await client.call_tool("book_table", book)
        assert booked.text == "a table for 4 on Friday, at the window"
        assert (await client.call_tool("book_table", book)).text == "no table booked"
        unfit = await client.call_tool("book_table", book)
        assert unfit.is_error
        assert "does not fit the form: people" in unfit.text
        assert (await client.call_tool("summarise", {"words": "long"})).text == "Short."
        assert (await client.call_tool("where_am_i")).text == "file:///home\nfile:///srv"
        await client.call_tool("count_to", {"number": 3}, progress=steps.append)
        assert [(step["progress"], step["total"]) for step in steps] == [(1, 3), (2, 3), (3, 3)]
        assert (await client.call_tool("count_to", {"number": 10**12})).is_error


@every_way
async def test_asks_back_tells_a_client_that_cannot_answer(wire: str, era: str) -> None:
    async with meeting("asks_back", wire, era) as client:
        for name, given in (("book_table", {"day": "x"}), ("summarise", {"words": "x"})):
            if era == "legacy":
                told = await client.call_tool(name, given)
                assert told.is_error
                assert "was not declared" in told.text
            else:
                await refused(client.call_tool(name, given), -32021)


async def test_asks_back_takes_a_sample_of_several_blocks() -> None:
    blocks = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    said = {"role": "assistant", "content": blocks, "model": "m"}
    async with meeting("asks_back", "stdio", "legacy", sampling=lambda params: said) as client:
        assert (await client.call_tool("summarise", {"words": "x"})).text == "one\ntwo"


# -- office ----------------------------------------------------------------------------------------


@every_way
async def test_office(wire: str, era: str) -> None:
    async with meeting("office", wire, era) as client:
        balance = await client.call_tool("leave_balance", {"employee": "ada"})
        assert balance.structured == {"employee": "ada", "days_left": 12}
        assert (await client.call_tool("leave_balance", {"employee": "bob"})).is_error
        order = {"user_id": "7", "order_id": "1001"}
        assert (await client.call_tool("order_status", order)).text == "shipped"
        assert (await client.call_tool("order_status", order | {"user_id": "8"})).is_error
        assert len(await client.list_resources()) == 1
        assert len(await client.list_resource_templates()) == 3
        assert '"EUR"' in (await client.read_resource("config://app/settings")).text
        assert "Mira Sen" in (await client.read_resource("customer://users/7/profile")).text
        absent = -32602 if era == "modern" else -32002
        await refused(client.read_resource("customer://users/99/profile"), absent)
        await refused(client.read_resource("order://users/8/orders/1001"), absent)
        ref = {"type": "ref/resource", "uri": "customer://users/{userId}/profile"}
        assert await client.complete(ref, "userId", "") == ["7", "8"]


@every_way
async def test_office_tells_subscribers_when_and_only_when_leave_is_booked(
    wire: str, era: str
) -> None:
    async with meeting("office", wire, era) as client:
        heard = Heard(client, "resources/updated")
        await client.subscribe("leave://employees/ada")
        for employee, days in (("ada", 99), ("ada", 0), ("ada", -1), ("bob", 1)):
            assert (await book(client, employee, days)).is_error
        await book(client, "grace", 1)
        await client.call_tool("leave_balance", {"employee": "ada"})
        assert (await book(client, "ada", 5)).text == "booked; 7 days left"
        assert await heard.uri() == "leave://employees/ada"
        assert (await client.read_resource("leave://employees/ada")).text == "7"
        await book(client, "ada", 1)
        assert await heard.uri() == "leave://employees/ada"
        assert heard.nothing_more(), "two bookings, two notifications"


async def test_office_books_each_day_once_however_many_ask_at_once() -> None:
    async with meeting("office", "stdio", "legacy") as client:
        booked = await asyncio.gather(*(book(client, "linus", 1) for _ in range(60)))
        assert sum(not result.is_error for result in booked) == 20
        assert (await client.read_resource("leave://employees/linus")).text == "0"


async def book(client: Client, employee: str, days: int) -> Any:
    return await client.call_tool("book_leave", {"employee": employee, "days": days})


# -- everything ------------------------------------------------------------------------------------


class Person:
    """Answers forms with what they propose, opens what it is sent to, and remembers the asking."""

    declares = {"form": {}, "url": {}}

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def __call__(self, params: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(params)
        if params.get("mode") == "url":
            return {"action": "accept"}
        fields = params["requestedSchema"]["properties"]
        return {name: field["default"] for name, field in fields.items()}


@every_way
async def test_everything(wire: str, era: str) -> None:
    person = Person()
    handlers: dict[str, Any] = {
        "elicitation": person,
        "sampling": lambda params: params["systemPrompt"],
        "roots": ["file:///home"],
    }
    async with meeting("everything", wire, era, **handlers) as client:
        assert {"tools", "resources", "prompts", "completions", "logging"} <= set(
            client.server_capabilities
        )
        await its_tools(client)
        await its_questions(client, person)
        await its_resources(client)
        await its_prompts(client)
        await its_changes(client)


async def its_tools(client: Client) -> None:
    page = await client.request("tools/list")
    assert len(page["tools"]) == 3
    assert page["nextCursor"]
    tools = {tool["name"]: tool for tool in await client.list_tools()}
    assert len(tools) == 10
    assert tools["weather"]["outputSchema"]["required"] == ["sky", "degrees"]
    assert tools["weather"]["annotations"]["readOnlyHint"] is True
    assert tools["weather"]["icons"][0]["mimeType"] == "image/png"
    weather = await client.call_tool("weather", {"region": "coast", "day": 2})
    assert weather.structured == {"sky": "windy", "degrees": 16.5}
    assert (await client.call_tool("weather", {"region": "moon"})).is_error
    blocks = (await client.call_tool("every_content"))["content"]
    kinds = ["text", "image", "audio", "resource_link", "resource"]
    assert [block["type"] for block in blocks] == kinds
    assert base64.b64decode(blocks[1]["data"]).startswith(b"\x89PNG")
    assert base64.b64decode(blocks[2]["data"]).startswith(b"RIFF")
    assert blocks[0]["annotations"] == {"audience": ["user"], "priority": 0.9}
    failed = await client.call_tool("fail", {"reason": "no ink"})
    assert (failed.is_error, failed.text) == (True, "no ink")
    await its_slow_tool(client)


async def its_slow_tool(client: Client) -> None:
    lines, steps = Heard(client, "message"), []
    client.log_level = "info"
    if client.era == "legacy":
        await client.request("logging/setLevel", {"level": "info"})
    await client.call_tool("work", {"steps": 2}, progress=steps.append)
    assert [(s["progress"], s["message"]) for s in steps] == [(1, "step 1"), (2, "step 2")]
    assert [(await lines.next())["data"] for _ in range(2)] == [{"step": 1}, {"step": 2}]
    client.log_level = None
    call = asyncio.ensure_future(client.call_tool("work", {"steps": 100}))
    await asyncio.sleep(0.05)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    assert (await client.call_tool("work", {"steps": 1})).text == "1 steps done"


async def its_questions(client: Client, person: Person) -> None:
    complete = Heard(client, "elicitation/complete")
    assert (await client.call_tool("ask_model", {"question": "?"})).text == "Be brief."
    ordered = (await client.call_tool("ask_person")).text
    assert ordered == (
        "drink=tea, email=ada@example.com, guests=2, name=Ada, seat=outside, "
        "sides=['bread'], sweets=['pie'], tip=1.5, window=True"
    )
    assert (await client.call_tool("send_to_page")).text == "accept"
    assert person.asked[-1]["url"] == "https://example.com/sign-in"
    if client.era == "legacy":
        said = await complete.next()
        assert said["elicitationId"] == person.asked[-1]["elicitationId"]
    assert (await client.call_tool("look_around")).text == "file:///home"


async def its_resources(client: Client) -> None:
    assert (await client.list_resources()).names == ["welcome", "dot", "all"]
    assert (await client.list_resource_templates()).names == ["note", "thumbnail"]
    assert "one of everything" in (await client.read_resource("memo://welcome")).text
    dot = (await client.read_resource("picture://dot"))["contents"][0]
    assert base64.b64decode(dot["blob"]).startswith(b"\x89PNG")
    both = (await client.read_resource("folder://all"))["contents"]
    assert [part["uri"] for part in both] == ["memo://welcome", "picture://dot"]
    thumbnail = await client.read_resource("thumbnail://32/a/b/c.png")
    assert thumbnail["contents"][0]["blob"] == dot["blob"]
    await refused(client.read_resource("note://none"), -32602 if client.era == "modern" else -32002)


async def its_prompts(client: Client) -> None:
    prompts = {prompt["name"]: prompt for prompt in await client.list_prompts()}
    assert set(prompts) == {"greet", "compare_pictures"}
    assert prompts["greet"]["arguments"][0]["title"] == "Name"
    assert "Greet Bo in a friendly tone." in (await client.get_prompt("greet", {"name": "Bo"})).text
    messages = (await client.get_prompt("compare_pictures"))["messages"]
    kinds = [message["content"]["type"] for message in messages]
    assert kinds == ["text", "image", "resource", "text"]
    ref = {"type": "ref/prompt", "name": "greet"}
    assert await client.complete(ref, "name", "G") == ["grace"]
    assert await client.complete(ref, "tone", "f", {"name": "grace"}) == ["frank", "friendly"]
    assert await client.complete(ref, "tone", "f") == ["formal", "frank", "friendly"]


async def its_changes(client: Client) -> None:
    lists = {what: Heard(client, f"{what}/list_changed") for what in ("tools", "resources")}
    updated = Heard(client, "resources/updated")
    if client.era == "modern":
        await client.listen({"toolsListChanged": True, "resourcesListChanged": True})
    await client.subscribe("note://a")
    await client.call_tool("keep_note", {"name": "a", "words": "1"})
    await lists["resources"].next()
    assert await updated.uri() == "note://a"
    assert "a" in (await client.list_resources()).names
    for words in ("1", "2"):
        await client.call_tool("keep_note", {"name": "a", "words": words})
    assert await updated.uri() == "note://a"
    assert (await client.read_resource("note://a")).text == "2"
    assert updated.nothing_more(), "keeping the same words changes nothing"
    assert lists["resources"].nothing_more(), "a note that changed is no new entry"
    ref = {"type": "ref/resource", "uri": "note://{name}"}
    assert await client.complete(ref, "name", "") == ["a"]
    assert (await client.call_tool("keep_note", {"name": "../b", "words": ""})).is_error
    for expected in ("unlocked", "locked"):
        assert (await client.call_tool("unlock")).text == expected
        await lists["tools"].next()
        assert ("treasure" in (await client.list_tools()).names) == (expected == "unlocked")
        assert ("riddle" in (await client.list_prompts()).names) == (expected == "unlocked")
        if expected == "unlocked":
            assert (await client.call_tool("treasure")).text == "gold"


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_everything_refuses_a_cursor_that_it_never_gave(era: str) -> None:
    async with connect(SERVERS / "everything.py", era=era) as client:
        await refused(client.request("tools/list", {"cursor": "nonsense"}), -32602)


async def refused(asking: Any, code: int) -> None:
    """Assert that a request is answered by an error of this code."""
    with pytest.raises(McpError) as caught:
        await asking
    assert caught.value.code == code, caught.value


# -- eighty_lines ----------------------------------------------------------------------------------


async def test_eighty_lines() -> None:
    async with meeting("eighty_lines", "stdio", "legacy") as client:
        assert (await client.list_tools()).names == ["echo", "add", "get_time"]
        assert (await client.call_tool("add", {"a": 3, "b": 4})).text == "7"
        assert (await client.read_resource("docs://demo/protocol-notes")).text


def test_each_rung_is_tested_here_or_beside() -> None:
    beside = [
        *Path(__file__).parent.glob("test_servers*.py"),
        *Path(__file__).parent.glob("test_e*"),
    ]
    text = "\n".join(path.read_text("utf-8") for path in beside)
    assert not [name for name in RUNGS if f'"{name}"' not in text and f"{name}.py" not in text]
