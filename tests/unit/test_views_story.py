"""Rows: what belongs together, which phase it is, what is said of what is out of order."""

from typing import Any

import pytest
from views_cases import Talk, company, greet, lesson, rounds, says, servers, troubles, web

from mcp_lesson import jsonrpc
from mcp_lesson.trace import Frame
from mcp_lesson.views.rows import Row, Span
from mcp_lesson.views.story import Story, tell


def words(story: Story) -> list[str]:
    return [f"{row.chip} {row.head} {row.words}".strip() for row in story.rows]


def row_of(story: Story, look: str) -> Row:
    return next(row for row in story.rows if row.look == look)


def spans(story: Story, kind: str) -> list[Span]:
    return [span for span in story.spans if span.kind == kind]


def test_the_words_beside_the_methods() -> None:
    assert words(tell(lesson())) == [
        "#1 initialize offers 2025-11-25",
        "#1 initialize agrees 2025-11-25 · tools, resources",
        "notifications/initialized",
        "#2 tools/list",
        "#2 tools/list 3 tools · echo, add, get_time",
        "#3 tools/call add(a=3, b=4)",
        "notifications/progress 1 of 2",
        "#3 tools/call “7”",
        "#4 tools/call nope()",
        "#4 ✕ -32602 Unknown tool: nope",
        "not JSON Hello from print()",
        "stderr [demo-server] ready for more",
        "stdin closed",
        "server exits with 0",
    ]


def test_phases_come_from_the_frames() -> None:
    story = tell(lesson())
    assert [row.phase for row in story.rows] == (
        ["handshake"] * 3 + ["operation"] * 9 + ["shutdown"] * 2
    )
    assert {row.phase for row in tell(troubles()).rows} == {""}
    modern = [row.phase for row in tell(rounds()).rows]
    assert modern == ["discovery"] * 2 + ["operation"] * 7
    assert tell(web()).rows[-1].phase == "shutdown"


def test_speech_after_the_handshake_is_in_operation() -> None:
    story = tell(company())
    assert [row.phase for row in story.rows if row.look == "speech"] == [
        "",
        *["operation"] * 4,
    ]


def test_a_refused_probe_is_discovery_and_then_comes_a_handshake() -> None:
    talk = Talk()
    talk.ask(1, "server/discover", {})
    talk.error(1, -32601, "Method not found")
    greet(talk)
    assert [row.phase for row in tell(talk.trace).rows] == ["discovery"] * 2 + ["handshake"] * 3


def test_answers_are_tied_to_their_requests_by_id_type_and_direction() -> None:
    talk = Talk()
    talk.ask(1, "ping")
    talk.ask("1", "tools/list")
    talk.asked(1, "roots/list")
    talk.result("1", {"tools": []})
    talk.answer(1, {"roots": []})
    talk.result(1, {})
    story = tell(talk.trace)
    assert [row.partner for row in story.rows] == [5, 3, 4, 1, 2, 0]
    assert [row.head for row in story.rows[3:]] == ["tools/list", "roots/list", "ping"]
    assert not any(row.remark for row in story.rows)


def test_what_is_out_of_order_is_said() -> None:
    said = {row.remark: row.head for row in tell(troubles()).rows if row.remark}
    assert said == {
        "cancelled": "tools/call",
        "answers no request": "result",
        "a message is an object, not a number": "not a message",
        "no answer": "batch of 2",
    }


def test_an_id_used_again_while_it_is_open_is_said() -> None:
    talk = Talk()
    talk.ask(1, "ping")
    talk.ask(1, "ping")
    assert tell(talk.trace).rows[1].remark == "this id is still in use"


def test_a_second_answer_answers_nothing() -> None:
    talk = Talk()
    talk.ask(1, "ping")
    talk.result(1, {})
    talk.result(1, {})
    assert [row.remark for row in tell(talk.trace).rows] == ["", "", "answers no request"]


def test_an_answer_after_cancelling_is_still_tied() -> None:
    talk = Talk()
    talk.ask(1, "tools/call", {"name": "slow"})
    talk.tell("notifications/cancelled", {"requestId": 1})
    talk.result(1, says("late"))
    story = tell(talk.trace)
    assert story.rows[2].partner == 0
    assert spans(story, "cancelled")[0].end == 1


def test_cancelling_what_is_not_open_is_said() -> None:
    talk = Talk()
    talk.tell("notifications/cancelled", {"requestId": 9})
    assert tell(talk.trace).rows[0].remark == "no such request is open"


def test_an_error_without_an_id_answers_the_line_that_could_not_be_read() -> None:
    story = tell(troubles())
    noise = row_of(story, "noise")
    assert story.rows[noise.number + 1].partner == noise.number


