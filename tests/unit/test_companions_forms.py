"""Forms: from a schema to fields, from what was filled in to a value, and what is wrong where."""

import asyncio
import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_lesson import McpError, Server, connect, tool_form
from mcp_lesson.views.form_faces import pretty, rows, sent
from mcp_lesson.views.form_fields import ABSENT, MOST_FIELDS, Field, fields_of
from mcp_lesson.views.form_values import Reading, blank, check, keyed, raw_of
from mcp_lesson.views.form_widget import ToolView


def part(schema: Any, **root: Any) -> Field:
    """The field for one member `x` of an object."""
    return fields_of({"type": "object", "properties": {"x": schema}, **root}).parts[0]


RED = [{"const": "#f00", "title": "Red"}, {"const": "#0f0", "title": "Green"}]

# -- from a schema to fields -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "kind", "hint"),
    [
        ({"type": "string"}, "text", "text"),
        ({"type": "string", "minLength": 3, "maxLength": 50}, "text", "text, 3 to 50 characters"),
        ({"type": "string", "minLength": 1}, "text", "text, at least 1 character"),
        ({"type": "string", "maxLength": 9}, "text", "text, at most 9 characters"),
        ({"type": "string", "pattern": "^a"}, "text", "text, as the pattern ^a"),
        ({"type": "string", "format": "email"}, "text", "an email address"),
        ({"type": "string", "format": "date"}, "text", "a date such as 2026-07-28"),
        ({"type": "integer", "minimum": 1, "maximum": 9}, "number", "a whole number, 1 to 9"),
        ({"type": "integer", "minimum": 1}, "number", "a whole number, 1 or more"),
        ({"type": "number", "maximum": 0.5}, "number", "a number, 0.5 or less"),
        ({"type": "number", "exclusiveMinimum": 0}, "number", "a number, more than 0"),
        ({"type": "number", "multipleOf": 5}, "number", "a number, a multiple of 5"),
        ({"type": "boolean"}, "choice", "yes or no"),
        ({"type": "string", "enum": ["a", "b", "c"]}, "choice", "a, b or c"),
        ({"enum": [1, None]}, "choice", "1 or null"),
        ({"type": "string", "enum": ["a"], "enumNames": ["A!"]}, "choice", "only A!"),
        ({"type": "string", "oneOf": RED}, "choice", "Red or Green"),
        ({"const": 5}, "choice", "only 5"),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, "choices", "any of a, b"),
        ({"type": "array", "items": {"anyOf": RED}, "maxItems": 1}, "choices",
         "any of Red, Green, at most 1 item"),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3}, "list",
         "a list, each item a whole number, 1 to 3 items"),
        ({"type": "object", "properties": {"y": {"type": "string"}}}, "object", "an object"),
        ({"properties": {"y": {"type": "string"}}}, "object", "an object"),
        ({"type": ["string", "null"]}, "text", "text"),
        ({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]}, "number",
         "a whole number, 1 or more"),
        ({"allOf": [{"type": "string"}]}, "text", "text"),
        ({"type": "string", "minLength": "three", "x-order": 1}, "text", "text"),
    ],
)  # fmt: skip
def test_what_a_form_can_show(schema: Any, kind: str, hint: str) -> None:
    field = part(schema)
    assert (field.kind, field.hint) == (kind, hint)


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({}, "it may be anything"),
        (True, "it may be anything"),
        (False, "its schema is none"),
        (5, "its schema is none"),
        ({"description": "?"}, "it names no type that a form has"),
        ({"type": "null"}, "it names no type that a form has"),
        ({"type": ["string", "integer"]}, "it may be of several types"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "it is composed with anyOf"),
        ({"type": "string", "not": {"const": "x"}}, "a form cannot show not"),
        ({"type": "string", "shiny": 1}, "a form cannot show shiny"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "it may have any members"),
        ({"type": "object", "properties": 5}, "its properties are no object"),
        ({"type": "array"}, "it says nothing of its items"),
        ({"type": "array", "items": True, "prefixItems": []}, "a form cannot show prefixItems"),
        ({"$ref": "https://example.com/x"}, "it refers to what is not there"),
        ({"$ref": "#/$defs/none"}, "it refers to what is not there"),
        ({"enum": list(range(500))}, "there are more options than a form can hold"),
    ],
)
def test_what_a_form_cannot_show_is_asked_for_as_json_and_says_why(schema: Any, why: str) -> None:
    field = part(schema)
    assert (field.kind, field.why, field.hint) == ("json", why, f"JSON, since {why}")


