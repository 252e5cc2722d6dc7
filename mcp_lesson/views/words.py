"""The few grey words beside a method: what this message says, in one glance.

One table per kind of message, from the method to a function of its `params` or `result`. A method
that is not in the table shows its first members; a message whose form is wrong shows whatever it
has. The words are short by design and the reader shows the rest.

Clauses: the message forms of https://modelcontextprotocol.io/specification, all revisions.
"""

from collections.abc import Callable
from typing import Any

from . import values as v

Describe = Callable[[Any], str]

_VERSION = "io.modelcontextprotocol/protocolVersion"


def of_request(method: str, params: Any) -> str:
    """What a request asks, beside its method."""
    said = _REQUESTS.get(method, _other)(params)
    answers = v.get(params, "inputResponses")
    return v.dotted(said, f"answers {v.keys(answers)}" if answers else "")


def of_notification(method: str, params: Any) -> str:
    """What a notification tells, beside its method."""
    return _NOTIFICATIONS.get(method, _other)(params)


def of_result(method: str, result: Any, asked: Any = None) -> str:
    """What an answer brings, beside the method of its request ("" when that is unknown).

    `asked` is the params of that request: whether a version is agreed on shows only beside it.
    """
    if v.get(result, "resultType") == "input_required":
        return _input_required(result)
    if method == "initialize" and v.get(result, "protocolVersion") is not None:
        return _version_answered(result, asked)
    return _RESULTS.get(method, _any_result)(result)


def of_error(error: Any) -> str:
    """What an error says, beside its code."""
    message, data = v.get(error, "message"), v.get(error, "data")
    said = message if isinstance(message, str) else v.value(error)
    supported = v.get(data, "supported")
    return v.dotted(
        said[:300],
        f"supports {v.joined(map(str, supported[: v.FEW]))}" if isinstance(supported, list) else "",
    )


def _other(params: Any) -> str:
    if not isinstance(params, dict):
        return "" if params is None else v.value(params)
    return v.members({name: params[name] for name in params if name != "_meta"})


def _initialize(params: Any) -> str:
    offered = v.plain_name(v.get(params, "protocolVersion"))
    return v.dotted(f"offers {offered}", v.keys(v.get(params, "capabilities")))


def _version_answered(result: Any, asked: Any) -> str:
    version = v.get(result, "protocolVersion")
    verb = "agrees" if version == v.get(asked, "protocolVersion") else "answers"
    return v.dotted(f"{verb} {v.plain_name(version)}", v.keys(v.get(result, "capabilities")))


def _discover(params: Any) -> str:
    version = v.get(params, "_meta", _VERSION)
    return f"speaks {v.plain_name(version)}" if version else ""


def _discovered(result: Any) -> str:
    versions = v.get(result, "supportedVersions")
    spoken = v.joined(map(v.plain_name, versions[: v.FEW])) if isinstance(versions, list) else "?"
    return v.dotted(f"speaks {spoken}", v.keys(v.get(result, "capabilities")))


def _page(params: Any) -> str:
    return "next page" if v.get(params, "cursor") is not None else ""


def _call(params: Any) -> str:
    return v.call(v.get(params, "name"), v.get(params, "arguments"))


def _completion(params: Any) -> str:
    ref, argument = v.get(params, "ref"), v.get(params, "argument")
    place = v.get(ref, "name") or v.get(ref, "uri")
    return f"{v.plain_name(place)} · {v.plain_name(v.get(argument, 'name'))}=" + v.quoted(
        v.get(argument, "value")
    )


def _sampling(params: Any) -> str:
    messages = v.get(params, "messages")
    last = messages[-1] if isinstance(messages, list) and messages else None
    most = v.get(params, "maxTokens")
    return v.dotted(
        v.content(v.get(last, "content")) if last else "no messages",
        f"at most {v.value(most)} tokens" if most is not None else "",
    )


def _elicitation(params: Any) -> str:
    url = v.get(params, "url")
    wanted = v.keys(v.get(params, "requestedSchema", "properties"))
    return v.dotted(
        v.quoted(v.get(params, "message")), f"at {v.plain_name(url)}" if url else wanted
    )


def _listen(params: Any) -> str:
    wanted = v.get(params, "notifications")
    return f"wants {v.keys(wanted)}" if wanted else ""


def _member(name: str) -> Describe:
    return lambda body: v.plain_name(v.get(body, name)) if v.get(body, name) is not None else ""


_REQUESTS: dict[str, Describe] = {
    "initialize": _initialize,
    "server/discover": _discover,
    "tools/list": _page,
    "resources/list": _page,
    "resources/templates/list": _page,
    "prompts/list": _page,
    "tasks/list": _page,
    "tools/call": _call,
    "prompts/get": _call,
    "resources/read": _member("uri"),
    "resources/subscribe": _member("uri"),
    "resources/unsubscribe": _member("uri"),
    "completion/complete": _completion,
    "logging/setLevel": _member("level"),
    "sampling/createMessage": _sampling,
    "elicitation/create": _elicitation,
    "subscriptions/listen": _listen,
    "tasks/get": _member("taskId"),
    "tasks/result": _member("taskId"),
    "tasks/cancel": _member("taskId"),
}


