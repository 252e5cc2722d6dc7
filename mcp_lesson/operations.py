"""What each request means to a server: one small function a method, and the table of them all.

Each takes the server's registry, the context of the request and its params, and returns the result.
Era and revision are settled before (`connection`); where revisions differ in what a result holds,
the context says which one is spoken.
"""

import base64
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from . import content, jsonrpc
from .context import Context, InputRequired, NotFound, ToolError
from .jsonrpc import Message
from .modern import check_param_headers
from .peer import McpError
from .server import Offer, Server, Tool
from .workers import call

REFERENCES = {"ref/prompt": "name", "ref/resource": "uri"}
"""What has arguments to complete, a prompt or a resource template, and which member names it."""

MAX_COMPLETIONS = 100
"""Clause: server/utilities/completion: a result holds at most 100 values."""


def invalid(reason: str, data: Any = None) -> McpError:
    """The error for params that cannot be served."""
    return McpError(jsonrpc.INVALID_PARAMS, reason, data)


def text_of(params: Message, name: str) -> str:
    """A member of params that must be a string. Raises McpError INVALID_PARAMS."""
    if not isinstance(params.get(name), str):
        raise invalid(f"params.{name} must be a string")
    return params[name]  # type: ignore[no-any-return]


async def run(offer: Offer, context: Context, /, *typed: str, **arguments: Any) -> Any:
    """Call the function behind an offer, with its context if it wants one."""
    if offer.wants_context:
        arguments[offer.wants_context] = context
    return await call(offer.function, *typed, **arguments)


# -- tools ---------------------------------------------------------------------------------------


async def call_tool(server: Server, context: Context, params: Message) -> Message:
    """tools/call: an unknown tool is an error; a tool that fails gives a result with isError."""
    name, arguments = text_of(params, "name"), params.get("arguments", {})
    tool = server.tools.get(name)
    if tool is None:
        raise invalid(f"Unknown tool: {name}")
    if not isinstance(arguments, dict):
        raise invalid("params.arguments must be an object")
    if context.revision.era == "modern" and context.envelope.headers and tool.is_mirrored:
        check_param_headers(tool.definition["inputSchema"], arguments, context.envelope.headers)
    problems = tool.problems(arguments)
    if problems and context.revision.bad_arguments == "error":
        raise invalid(f"Invalid arguments for {name}: {'; '.join(problems)}")
    if problems:
        return failure(f"Invalid arguments for {name}: {'; '.join(problems)}")
    return await _attempt(tool, context, arguments)


async def _attempt(tool: Tool, context: Context, arguments: Message) -> Message:
    try:
        if tool.model is not None:
            model = tool.model.model_validate(arguments)
            arguments = {name: getattr(model, name) for name in type(model).model_fields}
        return _tool_result(tool, context, await run(tool, context, **arguments))
    except (McpError, InputRequired):
        raise
    except ToolError as problem:
        return failure(str(problem))
    except Exception as problem:
        return failure(f"{type(problem).__name__}: {problem}")


def _tool_result(tool: Tool, context: Context, value: Any) -> Message:
    revision = context.revision.name
    if isinstance(value, dict) and content.are_blocks(value.get("content")):
        return dict(value)  # a handler that builds the whole result itself
    result: Message = {"content": content.blocks(value, revision)}
    if "outputSchema" in tool.described(revision) and tool.check_output:
        problems = tool.check_output(value)
        if problems:
            return failure(f"the tool's result breaks its outputSchema: {'; '.join(problems)}")
        result["structuredContent"] = value
    return result


def failure(reason: str) -> Message:
    """The result of a tool that failed: the model reads why, and may try again."""
    return {"content": [content.text(reason)], "isError": True}


# -- resources -----------------------------------------------------------------------------------


async def read_resource(server: Server, context: Context, params: Message) -> Message:
    """resources/read: the direct resources first, then the templates in order."""
    uri = text_of(params, "uri")
    offer, filled = find_resource(server, uri)
    try:
        if offer is None:
            raise NotFound("Resource not found")
        value = await run(offer, context, **filled)
    except NotFound as problem:
        raise McpError(context.revision.not_found, str(problem), {"uri": uri}) from None
    return {"contents": _contents(uri, value, offer.definition.get("mimeType"))}


def find_resource(server: Server, uri: str) -> tuple[Offer | None, dict[str, str]]:
    """What serves this URI, and what fills the holes of its template."""
    if uri in server.resources:
        return server.resources[uri], {}
    for template in server.templates.values():
        filled = template.match(uri)
        if filled is not None:
            return template, filled
    return None, {}