def test_references_are_followed_and_never_for_ever() -> None:
    person = {"type": "object", "properties": {"name": {"type": "string"},
                                               "boss": {"$ref": "#/$defs/person"}}}  # fmt: skip
    field = part({"$ref": "#/$defs/person", "title": "Who?"}, **{"$defs": {"person": person}})
    assert (field.kind, field.title) == ("object", "Who?")
    assert [(one.name, one.kind, one.why) for one in field.parts] == [
        ("name", "text", ""), ("boss", "json", "it holds itself"),
    ]  # fmt: skip
    assert part({"$ref": "#"}).parts[0].why == "it holds itself"
    assert fields_of({"$ref": "#"}).kind == "json"


def test_a_form_has_an_end() -> None:
    deep: Any = {"type": "string"}
    for _ in range(20):
        deep = {"type": "object", "properties": {"in": deep}}
    assert "it is nested too deep" in [one.why for one in fields_of(deep).all()]
    wide = {"type": "object", "properties": {str(n): {"type": "string"} for n in range(1000)}}
    assert fields_of(wide).kind == "json"
    both = {"type": "object", "properties": {str(n): wide for n in range(9)}}
    assert sum(1 for _ in fields_of(both).all()) <= MOST_FIELDS


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)
WORDS = [
    "type", "properties", "items", "required", "enum", "oneOf", "anyOf", "allOf", "const",
    "default", "minimum", "maxLength", "$ref", "$defs", "title", "description", "format",
    "enumNames",
]  # fmt: skip
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null", "?"])
SCHEMAS = st.recursive(
    JSON,
    lambda inner: st.dictionaries(
        st.sampled_from(WORDS),
        inner | TYPES | st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
        max_size=5,
    ),
    max_leaves=25,
)


@settings(deadline=None)
@given(SCHEMAS, JSON)
def test_any_schema_gives_a_form_and_anything_may_be_filled_in(schema: Any, raw: Any) -> None:
    form = tool_form({"name": "x", "inputSchema": schema})
    assert repr(form)
    assert form.html()
    json.dumps(sent(form.field), allow_nan=False)
    for filled in (form.raw, raw):
        form.raw = filled
        json.dumps(keyed(form.problems))
        assert form.arguments is ABSENT or json.dumps(form.arguments, allow_nan=False)


# -- from what was filled in to a value ------------------------------------------------------------

EVERYTHING = {
    "type": "object",
    "required": ["name", "days", "tags"],
    "properties": {
        "name": {"type": "string", "minLength": 3},
        "mail": {"type": "string", "format": "email"},
        "days": {"type": "integer", "minimum": 1, "default": 2},
        "share": {"type": "number"},
        "call": {"type": "boolean"},
        "half": {"enum": ["am", "pm"]},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1},
        "who": {"type": "array", "items": {"type": "object", "required": ["n"],
                                           "properties": {"n": {"type": "string"}}}},
        "where": {"type": "object", "properties": {"city": {"type": "string"}}},
        "any": {},
        "limit": {"type": ["integer", "null"]},
    },
}  # fmt: skip
FORM = fields_of(EVERYTHING)


def filled(**raw: Any) -> Reading:
    return Reading(FORM, blank(FORM) | raw)


