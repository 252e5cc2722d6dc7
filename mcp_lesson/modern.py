"""The stateless era: what every request carries, what every result carries, and the checks on both.

Since 2026-07-28 there is no handshake. A request says in `_meta` which revision it speaks and what
its sender can do; over HTTP, headers repeat what a gateway wants to route by. A server that needs
an answer from the client puts the question into its result, with a `requestState` that it signs
because it comes back through strangers.

Pure functions on messages and headers; both peers use them.
Clause: https://modelcontextprotocol.io/specification/2026-07-28/basic#meta
"""

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any

from . import jsonrpc, revisions
from .jsonrpc import Message
from .peer import Envelope, McpError
from .revisions import LOG_LEVELS, META, MODERN, NEWEST

VERSION_HEADER, METHOD_HEADER, NAME_HEADER = "mcp-protocol-version", "mcp-method", "mcp-name"
PARAM_HEADER = "mcp-param-"

STATE_SECONDS = 600
"""How long a requestState may be carried about before it is refused."""

_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_PLAIN = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?|")
_VALUE = re.compile(r"[\t\x20-\x7e]*")
_SAFE_INTEGER = 2**53 - 1
_INTEGER = re.compile(r"-?\d{1,17}(\.0+)?", re.ASCII)


def meta_of(message: Any) -> Message:
    """The `_meta` of a request, or an empty object where there is none to read."""
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta if isinstance(meta, dict) else {}


def is_modern(envelope: Envelope) -> bool:
    """True if a request is to be read by the rules of the stateless era.

    Its `_meta` names a version, or its header names one that is none of the old dates, or its
    method exists in the new era only.
    """
    if META + "protocolVersion" in meta_of(envelope.message):
        return True
    header = envelope.headers.get(VERSION_HEADER)
    if header is not None:
        return header not in revisions.LEGACY
    method = envelope.message.get("method")
    newest, legacy = revisions.ALL[NEWEST].methods, revisions.ALL[revisions.LATEST_LEGACY].methods
    return isinstance(method, str) and method in newest and method not in legacy


def check_request(envelope: Envelope) -> None:
    """Refuse a request that lacks what it must carry, or whose headers say something else.

    Raises McpError: INVALID_PARAMS for `_meta`, HEADER_MISMATCH, UNSUPPORTED_VERSION, and
    METHOD_NOT_FOUND. Headers are looked at only where the wire has them.
    """
    message, meta = envelope.message, meta_of(envelope.message)
    version = meta.get(META + "protocolVersion")
    if not isinstance(version, str):
        raise McpError(jsonrpc.INVALID_PARAMS, f"_meta lacks {META}protocolVersion", status=400)
    if not isinstance(meta.get(META + "clientCapabilities"), dict):
        raise McpError(jsonrpc.INVALID_PARAMS, f"_meta lacks {META}clientCapabilities", status=400)
    if meta.get(META + "logLevel", "info") not in LOG_LEVELS:
        raise McpError(jsonrpc.INVALID_PARAMS, f"{META}logLevel is none of the eight", status=400)
    if envelope.headers:
        _check_header(envelope.headers, VERSION_HEADER, version)
    if version not in MODERN:
        data = {"supported": list(MODERN), "requested": version}
        raise McpError(jsonrpc.UNSUPPORTED_VERSION, data=data)
    if message["method"] not in revisions.ALL[version].methods:
        raise McpError(jsonrpc.METHOD_NOT_FOUND, f"Method not found: {message['method']}")
    if envelope.headers:
        _check_header(envelope.headers, METHOD_HEADER, message["method"])
        if (name := _name_of(message, version)) is not None:
            _check_header(envelope.headers, NAME_HEADER, name)


def _check_header(headers: Mapping[str, str], name: str, value: str) -> None:
    given = headers.get(name)
    if given is None:
        raise McpError(jsonrpc.HEADER_MISMATCH, f"Header mismatch: {name} is missing")
    if (decode(given.strip()) if name == NAME_HEADER else given.strip()) != value:
        text = f"Header mismatch: {name} says {given!r}, the body says {value!r}"
        raise McpError(jsonrpc.HEADER_MISMATCH, text)


def _name_of(message: Message, version: str) -> str | None:
    """What a request names: its tool, its prompt or its resource; None where there is no such."""
    method = revisions.ALL[version].methods.get(message["method"])
    name = message.get("params", {}).get(method.named_by) if method and method.named_by else None
    return name if isinstance(name, str) else None


def routing_headers(message: Message, version: str) -> dict[str, str]:
    """The headers that repeat a request's body, so that a gateway need not parse it."""
    headers = {VERSION_HEADER: version, METHOD_HEADER: message["method"]}
    if (name := _name_of(message, version)) is not None:
        headers[NAME_HEADER] = encode(name)
    return headers


# -- parameters mirrored into headers ------------------------------------------------------------