def test_an_error_with_id_null_is_tied_by_its_exchange() -> None:
    talk = Talk()
    talk.ask(1, "server/discover", {}, x=1, http="POST /mcp")
    message = {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "no"}}
    talk.trace.record(Frame(1, "server->client", "message", message, x=1, http="400"))
    story = tell(talk.trace)
    assert story.rows[1].partner == 0
    assert story.rows[1].tags == ["400"]
    assert not story.rows[0].waits


def test_a_tool_that_failed_is_an_answer_that_says_so() -> None:
    failed = row_of(tell(troubles()), "failure")
    assert failed.words == "✕ isError · “Division by zero”"


def test_rounds_are_one_conversation() -> None:
    story = tell(rounds())
    asked = [row for row in story.rows if row.method == "tools/call"]
    assert [row.round for row in asked] == [0, 1, 2, 2]
    assert asked[1].words == "input required · who (elicitation/create)"
    assert asked[2].words == "round 2 · book_leave(days=3) · answers who"
    assert [row.tags for row in asked] == [[], ["state-1"], ["state-1"], []]
    assert [(span.start, span.end) for span in spans(story, "round")] == [(3, 4)]


def test_a_changed_state_continues_nothing_and_has_another_name() -> None:
    talk = Talk()
    talk.ask(1, "tools/call", {"name": "x"})
    talk.result(1, {"resultType": "input_required", "requestState": "the-first"})
    talk.ask(2, "tools/call", {"name": "x", "requestState": "the-other"})
    last = tell(talk.trace).rows[2]
    assert (last.tags, last.remark) == (["state-2"], "continues no request")


def test_a_subscription_stays_open_and_misses_no_answer() -> None:
    listen = next(row for row in tell(rounds()).rows if row.method == "subscriptions/listen")
    assert listen.waits
    assert listen.remark == ""


def test_http_is_tags_and_thin_rows() -> None:
    story = tell(web())
    assert [(row.head, row.words) for row in story.rows if row.look in ("http", "refusal")] == [
        ("200", "OK · stream opens · session-1 · event-1 · retry 3000 ms"),
        ("202", "Accepted · no message"),
        ("GET /mcp", "opens a stream for what the server says unasked · after event-2"),
        ("200", "OK · GET stream opens"),
        ("202", "Accepted · no message"),
        ("404", "Not Found · Session not found"),
        ("DELETE /mcp", "ends the session"),
        ("GET stream closes", ""),
        ("200", "OK · no message"),
    ]
    assert story.rows[2].tags == ["event-2", "stream closes"]


def test_a_refusal_by_http_ends_the_wait_of_its_request() -> None:
    story = tell(web())
    refusal = row_of(story, "refusal")
    assert refusal.head == "404"
    asked = story.rows[refusal.partner or 0]
    assert (asked.method, asked.waits, asked.remark) == ("tools/list", False, "")


def test_streams_are_spans_on_the_client() -> None:
    story = tell(web())
    found = [(span.label, span.start, span.end) for span in spans(story, "stream")]
    assert found == [("POST", 1, 2), ("GET", 6, len(story.rows) - 2)]
    asked = next(row for row in story.rows if row.method == "roots/list")
    assert asked.stream is not None
    assert story.spans[asked.stream].label == "GET"


def test_every_frame_is_in_one_row() -> None:
    for make in (lesson, troubles, company, rounds, web, servers):
        trace = make()
        frames = [frame for row in tell(trace).rows for frame in row.frames]
        assert frames == list(range(len(trace)))


def test_lifelines_stand_in_their_order() -> None:
    names = [line.name for line in tell(company()).ordered()]
    assert names == ["User", "Model", "Host", "Client", "Server"]
    story = tell(servers())
    assert [(line.name, line.sub) for line in story.ordered()] == [
        ("Clients", "one for each server"),
        ("time", "demo-server 0.1.0"),
        ("git", "demo-server 0.1.0"),
        ("memory", "demo-server 0.1.0"),
    ]


def test_servers_count_their_ids_apart() -> None:
    story = tell(servers())
    waiting = [row for row in story.rows if row.remark]
    assert [(row.target, row.remark) for row in waiting] == [("server memory", "no answer")]


def test_a_story_told_in_pieces_is_the_same() -> None:
    trace = web()
    whole, pieces = tell(trace), Story()
    for frame in trace:
        pieces.add(frame)
        pieces.ordered()
    assert pieces.rows == whole.rows
    assert pieces.spans == whole.spans