def test_an_untouched_form_sends_what_it_proposes_and_nothing_else() -> None:
    assert filled().value == {"days": 2, "tags": []}


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ({"name": "ada"}, {"name": "ada"}),
        ({"days": " 7 "}, {"days": 7}),
        ({"days": "two"}, {"days": "two"}),
        ({"days": "007"}, {"days": "007"}),
        ({"share": "0.5"}, {"share": 0.5}),
        ({"share": "NaN"}, {"share": "NaN"}),
        ({"share": "1e999"}, {"share": "1e999"}),
        ({"share": "true"}, {"share": "true"}),
        ({"days": ""}, {"days": ABSENT}),
        ({"call": 1}, {"call": False}),
        ({"call": -1}, {}),
        ({"call": 2}, {}),
        ({"half": 1}, {"half": "pm"}),
        ({"tags": [1, 0, 7, True]}, {"tags": ["b", "a"]}),
        ({"who": [{"n": ""}, {"n": "x"}]}, {"who": [{}, {"n": "x"}]}),
        ({"where": {"city": "Oslo"}}, {"where": {"city": "Oslo"}}),
        ({"where": {"city": ""}}, {}),
        ({"any": ' {"a": [1]} '}, {"any": {"a": [1]}}),
        ({"any": "null"}, {"any": None}),
        ({"limit": "3"}, {"limit": 3}),
        ({"name": 5, "tags": "a", "who": 7, "where": [], "any": []}, {}),
    ],
)
def test_what_was_filled_in_becomes_a_value(raw: Any, value: dict) -> None:
    expected = {"days": 2, "tags": [], **value}
    assert filled(**raw).value == {k: v for k, v in expected.items() if v is not ABSENT}


def test_an_empty_field_that_must_be_there_and_may_be_null_is_null() -> None:
    field = {"type": ["string", "null"]}
    schema = {"type": "object", "required": ["x"], "properties": {"x": field}}
    form = fields_of(schema)
    assert Reading(form, blank(form)).value == {"x": None}


def test_items_of_a_list_are_kept_even_when_empty() -> None:
    form = fields_of({"type": "object", "properties": {
        "texts": {"type": "array", "items": {"type": "string"}},
        "numbers": {"type": "array", "items": {"type": "integer"}}}})  # fmt: skip
    assert Reading(form, {"texts": ["", "a"], "numbers": ["", "1"]}).value == {
        "texts": ["", "a"], "numbers": ["", 1],
    }  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [
        {"name": "ada", "days": 3, "tags": ["b"], "call": True, "half": "am", "share": 1.5},
        {"name": "ada", "days": 3, "tags": ["a", "b"], "who": [{"n": "x"}], "any": {"a": None}},
        {"name": "ada", "days": 3, "tags": ["a"], "where": {"city": "Oslo"}, "limit": 9},
    ],
)
def test_a_value_survives_a_form(value: dict) -> None:
    assert Reading(FORM, raw_of(FORM, value)).value == value
    assert not check(EVERYTHING, FORM, Reading(FORM, raw_of(FORM, value)))


def test_true_is_not_one() -> None:
    field = part({"enum": [True, 1, "1"]})
    assert [raw_of(field, value) for value in (True, 1, "1", 1.0, "x")] == [0, 1, 2, 1, -1]


# -- what is wrong, and where ----------------------------------------------------------------------


def test_what_is_wrong_is_said_at_its_place_in_the_schemas_words() -> None:
    raw = {"days": "two", "mail": "me", "who": [{"n": ""}], "any": "{", "name": "x"}
    found = check(EVERYTHING, FORM, filled(**raw))
    words = found.pop(("tags",))
    assert "[]" in words
    assert found == {
        ("any",): "this is no JSON",
        ("mail",): "'me' is not an email address",
        ("days",): "'two' is not of type 'integer'",
        ("name",): "'x' is too short",
        ("who", 0, "n"): "'n' is a required property",
    }
    assert set(keyed(found)) == {'["any"]', '["mail"]', '["days"]', '["name"]', '["who",0,"n"]'}


def test_more_than_a_handful_of_problems_are_all_said() -> None:
    names = [f"n{n}" for n in range(30)]
    schema = {"properties": {n: {"type": "string"} for n in names}, "required": names}
    form = fields_of(schema)
    assert len(check(schema, form, Reading(form, blank(form)))) == 30


