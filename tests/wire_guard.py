"""The guard: what our own clients and servers send in any test is judged by the official schemas.

It stands where every message passes, at `deliver`, and judges it by the schema of the revision that
is spoken: a request by its method, a result by the request it answers, a notification by its
method, an error by its code. A program of ours that runs as a child is judged by what its client
receives. A test that sends broken messages on purpose says so:

    with broken_on_purpose():
        await client.request("tools/call", {"name": 7})

One form is exempt: an error for a request whose id cannot be read has no legal form before
2025-11-25, nor before a revision is agreed on.
"""

import contextlib
import json
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import official

from mcp_lesson import modern, revisions
from mcp_lesson.client import Client
from mcp_lesson.connection import Connection
from mcp_lesson.peer import Envelope, Peer, is_request

HOUSE = Path(__file__).resolve().parents[1]
OURS = ("servers", "tests/conformance", "tests/unit", "tests/interop")
"""Folders whose programs are expected to speak without a fault when they run as children."""

NOT_OURS = ("hostile",)


class Guard:
    """Remembers what was asked, judges what is sent, and keeps the complaints of one test."""

    def __init__(self) -> None:
        self.complaints: list[str] = []
        self.judged = 0
        self.silent = 0
        self.every = 1
        self._asked: Any = weakref.WeakKeyDictionary()
        self._seen: dict[str, list[str]] = {}

    def begin(self) -> None:
        """A new test."""
        self.complaints, self.silent = [], 0

    # -- what passes ---------------------------------------------------------------------------

    def heard(self, peer: Peer, envelope: Envelope) -> None:
        """Remember the requests that a peer is asked, and which revision each speaks."""
        asked = self._asked.setdefault(peer, {})
        for message in _parts(envelope.message):
            if is_request(message) and message["id"] not in peer._serving:  # one in use is refused
                one = Envelope(message, headers=envelope.headers)
                asked[message["id"]] = message["method"], self._revision_of(peer, one)

    def sent(self, peer: Peer, envelope: Envelope) -> None:
        """Judge what a peer sends."""
        asked = self._asked.get(peer, {})
        for message in _parts(envelope.message):
            key = message.get("id") if "method" not in message else envelope.reply_to
            method, revision = asked.get(key, (None, None))
            spoken = self._revision_of(peer, Envelope(message))
            if peer.role == "client":
                revision = spoken
            self.judge(message, peer.role, revision or spoken, method, peer.revision is None)

    def received_from_ours(self, client: Client, envelope: Envelope) -> None:
        """Judge what a program of ours says to its client."""
        for message in _parts(envelope.message):
            waiting = client._pending.get(message.get("id")) if isinstance(message, dict) else None
            method = waiting.method if waiting and "method" not in message else None
            version = message.get("result", {}).get("protocolVersion") if method else None
            revision = version or (client.revision.name if client.revision else None)
            early = client.revision is None
            self.judge(message, "server", revision or revisions.LATEST_LEGACY, method, early)

    def judge(
        self, message: Any, sender: str, revision: str, answers: str | None, early: bool = False
    ) -> None:
        """Judge one message, unless this test breaks messages on purpose."""
        self.judged += 1
        exempt = "error" in message and "id" not in message and (early or revision < "2025-11-25")
        if self.silent or exempt or official.MISSING or self.judged % self.every:
            return
        key = _key(message, sender, revision, answers)
        if key is None:
            return
        if key not in self._seen:
            self._seen[key] = official.schema(revision).judge(message, sender, answers)
        for complaint in self._seen[key]:
            self.complaints.append(f"{complaint}\n    in {json.dumps(message)[:500]}")

    def _revision_of(self, peer: Peer, envelope: Envelope) -> str:
        message = envelope.message
        version = modern.meta_of(message).get(revisions.META + "protocolVersion")
        if version in tuple(revisions.ALL):
            return str(version)
        if "method" in message and peer.role == "server" and modern.is_modern(envelope):
            return revisions.NEWEST
        if message.get("method") == "initialize" and isinstance(message.get("params"), dict):
            offered = message["params"].get("protocolVersion")
            return str(offered) if offered in revisions.LEGACY else revisions.LATEST_LEGACY
        return peer.revision.name if peer.revision else revisions.LATEST_LEGACY


def _parts(message: Any) -> list[Any]:
    return message if isinstance(message, list) else [message]


def _key(message: Any, sender: str, revision: str, answers: str | None) -> str | None:
    """Two messages that differ in nothing but a valid id are judged alike; None: no JSON at all."""
    id = message.get("id")
    rest = {**message, "id": type(id).__name__} if "id" in message else message
    try:
        return json.dumps([rest, sender, revision, answers], sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return None  # it cannot leave either


GUARD = Guard()


@contextlib.contextmanager
def broken_on_purpose() -> Iterator[None]:
    """What is sent inside is not judged."""
    GUARD.silent += 1
    try:
        yield
    finally:
        GUARD.silent -= 1


@contextlib.contextmanager
def sampled(every: int) -> Iterator[None]:
    """Of what is sent inside, much and all alike, one message in `every` is judged."""
    GUARD.every = every
    try:
        yield
    finally:
        GUARD.every = 1


def is_ours(client: Client) -> bool:
    """True if the client's server is a program of this house that is meant to be right."""
    command = getattr(client.wire, "command", None) or ["", ""]
    script = Path(getattr(client.wire, "cwd", None) or ".", command[-1]).resolve()
    inside = any(script.is_relative_to(HOUSE / folder) for folder in OURS)
    return inside and not any(word in script.name for word in NOT_OURS)


def install() -> None:
    """Stand where every message passes."""
    for kind in (Client, Connection):
        kind.deliver = _judging(kind.deliver)  # type: ignore[method-assign]
    Connection.receive = _listening(Connection.receive)  # type: ignore[method-assign]
    Client.receive = _listening(Client.receive)  # type: ignore[method-assign]
    with contextlib.suppress(ImportError):
        from mcp_lesson.transports import asgi

        asgi.refusal = _refusing(asgi.refusal)


def _judging(deliver: Any) -> Any:
    async def judged(self: Any, envelope: Envelope) -> None:
        GUARD.sent(self, envelope)
        await deliver(self, envelope)

    return judged


def _listening(receive: Any) -> Any:
    def heard(self: Any, envelope: Envelope) -> None:
        GUARD.heard(self, envelope)
        if isinstance(self, Client) and is_ours(self):
            GUARD.received_from_ours(self, envelope)
        receive(self, envelope)

    return heard


def _refusing(refusal: Any) -> Any:
    def refused(problem: Any, id: Any = None) -> Any:
        response = refusal(problem, id)
        modern_or_latest = revisions.NEWEST if id is None else revisions.LATEST_LEGACY
        GUARD.judge(json.loads(response.body), "server", modern_or_latest, None)
        return response

    return refused
