"""The record: every message that crosses a wire, in the order it was seen.

A `Frame` is one thing that happened: a message, a line of noise where a message should be, a line
the server wrote for people, an HTTP exchange without a message, or a step in the life of a
connection. A `Trace` is a list of frames. Everything this project draws or judges is read from one.

A trace is written as JSON Lines, one frame a line, and read back without loss: bytes that are not
UTF-8 and lines that are not JSON survive, and so do members this version does not know.

A trace talks to nobody. Wires append to it, from any thread; views and rules read it.
"""

import base64
import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from . import jsonrpc

KINDS = ("message", "noise", "stderr", "http", "lifecycle", "speech")
"""What a frame can be. `speech` is what people and models say to each other, outside MCP."""

TO_SERVER = "client->server"
TO_CLIENT = "server->client"

MAX_FRAMES = 1_000_000
"""A trace stops recording here, and says so in its last frame."""

_MEMBERS = ("t", "x", "dir", "kind", "peer", "http", "headers", "sse", "message", "raw", "text")

_FORMS: dict[str, tuple[Any, str]] = {
    "t": (int | float, "a number of seconds"),
    "x": (int, "an integer"),
    "headers": (dict, "an object"),
    **dict.fromkeys(("dir", "kind", "peer", "http", "raw", "text"), (str, "text")),
}
"""What a member of the JSON Lines form must be; `message` and `sse` may be anything."""


class TraceError(ValueError):
    """A file that is no trace: the text says which line and why."""


@dataclass(slots=True, eq=False)
class Frame:
    """One thing that happened on a wire.

    t        seconds since the trace began
    dir      "client->server" or "server->client"; for speech any "a->b", such as "user->host"
    kind     one of KINDS
    message  the JSON-RPC message, parsed (whatever JSON it was; a batch is a list)
    raw      the line as it crossed the wire, without its newline; None: exactly `dumps(message)`
    text     what a stderr, lifecycle or speech frame says
    x        number of the HTTP exchange: a request and its response share it
    http     "POST /mcp" on the way there, "200" on the way back
    headers  HTTP headers, names in lower case
    sse      "open", or what else one server-sent event carried: {"id": …, "event": …, "retry": …}
    peer     which server, where a trace holds the traffic of several
    extra    members of the JSON Lines form that this version does not know
    """

    t: float
    dir: str
    kind: str
    message: Any = None
    raw: bytes | None = None
    text: str | None = None
    x: int | None = None
    http: str | None = None
    headers: dict[str, str] | None = None
    sse: Any = None
    peer: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def sender(self) -> str:
        """The left half of `dir`: "client", "server", or who else speaks."""
        return self.dir.partition("->")[0]

    @property
    def receiver(self) -> str:
        """The right half of `dir`."""
        return self.dir.partition("->")[2]

    @property
    def line(self) -> bytes:
        """The bytes of the line, as they crossed the wire or would have."""
        if self.raw is not None:
            return self.raw
        return jsonrpc.dumps(self.message).encode() if self.kind == "message" else b""

    def to_json(self) -> dict[str, Any]:
        """This frame as one object of the JSON Lines form; what is empty is left out."""
        body = {name: getattr(self, name) for name in _MEMBERS if getattr(self, name) is not None}
        if self.kind == "message":
            body["message"] = self.message
            if self.raw is not None and self.raw == jsonrpc.dumps(self.message).encode():
                del body["raw"]
        if "raw" in body:
            body.update(_raw_to_json(body.pop("raw")))
        return body | self.extra

    @classmethod
    def from_json(cls, body: dict[str, Any]) -> "Frame":
        """Read one object of the JSON Lines form. Raises TraceError that names the member.

        A member that is null counts as absent; without `kind`, the other members tell it.
        """
        if "jsonrpc" in body and "dir" not in body:
            raise TraceError('this is a bare message; a frame has it as "message", and says "dir"')
        given: dict[str, Any] = {"t": 0.0, "dir": TO_SERVER, "kind": _guess_kind(body)}
        given |= {name: body[name] for name in _MEMBERS if body.get(name) is not None}
        for name, (types, what) in _FORMS.items():
            value = given.get(name)
            if value is not None and (not isinstance(value, types) or isinstance(value, bool)):
                raise TraceError(f'"{name}" is {value!r:.40}; it must be {what}')
        if given["kind"] not in KINDS:
            raise TraceError(f'"kind" is {given["kind"]!r}; it must be one of {", ".join(KINDS)}')
        if "->" not in given["dir"]:
            raise TraceError(f'"dir" is {given["dir"]!r}; it must look like "client->server"')
        extra = {k: v for k, v in body.items() if k not in _MEMBERS and k != "raw_base64"}
        return cls(**given | {"raw": _raw_from_json(body), "extra": extra})

    def __eq__(self, other: object) -> bool:
        """Two frames are equal when they would be written the same."""
        return isinstance(other, Frame) and self.to_json() == other.to_json()

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        """One short line, the same on every run: no time in it."""
        what = self.text if self.message is None else _summary(self.message)
        what = self.line.decode("utf-8", "replace") if what is None else what
        return _printable(f"<Frame {self.dir} {self.kind}: {what[:60] or self.http or self.sse}>")