def test_what_is_wrong_with_no_field_is_said_of_the_whole() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
              "minProperties": 1}  # fmt: skip
    form = fields_of(schema)
    assert list(check(schema, form, Reading(form, blank(form)))) == [()]


def test_what_is_wrong_inside_json_is_said_at_its_field() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "object",
              "additionalProperties": {"type": "integer"}}}}  # fmt: skip
    form = fields_of(schema)
    found = check(schema, form, Reading(form, {"x": '{"a": "b"}'}))
    assert found == {("x",): "'b' is not of type 'integer'"}


@pytest.mark.parametrize(
    ("form", "good", "bad"),
    [
        ("email", "me@example.com", "@"),
        ("uri", "https://example.com", "example"),
        ("date", "2026-07-28", "28.7.2026"),
        ("date", "2024-02-29", "2026-02-29"),
        ("date-time", "2026-07-28T12:00:00Z", "2026-07-28T12:00:00"),
        ("date-time", "2026-07-28T12:00:00+02:00", "2026-07-28"),
    ],
)
def test_the_four_formats_are_looked_at(form: str, good: str, bad: str) -> None:
    schema = {"type": "object", "properties": {"x": {"type": "string", "format": form}}}
    field = fields_of(schema)
    assert not check(schema, field, Reading(field, {"x": good}))
    assert list(check(schema, field, Reading(field, {"x": bad}))) == [("x",)]


def test_a_schema_that_is_itself_wrong_judges_nothing() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "string", "minLength": "one"}}}
    assert tool_form({"name": "t", "inputSchema": schema}).problems == {}


# -- faces -----------------------------------------------------------------------------------------

TOOL = {
    "name": "book_leave",
    "description": "Book days of leave.\nNever twice.",
    "inputSchema": {
        "type": "object",
        "required": ["employee"],
        "properties": {
            "employee": {"type": "string"},
            "days": {"type": "integer", "minimum": 1, "default": 1, "title": "How many?"},
            "half": {"type": "boolean", "default": False},
            "contact": {"type": "object", "properties": {"mail": {"type": "string"}}},
        },
    },
}


def test_the_text_is_the_tool_and_its_fields() -> None:
    assert repr(tool_form(TOOL)) == (
        "book_leave: Book days of leave.\n"
        "  employee  text, required\n"
        "  days      How many? · a whole number, 1 or more, 1 unless changed\n"
        "  half      yes or no, no unless changed\n"
        "  contact   an object\n"
        "    mail    text"
    )
    assert repr(tool_form({"name": "now"})) == "now\n  no arguments"


def test_the_text_is_the_same_whatever_was_filled_in() -> None:
    form = tool_form(TOOL)
    before = repr(form)
    form.raw = {"employee": "ada"}
    assert repr(form) == before


def test_the_html_needs_no_style_and_no_script_and_escapes_what_was_sent() -> None:
    evil = "<img src=x onerror=alert(1)>"
    schema = {"type": "object", "properties": {evil: {"type": "string", "title": evil}}}
    html = tool_form({"name": evil, "description": evil, "inputSchema": schema}).html()
    assert not re.search(r"<(style|script|svg|button|input|img)|style=", html)
    assert "&lt;img" in html


def test_what_cannot_be_seen_is_made_visible() -> None:
    field = {"type": "string", "title": "t\u0007"}
    schema = {"type": "object", "properties": {"x\u200b": field}}
    form = tool_form({"name": "a\u202eb", "inputSchema": schema})
    for face in (repr(form), form.html(), json.dumps(sent(form.field), ensure_ascii=False)):
        assert not re.search("[\u202e\u0007]", face)
    assert "‹U+202E›" in repr(form)
    assert "‹U+200B›" in repr(form)


def test_a_test_run_has_no_widget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_LESSON_STATIC", "1")
    assert set(tool_form(TOOL)._repr_mimebundle_()) == {"text/plain", "text/html"}


