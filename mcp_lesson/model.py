"""A stand-in for a language model, and the loop that every agent is.

A real model is fed with text and gives back text, or asks for a tool to be called. `ScriptedModel`
does the same with a short table of sentences it understands: always alike, offline, without a key.
It never sees a server and never sends a message: it only says what it wants. The loop in `ask` is
the host's: it shows the model what tools there are, calls what the model asks for, and hands back
what came out, until the model has an answer.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .client import Client
from .jsonrpc import Message
from .results import Listing
from .trace import Trace


@dataclass(frozen=True)
class Wish:
    """What a model says: a `text` for the user, or a `tool` it wants called with `arguments`."""

    text: str = ""
    tool: str | None = None
    arguments: Message = field(default_factory=dict)

    def __str__(self) -> str:
        if self.tool is None:
            return self.text
        inside = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"please call {self.tool}({inside})"


@dataclass(frozen=True)
class Rule:
    """One sentence the scripted model understands.

    pattern    what the question must contain, in lower case
    tool       the tool it wants then
    arguments  made from the match
    answer     the sentence around the tool's result, with {0} for it
    """

    pattern: str
    tool: str
    arguments: Callable[[re.Match[str]], Message]
    answer: str


RULES = (
    Rule(
        r"(-?\d+) plus (-?\d+)",
        "add",
        lambda found: {"a": int(found[1]), "b": int(found[2])},
        "That makes {0}.",
    ),
    Rule(r"what time", "get_time", lambda found: {}, "It is {0}."),
    Rule(r"say (.+)", "echo", lambda found: {"text": found[1]}, "{0}"),
)


class ScriptedModel:
    """A model that follows a table of rules instead of billions of numbers."""

    def __init__(self, rules: Sequence[Rule] = RULES) -> None:
        self.rules = rules

    def wish(self, question: str, tools: Listing, results: Sequence[str]) -> Wish:
        """What to do next: given the question, the tools there are, and what they gave so far."""
        for rule in self.rules:
            found = re.search(rule.pattern, question, re.IGNORECASE)
            if found and results:
                return Wish(rule.answer.format(results[-1]))
            if found and rule.tool in tools.names:
                return Wish(tool=rule.tool, arguments=rule.arguments(found))
        return Wish("I have no tool for that.")


async def ask(
    question: str, model: Any, client: Client, *, trace: Trace | None = None, turns: int = 8
) -> str:
    """Put a question to a model that may use the tools of a server; returns its answer.

    The talk between user, host and model is recorded as speech beside the messages. Raises
    RuntimeError when the model is not done after `turns` turns.
    """
    trace = client.trace if trace is None else trace

    def said(who: str, words: str) -> None:
        trace.noted("speech", words, who)

    said("user->host", question)
    tools = await client.list_tools()
    said("host->model", f"{question} You may use: {', '.join(tools.names)}")
    results: list[str] = []
    for _ in range(turns):
        wish = model.wish(question, tools, results)
        said("model->host", str(wish))
        if wish.tool is None:
            said("host->user", wish.text)
            return str(wish.text)
        result = await client.call_tool(wish.tool, wish.arguments)
        results.append(result.text)
        said("host->model", f"{wish.tool} gave: {result.text}")
    raise RuntimeError(f"the model wanted more than {turns} tool calls")
