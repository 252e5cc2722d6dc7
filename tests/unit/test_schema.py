"""JSON Schema: nothing is fetched, wrong schemas are refused, values are judged in clear words."""

import socket
import threading
from collections.abc import Iterator

import pytest

from mcp_lesson import schema


@pytest.fixture
def trap() -> Iterator[tuple[str, list[bytes]]]:
    """A server that notes who calls, and whom nobody should call."""
    calls: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def wait() -> None:
        while True:
            try:
                caller, _ = listener.accept()
            except OSError:
                return
            with caller:
                calls.append(caller.recv(100))

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/schema.json", calls
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join(5)


def test_a_reference_to_another_machine_is_not_fetched(trap: tuple[str, list[bytes]]) -> None:
    url, calls = trap
    check = schema.validator({"type": "object", "properties": {"a": {"$ref": url}}})
    assert check({}) == []
    assert "cannot be followed" in check({"a": 1})[0]
    assert not calls


def test_references_inside_are_followed() -> None:
    check = schema.validator(
        {"$defs": {"n": {"$anchor": "n", "type": "integer"}}, "properties": {"a": {"$ref": "#n"}}}
    )
    assert check({"a": 1}) == []
    assert check({"a": "x"}) == ["a: 'x' is not of type 'integer'"]


@pytest.mark.parametrize(
    ("dialect", "value", "good"),
    [
        (None, [1, "x"], False),
        ("https://json-schema.org/draft/2020-12/schema", [1, "x"], False),
        ("http://json-schema.org/draft-07/schema#", [1, "x"], True),
        ("http://json-schema.org/draft-07/schema", [1, "x"], True),
    ],
)
def test_a_schema_is_read_in_its_dialect(dialect: str | None, value: list, good: bool) -> None:
    """`prefixItems` is a word of 2020-12, and none of draft-07."""
    body: dict = {"prefixItems": [{"type": "integer"}, {"type": "integer"}]}
    check = schema.validator(body | ({"$schema": dialect} if dialect else {}))
    assert (check(value) == []) is good


@pytest.mark.parametrize(
    "dialect", ["http://json-schema.org/draft-99/schema", "https://example.com/mine", "nonsense"]
)
def test_a_dialect_that_is_not_known_is_refused(dialect: str) -> None:
    with pytest.raises(ValueError, match="is not supported"):
        schema.validator({"$schema": dialect})


@pytest.mark.parametrize(
    "wrong", [{"type": 5}, {"required": 1}, {"pattern": 3}, 5, "x", None, {"$schema": 5}]
)
def test_a_wrong_schema_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match="not a valid JSON Schema"):
        schema.validator(wrong)


def test_true_and_false_are_schemas() -> None:
    assert schema.validator(True)(5) == []
    assert schema.validator(False)(5)


def test_problems_are_few_short_and_say_where() -> None:
    check = schema.validator({"additionalProperties": {"type": "integer"}})
    found = check({f"k{n}": "x" * 500 for n in range(50)})
    assert len(found) == schema.MAX_PROBLEMS
    assert all(len(problem) < 250 for problem in found)
    assert check({"a": {"b": 1}})[0].startswith("a: ")
    nested = schema.validator({"properties": {"a": {"items": {"type": "integer"}}}})
    assert nested({"a": [1, "x"]}) == ["a[1]: 'x' is not of type 'integer'"]


def test_a_schema_that_refers_to_itself_ends() -> None:
    check = schema.validator({"$ref": "#"})
    assert "cannot be followed" in check(1)[0]


def test_titles_made_up_from_names_are_dropped_and_real_ones_stay() -> None:
    def book(title: str, max_pages: int = 3) -> None: ...

    made = schema.of_model(schema.model_of(book, type(None)))
    assert made == {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "max_pages": {"type": "integer", "default": 3},
        },
        "required": ["title"],
    }


def test_the_schema_of_a_type() -> None:
    assert schema.of_type(list[int]) == {"type": "array", "items": {"type": "integer"}}


@pytest.mark.parametrize(
    ("form", "values"),
    [
        ({"properties": {"a": {"default": 1}, "b": {"type": "string"}, "c": {"default": None}}},
         {"a": 1, "c": None}),
        ({"properties": {"a": 5}}, {}),
        ({}, {}),
        (None, {}),
    ],
)  # fmt: skip
def test_the_values_a_form_proposes(form: object, values: dict) -> None:
    assert schema.defaults(form) == values


def test_a_problem_knows_its_place_and_its_words() -> None:
    check = schema.validator({"properties": {"a": {"items": {"type": "integer"}}}})
    (problem,) = check({"a": [1, "x"]})
    assert (problem.path, problem.words) == (("a", 1), "'x' is not of type 'integer'")
    (whole,) = schema.validator({"required": ["a"]})({})
    assert (whole.path, whole.words, str(whole)) == ((), whole.words, whole.words)


def test_more_problems_are_named_for_who_asks_for_them() -> None:
    check = schema.validator({"additionalProperties": {"type": "integer"}})
    value = {f"k{n}": "x" for n in range(9)}
    assert (len(check(value)), len(check(value, 7)), len(check(value, most=99))) == (5, 7, 9)
