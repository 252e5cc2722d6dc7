"""Two conversations: which rows belong together, and the first difference in words."""

from collections.abc import Callable
from typing import Any

import pytest
from test_views_picture import check
from views_cases import CASES, Talk, finding, lesson, long, says, web

from mcp_lesson import Trace, show
from mcp_lesson.trace import Frame
from mcp_lesson.views.align import Alignment
from mcp_lesson.views.beside import Beside
from mcp_lesson.views.story import tell

Change = Callable[[list[Frame]], list[Frame]]


def changed(change: Change) -> Alignment:
    """The lesson with a change, beside the lesson."""
    return Alignment(tell(change(list(lesson()))), tell(lesson()))


def other_text(frames: list[Frame]) -> list[Frame]:
    message = {"jsonrpc": "2.0", "id": 3, "result": says("8")}
    return [*frames[:7], Frame(0, frames[7].dir, "message", message), *frames[8:]]


def tool_error(frames: list[Frame]) -> list[Frame]:
    message = {"jsonrpc": "2.0", "id": 4, "result": says("no", isError=True)}
    return [*frames[:9], Frame(0, frames[9].dir, "message", message), *frames[10:]]


def two_more(frames: list[Frame]) -> list[Frame]:
    message = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info"}}
    return [*frames[:5], *[Frame(0, "server->client", "message", message)] * 2, *frames[5:]]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda frames: frames, "No difference: both say the same."),
        (
            other_text,
            "First difference, at row 8: the answer to tools/call: "
            "result.content[0].text is “8” in yours and is “7” in the reference.",
        ),
        (
            lambda frames: frames[:6] + frames[7:],
            "First difference, at row 7: "
            "the reference has notifications/progress, and yours has not.",
        ),
        (
            tool_error,
            "First difference, at row 10: "
            "yours has a failed answer to tools/call, the reference the error -32602.",
        ),
        (
            two_more,
            "First difference, at row 6: "
            "yours has notifications/message, and the reference has not.",
        ),
        (
            lambda frames: frames[:11] + frames[12:],
            "No difference: both say the same.",
        ),
    ],
    ids=["same", "text", "missing", "kind", "more", "stderr"],
)
def test_the_first_difference_is_said(change: Change, said: str) -> None:
    assert changed(change).difference() == said


def test_what_differs_from_run_to_run_is_no_difference() -> None:
    mine = web()
    for frame in mine:
        frame.t *= 3
        frame.x = None if frame.x is None else frame.x + 40
        if frame.headers and "mcp-session-id" in frame.headers:
            frame.headers = {"mcp-session-id": "another-session-id"}
        if isinstance(frame.message, dict) and "id" in frame.message:
            frame.message = {**frame.message, "id": f"call-{frame.message['id']}"}
            frame.raw = None
    assert Alignment(tell(mine), tell(web())).difference() == "No difference: both say the same."


def test_after_a_missing_row_the_rest_is_the_same() -> None:
    pairs = changed(lambda frames: frames[:3] + frames[5:]).pairs
    assert [pair.counts for pair in pairs] == [False] * 3 + [True] * 2 + [False] * 9


def test_answers_that_went_to_the_wrong_requests_differ() -> None:
    def talk(first: int, second: int) -> Trace:
        made = Talk()
        made.ask(1, "tools/list")
        made.ask(2, "ping")
        made.result(first, {})
        made.result(second, {})
        return made.trace

    found = Alignment(tell(talk(1, 2)), tell(talk(2, 1)))
    assert found.difference().startswith("First difference, at row 3")


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
@pytest.mark.parametrize("name", CASES)
def test_any_two_can_stand_beside_each_other(name: str, narrow: bool) -> None:
    alignment = Alignment(tell(CASES[name]()), tell(lesson()))
    sheet = Beside(alignment, narrow=narrow)
    assert sheet.count == len(alignment.pairs)
    edges = [sheet.edge(step) for step in range(sheet.count + 1)]
    assert edges == sorted(edges)
    body = sheet.strokes(0, sheet.count)
    whole = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {sheet.width} {sheet.height}'>"
    check(f"{whole}{body}</svg>")


@pytest.mark.parametrize("mine", [Trace(), lesson()], ids=["empty", "one"])
def test_one_side_may_be_missing(mine: Trace) -> None:
    drawing = show(mine, beside=Trace())
    check(drawing.svg())
    assert repr(drawing)


def test_long_conversations_are_compared_in_time() -> None:
    found = Alignment(tell(long(6000)), tell(long(5990)))
    assert found.difference().startswith("First difference, at row 5991: yours has")


def test_findings_have_no_place_in_a_comparison() -> None:
    found: list[Any] = [finding(1, "a", "b")]
    assert "a: b" not in repr(show(lesson(), beside=lesson(), findings=found))
