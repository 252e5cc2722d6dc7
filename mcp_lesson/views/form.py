"""A form for any tool: fill in its arguments, see what would be sent, send it, read the result.

    tool_form(tools[1], client.call_tool)

The form is made from the tool's inputSchema and from nothing else, so it knows as much of the tool
as a model does. It talks to nobody: what it was handed is an async callable, and that is what it
calls with name and arguments once they keep the schema. Without one it only checks.
"""

import asyncio
import textwrap
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from .companion import Companion
from .form_faces import WIDTH, as_html, as_text, lines_of, rows
from .form_fields import Field, fields_of
from .form_values import Problems, Reading, blank, check
from .marks import plain
from .shapes import safe

Call = Callable[[str, dict[str, Any]], Awaitable[Any]]


class ToolForm(Companion):
    """What `tool_form` returns.

    field      the form, read from the schema
    raw        what is filled in, as the form holds it
    result     what the last call gave, or None
    trouble    why the last call gave none, in words; "" if it did
    """

    def __init__(self, tool: Mapping[str, Any], call: Call | None = None) -> None:
        self.name = str(tool.get("name", ""))
        self.words = str(tool.get("description") or tool.get("title") or "")
        self.schema = tool.get("inputSchema", {"type": "object"})
        self.call = call
        self.field: Field = fields_of(self.schema)
        self.raw: Any = blank(self.field)
        self.result: Any = None
        self.trouble = ""

    @property
    def arguments(self) -> Any:
        """What is filled in, as the arguments of a call; empty fields are left out."""
        return Reading(self.field, self.raw).value

    @property
    def problems(self) -> Problems:
        """What is wrong with it, each at its place, in the schema's own words."""
        return check(self.schema, self.field, Reading(self.field, self.raw))

    async def submit(self) -> None:
        """Call the tool, if the arguments keep its schema. Raises nothing: see `trouble`."""
        self.result, self.trouble = None, ""
        if self.problems or self.call is None:
            return
        try:
            self.result = await self.call(self.name, self.arguments)
        except asyncio.CancelledError:
            self.trouble = "stopped"
            raise
        except Exception as problem:
            self.trouble = f"{type(problem).__name__}: {problem}"

    def __repr__(self) -> str:
        """The tool and its fields as text; not what somebody filled in."""
        head = textwrap.wrap(f"{plain(self.name)}: {_first_line(self.words)}".rstrip(": "), WIDTH)
        return "\n".join([*head, *(as_text(rows(self.field)) or ["  no arguments"])])

    def html(self) -> str:
        """The tool and its fields as a list."""
        words = safe(_first_line(self.words))
        listed = as_html(rows(self.field)) or "<p>It takes no arguments.</p>"
        return f"<p><strong>{safe(plain(self.name))}</strong> {words}</p>{listed}"

    def _widget(self) -> Any:
        from .form_widget import tool_view

        return tool_view(self)


def tool_form(tool: Mapping[str, Any], call: Call | None = None) -> ToolForm:
    """A form for the arguments of a tool.

    tool  a definition as `list_tools` gives it: name, description, inputSchema
    call  an async callable that takes name and arguments, such as `client.call_tool`; without it
          the form only checks what is filled in

    Takes any definition, however wrong: what a form cannot show is asked for as JSON. In a later
    cell, `.arguments` is what was filled in and `.result` what came of the last call.
    """
    return ToolForm(tool, call)


def _first_line(words: str) -> str:
    return lines_of(words).partition("\n")[0]
