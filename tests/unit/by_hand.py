"""Peers fed by hand: what a test says goes in, what the peer says comes out.

No process, no socket, no wire: a test is a conversation written down.
"""

import asyncio
import itertools
from collections.abc import Callable, Mapping
from typing import Any

from mcp_lesson import Client, Limits, Server, jsonrpc
from mcp_lesson.connection import Connection
from mcp_lesson.peer import Envelope
from mcp_lesson.revisions import META, NEWEST

PATIENCE = 20.0
"""Seconds within which a peer in this process must have spoken; it takes microseconds."""

SAYS = {"tools": {"listChanged": True}, "resources": {"subscribe": True}, "prompts": {}}


class Out:
    """What a peer sends, in order."""

    def __init__(self) -> None:
        self.envelopes: asyncio.Queue[Envelope] = asyncio.Queue()

    async def next_envelope(self) -> Envelope:
        return await asyncio.wait_for(self.envelopes.get(), PATIENCE)

    async def next(self) -> Any:
        return (await self.next_envelope()).message

    async def several(self, count: int) -> list[Any]:
        return [await self.next() for _ in range(count)]


class ServerByHand(Out):
    """One connection to a server, with nothing between it and the test."""

    def __init__(self, server: Server, limits: Limits | None = None, caller: str = "") -> None:
        super().__init__()
        self.connection = Connection(
            server, self.envelopes.put, limits=limits or Limits(request=PATIENCE), caller=caller
        )
        self._ids = itertools.count(1)

    def feed(self, message: Any, headers: Mapping[str, str] | None = None) -> None:
        self.connection.receive(Envelope(message, headers=headers or {}))

    def tell(self, method: str, params: Any = None) -> None:
        self.feed(jsonrpc.notification(method, params))

    async def ask(self, method: str, params: Any = None, **more: Any) -> Any:
        """Ask, and take what comes next for the answer."""
        self.feed(jsonrpc.request(next(self._ids), method, params), **more)
        return await self.next()

    async def shake(self, revision: str = "2025-11-25", **capabilities: Any) -> Any:
        """The handshake of a legacy client that declares these capabilities."""
        hello = {"protocolVersion": revision, "capabilities": capabilities, "clientInfo": CALLER}
        answer = await self.ask("initialize", hello)
        self.tell("notifications/initialized")
        return answer["result"]

    async def ask_modern(
        self, method: str, params: Any = None, capabilities: Any = None, **more: Any
    ) -> Any:
        """Ask as a client of 2026-07-28 does; `more` may be `meta` and `headers`."""
        self.feed(self.modern(method, params, capabilities, more.pop("meta", None)), **more)
        return await self.next()

    def modern(
        self, method: str, params: Any = None, capabilities: Any = None, meta: Any = None
    ) -> Any:
        about = meta_of(capabilities) | (meta or {})
        return jsonrpc.request(next(self._ids), method, {**(params or {}), "_meta": about})

    async def is_silent(self) -> bool:
        """True if nothing was said: the answer to a question asked now comes first."""
        id = f"silence-{next(self._ids)}"
        about = {"_meta": meta_of()}
        self.feed(jsonrpc.request(id, "server/discover", about))
        return bool((await self.next())["id"] == id)


CALLER = {"name": "a test", "version": "1"}


def meta_of(capabilities: Any = None) -> dict[str, Any]:
    """The `_meta` that every request carries since 2026-07-28."""
    return {
        META + "protocolVersion": NEWEST,
        META + "clientInfo": CALLER,
        META + "clientCapabilities": capabilities or {},
    }


class ClientByHand(Out):
    """A client whose wire is the test."""

    def __init__(self, era: str = "legacy", streams: bool = False, **more: Any) -> None:
        super().__init__()
        self.streams, self.dropped, self.opened = streams, list[Any](), 0
        more.setdefault("limits", Limits(request=PATIENCE))
        self.client = Client(self, era=era, **more)

    # -- the wire --------------------------------------------------------------------------

    def attach(self, peer: Any) -> None:
        self.peer = peer

    async def send(self, envelope: Envelope) -> None:
        self.envelopes.put_nowait(envelope)

    async def listen(self, headers: Mapping[str, str]) -> None:
        self.opened += 1

    async def drop(self, id: Any) -> None:
        self.dropped.append(id)

    async def close(self, headers: Mapping[str, str]) -> None:
        self.peer.lost("the test closed the wire")

    # -- the other side --------------------------------------------------------------------

    def feed(self, message: Any, **more: Any) -> None:
        self.client.receive(Envelope(message, **more))

    def answer(self, asked: Any, value: Any) -> None:
        self.feed(jsonrpc.result(asked["id"], value))

    def refuse(self, asked: Any, code: int, data: Any = None) -> None:
        self.feed(jsonrpc.error(asked["id"], code, data=data))

    async def shake(self, capabilities: Any = None, **more: Any) -> Client:
        """The server's half of a handshake, in the client's era."""
        starting = asyncio.ensure_future(self.client.start())
        asked = await self.next()
        offers = SAYS if capabilities is None else capabilities
        if asked["method"] == "server/discover":
            self.answer(asked, discovered(offers, **more))
        else:
            version = asked["params"]["protocolVersion"]
            info = {"name": "by hand", "version": "1"}
            result = {"protocolVersion": version, "capabilities": offers, "serverInfo": info}
            self.answer(asked, result | more)
            assert (await self.next())["method"] == "notifications/initialized"
        await starting
        return self.client

    def calls(self, work: Any) -> "asyncio.Task[Any]":
        """Run what the client is to do beside the test."""
        return asyncio.ensure_future(work)


def discovered(capabilities: Any = None, **more: Any) -> dict[str, Any]:
    """A DiscoverResult."""
    return {
        "resultType": "complete",
        "supportedVersions": [NEWEST],
        "capabilities": SAYS if capabilities is None else capabilities,
        "ttlMs": 0,
        "cacheScope": "public",
        **more,
    }


def complete(**members: Any) -> dict[str, Any]:
    """A result of 2026-07-28 that is whole."""
    return {"resultType": "complete", **members}


def code_of(answer: Any) -> int | None:
    """The code of an error answer, None for a result."""
    return answer["error"]["code"] if "error" in answer else None


async def eventually(holds: Callable[[], object]) -> None:
    """Wait for what happens without telling anybody."""
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110 -- there is no event to wait for
            await asyncio.sleep(0.001)
