"""How a client that never met a server finds out what it speaks."""

import asyncio

import pytest
from by_hand import ClientByHand, discovered

from mcp_lesson import ConnectionLost, HandshakeError, Limits, McpError, RequestTimeout, jsonrpc
from mcp_lesson.negotiation import wanted
from mcp_lesson.revisions import LATEST_LEGACY, LEGACY, META, MODERN, NEWEST

GREETED = {
    "protocolVersion": LATEST_LEGACY,
    "capabilities": {},
    "serverInfo": {"name": "s", "version": "1"},
}


@pytest.mark.parametrize(
    ("era", "found"),
    [
        ("auto", ("auto", NEWEST)),
        ("modern", ("modern", NEWEST)),
        ("legacy", ("legacy", LATEST_LEGACY)),
        ("2024-11-05", ("legacy", "2024-11-05")),
        ("2026-07-28", ("modern", "2026-07-28")),
    ],
)
def test_what_an_era_asks_for(era: str, found: tuple[str, str]) -> None:
    assert wanted(era) == found


def test_an_era_that_is_none_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        ValueError, match="era is '2025'; it must be one of auto, legacy, modern, 2024"
    ):
        wanted("2025")


# -- legacy ----------------------------------------------------------------------------------------


async def greet(hand: ClientByHand, **more: object) -> dict:
    """Answer the greeting; what was sent is returned."""
    asked = await hand.next()
    assert asked["method"] == "initialize"
    hand.answer(asked, GREETED | more)
    return asked


@pytest.mark.parametrize("era", [*LEGACY, "legacy"])
async def test_the_handshake(era: str) -> None:
    hand = ClientByHand(era)
    starting = hand.calls(hand.client.start())
    offered = LATEST_LEGACY if era == "legacy" else era
    asked = await greet(hand, protocolVersion=offered, instructions="Hello.")
    assert asked["params"]["protocolVersion"] == offered
    assert await hand.next() == {"jsonrpc": "2.0", "method": "notifications/initialized"}
    await starting
    client = hand.client
    assert (client.state, client.era, client.revision.name) == ("operating", "legacy", offered)
    assert (client.server_info["name"], client.instructions) == ("s", "Hello.")
    assert hand.opened == 1, "the stream for what the server says unasked"


@pytest.mark.parametrize("answered", LEGACY)
async def test_a_server_may_choose_another_version(answered: str) -> None:
    hand = ClientByHand("2024-11-05")
    starting = hand.calls(hand.client.start())
    await greet(hand, protocolVersion=answered)
    await starting
    assert hand.client.revision.name == answered


@pytest.mark.parametrize("version", ["2099-01-01", NEWEST, "", None, 5, [], {}])
async def test_a_version_that_is_not_known_ends_the_handshake(version: object) -> None:
    hand = ClientByHand("legacy")
    starting = hand.calls(hand.client.start())
    await greet(hand, protocolVersion=version)
    with pytest.raises(HandshakeError, match="this client knows 2024-11-05, 2025-03-26"):
        await starting
    assert hand.envelopes.empty()


async def test_a_server_that_names_another_version_is_greeted_with_that() -> None:
    hand = ClientByHand("legacy")
    starting = hand.calls(hand.client.start())
    hand.refuse(await hand.next(), -32602, {"supported": ["1.0", "2025-03-26"], "requested": "x"})
    again = await greet(hand, protocolVersion="2025-03-26")
    assert again["params"]["protocolVersion"] == "2025-03-26"
    await starting


@pytest.mark.parametrize(
    "data", [None, {}, {"supported": []}, {"supported": ["1.0"]}, {"supported": 5}, [], "x",
             {"supported": [LATEST_LEGACY]}]
)  # fmt: skip
async def test_a_refused_handshake_says_what_the_server_said(data: object) -> None:
    hand = ClientByHand("legacy")
    starting = hand.calls(hand.client.start())
    hand.refuse(await hand.next(), -32602, data)
    with pytest.raises(HandshakeError, match="refused the handshake: -32602 Invalid params"):
        await starting