def _cancelled(params: Any) -> str:
    reason = v.get(params, "reason")
    return v.dotted(f"#{v.id_text(v.get(params, 'requestId'))}", reason if reason else "")


def _progress(params: Any) -> str:
    done, total = v.get(params, "progress"), v.get(params, "total")
    of = f" of {v.value(total)}" if total is not None else ""
    note = v.get(params, "message")
    return v.dotted(v.value(done) + of, note[:160] if isinstance(note, str) else "")


def _log(params: Any) -> str:
    data = v.get(params, "data")
    return v.dotted(
        v.plain_name(v.get(params, "level")), data[:300] if isinstance(data, str) else v.value(data)
    )


def _acknowledged(params: Any) -> str:
    return f"grants {v.keys(v.get(params, 'notifications')) or 'nothing'}"


def _task_status(params: Any) -> str:
    return v.dotted(_member("taskId")(params), _member("status")(params))


_NOTIFICATIONS: dict[str, Describe] = {
    "notifications/cancelled": _cancelled,
    "notifications/progress": _progress,
    "notifications/message": _log,
    "notifications/resources/updated": _member("uri"),
    "notifications/subscriptions/acknowledged": _acknowledged,
    "notifications/tasks/status": _task_status,
    "notifications/elicitation/complete": _member("elicitationId"),
}


def _listing(member: str, noun: str, key: str = "name") -> Describe:
    def describe(result: Any) -> str:
        items = v.get(result, member)
        if not isinstance(items, list):
            return _any_result(result)
        more = "another page follows" if v.get(result, "nextCursor") is not None else ""
        return v.dotted(v.counted(items, noun), v.names(items, key), more)

    return describe


def _called(result: Any) -> str:
    blocks, structured = v.get(result, "content"), v.get(result, "structuredContent")
    said = v.content(blocks) if blocks else f"{{{v.members(structured)}}}" if structured else ""
    if not said:
        return _any_result(result)
    return f"✕ isError · {said}" if v.get(result, "isError") is True else said


def _read(result: Any) -> str:
    contents = v.get(result, "contents")
    if not isinstance(contents, list) or not contents:
        return _any_result(result)
    first = contents[0]
    text = v.get(first, "text")
    said = v.quoted(text) if text is not None else "blob" if v.get(first, "blob") else ""
    more = f"{len(contents) - 1} more" if len(contents) > 1 else ""
    return v.dotted(_member("mimeType")(first), said, more)


def _got_prompt(result: Any) -> str:
    messages = v.get(result, "messages")
    if not isinstance(messages, list) or not messages:
        return _any_result(result)
    first = messages[0]
    said = f"{v.plain_name(v.get(first, 'role'))} {v.content(v.get(first, 'content'))}"
    return v.dotted(v.counted(messages, "message"), said)


def _completed(result: Any) -> str:
    found = v.get(result, "completion", "values")
    if not isinstance(found, list):
        return _any_result(result)
    return v.joined(map(v.plain_name, found[: v.FEW]), len(found) > v.FEW) or "no suggestion"


def _sampled(result: Any) -> str:
    role, said = v.get(result, "role"), v.get(result, "content")
    return f"{v.plain_name(role)} {v.content(said)}" if role else _any_result(result)


def _elicited(result: Any) -> str:
    action = v.get(result, "action")
    if action is None:
        return _any_result(result)
    return v.dotted(v.plain_name(action), v.members(v.get(result, "content")))


def _input_required(result: Any) -> str:
    asked = v.get(result, "inputRequests")
    if not isinstance(asked, dict) or not asked:
        return "input required · try again with requestState"
    shown = [f"{name} ({v.plain_name(v.get(asked[name], 'method'))})" for name in list(asked)[:3]]
    return "input required · " + v.joined(shown, len(asked) > 3)


def _any_result(result: Any) -> str:
    if not isinstance(result, dict):
        return v.value(result)
    hidden = ("_meta", "resultType")
    return v.members({name: result[name] for name in result if name not in hidden}) or "{}"


_RESULTS: dict[str, Describe] = {
    "server/discover": _discovered,
    "tools/list": _listing("tools", "tool"),
    "resources/list": _listing("resources", "resource"),
    "resources/templates/list": _listing("resourceTemplates", "template"),
    "prompts/list": _listing("prompts", "prompt"),
    "roots/list": _listing("roots", "root", "uri"),
    "tasks/list": _listing("tasks", "task", "taskId"),
    "tools/call": _called,
    "tasks/result": _called,
    "resources/read": _read,
    "prompts/get": _got_prompt,
    "completion/complete": _completed,
    "sampling/createMessage": _sampled,
    "elicitation/create": _elicited,
}
