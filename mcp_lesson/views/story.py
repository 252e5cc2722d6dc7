"""From a trace to the rows of its drawing: who speaks, what is said, what belongs together.

`Story` takes frames one at a time, in order, so that a live trace can be followed without telling
it anew. It asks the other rooms for their part: `pairs` which answer belongs to which request,
`phases` which phase it is, `exchanges` what HTTP did, `words` what a message means, `names` what
to call a value that differs from run to run.

What never enters here: a place on a page, a colour, a font.
"""

from collections.abc import Callable, Iterable
from typing import Any

from .. import jsonrpc
from ..revisions import ALL
from ..trace import Frame, Trace
from . import words
from .exchanges import Exchanges
from .marks import plain
from .names import Names
from .pairs import Pairs
from .phases import Phases
from .rows import Changes, Lifeline, Row, Span
from .values import dotted, get, plain_name

_ORDER = ("user", "browser", "model", "host", "client", "proxy", "gateway", "balancer")
_META = "io.modelcontextprotocol/"
_TEXT = 4000
"""Longer remarks and noise are cut here before anything else looks at them: characters."""


class Story:
    """The rows, lifelines and spans of one conversation.

    rows       in the order of the trace
    lifelines  by key; `ordered()` gives them from left to right
    spans      answers owed, open streams, rounds
    changes    which rows look different since somebody last looked
    """

    def __init__(self, frames: Iterable[Frame] = ()) -> None:
        self.rows: list[Row] = []
        self.lifelines: dict[str, Lifeline] = {}
        self.spans: list[Span] = []
        self.names = Names()
        self.frames: list[Frame] = []
        self.changes = Changes()
        self._pairs = Pairs(self.spans, self.changes)
        self._phases = Phases()
        self._exchanges = Exchanges(self.spans, self.names, self.changes)
        self._revisions: dict[str | None, str] = {}
        self._greeted: set[str | None] = set()
        for frame in frames:
            self.add(frame)

    def add(self, frame: Frame) -> None:
        """Tell one more frame."""
        self.names.see(frame)
        last = self.rows[-1] if self.rows else None
        before = self.frames[-1] if self.frames else None
        joins = frame.kind == "http" and self._exchanges.joins(last, before, frame)
        if joins and last is not None:
            last.frames.append(len(self.frames))
            self._exchanges.join(last, frame)
        else:
            self._add_row(frame)
        self.frames.append(frame)

    def _add_row(self, frame: Frame) -> None:
        source, target = self._line(frame, frame.sender), self._line(frame, frame.receiver)
        row = Row(len(self.rows), [len(self.frames)], "lifecycle", source, target, frame.t)
        _TELL[frame.kind](self, row, frame)
        row.phase = self._phases.of(row, frame)
        row.revision = self._revisions.get(frame.peer)
        row.head, row.words = plain(self.names(row.head)), plain(self.names(row.words))
        row.tags = [plain(tag, 60) for tag in row.tags]
        self.rows.append(row)
        self._tie_batch(row)

    def ordered(self) -> list[Lifeline]:
        """The lifelines from left to right."""
        return in_order(self.lifelines.values())

    def _line(self, frame: Frame, speaker: str) -> str:
        """The key of this speaker's lifeline, which is made when first needed."""
        speaker = speaker.strip() or "?"
        several = speaker == "server" and frame.peer is not None
        key = f"server {frame.peer}" if several else speaker
        if key not in self.lifelines:
            name = str(frame.peer) if several else speaker[:1].upper() + speaker[1:]
            self.lifelines[key] = Lifeline(key, plain(name, 40))
        return key

    # -- one method for each kind of frame ----------------------------------------------------

    def _tell_message(self, row: Row, frame: Frame) -> None:
        row.tags = self._exchanges.tags(row, frame)
        if isinstance(frame.message, list) and frame.message:
            self._tell_batch(row, frame)
        else:
            self._tell_one(row, frame.message, frame)
        self._learn(frame, row)

    def _tell_one(self, row: Row, message: Any, frame: Frame) -> None:
        wrong = jsonrpc.check(message)
        shape = jsonrpc.kind(message)
        if isinstance(message, dict) and message.get("id") is not None:
            row.chip = f"#{plain(self.names.id(message['id']), 8)}"
        row.said = wrong or ""
        _SHAPES[shape](self, row, message, frame)

    def _tell_request(self, row: Row, message: Any, frame: Frame) -> None:
        row.look, row.head = "request", plain_name(message["method"])
        row.method = row.head
        params = message.get("params")
        self._pairs.ask(row, message, frame)
        said = words.of_request(row.method, params)
        round_ = f"round {row.round}" if row.round else ""
        row.words = dotted(self._other_version(row, params, frame), round_, said)
        row.tags += self._state(params)

    def _tell_notification(self, row: Row, message: Any, frame: Frame) -> None:
        row.look, row.head = "notification", plain_name(message["method"])
        row.method = row.head
        row.words = words.of_notification(row.method, message.get("params"))
        if row.method == "notifications/cancelled":
            self._pairs.cancel(row, message, frame)

    def _tell_result(self, row: Row, message: Any, frame: Frame) -> None:
        asked = self._pairs.answer(row, message, frame)
        result = message.get("result")
        row.look = "failure" if get(result, "isError") is True else "answer"
        row.head = row.method or "result"
        row.words = words.of_result(row.method, result, asked)
        row.tags += self._state(result)

    def _tell_error(self, row: Row, message: Any, frame: Frame) -> None:
        self._pairs.answer(row, message, frame)
        row.look, body = "error", message.get("error")
        row.head = f"✕ {plain_name(get(body, 'code'))}"
        row.words = words.of_error(body)

    def _tell_invalid(self, row: Row, message: Any, frame: Frame) -> None:
        row.look, row.head = "invalid", "not a message"
        row.words = frame.line[:400].decode("utf-8", "replace")

    def _tell_batch(self, row: Row, frame: Frame) -> None:
        """A list of messages (2025-03-26 alone has them): one row, every member paired."""
        for message in frame.message:
            part = Row(row.number, row.frames, "invalid", row.source, row.target, row.time)
            self._tell_one(part, message, frame)
            row.parts.append(part)
            row.look = part.look if row.look in ("lifecycle", "notification") else row.look
        chips = [part.chip for part in row.parts]
        heads = [part.head for part in row.parts[:8]]
        row.head, row.words = f"batch of {len(row.parts)}", ", ".join(heads)
        row.said = next((part.said for part in row.parts if part.said), "")
        tied = (part.partner for part in row.parts if part.partner not in (None, row.number))
        row.partner = next(tied, None)
        row.chip = " ".join(chip for chip in chips[:2] if chip) + ("…" if len(chips) > 2 else "")

    def _tie_batch(self, row: Row) -> None:
        """Pairs tie an answer to a message of a batch; here the whole batch learns of it."""
        asked = self.rows[row.partner] if row.partner is not None else row
        if asked is not row and asked.parts and asked.partner is None:
            asked.partner = row.number

    def _tell_noise(self, row: Row, frame: Frame) -> None:
        row.look, row.head = "noise", "not JSON"
        text = (
            frame.text
            if frame.text is not None
            else frame.line[:_TEXT].decode("utf-8", "backslashreplace")
        )
        row.words = self.names.remark(text[:_TEXT]).strip()
        row.tags = self._exchanges.tags(row, frame)
        self._pairs.unread(row, frame)

    def _tell_stderr(self, row: Row, frame: Frame) -> None:
        row.look, row.head = "stderr", "stderr"
        row.words = self.names.remark((frame.text or "")[:_TEXT]).strip()

    def _tell_http(self, row: Row, frame: Frame) -> None:
        if self._exchanges.describe(row, frame):
            self._pairs.refuse(row, frame)

    def _tell_lifecycle(self, row: Row, frame: Frame) -> None:
        head, _, rest = self.names.remark((frame.text or "")[:_TEXT]).partition("·")
        row.head, row.words = head.strip(), rest.strip()
        if frame.x is not None:  # since 2026-07-28, who closes the stream of a request cancels it
            self._exchanges.end(row, frame)
            self._pairs.drop(row, frame)

    def _tell_speech(self, row: Row, frame: Frame) -> None:
        row.look, row.words = "speech", (frame.text or "")[:_TEXT]

    # -- what is learned on the way -----------------------------------------------------------

    def _state(self, body: Any) -> list[str]:
        state = get(body, "requestState")
        return [self.names.of("state", state)] if isinstance(state, str) else []

    def _other_version(self, row: Row, params: Any, frame: Frame) -> str:
        """The version that a request carries, where that is not the one in force."""
        version = get(params, "_meta", _META + "protocolVersion")
        if version is None or row.method == "server/discover":  # whose words name it in any case
            return ""
        in_force = self._revisions.get(frame.peer, version if _known(version) else None)
        return "" if version == in_force else f"speaks {plain_name(version)}"

    def _learn(self, frame: Frame, row: Row) -> None:
        """Who the two sides say they are, and the revision that they speak."""
        message = frame.message
        params, result = get(message, "params"), get(message, "result")
        for body, member in ((params, "clientInfo"), (result, "serverInfo")):
            info = get(body, member) or get(body, "_meta", _META + member)
            line = self.lifelines[row.source]
            if not line.sub and get(info, "name") is not None:
                named = f"{plain_name(info['name'])} {plain_name(info.get('version') or '')}"
                line.sub = plain(self.names(named.strip()), 60)
        if row.method in ("initialize", "server/discover") and row.look == "request":
            self._greeted.add(frame.peer)
            if len(self._greeted) == 2:
                line = self.lifelines[row.source]
                line.name, line.sub = f"{line.name}s", "one for each server"
        version = get(result, "protocolVersion") or get(params, "_meta", _META + "protocolVersion")
        if _known(version):  # one that nobody knows is refused, and never in force
            self._revisions[frame.peer] = version


_TELL: dict[str, Callable[[Story, Row, Frame], None]] = {
    "message": Story._tell_message,
    "noise": Story._tell_noise,
    "stderr": Story._tell_stderr,
    "http": Story._tell_http,
    "lifecycle": Story._tell_lifecycle,
    "speech": Story._tell_speech,
}

_SHAPES: dict[str, Callable[[Story, Row, Any, Frame], None]] = {
    "request": Story._tell_request,
    "notification": Story._tell_notification,
    "result": Story._tell_result,
    "error": Story._tell_error,
    "invalid": Story._tell_invalid,
    "batch": Story._tell_invalid,
}


def _known(version: object) -> bool:
    return isinstance(version, str) and version in ALL


def in_order(lines: Iterable[Lifeline]) -> list[Lifeline]:
    """Lifelines from left to right: people and models, host, client, servers, all others."""

    def rank(line: Lifeline) -> int:
        if line.key in _ORDER:
            return _ORDER.index(line.key)
        return len(_ORDER) if line.key.startswith("server") else len(_ORDER) + 1

    return sorted(lines, key=rank)


def tell(trace: Trace | Iterable[Frame]) -> Story:
    """The story of a trace, or of any frames."""
    return Story(tuple(trace))