async def test_a_silent_server_ends_the_handshake_in_time() -> None:
    hand = ClientByHand("legacy", limits=Limits(start=0.05))
    with pytest.raises(RequestTimeout, match=r"within 0.05 s"):
        await hand.client.start()


# -- modern ----------------------------------------------------------------------------------------


async def test_discovery() -> None:
    hand = ClientByHand("modern")
    starting = hand.calls(hand.client.start())
    asked = await hand.next()
    assert asked["method"] == "server/discover"
    meta = {META + "serverInfo": {"name": "m", "version": "1"}}
    hand.answer(asked, discovered({"tools": {}}, _meta=meta, instructions="Hi."))
    await starting
    client = hand.client
    assert (client.state, client.era, client.revision.name) == ("open", "modern", NEWEST)
    assert (client.server_info["name"], client.instructions) == ("m", "Hi.")
    assert hand.opened == 0
    assert hand.envelopes.empty(), "nothing else is said"


async def test_another_version_that_both_know_is_tried_at_once() -> None:
    hand = ClientByHand("modern")
    starting = hand.calls(hand.client.start())
    first = await hand.next()
    data = {"supported": ["2099-01-01", NEWEST], "requested": NEWEST}
    hand.refuse(first, jsonrpc.UNSUPPORTED_VERSION, data)
    second = await hand.next()
    assert second["id"] != first["id"]
    assert second["params"]["_meta"][META + "protocolVersion"] == NEWEST
    hand.answer(second, discovered())
    await starting


@pytest.mark.parametrize("supported", [["2099-01-01"], [], None, "2026-07-28", [None], LEGACY])
async def test_no_common_revision(supported: object) -> None:
    hand = ClientByHand("modern")
    starting = hand.calls(hand.client.start())
    hand.refuse(await hand.next(), jsonrpc.UNSUPPORTED_VERSION, {"supported": supported})
    with pytest.raises(HandshakeError, match=f"no common revision.*this client {MODERN[0]}"):
        await starting


async def test_a_modern_client_does_not_fall_back() -> None:
    hand = ClientByHand("modern")
    starting = hand.calls(hand.client.start())
    hand.refuse(await hand.next(), -32601)
    with pytest.raises(McpError, match="-32601"):
        await starting
    assert hand.envelopes.empty()


# -- auto ------------------------------------------------------------------------------------------


async def test_a_modern_server_is_found() -> None:
    hand = ClientByHand("auto")
    starting = hand.calls(hand.client.start())
    hand.answer(await hand.next(), discovered())
    await starting
    assert hand.client.era == "modern"


@pytest.mark.parametrize("code", [-32601, -32602, -32600, -32000, -32603, -32700, 0, 404])
async def test_any_other_error_means_legacy(code: int) -> None:
    """The fallback is keyed on no code: 2026-07-28 basic/transports/stdio."""
    hand = ClientByHand("auto")
    starting = hand.calls(hand.client.start())
    hand.refuse(await hand.next(), code)
    await greet(hand)
    assert (await hand.next())["method"] == "notifications/initialized"
    await starting
    assert (hand.client.era, hand.client.revision.name) == ("legacy", LATEST_LEGACY)


