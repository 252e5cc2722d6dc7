"""The registry: what is offered and how it is described; it holds no connection."""

import enum
import functools
import subprocess
import sys
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from mcp_lesson import Context, Server
from mcp_lesson.server import fill

# -- tools -----------------------------------------------------------------------------------------


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Point(BaseModel):
    x: int
    y: int = 0


def test_a_signature_becomes_a_schema() -> None:
    server = Server("s")

    @server.tool
    def draw(
        at: Point,
        colour: Colour,
        width: Annotated[int, Field(ge=1, description="In pixels.")] = 1,
        style: Literal["solid", "dashed"] | None = None,
        title: str = "",
        anything=None,
    ) -> str:
        """Draw a point.

        Further words.
        """
        return "drawn"

    definition = server.tools["draw"].definition
    schema = definition["inputSchema"]
    assert definition["name"] == "draw"
    assert definition["description"] == "Draw a point.\n\nFurther words."
    assert schema["type"] == "object"
    assert schema["required"] == ["at", "colour"]
    assert schema["properties"]["width"] == {
        "type": "integer",
        "minimum": 1,
        "default": 1,
        "description": "In pixels.",
    }
    assert schema["properties"]["title"] == {"type": "string", "default": ""}
    assert schema["$defs"]["Colour"]["enum"] == ["red", "blue"]
    assert schema["$defs"]["Point"]["properties"]["x"] == {"type": "integer"}
    assert schema["properties"]["at"] == {"$ref": "#/$defs/Point"}
    assert draw(Point(x=1), Colour.RED) == "drawn", "the function stays what it was"


def test_no_parameters_is_an_empty_object() -> None:
    server = Server("s")
    server.tool(name="t")(lambda: 1)
    assert server.tools["t"].definition["inputSchema"] == {"type": "object", "properties": {}}
    assert "description" not in server.tools["t"].definition


def test_the_context_is_no_argument() -> None:
    server = Server("s")

    @server.tool
    async def work(n: int, ctx: Context) -> None:
        """Work."""

    @server.prompt
    async def words(ctx: Context, topic: str, tone: str = "kind") -> str:
        return topic

    assert list(server.tools["work"].definition["inputSchema"]["properties"]) == ["n"]
    assert server.tools["work"].wants_context == "ctx"
    assert server.prompts["words"].definition["arguments"] == [
        {"name": "topic", "required": True},
        {"name": "tone", "required": False},
    ]


def test_annotations_may_be_strings() -> None:
    """As `from __future__ import annotations` makes them."""
    server = Server("s")

    def work(n: "int", ctx: "Context") -> "str":
        return str(n)

    server.tool(work)
    assert server.tools["work"].wants_context == "ctx"
    assert server.tools["work"].definition["inputSchema"]["properties"]["n"] == {"type": "integer"}


