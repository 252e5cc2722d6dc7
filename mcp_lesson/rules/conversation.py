"""A trace read as a conversation: what belongs together, whatever order it came in.

A trace is a list of frames. Rules speak of more: of the request that an answer answers, of the
HTTP exchange that carried a message, of the tool that is called. Here each frame becomes one event
or several (a message, a part of a batch, a line that is no message, a step of HTTP), and each event
is tied to what it refers to: `ties` has the table.

What stands here is what was said, and never whether it was right. Where the trace does not tell,
because it begins in the middle or holds one side only, there is no tie.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .. import jsonrpc
from ..jsonrpc import MODERN_CODES
from ..revisions import META
from ..trace import Frame
from .ties import Tie, is_name, tie

OTHER = {"client": "server", "server": "client"}
SESSION = "mcp-session-id"
_ENDS = re.compile(r"clos|end|exit|kill|start|stop|died|lost|gone", re.IGNORECASE)


@dataclass(slots=True, eq=False)
class Server:
    """One server, over all its sessions.

    modern      it showed a sign that it speaks 2026-07-28
    pair        it is reached by the HTTP+SSE pair of 2024-11-05: one stream, and POSTs beside it
    discovered  its last answer to `server/discover`
    authorized  the first frame with an access token, -1 if there is none
    gone        sessions that ended, each with the frame that showed it
    """

    modern: bool = False
    pair: bool = False
    discovered: "Event | None" = None
    authorized: int = -1
    gone: dict[str, int] = field(default_factory=dict)
    sessions: "dict[str, Talk]" = field(default_factory=dict)
    latest: "Talk | None" = None


@dataclass(slots=True, eq=False)
class Talk:
    """One session; without sessions, what is said on a wire until the next `initialize`.

    opening      its `initialize`
    initialized  the frame of its `notifications/initialized`
    whole        it was heard from its first word
    life         grows when something ends: what was asked before waits no more
    known        what later events may refer to
    last, open   of each side, the last message and how many requests wait
    garbled      the sides that wrote what cannot be read, or has no id that can
    """

    server: Server
    session: str | None = None
    opening: "Event | None" = None
    initialized: int | None = None
    whole: bool = False
    life: int = 0
    known: dict[str, dict[Any, Tie]] = field(default_factory=dict)
    last: "dict[str, Event]" = field(default_factory=dict)
    open: Counter[str] = field(default_factory=Counter)
    garbled: set[str] = field(default_factory=set)


@dataclass(slots=True, eq=False)
class Exchange:
    """One HTTP exchange; headers are None where they were not recorded.

    calls     the messages of its POST
    endpoint  it brought an `endpoint` event, as the HTTP+SSE pair of 2024-11-05 does
    retry     the seconds to wait before its stream is taken up again
    begun     its first frame
    seen      when its last frame came
    """

    begun: int = -1
    verb: str = ""
    target: str = ""
    headers: dict[str, str] | None = None
    status: int | None = None
    reply: dict[str, str] | None = None
    calls: "list[Event]" = field(default_factory=list)
    endpoint: bool = False
    retry: float = 0.0
    seen: float = 0.0

    def take(self, number: int, frame: Frame) -> None:
        """Read what a frame tells of its exchange."""
        self.begun = number if self.begun < 0 else self.begun
        first, _, rest = (frame.http or "").partition(" ")
        headers = frame.headers if isinstance(frame.headers, dict) else None
        if first.isdecimal() and first.isascii():
            self.status, self.reply = int(first[:3]), headers
        elif first:
            self.verb, self.target, self.headers = first, rest, headers
        sse = frame.sse if isinstance(frame.sse, dict) else {}
        self.endpoint |= sse.get("event") == "endpoint"
        if isinstance(sse.get("retry"), int):
            self.retry = sse["retry"] / 1000
        self.seen = frame.t

    def session(self) -> Any:
        """The session that either side names."""
        return (self.headers or {}).get(SESSION) or (self.reply or {}).get(SESSION)


@dataclass(slots=True, eq=False)
class Event:
    """One thing to judge.

    shape    "request", "notification", "result", "error", "batch" or "invalid"; "noise" for a line
             that is not JSON; "POST", "GET", "DELETE" and "reply" for the steps of HTTP; "event"
             for a server-sent event with an id
    method   of a request or a notification; of an answer, that of its request
    asked    the request that this answers, or None
    answers  what this answers: "request"; "a request", nobody says which; "again", one that had
             its answer; "notification", "batch", "noise"; "nothing"; "" where that is open
    answer   the answer to this request
    ties     what else this refers to
    """

    frame: int
    time: float
    shape: str
    sender: str
    talk: Talk
    exchange: Exchange | None = None
    message: Any = None
    raw: bytes | None = None
    batched: bool = False
    method: str = ""
    asked: "Event | None" = None
    answers: str = ""
    answer: "Event | None" = None
    ties: "dict[str, Tie]" = field(default_factory=dict)
    life: int = 0
    revisions: frozenset[str] = frozenset()

    def waits(self, now: "Event") -> bool:
        """True if this request had no answer yet when `now` was said."""
        answered = self.answer is not None and self.answer.frame < now.frame
        return not answered and self.life == now.life


def get(value: Any, *path: str) -> Any:
    """What stands at this path of nested objects, or None."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def answered(event: Event) -> Any:
    """The answer to the `initialize` of this talk, if it came by now."""
    answer = event.talk.opening.answer if event.talk.opening else None
    return answer.message if answer and answer.frame <= event.frame else None


