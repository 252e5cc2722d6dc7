"""Names by first appearance, and hostile text made visible."""

import pytest
from views_cases import Talk

from mcp_lesson.trace import Frame
from mcp_lesson.views.marks import MAX, columns, fit, plain
from mcp_lesson.views.names import Names
from mcp_lesson.views.story import tell
from mcp_lesson.views.widths import clip, width, wrap

UUID = "825794c7-2eb8-4657-9872-cd99173e0a4e"


def test_what_differs_from_run_to_run_is_named_in_order() -> None:
    names = Names()
    names.see(Frame(0, "client->server", "http", headers={"mcp-session-id": UUID}))
    assert names(f"from session {UUID} at 127.0.0.1:3122") == (
        "from session session-1 at 127.0.0.1:port-1"
    )
    assert names("localhost:3122 and localhost:8000") == "localhost:port-1 and localhost:port-2"
    assert names("at http://127.0.0.1:9000/mcp") == "at http://127.0.0.1:port-3/mcp"
    assert names("at 2026-11-29T12:00:00.123+01:00, 0x7f00deadbeef, pid 4711") == (
        "at time-1, address-1, pid-1"
    )
    assert names(UUID.replace("8", "9")) == "uuid-1"


def test_learned_values_are_named_wherever_they_show_up() -> None:
    names = Names()
    message = {"result": {"requestState": "eyJhIjoxfQ.sig-nature"}}
    names.see(Frame(0, "server->client", "message", message))
    names.see(Frame(0, "client->server", "http", headers={"authorization": "Bearer s3cret-token"}))
    assert names("state eyJhIjoxfQ.sig-nature!") == "state state-1!"
    assert names("sent s3cret-token") == "sent token-1"


def test_counted_ids_stay_and_random_ones_are_named() -> None:
    names = Names()
    assert names.id(3) == "3"
    assert names.id("listen-1") == "listen-1"
    assert names.id(UUID) == "id-1"
    assert names.id("deadbeefdeadbeefdeadbeef") == "id-2"


def test_remarks_lose_folders_and_lengths_of_time() -> None:
    names = Names()
    assert names.remark('File "/home/me/course/server.py", line 3') == 'File "…/server.py", line 3'
    assert names.remark(r"C:\Users\me\x.py failed after 3.2 s") == "…/x.py failed"


def test_ordinary_words_stay() -> None:
    text = "tools/call add(a=3, b=4) · application/json, text/event-stream 2025-11-25"
    assert Names()(text) == text


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("a\u202eb", "a‹U+202E›b"),
        ("zero\u200bwidth", "zero‹U+200B›width"),
        ("\x00\x1b[31m", "‹U+0000›‹U+001B›[31m"),
        ("two\nlines\r\nthree\ttabs\n", "two↵lines↵three⇥tabs"),
        ("\ud800", "‹U+D800›"),
        ("\ufffe\U000e0041", "‹U+FFFE›‹U+E0041›"),
        ("a\u3164b\u2800", "a‹U+3164›b‹U+2800›"),
        ("✔\ufe0f x\ufe0f", "✔\ufe0f x‹U+FE0F›"),
        ("👨\u200d👩 a\u200db", "👨\u200d👩 a‹U+200D›b"),
        ("你好 ★ é שלום", "你好 ★ é שלום"),
    ],
)
def test_invisible_characters_are_shown(given: str, shown: str) -> None:
    assert plain(given) == shown


def test_accents_do_not_pile_up() -> None:
    assert len(plain("Z" + "\u0351" * 50)) == 3


def test_cut_text_says_so_and_is_never_longer() -> None:
    assert plain("x" * 1000, 10) == "x" * 9 + "…"
    assert len(plain("\u202e" * MAX)) <= MAX


def test_columns_count_wide_letters_twice() -> None:
    assert columns("你好") == 4
    assert columns("e\u0301") == 1
    assert fit("你好世界", 5) == "你好…"
    assert columns(fit("你好世界" * 9, 10)) <= 10


def test_widths_never_fall_short() -> None:
    assert width("WWW", 10) > width("iii", 10)
    assert width("你好", 10) >= 20
    assert width(clip("a long sentence of words", 80, 13), 13) <= 80
    assert all(width(line, 13) <= 90 for line in wrap("one two three four five six", 90, 13, 5))
    assert clip("anything", 0, 13) == ""


@pytest.mark.parametrize(
    ("id", "shown"),
    [
        (1, "1"), ("1", '"1"'), ("-2.5e3", '"-2.5e3"'), ("", '""'), (" 1", '" 1"'),
        ("req-a", "req-a"), ("1a", "1a"), ("true", '"true"'), (True, "true"), (1.5, "1.5"),
    ],
)  # fmt: skip
def test_an_id_that_is_a_text_never_looks_like_a_number(id: object, shown: str) -> None:
    assert Names().id(id) == shown


def test_a_cancelled_request_is_named_as_its_chip_names_it() -> None:
    talk = Talk()
    talk.ask("7", "ping")
    talk.tell("notifications/cancelled", {"requestId": "7"})
    asked, cancelled = tell(talk.trace).rows
    assert (asked.chip, cancelled.words) == ('#"7"', '#"7"')
