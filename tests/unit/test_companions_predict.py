"""predict: a question that gives nothing away, waits for nobody, and explains afterwards."""

import re
from typing import Any

import pytest

from mcp_lesson import predict
from mcp_lesson.views import prose
from mcp_lesson.views.companion_widget import PredictionView
from mcp_lesson.views.prediction import Prediction

QUESTION = "We ask for `add(3, 4)`. What comes back?"
OPTIONS: dict[str, str | bool] = {
    "`7`": "It is what `add` returned.",
    '`"7"`': "Text it is, but <b>alone</b> it is not.",
    "a list with a text in it": True,
}
BECAUSE = "`content` is a list of blocks."


def asked() -> Prediction:
    return predict(QUESTION, OPTIONS, because=BECAUSE)


def test_the_text_is_the_question_and_the_options_and_never_the_answer() -> None:
    assert repr(asked()) == (
        "Predict: We ask for `add(3, 4)`. What comes back?\n"
        "  A  `7`\n"
        '  B  `"7"`\n'
        "  C  a list with a text in it"
    )


def test_the_text_does_not_change_with_the_answer() -> None:
    swapped = {"`7`": True, '`"7"`': "x", "a list with a text in it": "x"}
    assert repr(predict(QUESTION, swapped)) == repr(asked())


def test_long_questions_and_options_are_wrapped() -> None:
    long = "word " * 40
    lines = repr(predict(long, {long + "a": True, long + "b": "why"})).split("\n")
    assert max(map(len, lines)) <= 78
    assert sum(line.startswith("  A  ") for line in lines) == 1


def test_the_html_hides_the_answer_until_it_is_opened() -> None:
    before, hidden = asked().html().split("<details>")
    assert "add" in before
    for option in asked().options:
        assert prose.html(option.text) in before
        assert prose.html(option.why) not in before
        assert prose.html(option.why) in hidden
    assert hidden.index("This one.") > hidden.index("Text it is")


def test_the_html_needs_no_style_and_no_script_and_escapes_what_was_written() -> None:
    html = asked().html()
    assert not re.search(r"<(style|script|svg|button|input)|style=|on\w+=", html)
    assert "<b>" not in html
    assert "&lt;b&gt;alone&lt;/b&gt;" in html
    assert "<code>&quot;7&quot;</code>" in html


def test_a_test_run_has_no_widget_and_waits_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_LESSON_STATIC", "1")
    assert set(asked()._repr_mimebundle_()) == {"text/plain", "text/html"}


def test_the_live_view_starts_unanswered_and_keeps_a_tally_without_names() -> None:
    view = asked()._widget()
    assert isinstance(view, PredictionView)
    assert view.state == {"guess": -1, "open": False, "voting": False, "votes": [0, 0, 0]}
    assert [option["right"] for option in view.data["options"]] == [False, False, True]
    assert "<b>" not in str(view.data)
    assert repr(view) == "<PredictionView>"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"one": True}, "1 options; give 2 to 6"),
        ({str(n): n == 0 or "why" for n in range(7)}, "7 options"),
        ({"one": "why", "two": "why"}, "0 options have the value True"),
        ({"one": True, "two": True}, "2 options have the value True"),
        ({"one": True, "two": ""}, "say why the option 'two' tempts"),
        ({"one": True, "two": False}, "its value is False"),
        ({"one": True, "two": None}, "its value is None"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(options: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        predict("?", options)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("plain", "plain"),
        ("a `b` c", "a <code>b</code> c"),
        ("`a` and `b`", "<code>a</code> and <code>b</code>"),
        ("one ` alone", "one ` alone"),
        ("`a` and ` alone", "<code>a</code> and ` alone"),
        ("`<i>`", "<code>&lt;i&gt;</code>"),
    ],
)
def test_words_between_backticks_are_code(text: str, html: str) -> None:
    assert "".join(part for part in [prose.html(text)] if part) == html


def test_words_are_joined_as_people_do() -> None:
    assert [prose.joined("abc"[:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert prose.joined(["x", "y"], "or") == "x or y"
