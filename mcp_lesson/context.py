"""What a handler may do besides returning: report, log, and ask the client back.

A handler that wants this has a parameter annotated `Context`:

    @server.tool
    async def book(day: str, ctx: Context) -> str:
        answer = await ctx.elicit("Really?", {"type": "object", "properties": …})

The same handler serves both eras. On a legacy connection `elicit` sends a request and waits. Since
2026-07-28 a server cannot ask: `elicit` ends the handler with the question as its result, and when
the client comes back with the answer the handler runs again from its first line, and this time
`elicit` returns. So what stands before a question should be safe to do twice.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from . import jsonrpc, modern, schema
from .jsonrpc import Message
from .peer import Envelope, McpError, Peer
from .revisions import LOG_LEVELS, Revision, has_capability

NEEDS = {
    "sampling/createMessage": "sampling",
    "elicitation/create": "elicitation",
    "roots/list": "roots",
}
"""What a client must have declared before it may be asked; `lacking` knows the finer points."""

_LOOKS_RIGHT: Mapping[str, Callable[[Any], bool]] = {
    "sampling/createMessage": lambda answer: "role" in answer and "content" in answer,
    "elicitation/create": lambda answer: answer.get("action") in ("accept", "decline", "cancel"),
    "roots/list": lambda answer: isinstance(answer.get("roots"), list),
}


def lacking(capabilities: Message, method: str, params: Message) -> str | None:
    """The capability that is missing for a client to be asked this; None if it may be.

    An `elicitation` that names no mode means forms alone.
    Clauses: client/elicitation#capabilities, client/sampling#tools-in-sampling
    """
    needed, modes = NEEDS[method], capabilities.get("elicitation")
    if method == "elicitation/create" and (params.get("mode") == "url" or modes):
        needed += f".{params.get('mode', 'form')}"
    if method == "sampling/createMessage" and {"tools", "toolChoice"} & params.keys():
        needed += ".tools"
    return None if has_capability(capabilities, needed) else needed


class ToolError(Exception):
    """A tool that failed in a way its caller should read: the text goes to the model."""


class NotFound(ToolError):
    """A resource that does not exist: raised by a template whose URI fits but names nothing."""


class InputRequired(Exception):
    """The handler cannot go on without answers: `questions` by key."""

    def __init__(self, questions: dict[str, Message]) -> None:
        super().__init__(", ".join(questions))
        self.questions = questions


class Context:
    """One request being served, as its handler sees it.

    revision      which revision this request speaks
    capabilities  what the client declared
    message       the request itself
    state         kept between the rounds of one request (2026-07-28); JSON values only
    log_level     from which level on log lines are wanted; None: none at all
    """

    def __init__(
        self, peer: Peer, envelope: Envelope, revision: Revision, capabilities: Message
    ) -> None:
        self.peer, self.envelope, self.message = peer, envelope, envelope.message
        self.revision, self.capabilities = revision, capabilities
        self.params: Message = self.message.get("params", {})
        self.meta = modern.meta_of(self.message)
        self.state: Message = {}
        self.answers: dict[str, Any] = {}
        self.log_level: str | None = None
        self._asked = 0
        self._progress = float("-inf")

    async def progress(
        self, done: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Report how far this is; nothing is sent unless the caller gave a token.

        Progress must grow: a value that does not is passed over. Clause: utilities/progress.
        """
        token = self.meta.get("progressToken")
        if not jsonrpc.is_id(token) or done <= self._progress:
            return
        self._progress = done
        values = {"progressToken": token, "progress": done, "total": total, "message": message}
        if self.revision.name < "2025-03-26":
            values["message"] = None
        await self._tell("notifications/progress", values)

    async def log(self, level: str, data: Any, logger: str | None = None) -> None:
        """Send a log line, if the client asked for lines of this level. Clause: utilities/logging.

        Nothing is sent by a `Server` without `logging=True`: it did not declare that it logs.
        Raises ValueError for a level that is none of the eight.
        """
        if level not in LOG_LEVELS:
            raise ValueError(f"level is {level!r}; it must be one of {', '.join(LOG_LEVELS)}")
        wanted = self.log_level
        if wanted in LOG_LEVELS and LOG_LEVELS.index(level) >= LOG_LEVELS.index(wanted):
            values = {"level": level, "data": data, "logger": logger}
            await self._tell("notifications/message", values)

    async def sample(self, messages: list[Message], max_tokens: int = 500, **more: Any) -> Message:
        """Ask the client's model. Clause: client/sampling."""
        params = {"messages": messages, "maxTokens": max_tokens, **more}
        return await self.ask("sampling/createMessage", params)

    async def elicit(self, message: str, requested: Message, *, key: str | None = None) -> Message:
        """Ask the person at the client by a form; never for secrets. Clause: client/elicitation.

        Returns {"action": "accept", "content": {…}}, or "decline" or "cancel". Raises ToolError for
        content that does not fit the form: who answers is a stranger.
        """
        params = {"message": message, "requestedSchema": requested}
        answer = await self.ask("elicitation/create", params, key=key)
        if answer["action"] == "accept":
            problems = schema.validator(requested)(answer.get("content"))
            if problems:
                raise ToolError(f"the answer does not fit the form: {'; '.join(problems)}")
        return answer

    async def roots(self) -> list[Message]:
        """Ask which folders the client lets this server see. Clause: client/roots."""
        answer = await self.ask("roots/list")
        return answer["roots"]  # type: ignore[no-any-return]

    async def ask(
        self, method: str, params: Message | None = None, *, key: str | None = None
    ) -> Message:
        """Ask the client anything it may be asked; in both eras.

        Raises McpError when the client declared no such capability, or answered with an error.
        """
        self._asked += 1
        key = key or f"{method.partition('/')[0]}-{self._asked}"
        question = {"method": method} | ({} if params is None else {"params": params})
        return (await self.ask_all({key: question}))[key]

    async def ask_all(self, questions: Mapping[str, Message]) -> dict[str, Message]:
        """Ask several questions at once, each {"method": …, "params": …}, and await all answers."""
        for question in questions.values():
            self._require(question["method"], question.get("params", {}))
        if self.revision.era == "legacy":
            limit, to = self.peer.limits.asked, self.message["id"]
            waiting = (
                self.peer.exchange(q["method"], q.get("params"), timeout=limit, reply_to=to)
                for q in questions.values()
            )
            self.answers |= zip(questions, await asyncio.gather(*waiting), strict=True)
        missing = {k: q for k, q in questions.items() if not self._answered(k, q["method"])}
        if missing and self.revision.era == "legacy":
            raise ToolError(f"the client's answer to {', '.join(missing)} is none")
        if missing:
            raise InputRequired(missing)
        return {key: self.answers[key] for key in questions}

    def _answered(self, key: str, method: str) -> bool:
        answer = self.answers.get(key)
        return isinstance(answer, dict) and _LOOKS_RIGHT[method](answer)

    def _require(self, method: str, params: Message) -> None:
        if method not in NEEDS:
            raise ValueError(f"a server cannot ask {method!r}; it may ask {', '.join(NEEDS)}")
        legacy = self.revision.era == "legacy"
        if legacy and not self.revision.may_send("server", method):
            raise ToolError(f"{method} does not exist in {self.revision.name}")
        needed = lacking(self.capabilities, method, params)
        if needed is None:
            return
        text = f"this needs the client capability {needed}, which was not declared"
        if legacy:
            raise ToolError(text)
        required: Message = {}
        for step in reversed(needed.split(".")):
            required = {step: required}
        data = {"requiredCapabilities": required}
        raise McpError(jsonrpc.MISSING_CLIENT_CAPABILITY, text, data)

    async def _tell(self, method: str, values: Mapping[str, Any]) -> None:
        params = {key: value for key, value in values.items() if value is not None}
        await self.peer.tell(method, params, reply_to=self.message["id"])
