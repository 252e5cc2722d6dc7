"""Names by first appearance: what differs from run to run is called the same on every run.

Two runs of one program hold the same conversation with another session id, other event ids, other
ports. A picture that showed them would change each time, and a reader could not remember them
anyway. So the first session seen is `session-1`, the second `session-2`, and so on.

`Names` learns a value where a frame says what it is (a header, an event's id, a request state) and
puts the name wherever the value shows up in text; a few shapes (UUIDs, loopback ports, date and
time) are known by their looks alone. The real values stay in the trace, and the reader shows them.
"""

import re
from typing import Any

from ..trace import Frame
from .values import id_text

_SHAPES = {
    "time": r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?",
    "uuid": r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}",
    "address": r"0x[0-9a-fA-F]{6,16}",
    "pid": r"\b[Pp][Ii][Dd][ =:]*(?P<pid_value>\d+)",
    "port": r"(?:127\.0\.0\.1|localhost|\[::1\]|0\.0\.0\.0):(?P<port_value>\d{2,5})",
}
_WORD = r"[A-Za-z0-9_~+][A-Za-z0-9_~+/.-]{6,}[A-Za-z0-9_~+/]={0,2}"
_ANY = re.compile("|".join(f"(?P<{kind}>{form})" for kind, form in _SHAPES.items()) + f"|{_WORD}")
_PATH = re.compile(r"(?:[A-Za-z]:\\|/)(?:[^\s\"'<>|:]+[\\/])+(?=[^\s\"'<>|:\\/]+)")
_LASTING = re.compile(r" (?:after|in|within|for) \d+(?:\.\d+)? ?(?:ms|µs|us|s|seconds?)\b")
_RANDOM_ID = re.compile(r"[0-9a-fA-F]{16,}|" + _SHAPES["uuid"])

_HEADERS = {"mcp-session-id": "session", "last-event-id": "event"}
_PARAMS = {"requestState": "state", "taskId": "task", "elicitationId": "elicitation"}
_RESULT = {"requestState": "state"}


class Names:
    """One book of names for one conversation: `names(text)` is the text with the names in it."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def of(self, kind: str, value: str) -> str:
        """The name of this value: `kind-N`, with N counted up at its first appearance."""
        if value not in self._names:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._names[value] = self._new(kind)
        return self._names[value]

    def _new(self, kind: str) -> str:
        return f"{kind}-{self._counts[kind]}"

    def id(self, value: object) -> str:
        """A JSON-RPC id as a picture shows it: counted ids as they are, random ones by name."""
        if isinstance(value, str) and _RANDOM_ID.fullmatch(value):
            return self.of("id", value)
        return id_text(value)

    def see(self, frame: Frame) -> None:
        """Learn the values that this frame names."""
        for header, value in (frame.headers or {}).items():
            self._see_header(header, value)
        if isinstance(frame.sse, dict) and frame.sse.get("id"):
            self.of("event", str(frame.sse["id"]))
        if isinstance(frame.message, dict):
            self._see_members(frame.message.get("params"), _PARAMS)
            self._see_members(frame.message.get("result"), _RESULT)

    def _see_header(self, header: str, value: object) -> None:
        if not isinstance(value, str):
            return
        if header in _HEADERS:
            self.of(_HEADERS[header], value)
        elif header == "authorization":
            self.of("token", value.rpartition(" ")[2])

    def _see_members(self, body: Any, kinds: dict[str, str]) -> None:
        if not isinstance(body, dict):
            return
        for member, kind in kinds.items():
            if isinstance(body.get(member), str):
                self.of(kind, body[member])
        meta = body.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else body.get("progressToken")
        if isinstance(token, str):
            self.of("token", token)

    def __call__(self, text: str) -> str:
        """The text with every value that has a name replaced by it."""
        return _ANY.sub(self._replace, text)

    def remark(self, text: str) -> str:
        """A line written for people: also without lengths of time, and paths without folders."""
        return self(_LASTING.sub("", _PATH.sub("…/", text)))

    def _replace(self, found: re.Match[str]) -> str:
        whole, kind = found.group(), found.lastgroup
        if whole in self._names:
            return self._names[whole]
        for part in ("pid", "port"):
            if found.group(part):
                value = found.group(f"{part}_value")
                name = self.of(part, value)
                return name if part == "pid" else whole.removesuffix(value) + name
        return self.of(kind, whole) if kind else whole


class Kinds(Names):
    """Names without numbers: two conversations are compared by what a value is, not by which."""

    def _new(self, kind: str) -> str:
        return kind
