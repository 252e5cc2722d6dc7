"""The heading over a message that is read: what it is, in a few words."""

from collections.abc import Callable
from typing import Any

from .. import jsonrpc
from .codes import code_name
from .values import count, name_text, value_text


def title(message: Any, answers: str | None = None) -> str:
    """A heading such as "Request tools/call" or "Error -32602 Invalid params". Never raises.

    `answers` is the method of the request that this response answers, if it is known.
    """
    return _TITLES[jsonrpc.kind(message)](message, answers)


def _call(message: dict[str, Any], answers: str | None) -> str:
    kind = "Request" if "id" in message else "Notification"
    method = message["method"]
    return f"{kind} {name_text(method) if isinstance(method, str) else value_text(method)}"


def _answer(message: dict[str, Any], answers: str | None) -> str:
    text = f"Answer to {name_text(answers)}" if isinstance(answers, str) else "Answer"
    result = message["result"]
    asks = isinstance(result, dict) and result.get("resultType") == "input_required"
    return f"{text}: input required" if asks else text


def _error(message: dict[str, Any], answers: str | None) -> str:
    error = message["error"]
    code = error.get("code") if isinstance(error, dict) else None
    if not isinstance(code, int) or isinstance(code, bool):
        return "Error without a code"
    return f"Error {value_text(code)} {code_name(code)}".rstrip()


_TITLES: dict[str, Callable[[Any, str | None], str]] = {
    "request": _call,
    "notification": _call,
    "result": _answer,
    "error": _error,
    "batch": lambda message, answers: f"Batch of {count(len(message), 'message')}",
    "invalid": lambda message, answers: "Not a message",
}
