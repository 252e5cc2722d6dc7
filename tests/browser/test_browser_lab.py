"""The live diagram in JupyterLab: run, step, read, save, and open again without a kernel."""

import json
from typing import Any

from conftest import Lab
from playwright.async_api import TimeoutError as Late

TALK = """
from mcp_lesson import Trace, show
trace = Trace()
trace.sent('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
           '"capabilities":{},"clientInfo":{"name":"me","version":"1"}}}')
trace.received('{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25",'
               '"capabilities":{"tools":{}},"serverInfo":{"name":"it","version":"2"}}}')
trace.sent('{"jsonrpc":"2.0","method":"notifications/initialized"}')
trace.sent('{"jsonrpc":"2.0","id":2,"method":"tools/call",'
           '"params":{"name":"add","arguments":{"a":3,"b":4}}}')
trace.received('{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"7"}]}}')
"""


async def open_and_run(page: Any, address: str) -> None:
    """Open a notebook in JupyterLab and run all of its cells."""
    await page.goto(address)
    await page.wait_for_selector(".jp-Notebook .jp-CodeCell")
    await page.wait_for_selector("text=| Idle")
    await run_all(page)


async def run_all(page: Any) -> None:
    """Run all cells of the open notebook, up to three times.

    JupyterLab drops what is run in the moment between a kernel's start and its first word.
    """
    for _ in range(3):
        await page.click("text=Run >> nth=0")
        await page.click("text=Run All Cells >> nth=0")
        try:
            await page.wait_for_function(RAN, timeout=10_000)
        except Late:
            continue
        return


RAN = """[...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')]
    .every((one) => /[0-9]/.test(one.textContent))"""


async def count(page: Any) -> str:
    return str(await page.inner_text(".mcp-lesson .count"))


async def test_a_notebook_shows_steps_and_survives_its_kernel(lab: Lab, page: Any) -> None:
    address = lab.notebook("steps.ipynb", TALK, "show(trace, title='Add')")
    await open_and_run(page, address)
    await page.wait_for_selector(".mcp-lesson g.r")
    assert await page.locator(".mcp-lesson g.r").count() == 5
    await step_and_read(page)
    await page.keyboard.press("Control+s")
    await page.wait_for_function("!document.title.includes('*')")
    await saved(page, lab)
    lab.end_kernels()
    await page.goto("about:blank")
    await page.goto(address.replace("?reset", "?kernel=no&reset"))
    await page.wait_for_selector(".mcp-lesson g.r")
    await step_and_read(page)


async def step_and_read(page: Any) -> None:
    """Step with the button, the keys and the pointer; read what is selected."""
    await page.focus(".mcp-lesson .scroll")
    await page.keyboard.press("Home")
    assert await count(page) == "1 of 5"
    await page.click(".mcp-lesson button[aria-label='One row on']")
    assert await count(page) == "2 of 5"
    await page.focus(".mcp-lesson .scroll")
    await page.keyboard.press("End")
    assert await count(page) == "5 of 5"
    assert "Answer to tools/call" in await page.inner_text(".mcp-lesson .reader")
    await page.locator(".mcp-lesson g.request tspan.h").first.click()
    assert await count(page) == "1 of 5"
    assert "Request initialize" in await page.inner_text(".mcp-lesson .reader h3")


async def saved(page: Any, lab: Lab) -> None:
    await page.wait_for_timeout(300)
    body = json.loads((lab.folder / "steps.ipynb").read_text(encoding="utf-8"))
    assert "widgets" in body["metadata"]


FOLLOW = """
import asyncio
for _ in range(20):
    trace.sent('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}')
    await asyncio.sleep(0.02)
"""


async def test_a_shown_trace_is_followed_while_a_later_cell_runs(lab: Lab, page: Any) -> None:
    address = lab.notebook("follow.ipynb", TALK, "show(trace)", FOLLOW)
    await open_and_run(page, address)
    await page.wait_for_function(
        "document.querySelector('.mcp-lesson .count')?.textContent === '25 of 25'"
    )
    assert await page.is_checked(".mcp-lesson .live input")


async def test_notebook_7_shows_it_too(lab: Lab, page: Any) -> None:
    lab.notebook("seven.ipynb", TALK, "show(trace, title='Add')")
    await page.goto(f"{lab.url}/notebooks/seven.ipynb")
    await page.wait_for_selector(".jp-Notebook .jp-CodeCell")
    await page.wait_for_selector("[data-status=idle]")
    await run_all(page)
    await page.wait_for_selector(".mcp-lesson g.r")
    await step_and_read(page)


async def theme(page: Any, name: str) -> None:
    """Choose a theme of JupyterLab by its menu."""
    await page.click("text=Settings >> nth=0")
    await page.hover("text=Theme >> nth=0")
    await page.click(f"text=JupyterLab {name} >> nth=0")
    light = json.dumps(name == "Light")
    await page.wait_for_selector(f"[data-jp-theme-light={light}]", state="attached")


async def test_dark_is_dark(lab: Lab, page: Any) -> None:
    address = lab.notebook("dark.ipynb", TALK, "show(trace)")
    await page.goto(address)
    await page.wait_for_selector(".jp-Notebook .jp-CodeCell")
    try:
        await theme(page, "Dark")
        await run_all(page)
        await page.wait_for_selector(".mcp-lesson g.r")
        colour = "getComputedStyle(document.querySelector('.mcp-lesson')).backgroundColor"
        parts = (await page.evaluate(colour)).strip("rgb()").split(",")
        assert max(map(int, parts)) < 60
    finally:
        await theme(page, "Light")


async def test_keys_in_the_view_do_not_reach_the_notebook(lab: Lab, page: Any) -> None:
    """In command mode "b" and "a" would insert a cell, "x" and "d d" take one away."""
    await open_and_run(page, lab.notebook("keys.ipynb", TALK, "show(trace)"))
    await page.wait_for_selector(".mcp-lesson g.r")
    for place in (".scroll", ".reader", "button[aria-label='One row on']"):
        await page.focus(f".mcp-lesson {place}")
        for key in ("b", "a", "d", "d", "x"):
            await page.keyboard.press(key)
            assert await page.locator(".jp-Notebook .jp-Cell").count() == 2, (place, key)
    await page.focus(".mcp-lesson .scroll")
    await page.keyboard.press("Home")
    await page.keyboard.press("ArrowDown")
    assert await count(page) == "2 of 5"


async def test_a_fresh_clone_shows_the_image_and_its_words(lab: Lab, page: Any) -> None:
    """A notebook that nobody trusts yet, with outputs and without widgets: what a reader sees."""
    from mcp_lesson import Trace, show

    trace = Trace()
    trace.sent('{"jsonrpc":"2.0","id":1,"method":"ping"}')
    address = lab.notebook("clone.ipynb", "show(trace)")
    path = lab.folder / "clone.ipynb"
    body = json.loads(path.read_text(encoding="utf-8"))
    data = show(trace)._repr_mimebundle_()
    output = {"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": 1}
    body["cells"][0].update(outputs=[output], execution_count=1)
    path.write_text(json.dumps(body), encoding="utf-8")
    await page.goto(address)
    image = page.locator(".jp-OutputArea-output img")
    await image.wait_for()
    assert "1 message between Client and Server" in await image.get_attribute("alt")
    assert await image.evaluate("one => one.complete && one.naturalWidth > 300")