def test_changes_say_from_which_row_on() -> None:
    story = tell([])
    talk = Talk()
    talk.ask(1, "ping")
    talk.tell("notifications/x")
    talk.result(1, {})
    frames = list(talk.trace)
    for frame in frames[:2]:
        story.add(frame)
    story.changes.first = len(story.rows)
    story.add(frames[2])
    assert story.changes.first == 0


@pytest.mark.parametrize(
    "message",
    [42, None, [], {}, "x", True, {"id": 1}, {"method": 3}, {"result": 1, "id": []}, [[]], [1, {}],
     {"method": "x", "id": {}}, {"error": 5}, {"jsonrpc": "2.0", "id": 1, "result": None},
     {"method": "tools/call", "id": 1, "params": [1]}, {"method": "initialize", "params": 3}],
)  # fmt: skip
def test_any_json_makes_a_row(message: object) -> None:
    for dir in ("client->server", "server->client"):
        story = tell([Frame(0, dir, "message", message)] * 2)
        assert len(story.rows) == 2
        assert all(row.head for row in story.rows)


def test_an_unknown_method_shows_its_first_members() -> None:
    talk = Talk()
    talk.ask(1, "x/y", {"a": 1, "b": "two", "c": [1], "d": {}, "e": None, "_meta": {"z": 1}})
    assert tell(talk.trace).rows[0].words == 'a=1, b="two", c=[…], d={}, e=null'


def test_one_message_of_16_megabytes_costs_little() -> None:
    talk = Talk()
    talk.ask(1, "tools/call", {"name": "much", "arguments": {}})
    talk.result(1, says("x" * 16_000_000))
    row = tell(talk.trace).rows[1]
    assert len(row.words) < 500
    assert row.words.endswith("…”")


def batches(*answers: Any) -> list[Row]:
    """A batch of two requests and what came back: rows."""
    talk = Talk()
    talk.trace.sent(jsonrpc.dumps([jsonrpc.request(2, "ping"), jsonrpc.request(3, "tools/list")]))
    for answer in answers:
        talk.trace.received(jsonrpc.dumps(answer))
    return tell(talk.trace).rows


def test_a_batch_that_is_answered_waits_for_nothing() -> None:
    both = [jsonrpc.result(3, {"tools": []}), jsonrpc.result(2, {})]
    asked, answered = batches(both)
    assert (asked.remark, answered.remark) == ("", "")
    assert (asked.partner, answered.partner) == (answered.number, asked.number)
    assert batches(*both)[0].remark == ""


def test_a_batch_says_which_of_its_messages_is_not_answered() -> None:
    asked, answered = batches([jsonrpc.result(2, {}), jsonrpc.result(9, {})])
    assert asked.remark == "no answer to #3"
    assert answered.remark == "answers no request"
    assert batches()[0].remark == "no answer"


def modern(version: str) -> dict[str, Any]:
    meta = "io.modelcontextprotocol/"
    return {"_meta": {meta + "protocolVersion": version, meta + "clientCapabilities": {}}}


def test_a_version_that_is_not_in_force_is_said_where_it_is_offered() -> None:
    talk = Talk()
    talk.ask(1, "tools/list", modern("1999-01-01"))
    talk.error(1, -32022, "Unsupported protocol version")
    for number, version in enumerate(("2026-07-28", "2026-07-28", "1999-01-01", "2026-07-28"), 2):
        talk.ask(number, "tools/list", modern(version))
    asked = [row.words for row in tell(talk.trace).rows if row.look == "request"]
    assert asked == ["speaks 1999-01-01", "", "", "speaks 1999-01-01", ""]


def closed_stream() -> Story:
    """A request over HTTP whose stream the client closes, and another one after it."""
    talk, post = Talk(), {"http": "POST /mcp"}
    talk.ask(1, "tools/call", {"name": "slow", **modern("2026-07-28")}, x=1, **post)
    talk.note("http", x=1, http="200", sse="open")
    talk.note("lifecycle", "the client closed the stream of its request", "client->server", x=1)
    talk.ask(1, "tools/list", modern("2026-07-28"), x=2, **post)
    talk.result(1, {"tools": []}, x=2, http="200")
    return tell(talk.trace)


def test_a_closed_stream_cancels_its_request_and_ends_nothing_else() -> None:
    story = closed_stream()
    asked, _, closed, again, answer = story.rows
    assert {row.phase for row in story.rows} == {"operation"}
    assert (asked.remark, closed.partner, closed.chip) == ("cancelled", asked.number, "#1")
    assert (again.remark, answer.remark, answer.partner) == ("", "", again.number)
    assert [(one.start, one.end) for one in spans(story, "cancelled")] == [(0, 2)]
    assert [(one.start, one.end) for one in spans(story, "stream")] == [(1, 2)]
