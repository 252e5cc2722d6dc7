"""What the browser is sent: bounded, whole, and enough to step and read without a kernel."""

import json
from typing import Any

import pytest
from views_cases import CASES, Talk, finding, hostile, lesson, long, says

from mcp_lesson import Trace
from mcp_lesson.views import windows
from mcp_lesson.views.live import live
from mcp_lesson.views.scene import Comparison, Conversation
from mcp_lesson.views.widget import Diagram

FIRST_SENDING = 300_000
"""Bytes that may be sent before the first picture."""


def size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def sheet(trace: Trace, **how: Any) -> Any:
    return Conversation(trace, "").sheet(live=True, **how)


def test_ten_thousand_frames_are_sent_in_small_part() -> None:
    view = Diagram(Conversation(long(10_000), "Long"))
    state = view.get_state()
    sent = {name: state[name] for name in ("head", "window", "_esm", "_css")}
    assert size(sent) <= FIRST_SENDING
    rows = sum(len(chunk["rows"]) for chunk in view.window["chunks"])
    assert rows == 300
    assert all("read" in row for chunk in view.window["chunks"] for row in chunk["rows"])


def test_large_messages_leave_reading_out_and_not_rows() -> None:
    talk = Talk()
    for number in range(400):
        listed = [{"name": f"tool_{n}", "description": "what it does " * 20} for n in range(30)]
        talk.ask(number, "tools/list")
        talk.result(number, {"tools": listed, "more": "x" * 1000})
    window = windows.window(sheet(talk.trace), 0)
    assert size(window) <= FIRST_SENDING
    assert sum(len(chunk["rows"]) for chunk in window["chunks"]) == 300


def test_one_giant_message_is_cut_and_says_how_long_it_is() -> None:
    talk = Talk()
    talk.ask(1, "tools/call", {"name": "much"})
    talk.result(1, says("x" * 16_000_000))
    view = Diagram(Conversation(talk.trace, ""))
    assert size(view.window) < 20_000
    part = view.window["chunks"][0]["rows"][1]["read"][0]
    assert part["cut"] > 16_000_000
    view.ask = {"row": 1, "n": 1}
    assert len(view.told["read"][0]["raw"]) <= windows.WHOLE


def test_every_row_of_a_window_names_texts_and_shapes_that_are_there() -> None:
    for make in CASES.values():
        window = windows.window(sheet(make()), 0)
        for chunk in window["chunks"]:
            assert chunk["svg"].count("<g class='r'") == len(chunk["rows"])
            for row in chunk["rows"]:
                check_part(row["read"][0], window)


def check_part(part: dict[str, Any], window: dict[str, Any]) -> None:
    assert window["texts"][part["title"]]
    shape = window["shapes"][part["f"]]
    assert len(shape) == len(part["v"])
    for _, name, meaning, setter, clause, _, _ in shape:
        assert max(name, meaning, setter, clause) < len(window["texts"])


def test_chunks_cover_all_rows_and_meet() -> None:
    drawn = sheet(long(450))
    chunks = [windows.window(drawn, near)["chunks"] for near in range(5)]
    by_number = {chunk["k"]: chunk for window in chunks for chunk in window}
    assert [len(by_number[k]["rows"]) for k in sorted(by_number)] == [100, 100, 100, 100, 50]
    for k in range(1, 5):
        before = by_number[k - 1]
        assert abs(before["top"] + before["height"] - by_number[k]["top"]) <= 1
    assert [by_number[k]["top"] for k in range(5)] == windows.head(drawn)["tops"]


def test_a_filter_draws_only_what_it_keeps() -> None:
    view = Diagram(Conversation(long(10_000), ""))
    view.only = ["errors"]
    assert view.head["shown"] == 200
    assert view.head["rows"] == 10_000
    assert view.head["edition"] == 1
    assert len(view.window["chunks"]) == 2
    view.only = ["no/such/method"]
    assert view.head["shown"] == 0
    assert view.window["chunks"] == []


def test_what_the_browser_wants_is_brought() -> None:
    view = Diagram(Conversation(long(10_000), ""))
    view.want = {"k": 50, "n": 1}
    assert [chunk["k"] for chunk in view.window["chunks"]] == [49, 50, 51]
    view.want = {"k": 99_999, "n": 2}
    assert [chunk["k"] for chunk in view.window["chunks"]] == [97, 98, 99]


@pytest.mark.parametrize("wish", [{}, {"k": "x"}, {"k": -5}, {"k": None, "n": []}])
def test_a_strange_wish_does_no_harm(wish: dict[str, Any]) -> None:
    view = Diagram(Conversation(lesson(), ""))
    view.want = wish
    view.ask = {"row": wish.get("k")}
    assert [chunk["k"] for chunk in view.window["chunks"]] == [0]


def test_little_room_moves_the_lifelines_together() -> None:
    view = Diagram(Conversation(CASES["web"](), ""))
    wide = view.head["width"]
    view.narrow = True
    assert view.head["width"] < wide - 60


def test_findings_are_counted_and_placed() -> None:
    found = [finding(9, "a", "b"), finding(3, "c", "d"), finding(999, "nowhere", "at all")]
    view = Diagram(Conversation(lesson(), "", found))
    assert view.head["findings"] == [3, 9]


def test_a_view_says_the_same_on_every_run() -> None:
    assert repr(Diagram(Conversation(lesson(), ""))) == "<Diagram: 14 rows>"


def test_hostile_strings_are_escaped_in_what_is_sent() -> None:
    view = Diagram(Conversation(hostile(), "<b>"))
    for chunk in view.window["chunks"]:
        assert "<script" not in chunk["svg"]
        assert "<img" not in chunk["svg"]
    assert "<script" not in view.head["heads"]


def test_a_comparison_is_stepped_by_pairs() -> None:
    other = list(lesson())
    del other[6]
    view = Diagram(Comparison(lesson(), Trace(other), ""))
    assert view.head["findings"] == [6]
    assert view.head["shown"] == 14
    rows = view.window["chunks"][0]["rows"]
    assert len(rows[6]["read"]) == 1
    assert "First difference" in view.window["texts"][rows[6]["read"][0]["about"]]


def test_a_live_view_without_an_event_loop_still_shows() -> None:
    trace = lesson()
    assert live(Conversation(trace, ""), trace).head["rows"] == 14