def test_rows_show_what_was_filled_in_and_then_no_longer_ask() -> None:
    form = fields_of(TOOL["inputSchema"])
    shown = rows(form, {"employee": "ada", "contact": {"mail": "x"}})
    assert [(row.depth, row.name, row.value, row.words) for row in shown] == [
        (0, "employee", '"ada"', ""),
        (0, "days", "", "How many?"),
        (0, "half", "", ""),
        (0, "contact", "", ""),
        (1, "mail", '"x"', ""),
    ]


def test_json_is_short_where_it_can_be() -> None:
    assert pretty({"a": [1, 2]}) == '{"a": [1, 2]}'
    long = {"a": [1, 2], "b": "x" * 40, "c": {}}
    assert pretty(long) == f'{{\n  "a": [1, 2],\n  "b": "{"x" * 40}",\n  "c": {{}}\n}}'
    assert json.loads(pretty([long, long])) == [long, long]


# -- calling ---------------------------------------------------------------------------------------


async def test_nothing_is_sent_before_it_keeps_the_schema() -> None:
    calls: list[Any] = []

    async def call(name: str, arguments: dict[str, Any]) -> str:
        calls.append((name, arguments))
        return "done"

    form = tool_form(TOOL, call)
    await form.submit()
    assert (calls, form.result) == ([], None)
    form.raw = {**form.raw, "employee": "ada"}
    await form.submit()
    assert calls == [("book_leave", {"employee": "ada", "days": 1, "half": False})]
    assert (form.result, form.trouble) == ("done", "")


async def test_a_form_calls_a_real_tool_and_shows_its_result_as_it_prints() -> None:
    server = Server("s")

    @server.tool
    def add(a: int, b: int = 4) -> int:
        return a + b

    async with connect(server, era="legacy") as client:
        form = tool_form((await client.list_tools())[0], client.call_tool)
        form.raw = {"a": "3", "b": form.raw["b"]}
        await form.submit()
        assert repr(form.result) == "7"


@pytest.mark.parametrize("problem", [McpError(-32602, "Unknown tool: x"), OSError("gone")])
async def test_a_call_that_fails_is_told_in_words(problem: Exception) -> None:
    async def call(name: str, arguments: dict[str, Any]) -> None:
        raise problem

    form = tool_form({"name": "x"}, call)
    await form.submit()
    assert form.trouble == f"{type(problem).__name__}: {problem}"


async def test_a_live_form_marks_calls_stops_and_starts_again() -> None:
    gate = asyncio.Event()

    async def call(name: str, arguments: dict[str, Any]) -> str:
        await gate.wait()
        return f"{name} {arguments}"

    form = tool_form(TOOL, call)
    view = form._widget()
    assert isinstance(view, ToolView)
    assert repr(view) == "<ToolView>"

    def send(number: int, raw: Any, **more: Any) -> dict[str, Any]:
        view._handle_custom_msg({"n": number, "raw": raw, **more}, [])
        return dict(view.data)

    data = send(1, form.raw)
    assert (data["n"], data["problems"]) == (1, {})  # nobody has pressed anything yet
    data = send(2, form.raw, press="call")
    assert data["problems"] == {'["employee"]': "'employee' is a required property"}
    data = send(3, {**form.raw, "employee": "ada"})
    assert (data["problems"], data["busy"]) == ({}, False)
    assert send(4, form.raw, press="call")["busy"]
    await asyncio.sleep(0)
    assert send(5, form.raw, press="call")["busy"]  # a second press changes nothing
    send(6, form.raw, press="stop")
    await asyncio.wait({view_task(view)}, timeout=5)
    await asyncio.sleep(0)
    assert (view.data["busy"], view.data["trouble"]) == (False, "stopped")
    gate.set()
    send(7, form.raw, press="call")
    await asyncio.wait({view_task(view)}, timeout=5)
    await asyncio.sleep(0)
    assert "'employee': 'ada'" in view.data["result"]
    assert send(8, form.raw, press="clear")["result"] == ""


def view_task(view: Any) -> "asyncio.Task[Any]":
    """The call that a view has under way: the only other task here."""
    return next(task for task in asyncio.all_tasks() if task is not asyncio.current_task())