def _contents(uri: str, value: Any, mime_type: str | None) -> list[Message]:
    if isinstance(value, list) and all(isinstance(part, dict) and "uri" in part for part in value):
        return value
    if isinstance(value, dict) and "uri" in value:
        return [value]
    body = value if isinstance(value, str | bytes) else jsonrpc.dumps(value)
    return [content.contents(uri, body, mime_type)]


# -- prompts and completion ----------------------------------------------------------------------


async def get_prompt(server: Server, context: Context, params: Message) -> Message:
    """prompts/get: arguments are strings; what a function returns becomes messages."""
    name, arguments = text_of(params, "name"), params.get("arguments", {})
    prompt = server.prompts.get(name)
    if prompt is None:
        raise invalid(f"Unknown prompt: {name}")
    known = prompt.definition.get("arguments", [])
    _check_prompt_arguments(name, known, arguments)
    named = {key: value for key, value in arguments.items() if key in {a["name"] for a in known}}
    value = await run(prompt, context, **named)
    words = prompt.definition.get("description")
    messages = _messages(value, context.revision.name)
    return ({"description": words} if words else {}) | {"messages": messages}


def _check_prompt_arguments(name: str, known: list[Message], arguments: Any) -> None:
    if not isinstance(arguments, dict) or not all(isinstance(v, str) for v in arguments.values()):
        raise invalid("params.arguments must be an object of strings")
    missing = [a["name"] for a in known if a.get("required") and a["name"] not in arguments]
    if missing:
        raise invalid(f"Missing arguments for {name}: {', '.join(missing)}")


def _messages(value: Any, revision: str) -> list[Message]:
    if isinstance(value, list) and all(isinstance(m, dict) and "role" in m for m in value):
        return value
    return [{"role": "user", "content": block} for block in content.blocks(value, revision)]


async def complete(server: Server, context: Context, params: Message) -> Message:
    """completion/complete: what could stand in an argument that somebody is typing."""
    ref, argument, filled = params.get("ref"), params.get("argument"), params.get("context", {})
    if not isinstance(ref, dict) or not isinstance(argument, dict):
        raise invalid("params.ref and params.argument must be objects")
    if not isinstance(filled, dict) or not isinstance(filled.get("arguments", {}), dict):
        raise invalid("params.context and its arguments must be objects")
    if ref.get("type") not in REFERENCES:
        raise invalid(f"params.ref.type must be one of {', '.join(REFERENCES)}")
    of = text_of(ref, REFERENCES[ref["type"]])
    name, typed = text_of(argument, "name"), text_of(argument, "value")
    completer = server.completers.get((of, name))
    if completer is None and of not in server.prompts and of not in server.templates:
        raise invalid(f"Nothing to complete: {of}")
    values = list(await run(completer, context, typed)) if completer else []
    shown = values[:MAX_COMPLETIONS]
    more = {"total": len(values), "hasMore": len(values) > len(shown)}
    return {"completion": {"values": shown, **more}}


# -- lists ---------------------------------------------------------------------------------------


def listing(member: str, shelf: str) -> Callable[..., Awaitable[Message]]:
    """A list operation: the definitions on one shelf of the server, a page at a time."""

    async def operation(server: Server, context: Context, params: Message) -> Message:
        offers: Iterable[Offer] = getattr(server, shelf).values()
        entries = [offer.described(context.revision.name) for offer in offers]
        page, cursor = _page(entries, server.page_size, params.get("cursor"))
        return {member: page} | ({"nextCursor": cursor} if cursor else {})

    return operation


def _page(
    entries: list[Message], size: int | None, cursor: Any
) -> tuple[list[Message], str | None]:
    """One page, and the cursor of the next. A cursor is opaque to all but this function."""
    start = _read_cursor(cursor, len(entries)) if cursor is not None else 0
    end = len(entries) if size is None else min(start + size, len(entries))
    following = base64.urlsafe_b64encode(b"from:%d" % end).decode()
    return entries[start:end], following if end < len(entries) else None


def _read_cursor(cursor: Any, count: int) -> int:
    try:
        name, _, digits = base64.urlsafe_b64decode(cursor).partition(b":")
        if name == b"from" and 0 < int(digits) < count:
            return int(digits)
    except (ValueError, TypeError):
        pass
    raise invalid("params.cursor is none that this server gave out")


OPERATIONS: dict[str, Callable[[Server, Context, Message], Awaitable[Message]]] = {
    "tools/list": listing("tools", "tools"),
    "tools/call": call_tool,
    "resources/list": listing("resources", "resources"),
    "resources/templates/list": listing("resourceTemplates", "templates"),
    "resources/read": read_resource,
    "prompts/list": listing("prompts", "prompts"),
    "prompts/get": get_prompt,
    "completion/complete": complete,
}
