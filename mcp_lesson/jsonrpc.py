"""The words: JSON-RPC 2.0 as the Model Context Protocol uses it.

A message is a Python dictionary. There are three shapes, and nothing else:

    request       method and id     somebody wants an answer
    notification  method, no id     somebody tells, and wants none
    response      id, and either result or error: the answer to one request

This module makes them, tells them apart, checks them, and turns them into text and back. It never
sends anything, and it knows no method by name: what `tools/call` means is said in `revisions/`.

Two rules differ from plain JSON-RPC 2.0 in every revision of MCP: an id is a string or an integer
and never null, and `params` is an object and never a list.
Clause: https://modelcontextprotocol.io/specification/2025-11-25/basic#messages
"""

import json
import math
from collections.abc import Callable
from typing import Any, NoReturn, TypeGuard

Message = dict[str, Any]
Id = str | int

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002
URL_ELICITATION_REQUIRED = -32042
HEADER_MISMATCH = -32020
MISSING_CLIENT_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022

CODES: dict[int, str] = {
    PARSE_ERROR: "Parse error",
    INVALID_REQUEST: "Invalid request",
    METHOD_NOT_FOUND: "Method not found",
    INVALID_PARAMS: "Invalid params",
    INTERNAL_ERROR: "Internal error",
    RESOURCE_NOT_FOUND: "Resource not found",
    URL_ELICITATION_REQUIRED: "URL elicitation required",
    HEADER_MISMATCH: "Header mismatch",
    MISSING_CLIENT_CAPABILITY: "Missing required client capability",
    UNSUPPORTED_VERSION: "Unsupported protocol version",
}

MODERN_CODES = frozenset({HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_VERSION})
"""Error codes that only a server of 2026-07-28 or later sends: they give its era away."""


MAX_DEPTH = 200
"""How deep the arrays and objects of one message may nest.

Python's own bound depends on its version and on how deep the caller stands. With one of our own,
what was read here can also be written, drawn and searched elsewhere.
"""


class MalformedMessage(ValueError):
    """A line that is no message: `code` says in which way, `id` is what could be read of its id.

    `code` is PARSE_ERROR (the text is not JSON) or INVALID_REQUEST (it is JSON, but no message).
    """

    def __init__(self, code: int, reason: str, id: Id | None = None) -> None:
        super().__init__(reason)
        self.code, self.reason, self.id = code, reason, id


def request(id: Id, method: str, params: Message | None = None) -> Message:
    """A message that wants an answer. `params` is left out when it is None."""
    message: Message = {"jsonrpc": "2.0", "id": id, "method": method}
    return message if params is None else message | {"params": params}


def notification(method: str, params: Message | None = None) -> Message:
    """A message that wants no answer: it has no id, so nobody could give one."""
    message: Message = {"jsonrpc": "2.0", "method": method}
    return message if params is None else message | {"params": params}


def result(id: Id, value: Message) -> Message:
    """The answer to the request with this id, when all went well."""
    return {"jsonrpc": "2.0", "id": id, "result": value}


def error(id: Id | None, code: int, message: str | None = None, data: Any = None) -> Message:
    """The answer to the request with this id, when it did not go well.

    `id` None means that none could be read: then the member is left out, which is legal since
    2025-11-25. `message` defaults to the standard name of the code.
    """
    body: Message = {"code": code, "message": message or CODES.get(code, "Error")}
    if data is not None:
        body["data"] = data
    head: Message = {"jsonrpc": "2.0"} if id is None else {"jsonrpc": "2.0", "id": id}
    return head | {"error": body}


