"""Following a trace that grows: from any thread, at most so often, settled in the end."""

import asyncio
import threading
import time
from itertools import pairwise
from typing import Any

from views_cases import Talk, says

from mcp_lesson import Trace, show
from mcp_lesson.views import live as following
from mcp_lesson.views.live import live
from mcp_lesson.views.scene import Comparison, Conversation


async def until(test: Any, seconds: float = 5.0) -> None:
    """Wait until the test holds."""
    end = time.monotonic() + seconds
    while not test():
        assert time.monotonic() < end, "it never came to hold"
        await asyncio.sleep(0.01)


async def test_frames_recorded_in_a_thread_arrive() -> None:
    trace = Trace()
    view = live(Conversation(trace, ""), trace)

    def record() -> None:
        for number in range(500):
            trace.sent(f'{{"jsonrpc":"2.0","id":{number},"method":"ping"}}')

    thread = threading.Thread(target=record)
    thread.start()
    await until(lambda: view.head["rows"] == 500)
    thread.join()
    assert [chunk["k"] for chunk in view.window["chunks"]] == [2, 3, 4]


async def test_updates_are_at_most_ten_a_second() -> None:
    trace = Trace()
    view = live(Conversation(trace, ""), trace)
    times: list[float] = []
    view.observe(lambda change: times.append(time.monotonic()), "window")
    end = time.monotonic() + 1.0
    while time.monotonic() < end:
        trace.sent('{"jsonrpc":"2.0","method":"notifications/x"}')
        await asyncio.sleep(0.005)
    assert 2 <= len(times) <= 11
    pauses = [after - before for before, after in pairwise(times)]
    assert min(pauses) >= following.PERIOD * 0.9


async def test_a_missing_answer_is_said_only_when_it_is_quiet(monkeypatch: Any) -> None:
    monkeypatch.setattr(following, "QUIET", 0.2)
    trace = Trace()
    view = live(Conversation(trace, ""), trace)
    trace.sent('{"jsonrpc":"2.0","id":1,"method":"ping"}')
    await until(lambda: view.head["rows"] == 1)
    assert "no answer" not in view.window["chunks"][0]["svg"]
    await until(lambda: "no answer" in view.window["chunks"][0]["svg"])
    trace.received('{"jsonrpc":"2.0","id":1,"result":{}}')
    await until(lambda: view.head["rows"] == 2)
    assert "no answer" not in view.window["chunks"][0]["svg"]


async def test_only_what_changed_is_called_dirty() -> None:
    talk = Talk()
    for number in range(200):
        talk.ask(number, "tools/call", {"name": "add"})
        talk.result(number, says("1"))
    view = live(Conversation(talk.trace, ""), talk.trace)
    talk.ask(900, "ping")
    await until(lambda: view.head["rows"] == 401)
    assert (view.head["dirty"], view.head["edition"]) == (3, 0)
    talk.result(900, {})
    await until(lambda: view.head["rows"] == 402)
    assert view.head["dirty"] == 4


async def test_an_old_view_of_a_trace_stops_when_many_are_shown() -> None:
    trace = Trace()
    views = [live(Conversation(trace, ""), trace) for _ in range(following.MOST + 1)]
    trace.sent('{"jsonrpc":"2.0","id":1,"method":"ping"}')
    await until(lambda: views[-1].head["rows"] == 1)
    await asyncio.sleep(0.15)
    assert views[0].head["rows"] == 0


async def test_a_comparison_follows_mine() -> None:
    mine, other = Trace(), Trace()
    other.sent('{"jsonrpc":"2.0","id":1,"method":"ping"}')
    view = live(Comparison(mine, other, ""), mine)
    assert "has not" in view.head["sentence"]
    mine.sent('{"jsonrpc":"2.0","id":7,"method":"ping"}')
    await until(lambda: view.head["sentence"].startswith("No difference"))


def test_where_nobody_watches_there_is_no_live_view(monkeypatch: Any) -> None:
    monkeypatch.setenv("MCP_LESSON_STATIC", "1")
    trace = Trace()
    assert "application/vnd.jupyter.widget-view+json" not in show(trace)._repr_mimebundle_()


async def test_a_live_view_can_be_asked_for() -> None:
    bundle = show(Trace(), widget=True)._repr_mimebundle_()
    view = bundle["application/vnd.jupyter.widget-view+json"]
    assert view["model_id"]
    assert bundle["text/plain"] == "no messages yet"
