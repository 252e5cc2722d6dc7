"""What HTTP adds to a conversation: sessions, streams, and headers that repeat the body."""

from typing import Any

from .. import jsonrpc, modern
from ..peer import Envelope, McpError
from ..revisions import ALL
from .conversation import SESSION, Event, get
from .promises import ABSENT, UNKNOWN


def gone(event: Event) -> Any:
    """Whether the session named in these headers had ended before this exchange began."""
    exchange = event.exchange
    if exchange is None or exchange.headers is None:
        return UNKNOWN
    named = f"gone {exchange.headers.get(SESSION)}"
    return event.talk.server.since.get(named, exchange.begun) < exchange.begun


def elsewhere(event: Event) -> bool:
    """Whether a server sent this before on another stream, and this one does not resume it."""
    copy, exchange = event.ties.get("copy"), event.exchange
    if copy is None or exchange is None or copy.event.exchange in (None, exchange):
        return False
    resumed = "last-event-id" in (exchange.headers or {})
    return not resumed and event.sender == "server" and bool(copy.event.message == event.message)


def named(event: Event) -> Any:
    """What the Mcp-Name header has to repeat."""
    row = ALL[max(event.revisions)].methods.get(event.method)
    name = get(event.message, "params", row.named_by) if row else None
    return ABSENT if name is None else name


def name_header(event: Event) -> Any:
    """The Mcp-Name header, decoded; as it is where that cannot be done."""
    headers = event.exchange.headers if event.exchange else None
    value = headers.get(modern.NAME_HEADER, ABSENT) if headers is not None else UNKNOWN
    try:
        return modern.decode(value) if isinstance(value, str) else value
    except McpError:
        return value


def mismatch(event: Event) -> Any:
    """How the headers of a request, or of the one answered here, differ from its body; or ""."""
    asked = event.asked or event
    headers, message = asked.exchange.headers if asked.exchange else None, asked.message
    if headers is None or not asked.method or not modern.meta_of(message):
        return UNKNOWN
    tool = get(asked.ties["tool"].object, "inputSchema") if "tool" in asked.ties else None
    try:
        modern.check_request(Envelope(message, headers=headers))
        modern.check_param_headers(tool, get(message, "params", "arguments"), headers)
    except McpError as problem:
        return problem.message if problem.code == jsonrpc.HEADER_MISMATCH else ""
    except (ValueError, RecursionError):  # the tool's annotations are wrong themselves
        return ""
    return ""


def waited(event: Event) -> Any:
    """Whether a stream is taken up again no sooner than its server asked for."""
    stream = event.ties["resumes"].event.exchange if "resumes" in event.ties else None
    asked = stream.retry if stream else 0
    return event.time - stream.seen + 0.01 >= asked if stream and asked else UNKNOWN
