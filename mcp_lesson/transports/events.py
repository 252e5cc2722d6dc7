"""Server-sent events: the text form of a stream of messages over HTTP.

An event is a few `name: value` lines and a blank one. A line that begins with a colon is a comment,
sent to keep a quiet connection open.
Clause: https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

MEDIA_TYPE = "text/event-stream"
COMMENT = b": still here\n\n"


@dataclass(frozen=True, slots=True)
class Event:
    """One event; `retry` is in milliseconds, None where the event did not say."""

    data: str = ""
    id: str | None = None
    event: str | None = None
    retry: int | None = None

    def told(self) -> dict[str, Any]:
        """What the event says besides its data, as a trace records it."""
        parts = {"event": self.event, "id": self.id, "retry": self.retry}
        return {name: value for name, value in parts.items() if value is not None}

    def encode(self) -> bytes:
        """The event as bytes."""
        lines = [f"{name}: {value}" for name, value in self.told().items()]
        lines += [f"data: {line}" for line in self.data.split("\n")]
        return ("\n".join(lines) + "\n\n").encode()


class TooLong(ValueError):
    """A line or an event longer than the limit."""


class Parser:
    """Turns bytes into events, wherever they were torn. Raises TooLong beyond `limit` bytes.

    A line ends with CRLF, LF or CR, and with nothing else. A blank one ends an event; comments and
    unknown names are skipped.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._rest, self._after_cr = bytearray(), False
        self._begin()

    def _begin(self) -> None:
        self._event, self._data, self._size, self._begun = Event(), list[str](), 0, False

    def feed(self, piece: bytes) -> Iterator[Event]:
        """The events that this piece completes."""
        if self._after_cr and piece.startswith(b"\n"):  # the other half of a torn CRLF
            piece = piece[1:]
        self._after_cr = piece.endswith(b"\r")
        start, begin = len(self._rest), 0
        self._rest += piece
        for end, after in [found.span() for found in _LINE_END.finditer(self._rest, start)]:
            yield from self._line(self._rest[begin:end].decode("utf-8", "replace"))
            begin = after
        del self._rest[:begin]
        self._check_size(self._size + len(self._rest))

    def _check_size(self, size: int) -> None:
        if size > self.limit:
            raise TooLong(f"an event longer than {self.limit:,} bytes (limits.line)")

    def _line(self, line: str) -> Iterator[Event]:
        if not line:
            if self._begun:
                yield replace(self._event, data="\n".join(self._data))
            self._begin()
            return
        name, _, value = line.partition(":")
        self._take(name, value.removeprefix(" "))

    def _take(self, name: str, value: str) -> None:
        if name == "data":
            self._data.append(value)
            self._size += len(value)
            self._check_size(self._size)
        elif name == "retry" and value.isdecimal() and len(value) < 10:
            self._event = replace(self._event, retry=int(value))
        elif name == "event":
            self._event = replace(self._event, event=value)
        elif name == "id" and "\0" not in value:
            self._event = replace(self._event, id=value)
        else:
            return
        self._begun = True


_LINE_END = re.compile(rb"\r\n|\n|\r")
