"""The companions of the diagram in JupyterLab: live, saved, without a kernel, and not trusted."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Lab
from playwright.async_api import TimeoutError as Late

from mcp_lesson import handshake_explorer, life_cycle, predict

QUESTION = """
from mcp_lesson import predict
predict(
    "We ask for `add(3, 4)`. What comes back?",
    {
        "`7`": "It is what `add` returned.",
        '`"7"`': "Text it is, but it stands in a list.",
        "a list with a text in it": True,
    },
    because="`content` is a list of blocks.",
)
"""

TALK = """
from mcp_lesson import Server, Trace, connect, life_cycle
trace = Trace()
client = await connect(Server("s"), era="legacy", trace=trace)
await client.request("ping")
trace.noted("lifecycle", "the client closed the server's input")
await client.close()
life_cycle(trace)
"""

EXPLORER = """
from mcp_lesson import handshake_explorer
handshake_explorer(client="legacy", server="legacy")
"""


async def run(page: Any, address: str, seen: str) -> None:
    """Open a notebook and run all of its cells until `seen` is there, up to three times.

    JupyterLab drops what is run in the moment between a kernel's start and its first word.
    """
    await page.goto(address)
    await page.wait_for_selector("text=| Idle")
    for _ in range(3):
        await page.click("text=Run >> nth=0")
        await page.click("text=Run All Cells >> nth=0")
        try:
            await page.wait_for_selector(seen, timeout=15_000)
        except Late:
            continue
        return
    pytest.fail(f"{seen} did not appear: {await page.inner_text('.jp-Notebook')}")


async def focused(page: Any) -> str:
    return str(await page.evaluate("document.activeElement.textContent"))


async def cells(page: Any) -> int:
    return int(await page.locator(".jp-Notebook .jp-Cell").count())


async def save(page: Any, path: Path) -> None:
    """Save the notebook, and wait until what the browser did is in the file."""
    await page.click("text=File >> nth=0")
    await page.click("text=Save Notebook >> nth=0")
    for _ in range(50):
        if "widget-state" in await asyncio.to_thread(path.read_text, "utf-8"):
            return
        await page.wait_for_timeout(200)
    pytest.fail("the notebook was not saved with the state of its widgets")


async def reopen_without_kernel(page: Any, lab: Lab, address: str) -> None:
    lab.end_kernels()
    await page.goto("about:blank")
    await page.goto(address.replace("?reset", "?kernel=no&reset"))


# -- predict --------------------------------------------------------------------------------------


async def test_a_guess_is_explained_and_survives_the_kernel(lab: Lab, page: Any) -> None:
    address = lab.notebook("guess.ipynb", QUESTION)
    await run(page, address, ".predict .option")
    assert not await page.is_visible(".predict .why")
    await page.focus(".predict .option >> nth=0")
    before = await cells(page)
    await page.keyboard.press("b")  # would insert a cell if the notebook heard it
    await page.keyboard.press("Tab")
    assert '"7"' in await focused(page)
    await page.keyboard.press("Enter")
    assert await cells(page) == before
    assert await page.locator(".predict .why:visible").count() == 3
    assert await page.inner_text(".predict .right .verdict") == "✓ this one"
    assert "your guess" in await page.inner_text(".predict .wrong:nth-child(2) .verdict")
    assert await page.text_content(".predict [role=status]") == "B is not it; the answer is C."
    await save(page, lab.folder / "guess.ipynb")
    await reopen_without_kernel(page, lab, address)
    await page.wait_for_selector(".predict .right .why")
    await page.click(".predict >> text=Start again")
    assert not await page.is_visible(".predict .why")
    await page.click(".predict .option >> nth=2")
    assert await page.text_content(".predict [role=status]") == "C is right."


async def test_a_class_votes_before_the_answer_is_shown(lab: Lab, page: Any) -> None:
    await run(page, hidden_source(lab, "vote.ipynb"), ".predict .option")
    await page.click(".predict >> text=Count votes")
    assert not await page.is_visible(".jp-CodeCell .cm-content")
    await page.fill(".predict input >> nth=0", "9")
    await page.keyboard.press("Enter")
    for _ in range(3):
        await page.click("[aria-label='One more vote for C']")
    await page.click("[aria-label='One vote fewer for C']")
    await page.click(".predict .option >> nth=1")  # a vote, while votes are counted
    assert await page.inner_text(".predict .count") == "12 votes"
    assert not await page.is_visible(".predict .why")
    await page.click(".predict >> text=Show the answer")
    assert await page.inner_text(".predict .count") == "12 votes, 2 of them right"
    assert await page.locator(".predict .why:visible").count() == 3


def hidden_source(lab: Lab, name: str) -> str:
    """The question in a cell whose source is folded, as lessons have it."""
    address = lab.notebook(name, QUESTION)
    body = json.loads((lab.folder / name).read_text(encoding="utf-8"))
    body["cells"][0]["metadata"] = {"jupyter": {"source_hidden": True}}
    (lab.folder / name).write_text(json.dumps(body), encoding="utf-8")
    return address


# -- life cycle and handshake ---------------------------------------------------------------------


async def now(page: Any) -> str:
    return str(await page.get_attribute(".life [data-state].now >> nth=0", "data-state"))


async def test_a_life_is_stepped_through(lab: Lab, page: Any) -> None:
    address = lab.notebook("life.ipynb", TALK)
    await run(page, address, ".life [data-state]")
    await step_through(page)
    await save(page, lab.folder / "life.ipynb")
    await reopen_without_kernel(page, lab, address)
    await page.wait_for_selector(".life [data-state]")
    await step_through(page)


async def step_through(page: Any) -> None:
    """From the end back to the beginning and forward again, by keys, buttons and slider."""
    await page.focus(".life [data-state=closed]:visible")
    await page.keyboard.press("End")
    assert await now(page) == "closed"
    await page.keyboard.press("ArrowLeft")
    assert await now(page) == "operating"
    assert "moves nothing" in await page.inner_text(".life .about-state")
    await page.keyboard.press("Home")
    assert await now(page) == "new"
    assert await page.locator(".life .move.past:visible").count() == 0
    await page.click(".life [aria-label='One row on']")
    assert await now(page) == "initializing"
    await page.click(".life >> text=2 answered")
    assert await now(page) == "agreed"
    assert await page.locator(".life .move.past:visible").count() == 2
    assert "from initializing to agreed" in await page.inner_text(".life .about-state")
    await page.focus(".life input[type=range]")
    await page.keyboard.press("ArrowRight")
    assert await now(page) == "operating"
    await page.focus(".life [data-state=new]:visible")
    await page.keyboard.press("Enter")
    assert "Nothing was said yet" in await page.inner_text(".life .about-state")
    assert await now(page) == "operating"


async def test_other_settings_are_played_at_once(lab: Lab, page: Any) -> None:
    await run(page, lab.notebook("explorer.ipynb", EXPLORER), ".explorer .outcome.agreed")
    assert "Agreed on 2025-11-25" in await page.inner_text(".explorer .outcome")
    await page.locator(".mcp-lesson g.notification").last.wait_for()
    server = page.locator(".explorer fieldset >> nth=1")
    await server.get_by_text("Modern").click()
    await page.wait_for_selector(".explorer .outcome:not(.agreed)")
    assert "a legacy client has no way forward" in await page.inner_text(".explorer .outcome")
    await page.locator(".mcp-lesson g.error").last.wait_for()
    assert not await page.is_visible(".unlocked")
    await server.get_by_text("2025-06-18").click()
    await page.wait_for_selector(".explorer .outcome.agreed")
    assert "Agreed on 2025-06-18" in await page.inner_text(".explorer .outcome")
    await page.wait_for_selector(".unlocked li")
    assert "tools/call" in await page.inner_text(".unlocked .opened >> nth=0")


# -- a fresh clone --------------------------------------------------------------------------------


def committed(folder: Path, name: str, *shown: Any) -> None:
    """Write a notebook as it is committed: with outputs, without state; nobody has trusted it."""
    body = {
        "cells": [
            {
                "cell_type": "code", "id": f"cell-{number}", "metadata": {}, "source": "1",
                "execution_count": 1,
                "outputs": [{"output_type": "execute_result", "execution_count": 1,
                             "metadata": {}, "data": one._repr_mimebundle_()}],
            }
            for number, one in enumerate(shown)
        ],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip
    (folder / name).write_text(json.dumps(body), encoding="utf-8")


async def test_an_untrusted_notebook_shows_it_all_and_hides_the_answer(
    lab: Lab, page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCP_LESSON_STATIC", "1")
    question = predict("Which?", {"one": "It tempts.", "two": True}, because="So it is.")
    shown = (question, life_cycle(state="agreed"), handshake_explorer())
    committed(lab.folder, "fresh.ipynb", *shown)
    await page.goto(f"{lab.url}/lab/tree/fresh.ipynb?kernel=no&reset")
    await page.wait_for_selector("details")
    assert await page.is_visible("text=Predict:")
    assert not await page.is_visible("text=So it is.")
    await page.click("summary")
    assert await page.is_visible("text=So it is.")
    assert await page.locator("details li").all_inner_texts() == [
        "A\u2002Not this one. It tempts.",
        "B\u2002This one. So it is.",
    ]
    pictures = page.locator(".jp-OutputArea-output img")
    assert await pictures.count() == 2
    for number in range(2):
        picture = pictures.nth(number)
        assert await picture.evaluate("one => one.complete && one.naturalWidth > 200")
        assert await picture.get_attribute("alt")
    assert await page.locator(".jp-OutputArea-output li >> text=may send").count() == 8
