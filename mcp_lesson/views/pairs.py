"""Which answer belongs to which request, and which requests are one conversation.

An id counts from its sender: the client's 1 and the server's 1 are two requests, and so are 1 and
"1". Here the open requests are kept, answers are matched, cancelled requests noted, and a request
that tries again after `input_required` is tied to the one it continues.

Clauses: https://modelcontextprotocol.io/specification/2025-11-25/basic#messages and
https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
"""

from typing import Any

from ..trace import Frame
from .rows import Changes, Row, Span
from .values import get

Key = tuple[str | None, str, str, str]


def _key(frame: Frame, sender: str, id: object) -> Key:
    return frame.peer, sender, type(id).__name__, str(id)


class Pairs:
    """The requests seen so far, and the spans that they draw."""

    def __init__(self, spans: list[Span], changes: Changes) -> None:
        self._spans, self._changes = spans, changes
        self._open: dict[Key, tuple[Row, Span]] = {}
        self._in_exchange: dict[tuple[str | None, int], Row] = {}
        self._params: dict[int, Any] = {}
        self._rounds: dict[tuple[str | None, str, str | None], Row] = {}
        self._unread: dict[tuple[str | None, str], Row] = {}

    def ask(self, row: Row, message: Any, frame: Frame) -> None:
        """Open this request; it waits for its answer from now on."""
        key = _key(frame, frame.sender, message["id"])
        if key in self._open:
            row.said = row.said or "this id is still in use"
        span = Span("owed", row.target, row.number)
        self._spans.append(span)
        self._open[key] = row, span
        row.waits = True
        self._params[row.number] = message.get("params")
        if frame.x is not None:
            self._in_exchange[frame.peer, frame.x] = row
        self._continue_round(row, message, frame)

    def unread(self, row: Row, frame: Frame) -> None:
        """Remember a line that was no message: an error without an id may answer it."""
        self._unread[frame.peer, frame.sender] = row

    def answer(self, row: Row, message: Any, frame: Frame) -> Any:
        """Tie this answer to its request; returns the params of that request, or None."""
        asked = self._close(row, message, frame) or self._garbage(message, frame)
        if asked is None:
            row.said = row.said or "answers no request"
            return None
        row.partner, row.method, row.round = asked.number, asked.method, asked.round
        asked.partner = row.number
        self._changes.at(asked.number)
        self._remember_round(row, message, frame)
        return self._params.pop(asked.number, None)

    def _close(self, row: Row, message: Any, frame: Frame) -> Row | None:
        key = _key(frame, frame.receiver, message.get("id"))
        asked, span = self._open.pop(key, (None, None))
        if asked is None and message.get("id") is None and frame.x is not None:
            asked = self._in_exchange.get((frame.peer, frame.x))
            span = self._forget(asked) if asked is not None else None
        if asked is None or asked.partner is not None:
            return None
        if span is not None and span.end is None:
            span.end = row.number
        asked.waits = False
        return asked

    def refuse(self, row: Row, frame: Frame) -> None:
        """Tie an HTTP refusal without a message to the request that it refuses."""
        asked = self._in_exchange.get((frame.peer, frame.x)) if frame.x is not None else None
        if asked is None or not asked.waits:
            return
        span = self._forget(asked)
        if span is not None:
            span.end = row.number
        asked.waits, asked.partner = False, row.number
        row.partner, row.method = asked.number, asked.method
        self._changes.at(asked.number)

    def drop(self, row: Row, frame: Frame) -> None:
        """End the wait for a request whose exchange its sender closed."""
        asked = self._in_exchange.get((frame.peer, frame.x)) if frame.x is not None else None
        span = self._forget(asked) if asked is not None else None
        if asked is not None and span is not None:
            row.chip = asked.chip
            self._give_up(row, asked, span)

    def _garbage(self, message: Any, frame: Frame) -> Row | None:
        if message.get("id") is not None or "error" not in message:
            return None
        return self._unread.pop((frame.peer, frame.receiver), None)

    def _forget(self, asked: Row) -> Span | None:
        for key, (row, span) in self._open.items():
            if row is asked:
                del self._open[key]
                return span
        return None

    def cancel(self, row: Row, message: Any, frame: Frame) -> None:
        """End the wait for a request that its sender gave up."""
        id = get(message, "params", "requestId")
        asked, span = self._open.get(_key(frame, frame.sender, id), (None, None))
        if asked is None or span is None:
            row.said = row.said or "no such request is open"
            return
        self._give_up(row, asked, span)

    def _give_up(self, row: Row, asked: Row, span: Span) -> None:
        row.partner, row.method = asked.number, asked.method
        span.kind, span.end, asked.waits = "cancelled", row.number, False
        asked.said = asked.said or "cancelled"
        self._changes.at(asked.number)

    def _remember_round(self, row: Row, message: Any, frame: Frame) -> None:
        result = message.get("result")
        if get(result, "resultType") == "input_required":
            self._rounds[frame.peer, row.method, _state(result)] = row

    def _continue_round(self, row: Row, message: Any, frame: Frame) -> None:
        params = message.get("params")
        if get(params, "inputResponses") is None and _state(params) is None:
            return
        before = self._rounds.pop((frame.peer, row.method, _state(params)), None)
        if before is None:
            row.said = row.said or "continues no request"
            return
        row.round = (before.round or 1) + 1
        before.round = before.round or 1
        self._spans.append(Span("round", row.source, before.number, row.number))


def _state(body: Any) -> str | None:
    state = get(body, "requestState")
    return state if isinstance(state, str) else None