def test_members_given_by_hand_win() -> None:
    server = Server("s")
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    server.tool(name="other", description="Words.", inputSchema=schema, title="T")(print)
    assert server.tools["other"].definition == {
        "name": "other",
        "description": "Words.",
        "inputSchema": schema,
        "title": "T",
    }


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "nonsense"}, "not a valid JSON Schema"),
        ({"type": "object", "required": "a"}, "not a valid JSON Schema"),
        ({"type": "object", "$schema": "http://json-schema.org/draft-99"}, "not supported"),
        ({}, '"type": "object"'),
        ({"type": "string"}, '"type": "object"'),
    ],
)
def test_a_wrong_schema_is_refused_at_once(schema: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Server("s").tool(name="t", inputSchema=schema)(print)


def test_a_signature_does_not_load_the_validator() -> None:
    """It is the slowest of all to load; beside JupyterLab it takes a second."""
    code = (
        "import sys; from mcp_lesson import Server; server = Server('s')\n"
        "def add(a: int, b: int) -> int: return a + b\n"
        "server.tool(add); print('pydantic' in sys.modules, 'jsonschema' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["True", "False"], done.stderr


def test_what_no_schema_can_describe_is_refused_at_once() -> None:
    with pytest.raises(TypeError, match=r"takes \*more: a schema cannot describe that"):

        @Server("s").tool
        def many(*more: int) -> None:
            pass


def test_nothing_is_offered_twice() -> None:
    server = Server("s")
    server.tool(name="t")(lambda: 1)
    with pytest.raises(ValueError, match="'t' is offered twice"):
        server.tool(name="t")(lambda: 2)
    server.resource("a://b", name="b")(lambda: "")
    with pytest.raises(ValueError, match="'a://b' is offered twice"):
        server.resource("a://b", name="c")(lambda: "")
    server.completion("p", "a")(lambda typed: [])
    with pytest.raises(ValueError, match="offered twice"):
        server.completion("p", "a")(lambda typed: [])


def test_methods_can_be_offered() -> None:
    class Shelf:
        books = ("Emma",)

        def first(self, n: int = 1) -> str:
            """The first books."""
            return ", ".join(self.books[:n])

    server = Server("s")
    server.tool(Shelf().first)
    assert server.tools["first"].definition["description"] == "The first books."
    assert list(server.tools["first"].definition["inputSchema"]["properties"]) == ["n"]


def test_a_partial_needs_a_name() -> None:
    def power(base: int, exponent: int) -> int:
        return int(base**exponent)

    server = Server("s")
    server.tool(name="square")(functools.partial(power, exponent=2))
    assert server.tools["square"].definition["inputSchema"]["required"] == ["base"]
    with pytest.raises(AttributeError):
        server.tool(functools.partial(power, exponent=3))


# -- resources -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("template", "uri", "holes"),
    [
        ("a://{id}", "a://1", {"id": "1"}),
        ("a://{id}", "a://1/2", None),
        ("a://{id}", "a://", None),
        ("a://{+path}", "a://1/2/3", {"path": "1/2/3"}),
        ("a://{x}/b/{y}", "a://1/b/2", {"x": "1", "y": "2"}),
        ("a://{x}.txt", "a://notes.txt", {"x": "notes"}),
        ("a://{x}.txt", "a://notesXtxt", None),
        ("a://{x}", "a://caf%C3%A9%20au", {"x": "café au"}),
        ("a://{x}", "a://1?q=2", None),
        ("a://{x}?q={q}", "a://1?q=2", {"x": "1", "q": "2"}),
    ],
)
def test_a_template_stands_for_many_uris(template: str, uri: str, holes: dict | None) -> None:
    server = Server("s")
    server.resource(template, name="t")(lambda **holes: "")
    assert server.templates[template].match(uri) == holes


def test_a_template_with_holes_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match=r"only \{name\} and \{\+name\} are understood"):
        Server("s").resource("a://{?query}", name="t")(lambda query: "")


@pytest.mark.parametrize(
    ("template", "values", "uri"),
    [
        ("a://{x}", {"x": "café au/lait"}, "a://caf%C3%A9%20au%2Flait"),
        ("a://{+x}", {"x": "b/c d"}, "a://b/c%20d"),
    ],
)
def test_a_template_can_be_filled(template: str, values: dict, uri: str) -> None:
    assert fill(template, values) == uri
    with pytest.raises(KeyError):
        fill(template, {})


# -- the server itself -----------------------------------------------------------------------------


def test_capabilities_are_read_off_what_is_offered() -> None:
    server = Server("s")
    assert server.capabilities() == {}
    server.resource("a://{b}", name="t")(lambda b: "")
    assert server.capabilities() == {"resources": {"listChanged": True, "subscribe": True}}
    server.completion("a://{b}", "b")(lambda typed: [])
    assert server.capabilities()["completions"] == {}
    assert Server("s", logging=True).capabilities() == {"logging": {}}


def test_every_server_has_a_secret_of_its_own() -> None:
    assert Server("s").secret != Server("s").secret
    assert len(Server("s").secret) == 32
    assert Server("s", secret=b"mine").secret == b"mine"