def _printable(text: str) -> str:
    """What a peer wrote, made harmless: no control characters, no halves of characters."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _raw_to_json(raw: bytes) -> dict[str, str]:
    try:
        return {"raw": raw.decode("utf-8")}
    except UnicodeDecodeError:
        return {"raw_base64": base64.b64encode(raw).decode()}


def _raw_from_json(body: dict[str, Any]) -> bytes | None:
    if body.get("raw_base64") is None:
        raw = body.get("raw")
        return None if raw is None else str(raw).encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(body["raw_base64"], validate=True)
    except (ValueError, TypeError):
        raise TraceError('"raw_base64" must be base64 text') from None


def _guess_kind(body: dict[str, Any]) -> str:
    given = {name for name, value in body.items() if value is not None}
    if "message" not in given and given & {"http", "sse"}:
        return "http"
    if "message" not in given and given & {"raw", "raw_base64"}:
        return "noise"
    return "message" if "message" in body else "lifecycle"


def _summary(message: Any) -> str:
    shape = jsonrpc.kind(message)
    if shape in ("request", "notification"):
        return str(message["method"])
    return f"{shape} of {message.get('id')!r}" if isinstance(message, dict) else shape


class Trace:
    """What crossed the wires, in order: a list of frames that knows how to record and be kept.

    A trace belongs to one side of the conversation, and `sent` and `received` are seen from there:
    the client's by default. Recording is safe from any thread.
    """

    def __init__(self, frames: Iterable[Frame] = (), *, side: str = "client") -> None:
        if side not in ("client", "server"):
            raise ValueError(f'side is {side!r}; it must be "client" or "server"')
        self.frames: list[Frame] = list(frames)
        self._out, self._in = (TO_SERVER, TO_CLIENT) if side == "client" else (TO_CLIENT, TO_SERVER)
        self._start = time.perf_counter()
        self._watchers: list[Callable[[Frame], None]] = []

    # -- recording ---------------------------------------------------------------------------

    def sent(self, line: str | bytes, **more: Any) -> Frame:
        """Record a line that this side wrote. `more` is any further member of Frame."""
        return self._line(self._out, line, **more)

    def received(self, line: str | bytes, **more: Any) -> Frame:
        """Record a line that this side read; one that is not JSON becomes noise."""
        return self._line(self._in, line, **more)

    def noted(self, kind: str, text: str, dir: str | None = None, **more: Any) -> Frame:
        """Record what is no message: kind "stderr", "lifecycle", "noise", "http" or "speech"."""
        if kind not in KINDS[1:]:
            raise ValueError(f"kind is {kind!r}; it must be one of {', '.join(KINDS[1:])}")
        default = self._in if kind in ("stderr", "noise") else self._out
        return self.record(Frame(self.now(), dir or default, kind, text=text, **more))

    def record(self, frame: Frame) -> Frame:
        """Append a frame made elsewhere, and tell those who watch."""
        if len(self.frames) >= MAX_FRAMES:
            frame = Frame(
                frame.t, frame.dir, "lifecycle", text=f"the trace is full at {MAX_FRAMES}"
            )
            if self.frames[-1].text == frame.text:
                return frame
        self.frames.append(frame)
        for watcher in tuple(self._watchers):
            watcher(frame)
        return frame

    def now(self) -> float:
        """Seconds since this trace began."""
        return time.perf_counter() - self._start

    def watch(self, watcher: Callable[[Frame], None]) -> Callable[[], None]:
        """Call `watcher` with each new frame, in the recording thread; returns how to stop it."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher) if watcher in self._watchers else None

    def _line(self, dir: str, line: str | bytes, **more: Any) -> Frame:
        raw = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else bytes(line)
        raw = raw.removesuffix(b"\n")
        try:
            parsed = more.pop("message") if "message" in more else jsonrpc.loads(raw)
        except jsonrpc.MalformedMessage:
            return self.record(Frame(self.now(), dir, "noise", raw=raw, **more))
        return self.record(Frame(self.now(), dir, "message", parsed, raw, **more))

    # -- reading -----------------------------------------------------------------------------

    def messages(self) -> list[Any]:
        """The JSON-RPC messages alone, parsed, in order."""
        return [frame.message for frame in self.frames if frame.kind == "message"]

    def __len__(self) -> int:
        return len(self.frames)

    def __iter__(self) -> Iterator[Frame]:
        return iter(self.frames)

    def __getitem__(self, index: int) -> Frame:
        return self.frames[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trace) and self.frames == other.frames

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<Trace: {len(self)} frame{'' if len(self) == 1 else 's'}>"

    # -- keeping -----------------------------------------------------------------------------

    def dumps(self) -> str:
        """The trace as JSON Lines."""
        return "".join(json.dumps(frame.to_json()) + "\n" for frame in self.frames)

    @classmethod
    def loads(cls, text: str) -> Self:
        """Read JSON Lines, blank lines aside. Raises TraceError with the number of the line."""
        return cls(
            _frame(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()
        )

    def save(self, path: str | Path) -> None:
        """Write the trace to a file, UTF-8."""
        Path(path).write_text(self.dumps(), encoding="utf-8", newline="\n")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a trace from a file. Raises OSError, or TraceError with the line's number."""
        try:
            return cls.loads(Path(path).read_text(encoding="utf-8-sig"))
        except UnicodeDecodeError as problem:
            raise TraceError(f"{path} is not UTF-8 text: byte {problem.start}") from None


def _frame(number: int, line: str) -> Frame:
    try:
        body = jsonrpc.loads(line, depth=jsonrpc.MAX_DEPTH + 1)
        if not isinstance(body, dict):
            raise TraceError("a frame is a JSON object")
        return Frame.from_json(body)
    except (TraceError, jsonrpc.MalformedMessage) as problem:
        raise TraceError(f"line {number}: {problem}") from None
