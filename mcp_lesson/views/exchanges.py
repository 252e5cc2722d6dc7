"""HTTP beside the messages: exchanges, statuses, event streams.

A message that travels by HTTP carries small tags: `POST /mcp` on the way there, `200` and the name
of its event on the way back. What HTTP does without a message (a 202, a stream that opens or
closes, a GET, a DELETE) is a thin row of its own; steps that follow each other at once share one.
A stream is a span on the lifeline of the client, from the frame that opens it to the one that
closes it, so that a long-lived GET stream is seen beside the short streams of single answers.

Clauses: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports and
https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
"""

from http import HTTPStatus
from typing import Any

from ..trace import Frame
from .names import Names
from .rows import Changes, Row, Span
from .values import dotted, plain_name

_VERBS = {
    "GET": "opens a stream for what the server says unasked",
    "DELETE": "ends the session",
}
_STREAMS = ("text/event-stream", "/mcp", "/sse")
"""What a GET for a stream accepts; or, where no headers were recorded, the path that it asks."""


class Exchanges:
    """The exchanges seen so far, and the spans of their streams."""

    def __init__(self, spans: list[Span], names: Names, changes: Changes) -> None:
        self._spans, self._names, self._changes = spans, names, changes
        self._streams: dict[tuple[str | None, int | None], int] = {}
        self._verbs: dict[tuple[str | None, int | None], str] = {}
        self._seen: set[str] = set()

    def tags(self, row: Row, frame: Frame) -> list[str]:
        """The tags of a frame with a message; a stream it opens or closes is noted too."""
        self._follow(row, frame)
        parts = [frame.http or "", self._event(frame), self._session(frame)]
        return [part for part in parts if part]

    def describe(self, row: Row, frame: Frame) -> bool:
        """Fill the row of a frame that carries no message; True when HTTP says no in it."""
        self._follow(row, frame)
        http = frame.http or ""
        row.head, row.words = (http, self._meaning(frame)) if http else (self._event(frame), "")
        if frame.text:
            row.words = dotted(row.words, frame.text)
        status = http[:3]
        refused = status.isdigit() and int(status) >= 400
        row.look = "refusal" if refused else "http"
        return refused

    def joins(self, last: Row | None, before: Frame | None, frame: Frame) -> bool:
        """True when this frame, which has no message, belongs to the row before it."""
        if last is None or before is None or frame.http or frame.text or frame.x is None:
            return False
        same = (before.x, before.peer, before.dir) == (frame.x, frame.peer, frame.dir)
        return same and frame.sse is not None and last.look != "noise"

    def join(self, last: Row, frame: Frame) -> None:
        """Add what this frame says to the row before it."""
        self._follow(last, frame)
        if last.look in ("http", "refusal"):
            last.words = dotted(last.words, self._event(frame))
        else:
            last.tags.append(self._event(frame))

    def end(self, row: Row, frame: Frame) -> None:
        """The client closed this exchange: its stream, if it had one, ends here."""
        number = self._streams.get((frame.peer, frame.x))
        if number is None or self._spans[number].end is not None:
            return
        row.stream, self._spans[number].end = number, row.number
        self._changes.at(self._spans[number].start)

    def _follow(self, row: Row, frame: Frame) -> None:
        key = frame.peer, frame.x
        if frame.http and not frame.http[:1].isdigit():
            self._verbs[key] = frame.http.partition(" ")[0]
        if frame.sse is None:
            return
        if key not in self._streams:
            self._streams[key] = len(self._spans)
            name = self._verbs.get(key, "")
            self._spans.append(Span("stream", row.target, row.number, label=name))
        row.stream = self._streams[key]
        if frame.sse == "close":
            self._spans[row.stream].end = row.number
            self._changes.at(self._spans[row.stream].start)

    def _meaning(self, frame: Frame) -> str:
        verb, _, path = (frame.http or "").partition(" ")
        if not verb.isdigit():
            return self._asking(frame, verb, path)
        known = verb in {str(int(status)) for status in HTTPStatus}
        phrase = HTTPStatus(int(verb)).phrase if known else ""
        body = "" if frame.sse is not None or frame.text else "no message"
        return dotted(
            phrase, self._event(frame), body, self._session(frame), plain_name(path) if path else ""
        )

    def _asking(self, frame: Frame, verb: str, path: str) -> str:
        headers = frame.headers or {}
        after = headers.get("last-event-id")
        resumes = f"after {self._names.of('event', after)}" if after else ""
        accepts = str(headers.get("accept", "" if headers else path))
        if verb == "GET" and not accepts.endswith(_STREAMS):
            return resumes
        return dotted(_VERBS.get(verb, ""), resumes)

    def _event(self, frame: Frame) -> str:
        """What a frame says of its stream: "stream opens", "event-2 · retry 3000 ms"."""
        sse: Any = frame.sse
        if sse is None:
            return ""
        if not isinstance(sse, dict):
            get = "GET " if self._verbs.get((frame.peer, frame.x)) == "GET" else ""
            forms = {"open": f"{get}stream opens", "close": f"{get}stream closes"}
            return forms.get(str(sse), str(sse)[:40])
        kind = sse.get("event")
        named = self._names.of("event", str(sse["id"])) if sse.get("id") else ""
        wait = f"retry {sse['retry']} ms" if sse.get("retry") is not None else ""
        return dotted(named, plain_name(kind) if kind not in (None, "message") else "", wait)

    def _session(self, frame: Frame) -> str:
        """The session's name, on the frame by which the server gives it."""
        session = (frame.headers or {}).get("mcp-session-id")
        if session is None or frame.sender == "client" or session in self._seen:
            return ""
        self._seen.add(session)
        return self._names.of("session", session)