def read(frames: Iterable[Frame]) -> list[Event]:
    """The events of a trace, in order, tied to each other."""
    reader, known = _Reader(), list(frames)
    for number, frame in enumerate(known):
        reader.gather(number, frame)
    for number, frame in enumerate(known):
        reader.take(number, frame)
    return reader.events


class _Reader:
    """Reads frames in order: first what HTTP did, then what was said."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.servers: dict[Any, Server] = {}
        self.exchanges: dict[Any, Exchange] = {}

    def gather(self, number: int, frame: Frame) -> None:
        """Learn of the exchange a frame belongs to, so that its end is known at its beginning."""
        if frame.x is not None or frame.http:
            self.exchanges.setdefault(_key(number, frame), Exchange()).take(number, frame)

    def take(self, number: int, frame: Frame) -> None:
        """Turn one frame into events."""
        if frame.sender not in OTHER:
            return
        exchange = self.exchanges.get(_key(number, frame))
        talk = self._talk(frame, exchange)
        if frame.kind == "lifecycle" and _ENDS.search(frame.text or ""):
            talk.life += 1
        refusal = exchange is not None and (exchange.status or 0) >= 400
        for shape, message, batched in _parts(frame, refusal and frame.sender == "server"):
            event = Event(number, frame.t, shape, frame.sender, talk, exchange, message, frame.raw)
            event.batched, event.life = batched, talk.life
            self._tie(event)
            self.events.append(event)

    def _talk(self, frame: Frame, exchange: Exchange | None) -> Talk:
        """The talk that a frame belongs to; `initialize` opens a new one."""
        server = self.servers.setdefault(frame.peer, Server())
        session = exchange.session() if exchange else None
        opens = frame.sender == "client" and get(frame.message, "method") == "initialize"
        talk = server.sessions.get(session) if session else server.latest
        if talk is None or (opens and talk.opening):
            unopened = server.latest and not server.latest.opening and not server.latest.session
            talk = server.latest if unopened and server.latest else Talk(server)
            server.latest = talk
        server.pair |= exchange is not None and exchange.endpoint
        if session:
            talk.session, server.sessions[session] = session, talk
        return talk

    def _tie(self, event: Event) -> None:
        """Tie an event to its past, and note what it tells of the whole."""
        if event.shape in ("request", "notification"):
            method = event.message["method"]
            event.method = method if isinstance(method, str) else ""
        elif event.shape in ("result", "error"):
            _tie_answer(event)
        tie(event, OTHER[event.sender])
        talk, exchange = event.talk, event.exchange
        if event.shape in _SAID:
            talk.whole |= not talk.last and event.method in ("initialize", "server/discover")
            talk.last[event.sender] = event
            talk.open[event.sender] += event.shape == "request"
            nameless = event.shape == "request" and not is_name(event.message["id"])
            if nameless or event.shape in ("noise", "invalid"):
                talk.garbled.add(event.sender)
            if exchange and event.sender == "client":
                exchange.calls.append(event)
        if note := _NOTES.get((event.shape, event.sender, event.method)):
            note(event)
        talk.server.modern |= event.sender == "server" and _is_modern(event.message)


def _key(number: int, frame: Frame) -> tuple[Any, ...]:
    """Which exchange a frame belongs to; one without a number is an exchange by itself."""
    return (frame.peer, frame.x) if frame.x is not None else (frame.peer, "frame", number)


def _parts(frame: Frame, refusal: bool) -> Iterator[tuple[str, Any, bool]]:
    """The shapes of a frame, each with its message and whether that is a part of a batch.

    The body of a refusal may be a message, and may be anything else as well: then it is no event.
    """
    http = frame.http or ""
    if http:
        yield ("reply" if http[0].isdigit() else http.partition(" ")[0]), frame.headers, False
    if isinstance(frame.sse, dict) and "id" in frame.sse:
        yield "event", frame.sse, False
    if frame.kind == "noise" and not refusal:
        yield "noise", None, False
    elif frame.kind == "message" and (not refusal or get(frame.message, "jsonrpc") == "2.0"):
        yield jsonrpc.kind(frame.message), frame.message, False
        for part in frame.message if isinstance(frame.message, list) else ():
            yield jsonrpc.kind(part), part, True


def _tie_answer(event: Event) -> None:
    """Find the request that an answer answers: in its exchange, else by its id."""
    asker, id, exchange = OTHER[event.sender], event.message.get("id"), event.exchange
    calls = exchange.calls if exchange and event.sender == "server" else []
    if not is_name(id):
        event.asked, event.answers = _without_id(event, calls)
    else:
        own = (call for call in calls if call.shape == "request")
        same = (call for call in own if _same(call.message["id"], id))
        found = event.talk.known.get("id", {}).get((asker, None, type(id), id))
        event.asked = next(same, found.event if found else None)
        event.answers = "nothing" if event.asked is None else "request"
    if event.asked and event.asked.answer:
        event.answers = "again"
    elif event.asked:
        event.asked.answer = event
        event.talk.open[asker] -= 1
    event.method = event.asked.method if event.asked else ""


def _without_id(event: Event, calls: list[Event]) -> tuple[Event | None, str]:
    """What an answer without an id can be said to answer."""
    talk, asker = event.talk, OTHER[event.sender]
    last = talk.last.get(asker)
    heard = calls or ([last] if last and not event.exchange else [])
    if len(calls) == 1 and calls[0].shape == "request":
        return calls[0], "request"
    if any(call.batched or call.shape == "batch" for call in heard):
        return None, "batch"
    if talk.open[asker] and heard and not calls:
        return None, "a request" if talk.whole and asker not in talk.garbled else ""
    return None, heard[-1].shape if heard else ""


def _same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other


def _is_modern(message: Any) -> bool:
    """True for what only a server of 2026-07-28 says."""
    result, code = get(message, "result"), get(message, "error", "code")
    named = get(result, "_meta", META + "serverInfo") or get(result, "resultType")
    told = get(message, "method") == "notifications/subscriptions/acknowledged"
    return bool(named or told or (isinstance(code, int) and code in MODERN_CODES))


def _opens(event: Event) -> None:
    event.talk.opening, event.talk.whole = event, True


def _initialized(event: Event) -> None:
    event.talk.initialized = event.frame


def _discovered(event: Event) -> None:
    event.talk.server.discovered, event.talk.server.modern = event, True


def _tools_changed(event: Event) -> None:
    event.talk.known.pop("tool", None)


def _replied(event: Event) -> None:
    exchange = event.exchange
    session = (exchange.headers or {}).get(SESSION) if exchange else None
    if exchange and session and (exchange.status == 404 or _deleted(exchange)):
        event.talk.server.gone.setdefault(session, event.frame)


def _posted(event: Event) -> None:
    server = event.talk.server
    if server.authorized < 0 and "authorization" in (event.message or {}):
        server.authorized = event.frame


def _deleted(exchange: Exchange) -> bool:
    return exchange.verb == "DELETE" and exchange.status in (200, 202, 204)


_SAID = frozenset({"request", "notification", "result", "error", "batch", "invalid", "noise"})
_NOTES: dict[tuple[str, str, str], Callable[[Event], None]] = {
    ("request", "client", "initialize"): _opens,
    ("notification", "client", "notifications/initialized"): _initialized,
    ("result", "server", "server/discover"): _discovered,
    ("notification", "server", "notifications/tools/list_changed"): _tools_changed,
    ("reply", "server", ""): _replied,
    ("POST", "client", ""): _posted,
}
"""What an event tells of its talk or its server, by shape, sender and method."""