def encode(value: str | int | bool) -> str:
    """A value as a header carries it; what is not plain ASCII goes as base64 of its UTF-8."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if _PLAIN.fullmatch(text) and not _is_encoded(text):
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


def decode(text: str) -> str:
    """The value behind a header. Raises McpError HEADER_MISMATCH for what no header may hold."""
    if not _VALUE.fullmatch(text):
        raise McpError(jsonrpc.HEADER_MISMATCH, "Header mismatch: it holds what no header may hold")
    if not _is_encoded(text):
        return text
    try:
        return base64.b64decode(text[9:-2], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise McpError(jsonrpc.HEADER_MISMATCH, "Header mismatch: bad base64 value") from None


def _is_encoded(text: str) -> bool:
    return text.startswith("=?base64?") and text.endswith("?=") and len(text) >= 11


def mirrored(schema: Any) -> dict[str, tuple[str, ...]]:
    """Which parameters a tool wants mirrored: header name in lower case → path of the property.

    Raises ValueError that says why, for a tool definition that a client must not use over HTTP.
    """
    found: dict[str, tuple[str, ...]] = {}
    reachable = list(_annotated(schema, ()))
    if len(reachable) != _count_annotations(schema):
        raise ValueError("x-mcp-header stands where no chain of properties leads")
    for path, name, field in reachable:
        if not isinstance(name, str) or not _TOKEN.fullmatch(name):
            raise ValueError(f"x-mcp-header {name!r} is no header name")
        if field.get("type") not in ("string", "integer", "boolean"):
            raise ValueError(f"x-mcp-header {name} is on a property that is not primitive")
        if name.lower() in found:
            raise ValueError(f"x-mcp-header {name} is used twice")
        found[name.lower()] = path
    return found


def _annotated(schema: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    for key, field in properties.items() if isinstance(properties, dict) else ():
        if isinstance(field, dict):
            if "x-mcp-header" in field:
                yield (*path, key), field["x-mcp-header"], field
            yield from _annotated(field, (*path, key))


def _count_annotations(schema: Any, is_map: bool = False) -> int:
    """All annotations in a schema; names of properties are no annotations."""
    if isinstance(schema, list):
        return sum(_count_annotations(part) for part in schema)
    if not isinstance(schema, dict):
        return 0
    own = int("x-mcp-header" in schema and not is_map)
    inside = (
        _count_annotations(value, key in ("properties", "$defs") and not is_map)
        for key, value in schema.items()
        if is_map or key not in ("default", "const", "enum", "examples", "x-mcp-header")
    )
    return own + sum(inside)


def value_at(arguments: Any, path: tuple[str, ...]) -> Any:
    """What stands at this path of the arguments, or None."""
    for key in path:
        arguments = arguments.get(key) if isinstance(arguments, dict) else None
    return arguments


def param_headers(schema: Any, arguments: Any) -> dict[str, str]:
    """The Mcp-Param headers of one call."""
    values = {name: value_at(arguments, path) for name, path in mirrored(schema).items()}
    return {
        PARAM_HEADER + name: encode(int(value) if isinstance(value, float) else value)
        for name, value in values.items()
        if isinstance(value, str | int) or _is_whole(value)
    }


def _is_whole(value: Any) -> bool:
    """True for 42.0, which is an integer to JSON Schema."""
    return isinstance(value, float) and value.is_integer()


def check_param_headers(schema: Any, arguments: Any, headers: Mapping[str, str]) -> None:
    """Refuse a call whose Mcp-Param headers differ from its arguments. Raises McpError."""
    for name, path in mirrored(schema).items():
        value, given = value_at(arguments, path), headers.get(PARAM_HEADER + name)
        if value is None and given is None:
            continue
        if given is None or not _same(decode(given), value):
            text = f"Header mismatch: {PARAM_HEADER}{name} and the argument {path[-1]!r} differ"
            raise McpError(jsonrpc.HEADER_MISMATCH, text)


def _same(text: str, value: Any) -> bool:
    if _is_whole(value) or (isinstance(value, int) and not isinstance(value, bool)):
        number = _INTEGER.fullmatch(text)
        return bool(number) and float(text) == value and abs(value) <= _SAFE_INTEGER
    return text == (str(value).lower() if isinstance(value, bool) else value)


# -- the state that travels ----------------------------------------------------------------------


def seal_state(state: Message, secret: bytes, bound_to: str) -> str:
    """Pack what a server must remember between two rounds: signed, dated, bound to its request."""
    body = {"state": state, "for": bound_to, "until": time.time() + STATE_SECONDS}
    packed = base64.urlsafe_b64encode(json.dumps(body).encode()).decode()
    return f"{packed}.{_sign(packed, secret)}"


def open_state(text: object, secret: bytes, bound_to: str) -> Message:
    """Read it again. Raises McpError for a state that is changed, too old, or another request's."""
    packed, _, mark = text.rpartition(".") if isinstance(text, str) else ("", "", "")
    if not hmac.compare_digest(mark.encode(errors="replace"), _sign(packed, secret).encode()):
        raise McpError(jsonrpc.INVALID_PARAMS, "requestState is not as this server made it")
    body = json.loads(base64.urlsafe_b64decode(packed))
    if body["until"] < time.time():
        raise McpError(jsonrpc.INVALID_PARAMS, "requestState is too old; start again without it")
    if body["for"] != bound_to:
        raise McpError(jsonrpc.INVALID_PARAMS, "requestState belongs to another request")
    return body["state"]  # type: ignore[no-any-return]


def _sign(packed: str, secret: bytes) -> str:
    return hmac.new(secret, packed.encode(errors="replace"), hashlib.sha256).hexdigest()


def binding(message: Message, caller: str = "") -> str:
    """What a state is bound to: the caller, the method, and what was asked of it."""
    params = {k: v for k, v in message["params"].items() if k in ("name", "uri", "arguments")}
    text = json.dumps([caller, message["method"], params], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
