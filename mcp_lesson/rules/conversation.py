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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .. import jsonrpc
from ..jsonrpc import MODERN_CODES
from ..revisions import META
from ..trace import Frame
from .ties import Tie, is_name, tie

OTHER = {"client": "server", "server": "client"}
SESSION = "mcp-session-id"
SAID = frozenset({"request", "notification", "result", "error", "batch", "invalid", "noise"})
_ENDS = re.compile(r"clos|end|exit|kill|start|stop|died|lost|gone", re.IGNORECASE)


@dataclass(slots=True, eq=False)
class Server:
    """One server, over all its sessions.

    since  the first frame that showed something: "modern", a sign of 2026-07-28; "pair", that it is
           reached by the HTTP+SSE pair of 2024-11-05; "authorization", an access token; "gone" and
           the name of a session, that it has ended
    heard  the last event of each shape and method
    """

    since: dict[str, int] = field(default_factory=dict)
    heard: "dict[str, Event]" = field(default_factory=dict)
    sessions: "dict[str, Talk]" = field(default_factory=dict)
    latest: "Talk | None" = None


@dataclass(slots=True, eq=False)
class Talk:
    """One session; without sessions, what is said on a wire until the next `initialize`.

    heard  events by what they are: the "first"; the last of each side; its "opening", which is its
           `initialize`, and "initialized"; what was "garbled client" or "garbled server": the last
           line of that side that cannot be read, or has no id that can
    known  what later events may refer to
    open   how many requests of each side wait
    life   grows when something ends: what was asked before waits no more
    """

    server: Server
    session: str | None = None
    heard: "dict[str, Event]" = field(default_factory=dict)
    known: dict[str, dict[Any, Tie]] = field(default_factory=dict)
    open: Counter[str] = field(default_factory=Counter)
    life: int = 0

    def began(self) -> bool:
        """True if it was heard from its first word."""
        first = self.heard.get("opening", self.heard.get("first"))
        return first is not None and first.method in ("initialize", "server/discover")


@dataclass(slots=True, eq=False)
class Exchange:
    """One HTTP exchange; headers are None where they were not recorded.

    calls  the messages of its POST
    retry  the seconds to wait before its stream is taken up again
    begun  its first frame
    seen   when its last frame came
    """

    begun: int
    verb: str = ""
    target: str = ""
    headers: dict[str, str] | None = None
    status: int | None = None
    reply: dict[str, str] | None = None
    calls: "list[Event]" = field(default_factory=list)
    retry: float = 0.0
    seen: float = 0.0

    def take(self, frame: Frame) -> None:
        """Read what a frame tells of its exchange."""
        first, _, rest = (frame.http or "").partition(" ")
        headers = frame.headers if isinstance(frame.headers, dict) else None
        if first.isdecimal() and first.isascii():
            self.status, self.reply = int(first[:3]), headers
        elif first:
            self.verb, self.target, self.headers = first, rest, headers
        if isinstance(get(frame.sse, "retry"), int):
            self.retry = frame.sse["retry"] / 1000
        self.seen = frame.t

    def session(self) -> Any:
        """The session that either side names."""
        return (self.headers or {}).get(SESSION) or (self.reply or {}).get(SESSION)

    def ends_session(self) -> bool:
        """True if this showed that its session is gone."""
        return self.status == 404 or (self.verb == "DELETE" and self.status in (200, 202, 204))


@dataclass(slots=True, eq=False)
class Event:
    """One thing to judge.

    shape    "request", "notification", "result", "error", "batch" or "invalid"; "noise" for a line
             that is not JSON; "POST", "GET", "DELETE" and "reply" for the steps of HTTP; "event"
             for a server-sent event
    method   of a request or a notification; of an answer, that of its request
    asked    the request that this answers, or None
    answers  what this answers: "request"; "a request", nobody says which; "again", one that had
             its answer; "notification", "batch", "noise"; "nothing"; "" where that is open
    answer   the answer to this request
    ties     what else this refers to
    """

    frame: int
    time: float
    sender: str
    raw: bytes | None
    talk: Talk
    exchange: Exchange | None
    life: int
    shape: str
    message: Any
    batched: bool = False
    method: str = ""
    asked: "Event | None" = None
    answers: str = ""
    answer: "Event | None" = None
    ties: "dict[str, Tie]" = field(default_factory=dict)
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


def heard(event: Event, what: str) -> Any:
    """What this talk had heard by now of this kind: an event, or None."""
    found = event.talk.heard.get(what)
    return found if found and found.frame <= event.frame else None


def answered(event: Event) -> Any:
    """The answer to the `initialize` of this talk, if it came by now."""
    opening = event.talk.heard.get("opening")
    answer = opening.answer if opening else None
    return answer.message if answer and answer.frame <= event.frame else None


def read(frames: Iterable[Frame]) -> list[Event]:
    """The events of a trace, in order, tied to each other."""
    known = [(number, frame) for number, frame in enumerate(frames) if frame.sender in OTHER]
    exchanges: dict[Any, Exchange] = {}
    for number, frame in known:  # before anything else, so that an end is known at its beginning
        if frame.x is not None or frame.http:
            exchanges.setdefault(_key(number, frame), Exchange(number)).take(frame)
    servers: dict[Any, Server] = {}
    events: list[Event] = []
    for number, frame in known:
        server = servers.setdefault(frame.peer, Server())
        exchange = exchanges.get(_key(number, frame))
        talk = _talk(frame, server, exchange)
        talk.life += frame.kind == "lifecycle" and bool(_ENDS.search(frame.text or ""))
        about = number, frame.t, frame.sender, frame.raw, talk, exchange, talk.life
        for part in _parts(frame, exchange):
            events.append(Event(*about, *part))
            _tie(events[-1])
    return events