async def test_an_error_without_id_means_legacy_too() -> None:
    hand = ClientByHand("auto")
    starting = hand.calls(hand.client.start())
    await hand.next()
    hand.feed({"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "what?"}})
    await greet(hand)
    await hand.next()
    await starting


@pytest.mark.parametrize("status", [400, 404, 405, 500])
async def test_an_http_error_without_a_message_means_legacy(status: int) -> None:
    hand = ClientByHand("auto", streams=True)
    starting = hand.calls(hand.client.start())
    hand.client.fail((await hand.next())["id"], f"HTTP {status}", status)
    await greet(hand)
    await hand.next()
    await starting


async def test_silence_means_legacy_after_a_while() -> None:
    hand = ClientByHand("auto", limits=Limits(probe=0.05))
    starting = hand.calls(hand.client.start())
    assert (await hand.next())["method"] == "server/discover"
    await greet(hand)
    assert (await hand.next())["method"] == "notifications/initialized"
    await starting
    assert hand.envelopes.empty(), "the probe is not cancelled by a message"
    assert hand.client.era == "legacy"


async def test_a_late_discovery_still_wins() -> None:
    hand = ClientByHand("auto", limits=Limits(probe=0.05))
    starting = hand.calls(hand.client.start())
    probe = await hand.next()
    greeting = await hand.next()
    hand.answer(probe, discovered())
    await starting
    assert (hand.client.era, hand.client.revision.name) == ("modern", NEWEST)
    hand.refuse(greeting, -32601)
    await asyncio.sleep(0)
    assert (hand.client.era, hand.client.state) == ("modern", "open")


async def test_a_slow_modern_server_that_refuses_the_greeting_first_is_waited_for() -> None:
    hand = ClientByHand("auto", limits=Limits(probe=0.2))
    starting = hand.calls(hand.client.start())
    probe, greeting = await hand.several(2)
    hand.refuse(greeting, -32601)
    await asyncio.sleep(0.01)
    hand.answer(probe, discovered())
    await starting
    assert (hand.client.era, hand.client.revision.name) == ("modern", NEWEST)


async def test_a_server_that_refuses_the_greeting_and_ignores_the_probe_is_left() -> None:
    hand = ClientByHand("auto", limits=Limits(probe=0.05))
    starting = hand.calls(hand.client.start())
    _, greeting = await hand.several(2)
    hand.refuse(greeting, -32000)
    with pytest.raises(HandshakeError, match="refused the handshake: -32000"):
        await starting


@pytest.mark.parametrize("way", ["refused", "discovered"])
async def test_a_server_that_names_old_versions_alone_is_greeted(way: str) -> None:
    hand = ClientByHand("auto")
    starting = hand.calls(hand.client.start())
    versions = ["2099-01-01", "2025-11-25"]
    if way == "refused":
        data = {"supported": versions, "requested": NEWEST}
        hand.refuse(await hand.next(), jsonrpc.UNSUPPORTED_VERSION, data)
    else:
        hand.answer(await hand.next(), discovered(supportedVersions=versions))
    await greet(hand)
    assert (await hand.next())["method"] == "notifications/initialized"
    await starting
    assert (hand.client.era, hand.client.revision.name) == ("legacy", "2025-11-25")


async def test_a_late_refusal_of_the_probe_waits_for_the_greeting() -> None:
    hand = ClientByHand("auto", limits=Limits(probe=0.05))
    starting = hand.calls(hand.client.start())
    probe, greeting = await hand.several(2)
    hand.refuse(probe, -32601)
    await asyncio.sleep(0.01)
    assert not starting.done()
    hand.answer(greeting, GREETED)
    await starting
    assert (hand.client.era, hand.client.revision.name) == ("legacy", LATEST_LEGACY)


@pytest.mark.parametrize("code", [jsonrpc.HEADER_MISMATCH, jsonrpc.MISSING_CLIENT_CAPABILITY])
async def test_a_modern_error_is_never_answered_by_a_greeting(code: int) -> None:
    hand = ClientByHand("auto")
    starting = hand.calls(hand.client.start())
    hand.refuse(await hand.next(), code)
    with pytest.raises(HandshakeError, match="refused the probe"):
        await starting
    assert hand.envelopes.empty()


async def test_a_wire_that_breaks_during_the_probe_is_no_fallback() -> None:
    hand = ClientByHand("auto")
    starting = hand.calls(hand.client.start())
    await hand.next()
    hand.client.lost("the server ended with exit status 1")
    with pytest.raises(ConnectionLost, match="exit status 1"):
        await starting


async def test_a_caller_that_stops_waiting_leaves_no_task_behind() -> None:
    hand = ClientByHand("auto", limits=Limits(probe=0.02))
    starting = hand.calls(hand.client.start())
    await hand.several(2)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    await asyncio.sleep(0)
    others = asyncio.all_tasks() - {asyncio.current_task()}
    assert not [task for task in others if not task.done()]