def is_id(value: object) -> TypeGuard[Id]:
    """True for a string or an integer. `true`, `null` and `1.5` are no ids."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def kind(message: object) -> str:
    """Which shape: "request", "notification", "result", "error", "batch" or "invalid"."""
    if isinstance(message, list):
        return "batch"
    if not isinstance(message, dict):
        return "invalid"
    if "method" in message:
        return "request" if "id" in message else "notification"
    return next((name for name in ("result", "error") if name in message), "invalid")


def is_response(message: object) -> bool:
    """True for the two shapes that answer a request."""
    return kind(message) in ("result", "error")


def check(message: object) -> str | None:
    """What keeps this value from being a valid message, in a few words; None if nothing does."""
    if not isinstance(message, dict):
        return f"a message is an object, not {_json_type(message)}"
    if message.get("jsonrpc") != "2.0":
        return 'the member "jsonrpc" must be the string "2.0"'
    shape = kind(message)
    return _CHECKS[shape](message)


def _check_call(message: Message) -> str | None:
    if not isinstance(message["method"], str):
        return f"the method must be a string, not {_json_type(message['method'])}"
    if "id" in message and not is_id(message["id"]):
        return f"an id is a string or an integer, not {_json_type(message['id'])}"
    if "result" in message or "error" in message:
        return "a message has a method, a result or an error: only one of them"
    if not isinstance(message.get("params", {}), dict):
        return f"params must be an object, not {_json_type(message['params'])}"
    return None


def _check_result(message: Message) -> str | None:
    if "error" in message:
        return "a response has a result or an error, never both"
    if not is_id(message.get("id")):
        return "a result needs the id of its request: a string or an integer"
    if not isinstance(message["result"], dict):
        return f"a result must be an object, not {_json_type(message['result'])}"
    return None


def _check_error(message: Message) -> str | None:
    body = message["error"]
    if "id" in message and not is_id(message["id"]):
        return f"an id is a string or an integer, not {_json_type(message['id'])}"
    if not isinstance(body, dict):
        return f"an error must be an object, not {_json_type(body)}"
    if not isinstance(body.get("code"), int) or isinstance(body["code"], bool):
        return "an error needs a code: an integer"
    return None if isinstance(body.get("message"), str) else "an error needs a message: a string"


_CHECKS: dict[str, Callable[[Message], str | None]] = {
    "request": _check_call,
    "notification": _check_call,
    "result": _check_result,
    "error": _check_error,
    "invalid": lambda message: "a message has a method, a result or an error; this has none",
}


def _json_type(value: object) -> str:
    names = {dict: "an object", list: "an array", str: "a string", type(None): "null"}
    if isinstance(value, bool):
        return "true" if value else "false"
    return names.get(type(value), "a fraction" if isinstance(value, float) else "a number")


def readable_id(message: object) -> Id | None:
    """The id of a message that may be malformed, or None where no valid one is to be found."""
    if isinstance(message, dict) and is_id(message.get("id")):
        return message["id"]  # type: ignore[no-any-return]
    return None


def dumps(value: object) -> str:
    """One line of JSON: no newline inside, no blanks, letters of every script as they are.

    A lone surrogate (half a character, which UTF-8 cannot carry) makes the text plain ASCII with
    escapes instead. Raises ValueError for NaN and infinity, which JSON does not have, TypeError for
    what has no form in JSON, and RecursionError for what nests deeper than Python can follow.
    """
    text = _READABLE.encode(value)
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = _ASCII.encode(value)
    return text


def loads(line: str | bytes, *, depth: int = MAX_DEPTH) -> Any:
    """Read one line of JSON; a byte order mark and the blanks around it are dropped.

    Raises MalformedMessage with PARSE_ERROR for text that is not JSON or not UTF-8, for NaN and
    Infinity, for numbers too large to hold, and for nesting deeper than `depth`.
    """
    try:
        text = line.decode("utf-8-sig") if isinstance(line, bytes) else line.removeprefix("\ufeff")
        value = _DECODER.decode(text)
        if text.count("[") + text.count("{") <= depth or _nests_at_most(depth, value):
            return value
        reason = "nested too deeply"
    except UnicodeDecodeError as problem:
        reason = f"not UTF-8: byte {problem.object[problem.start]:#04x} at {problem.start}"
    except json.JSONDecodeError as problem:
        reason = f"not JSON: at character {problem.pos + 1}"
    except RecursionError:
        reason = "nested too deeply"
    except ValueError as problem:  # an integer of more digits than Python will convert, or NaN
        reason = "not JSON: " + str(problem) if "is no JSON" in str(problem) else "number too large"
    raise MalformedMessage(PARSE_ERROR, reason)


def _nests_at_most(depth: int, value: Any) -> bool:
    """Look level by level, not by recursion: the stack is what has to be spared."""
    level = [value]
    for _ in range(depth + 1):
        level = [node for node in level if isinstance(node, dict | list)]
        if not level:
            return True
        level = [x for node in level for x in (node.values() if isinstance(node, dict) else node)]
    return False


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError("number too large")
    return number


_READABLE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_ASCII = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)


def parse(line: str | bytes) -> Message:
    """Read one line as one valid message.

    Raises MalformedMessage: PARSE_ERROR if the line is not JSON, INVALID_REQUEST if it is JSON but
    no message (a batch included: 2025-03-26 alone has them, see `revisions/`).
    """
    message = loads(line)
    reason = check(message)
    if reason:
        raise MalformedMessage(INVALID_REQUEST, reason, readable_id(message))
    return message  # type: ignore[no-any-return]
