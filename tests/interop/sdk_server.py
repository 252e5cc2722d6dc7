"""A server made with the official SDK, for our client to meet: stdio, or `--http PORT`."""

import sys
from typing import Annotated

from mcp.server import MCPServer
from mcp.server.mcpserver import (
    AcceptedElicitation,
    Context,
    Elicit,
    ElicitationResult,
    ListRoots,
    Resolve,
    Sample,
)
from mcp.types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    CreateMessageResult,
    ListRootsResult,
    PromptReference,
    ResourceTemplateReference,
    SamplingMessage,
    TextContent,
)
from pydantic import BaseModel

mcp = MCPServer("sdk", instructions="Be kind.", log_level="ERROR")


class Sum(BaseModel):
    total: int


class Person(BaseModel):
    name: str


def who() -> Elicit[Person]:
    return Elicit("What is your name?", Person)


def words() -> Sample:
    said = SamplingMessage(role="user", content=TextContent(type="text", text="A word?"))
    return Sample([said], max_tokens=10)


def folders() -> ListRoots:
    return ListRoots()


@mcp.tool()
def add(a: int, b: int) -> Sum:
    """Add two whole numbers."""
    return Sum(total=a + b)


@mcp.tool()
def echo(words: str) -> str:
    """Give back the same words."""
    return words


@mcp.tool()
def fail() -> str:
    """Fail."""
    raise ValueError("no paper")


@mcp.tool()
async def report(ctx: Context) -> str:
    """Report progress."""
    for done in (1, 2, 3):
        await ctx.report_progress(done, 3, f"step {done}")
    return "reported"


@mcp.tool()
async def wait() -> str:
    """Take very long."""
    import anyio

    await anyio.sleep(600)
    return "never"


@mcp.tool()
async def ask(
    person: Annotated[ElicitationResult[Person], Resolve(who)],
    said: Annotated[CreateMessageResult, Resolve(words)],
    roots: Annotated[ListRootsResult, Resolve(folders)],
) -> str:
    """Ask the client three things."""
    name = person.data.name if isinstance(person, AcceptedElicitation) else "nobody"
    return f"{name}, {said.content.text}, {roots.roots[0].uri}"  # type: ignore[union-attr]


@mcp.tool()
async def change(ctx: Context) -> str:
    """Say that something changed."""
    await ctx.notify_tools_changed()
    await ctx.notify_resource_updated("memo://today")
    return "changed"


@mcp.resource("memo://today")
def memo() -> str:
    """A memo."""
    return "Buy paper."


@mcp.resource("memo://{day}/text")
def memos(day: str) -> str:
    """A memo a day."""
    return f"Memo of {day}."


@mcp.prompt()
def greet(name: str) -> str:
    """A greeting."""
    return f"Greet {name}."


@mcp.completion()
async def complete(
    ref: PromptReference | ResourceTemplateReference,
    argument: CompletionArgument,
    context: CompletionContext | None,
) -> Completion:
    names = ("Ada", "Alan", "Bob")
    return Completion(values=[name for name in names if name.startswith(argument.value)])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--http"]:
        mcp.run("streamable-http", port=int(sys.argv[2]))
    else:
        mcp.run("stdio")