def _key(number: int, frame: Frame) -> tuple[Any, ...]:
    """Which exchange a frame belongs to; one without a number is an exchange by itself."""
    return (frame.peer, frame.x) if frame.x is not None else (frame.peer, "frame", number)


def _talk(frame: Frame, server: Server, exchange: Exchange | None) -> Talk:
    """The talk that a frame belongs to; `initialize` opens a new one."""
    session = exchange.session() if exchange else None
    opens = frame.sender == "client" and get(frame.message, "method") == "initialize"
    talk, latest = server.sessions.get(session) if session else server.latest, server.latest
    if talk is None or (opens and "opening" in talk.heard):
        fresh = latest is None or latest.session or "opening" in latest.heard
        talk = server.latest = Talk(server) if fresh or latest is None else latest
    if session:
        talk.session, server.sessions[session] = session, talk
    return talk


def _parts(frame: Frame, exchange: Exchange | None) -> Iterator[tuple[Any, ...]]:
    """The shapes of a frame, each with its message; True marks a part of a batch.

    The body of a refusal may be a message, and may be anything else as well: then it is no event.
    """
    refused = exchange and (exchange.status or 0) >= 400 and frame.sender == "server"
    http, message = frame.http or "", frame.message
    if http:
        yield "reply" if http[0].isdigit() else http.partition(" ")[0], frame.headers
    if isinstance(frame.sse, dict):
        yield "event", frame.sse
    if refused and get(message, "jsonrpc") != "2.0":
        return
    if frame.kind == "message":
        yield jsonrpc.kind(message), message
        parts = message if isinstance(message, list) else []
        yield from ((jsonrpc.kind(part), part, True) for part in parts)
    elif frame.kind == "noise":
        yield "noise", None


def _tie(event: Event) -> None:
    """Tie an event to its past, and note what it tells of the whole."""
    if event.shape in ("request", "notification"):
        method = event.message["method"]
        event.method = method if isinstance(method, str) else ""
    elif event.shape in ("result", "error"):
        _tie_answer(event)
    tie(event, OTHER[event.sender])
    if event.shape in SAID:
        _note(event)
    server = event.talk.server
    server.since |= {sign: event.frame for sign in _signs(event) if sign not in server.since}
    server.heard[f"{event.shape} {event.method}"] = event


def _note(event: Event) -> None:
    """Remember what was said in this talk, and by whom."""
    talk, asks = event.talk, event.shape == "request"
    names = ["first"] if not talk.heard else []
    names += [event.sender, *_ROLES.get(f"{event.shape} {event.method}", ())]
    if event.shape in ("noise", "invalid") or (asks and not is_name(event.message["id"])):
        names.append(f"garbled {event.sender}")
    talk.heard |= dict.fromkeys(names, event)
    talk.open[event.sender] += asks
    if event.exchange and event.sender == "client":
        event.exchange.calls.append(event)


def _signs(event: Event) -> Iterator[str]:
    """What an event shows of its server: names of `Server.since`."""
    exchange, message = event.exchange, event.message
    named = (exchange.headers or {}).get(SESSION) if exchange else None
    if event.shape == "reply" and named and exchange and exchange.ends_session():
        yield f"gone {named}"
    if event.shape in VERBS and "authorization" in (message or {}):
        yield "authorization"
    if event.shape == "event" and get(message, "event") == "endpoint":
        yield "pair"
    if event.sender == "server" and _is_modern(event):
        yield "modern"


def _is_modern(event: Event) -> bool:
    """True for what only a server of 2026-07-28 says."""
    result, code = get(event.message, "result"), get(event.message, "error", "code")
    named = get(result, "_meta", META + "serverInfo") or get(result, "resultType")
    told = f"{event.shape} {event.method}" in _MODERN
    return bool(named or told or (isinstance(code, int) and code in MODERN_CODES))


def _tie_answer(event: Event) -> None:
    """Find the request that an answer answers: by its id, in its exchange where that tells more."""
    asker, id, exchange = OTHER[event.sender], event.message.get("id"), event.exchange
    calls = exchange.calls if exchange and event.sender == "server" else []
    if is_name(id):
        tie = event.talk.known.get("id", {}).get((asker, None, type(id), id))
        found = tie.event if tie else None
        if calls and (found is None or found.exchange is not exchange):
            found = next((call for call in calls if _has_id(call, id)), found)
        event.asked, event.answers = found, "request" if found else "nothing"
    else:
        event.asked, event.answers = _without_id(event, calls)
    if event.asked:
        event.method = event.asked.method
        event.answers = "again" if event.asked.answer else event.answers
        event.talk.open[asker] -= event.asked.answer is None
        event.asked.answer = event.asked.answer or event


def _has_id(call: Event, id: object) -> bool:
    own = get(call.message, "id")
    return call.shape == "request" and type(own) is type(id) and bool(own == id)


def _without_id(event: Event, calls: list[Event]) -> tuple[Event | None, str]:
    """What an answer without an id can be said to answer."""
    talk, asker = event.talk, OTHER[event.sender]
    last = calls[-1] if calls else None if event.exchange else talk.heard.get(asker)
    if len(calls) == 1 and calls[0].shape == "request":
        return calls[0], "request"
    if last is None or last.batched or last.shape == "batch":
        return None, "batch" if last else ""
    if talk.open[asker] and not calls:
        told = talk.began() and f"garbled {asker}" not in talk.heard
        return None, "a request" if told else ""
    return None, last.shape


VERBS = ("POST", "GET", "DELETE")
_ROLES = {
    "request initialize": ["opening"],
    "notification notifications/initialized": ["initialized"],
}
_MODERN = {"notification notifications/subscriptions/acknowledged", "result server/discover"}
