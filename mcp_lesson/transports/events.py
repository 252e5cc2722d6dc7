"""Server-sent events: the text form of a stream of messages over HTTP.

An event is a few `name: value` lines and a blank one. A line that begins with a colon is a comment,
sent to keep a quiet connection open.
Clause: https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

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


class Parser:
    """Turns lines into events. A blank line ends one; comments and unknown names are skipped."""

    def __init__(self) -> None:
        self._event, self._data, self._begun = Event(), list[str](), False

    def feed(self, line: str) -> Iterator[Event]:
        """The event that this line completes, if it does."""
        if not line:
            if self._begun:
                yield replace(self._event, data="\n".join(self._data))
            self.__init__()  # type: ignore[misc]
            return
        name, _, value = line.partition(":")
        self._take(name, value.removeprefix(" "))

    def _take(self, name: str, value: str) -> None:
        if name == "data":
            self._data.append(value)
        elif name == "retry" and value.isdigit():
            self._event = replace(self._event, retry=int(value))
        elif name == "event":
            self._event = replace(self._event, event=value)
        elif name == "id" and "\0" not in value:
            self._event = replace(self._event, id=value)
        else:
            return
        self._begun = True
