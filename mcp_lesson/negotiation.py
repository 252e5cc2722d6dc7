"""How a client and a server that never met agree on a revision.

Three ways in, by what the caller wants. `legacy` greets: initialize, its answer, initialized.
`modern` asks `server/discover`, though it would not have to. `auto` tries the new way and falls
back to the old one, and must be careful in both directions: servers refuse the probe with any code
they like, or not at all, and some that are slow are modern all the same.

Clauses: 2025-11-25 basic/lifecycle; 2026-07-28 basic/versioning, basic/transports/stdio
"""

import asyncio
from typing import TYPE_CHECKING, Any

from . import jsonrpc, revisions
from .peer import ConnectionLost, McpError, RequestTimeout
from .revisions import LATEST_LEGACY, LEGACY, META, MODERN, NEWEST

if TYPE_CHECKING:
    from .client import Client


class HandshakeError(ConnectionError):
    """Client and server could not agree: the text says on what."""


def wanted(era: str) -> tuple[str, str]:
    """The era and the version to offer. Raises ValueError for what is neither era nor revision."""
    if era in ("auto", "modern"):
        return era, NEWEST
    if era == "legacy":
        return era, LATEST_LEGACY
    if era not in revisions.ALL:
        known = ", ".join(["auto", "legacy", "modern", *revisions.ALL])
        raise ValueError(f"era is {era!r}; it must be one of {known}")
    return revisions.ALL[era].era, era


async def start(client: "Client") -> None:
    """Agree, within `limits.start`.

    Raises HandshakeError, RequestTimeout, ConnectionLost, or the McpError of a server that refused.
    """
    ways = {"auto": find_era, "legacy": greet, "modern": discover}
    limit = client.limits.start
    try:
        async with asyncio.timeout(limit):
            await ways[client.era](client)
    except RequestTimeout:
        raise
    except TimeoutError:
        text = f"the server did not finish its handshake within {limit:g} s"
        raise RequestTimeout(text + client.clues()) from None


async def find_era(client: "Client") -> None:
    """Probe with server/discover; whatever is no modern answer means: greet it the old way.

    A server that stays silent is greeted after `limits.probe`; an answer that comes late still
    counts if it comes first.
    """
    probe = asyncio.ensure_future(discover(client))
    greeting: asyncio.Future[None] | None = None
    try:
        await asyncio.wait({probe}, timeout=client.limits.probe)
        if not probe.done():
            greeting = asyncio.ensure_future(greet(client))
            await asyncio.wait({probe, greeting}, return_when=asyncio.FIRST_COMPLETED)
            if not probe.done() and greeting.exception():  # refused: so it may be slow and modern
                await asyncio.wait({probe}, timeout=client.limits.probe)
        if probe.done() and await _is_modern(probe) and client.era == "modern":
            return
        await (greeting or greet(client))
    finally:
        for task in (probe, greeting):
            if task:
                task.cancel()  # one that has failed already need not be reported any more


async def _is_modern(probe: "asyncio.Future[None]") -> bool:
    """Read the outcome of a probe. A modern error is final; any other answer says: legacy."""
    try:
        await probe
    except McpError as problem:
        if problem.code in jsonrpc.MODERN_CODES:
            raise HandshakeError(f"the server refused the probe: {problem}") from problem
        return False
    except ConnectionLost as problem:
        if problem.status is None:
            raise
        return False
    except RequestTimeout:
        return False
    return True


async def discover(client: "Client") -> None:
    """server/discover: which revisions, which capabilities, who are you.

    A server that refuses our version names its own; one that both know is tried at once. Where only
    old ones are common, a client that may greet does not agree here. Raises HandshakeError where
    there is none.
    """
    version = client.offered if client.offered in MODERN else NEWEST
    for attempt in (1, 2):
        spoken, client.revision = client.revision, revisions.ALL[version]
        try:
            asked = client.with_meta(None)
            result = await client.exchange("server/discover", asked)
            break
        except McpError as problem:
            client.revision = spoken
            if problem.code != jsonrpc.UNSUPPORTED_VERSION or attempt == 2:
                raise
            if client.era == "auto" and _is_old(_supported(problem.data)):
                return
            version = _common(_supported(problem.data))
    theirs = result.get("supportedVersions")
    if not isinstance(theirs, list):
        reason = "what answers server/discover is no DiscoverResult: it has no supportedVersions"
        raise McpError(jsonrpc.INVALID_REQUEST, reason)
    if client.era == "legacy" or (client.era == "auto" and _is_old(theirs)):
        return  # the greeting was faster, or is the only way
    client.revision = revisions.ALL[_common(theirs)]
    meta = result.get("_meta")
    client.met(result, meta.get(META + "serverInfo") if isinstance(meta, dict) else None)
    client.state, client.era = "open", "modern"


def _is_old(theirs: list[Any]) -> bool:
    """True if what both know is from before the stateless era alone."""
    return any(v in theirs for v in LEGACY) and not any(v in theirs for v in MODERN)


def _common(theirs: list[Any]) -> str:
    """The newest modern revision that both know. Raises HandshakeError."""
    common = [version for version in MODERN if version in theirs]
    if not common:
        listed = ", ".join(version[:40] for version in theirs if isinstance(version, str)) or "none"
        raise HandshakeError(
            f"no common revision: the server supports {listed}, this client {', '.join(MODERN)}"
        )
    return common[-1]


async def greet(client: "Client", again: str | None = None) -> None:
    """The handshake: offer a version, take the server's, say initialized.

    `again` is the version for a second try, after a server that refused the first and named others.
    Raises HandshakeError if the server wants a version that is not known here.
    """
    offered = again or (client.offered if client.offered in LEGACY else LATEST_LEGACY)
    client.revision, client.session_id, client.state = None, None, "initializing"
    hello = {
        "protocolVersion": offered,
        "capabilities": client.capabilities,
        "clientInfo": client.info,
    }
    try:
        result = await client.exchange("initialize", hello, timeout=client.limits.start)
    except McpError as problem:
        other = next((v for v in reversed(LEGACY) if v in _supported(problem.data)), None)
        if again or other is None or other == offered:
            raise HandshakeError(f"the server refused the handshake: {problem}") from problem
        return await greet(client, again=other)
    if client.era == "modern":  # a late DiscoverResult came first
        return None
    version = result.get("protocolVersion")
    if version not in LEGACY:
        wish = f"wants version {version[:40]!r}" if isinstance(version, str) else "names no version"
        raise HandshakeError(f"the server {wish}; this client knows {', '.join(LEGACY)}")
    client.revision, client.era, client.state = revisions.ALL[version], "legacy", "agreed"
    client.met(result, result.get("serverInfo"))
    await client.tell("notifications/initialized")
    client.state = "operating"
    await client.wire.listen(client.legacy_headers())
    return None


def _supported(data: Any) -> list[Any]:
    found = data.get("supported") if isinstance(data, dict) else None
    return found if isinstance(found, list) else []
