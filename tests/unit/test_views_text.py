"""The conversation as text: golden, narrow, and the same on every run."""

import os
from pathlib import Path

import pytest
from views_cases import CASES, captures, finding, hostile, lesson, long, troubles

from mcp_lesson import Trace, explain, show
from mcp_lesson.views.marks import columns
from mcp_lesson.views.text import WIDTH

GOLDEN = Path(__file__).parents[1] / "golden"


def golden(name: str, text: str) -> None:
    """Compare with the file of that name; write it where MCP_LESSON_UPDATE_GOLDEN is set."""
    path = GOLDEN / name
    if os.environ.get("MCP_LESSON_UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8", newline="\n")
    assert text + "\n" == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_the_text_is_golden(name: str) -> None:
    golden(f"{name}.txt", repr(show(CASES[name]())))


def test_a_comparison_as_text_is_golden() -> None:
    golden("compared.txt", repr(show(troubles(), beside=Trace(list(troubles())[2:]), title="Two")))


def test_findings_are_written_under_their_rows() -> None:
    found = [finding(9, "unknown-tool", "an unknown tool is a protocol error, and so it was " * 3)]
    golden("findings.txt", repr(show(lesson(), title="Judged", findings=found)))


@pytest.mark.parametrize("name", CASES)
def test_no_line_is_too_wide(name: str) -> None:
    found = [finding(1, "a-rule", "what is wrong " * 20)]
    lines = repr(show(CASES[name](), title="x" * 200, findings=found)).split("\n")
    assert max(map(columns, lines)) <= WIDTH


def test_hostile_text_stays_on_its_line_and_in_its_width() -> None:
    text = repr(show(hostile()))
    assert max(map(columns, text.split("\n"))) <= WIDTH
    assert not set(text) & set("\x00\x1b\x07\r\u202e\u200b\ufeff\u2028\ud800")


def test_two_runs_are_one_text() -> None:
    """Other times, ids of session and event, port: the same text."""
    first = CASES["web"]()
    second = CASES["web"]()
    for frame in second:
        frame.t += 5.5
        if frame.headers and "mcp-session-id" in frame.headers:
            frame.headers = {"mcp-session-id": "01234567-89ab-4def-8123-456789abcdef"}
        if isinstance(frame.sse, dict) and frame.sse.get("id"):
            frame.sse = {**frame.sse, "id": "x" + frame.sse["id"]}
        if frame.headers and "last-event-id" in frame.headers:
            frame.headers = {**frame.headers, "last-event-id": "xaaaa-2"}
        if frame.headers and "host" in frame.headers:
            frame.headers = {"host": "127.0.0.1:9"}
    assert repr(show(first)) == repr(show(second))
    assert show(first).svg() == show(second).svg()


def test_a_long_conversation_is_cut_in_the_middle_and_says_so() -> None:
    lines = repr(show(long(500))).split("\n")
    assert len(lines) < 70
    assert "… 440 rows are left out here …" in lines
    assert "#258" in lines[-1]


def test_nothing_to_show_is_said() -> None:
    assert repr(show([])) == "no messages yet"
    assert repr(show([], title="Empty")) == "Empty\nno messages yet"


def test_a_filter_keeps_a_request_with_its_answer() -> None:
    text = repr(show(lesson(), only="errors"))
    assert "nope()" in text
    assert "Unknown tool" in text
    assert "Hello from print()" in text
    assert "tools/list" not in text
    assert repr(show(lesson(), only=["tools/"])).count("tools/") == 5


def test_what_show_returns_has_all_forms_and_no_live_one_without_a_kernel() -> None:
    bundle = show(lesson())._repr_mimebundle_()
    assert sorted(bundle) == ["text/html", "text/plain"]
    assert bundle["text/html"].startswith('<img src="data:image/svg+xml;base64,')
    assert 'alt="Sequence diagram: 10 messages between' in bundle["text/html"]
    assert "view" not in bundle["text/html"]


@pytest.mark.parametrize("path", captures(), ids=lambda path: path.stem)
def test_recorded_conversations_fit(path: Path) -> None:
    trace = Trace.load(path)
    text = repr(show(trace))
    assert max(map(columns, text.split("\n"))) <= WIDTH
    assert repr(show(Trace.load(path))) == text


def test_a_message_is_explained_as_text() -> None:
    text = repr(explain({"jsonrpc": "2.0", "id": 1, "method": "ping", "wrong": "x" * 500}))
    assert text.startswith("Request ping")
    assert max(map(columns, text.split("\n"))) <= WIDTH
    assert "<table>" in explain(42)._repr_mimebundle_()["text/html"]


def test_explaining_hostile_text_escapes_it() -> None:
    html = explain({"<script>": "</td><script>"})._repr_mimebundle_()["text/html"]
    assert "<script>" not in html


def test_a_frame_is_explained_by_its_message() -> None:
    assert repr(explain(lesson()[3])) == repr(explain(lesson()[3].message))
