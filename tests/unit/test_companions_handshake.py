"""handshake_explorer: real messages for any settings, and an outcome that says what they mean."""

import asyncio
from itertools import chain, combinations
from typing import Any

import pytest

from mcp_lesson import handshake_explorer, jsonrpc, revisions
from mcp_lesson.revisions import LEGACY, MODERN
from mcp_lesson.views.companion_widget import explorer
from mcp_lesson.views.outcome import unlocked, words
from mcp_lesson.views.rehearsal import (
    CLIENT_CAN,
    SERVER_CAN,
    Rehearsal,
    Settings,
    able,
    known,
    rehearse,
)


def played(client: Any, server: Any, **can: Any) -> Rehearsal:
    return rehearse(Settings(known(client), known(server), **can))


def methods(one: Rehearsal) -> list[str]:
    return [message.get("method", jsonrpc.kind(message)) for message in one.trace.messages()]


GREETED = ["initialize", "result", "notifications/initialized"]

MATRIX = [
    # client, server, what crosses the wire, revision agreed on, the outcome begins with
    ("legacy", "legacy", GREETED, "2025-11-25", "Agreed on 2025-11-25."),
    ("legacy", "both", GREETED, "2025-11-25", "Agreed on 2025-11-25."),
    (
        "legacy",
        ["2024-11-05"],
        GREETED,
        "2024-11-05",
        "Agreed on 2024-11-05. The client offered 20",
    ),
    ("legacy", "modern", ["initialize", "error"], None, "No agreement: the server is modern"),
    ("modern", "legacy", ["server/discover", "error"], None, "No agreement: the server is legacy"),
    ("modern", "modern", ["server/discover", "result"], "2026-07-28", "Both speak 2026-07-28"),
    ("modern", "both", ["server/discover", "result"], "2026-07-28", "Both speak 2026-07-28"),
    (
        "both",
        "modern",
        ["server/discover", "result"],
        "2026-07-28",
        "The server answered the probe",
    ),
    ("both", "both", ["server/discover", "result"], "2026-07-28", "The server answered the probe"),
    ("both", "legacy", ["server/discover", "error", *GREETED], "2025-11-25", "The server refused"),
    (["2025-06-18"], ["2025-11-25"], ["initialize", "result"], None, "No agreement: the client l"),
    ([], "both", [], None, "A client that knows no revision"),
    ("both", [], [], None, "A server that knows no revision"),
]


@pytest.mark.parametrize(("client", "server", "said", "agreed", "outcome"), MATRIX)
def test_the_compatibility_matrix(
    client: Any, server: Any, said: list[str], agreed: str | None, outcome: str
) -> None:
    """Clause: 2026-07-28 basic/versioning, compatibility matrix."""
    one = played(client, server)
    assert methods(one) == said
    assert words(one).startswith(outcome)
    has_agreed = one.client and not one.problem and one.client.revision
    assert (has_agreed.name if has_agreed else None) == agreed
    assert bool(unlocked(one)) is bool(agreed)


def subsets(dates: tuple[str, ...]) -> list[tuple[str, ...]]:
    return list(chain.from_iterable(combinations(dates, n) for n in range(1, len(dates) + 1)))


def test_every_pair_of_legacy_sides_follows_the_rule() -> None:
    """The newest is offered; the server repeats it or names its own newest; the client takes it
    or leaves. Clause: 2025-11-25 basic/lifecycle#version-negotiation"""
    for client in subsets(LEGACY):
        for server in subsets(LEGACY):
            one = played(client, server)
            offer, answer = one.trace.messages()[:2]
            offered = offer["params"]["protocolVersion"]
            answered = answer["result"]["protocolVersion"]
            assert offered == client[-1]
            assert answered == (offered if offered in server else server[-1])
            stays = answered in client
            assert methods(one) == (GREETED if stays else GREETED[:2]), (client, server)
            assert (one.problem is None) is stays
            assert words(one).startswith(f"Agreed on {answered}." if stays else "No agreement")


def test_what_both_know_and_miss_is_said() -> None:
    one = played(["2025-11-25", "2024-11-05"], ["2025-06-18", "2024-11-05"])
    assert "Both know 2024-11-05, but a handshake has one offer and one answer" in words(one)
    assert "Both know" not in words(played(["2025-06-18"], ["2025-11-25"]))
    assert one.trace[-1].text == "the client leaves"


def test_a_modern_server_names_its_versions_when_it_refuses() -> None:
    """A SHOULD of 2026-07-28 basic/versioning."""
    refusal = played("legacy", "modern").trace.messages()[1]
    assert refusal["error"]["code"] == jsonrpc.UNSUPPORTED_VERSION
    assert refusal["error"]["data"]["supported"] == list(MODERN)


def test_settings_are_what_the_messages_declare() -> None:
    one = played("legacy", "legacy", client_can=CLIENT_CAN, server_can=SERVER_CAN)
    offer, answer = one.trace.messages()[:2]
    assert set(offer["params"]["capabilities"]) == set(CLIENT_CAN)
    assert set(answer["result"]["capabilities"]) == set(SERVER_CAN)
    none = played("legacy", "legacy", client_can=(), server_can=())
    offer, answer = none.trace.messages()[:2]
    assert offer["params"]["capabilities"] == answer["result"]["capabilities"] == {}
    modern = played("modern", "modern", client_can=("roots",), server_can=("prompts",))
    asked, told = modern.trace.messages()
    meta = asked["params"]["_meta"]
    assert set(meta["io.modelcontextprotocol/clientCapabilities"]) == {"roots"}
    assert set(told["result"]["capabilities"]) == {"prompts"}


@pytest.mark.parametrize("date", [*LEGACY, *MODERN])
def test_what_a_capability_unlocks_is_what_the_table_says(date: str) -> None:
    everything = {"client_can": CLIENT_CAN, "server_can": SERVER_CAN}
    found = unlocked(played([date], [date], **everything))
    assert [(one.side, one.capability) for one in found] == [
        *(("server", name) for name in SERVER_CAN),
        *(("client", name) for name in CLIENT_CAN),
    ]
    gated = {
        row.name
        for row in revisions.ALL[date].methods.values()
        if row.needs and row.needs != "client.elicitation.url"  # our client declares forms alone
    }
    assert {name for one in found for name in (*one.client, *one.server)} == gated
    for one in found:
        for sender, names in (("client", one.client), ("server", one.server)):
            assert all(revisions.ALL[date].may_send(sender, name) for name in names)


def test_what_is_not_declared_stays_shut() -> None:
    found = {one.capability: one for one in unlocked(played("legacy", "legacy", server_can=()))}
    assert found["tools"].words == (
        "nobody may send tools/list, tools/call or notifications/tools/list_changed"
    )
    assert found["elicitation"].words == "the server may send elicitation/create"
    old = {one.capability: one for one in unlocked(played(["2024-11-05"], ["2024-11-05"]))}
    assert old["elicitation"].words == "this revision does not have it"
    new = {one.capability: one for one in unlocked(played("modern", "modern"))}
    assert new["elicitation"].words.startswith("inside a result, the server may ask for")
    assert new["roots"].words == "nobody may ask for roots/list"


# -- three faces ----------------------------------------------------------------------------------


def test_the_text_is_the_same_on_every_run() -> None:
    one = repr(handshake_explorer("both", ["2025-06-18"], server_can=["tools"]))
    assert one == repr(handshake_explorer("both", ["2025-06-18"], server_can=["tools"]))
    assert one.split("\n")[:2] == [
        "The client knows every revision; it can: elicitation.",
        "The server knows 2025-06-18; it can: tools.",
    ]
    assert max(map(len, one.split("\n"))) <= 78
    assert "✓ tools: the client may send tools/list and tools/call" in one
    assert "– prompts: nobody may send" in one


def test_the_html_is_an_image_a_sentence_and_a_list() -> None:
    html = handshake_explorer().html()
    assert 'alt="Sequence diagram: 3 messages between Client' in html
    assert "Agreed on 2025-11-25." in html
    assert "✓ <code>tools</code> (server declared it): the client may send tools/list" in html
    assert "– <code>roots</code> (client did not): nobody may send" in html
    assert not [bad for bad in ("<svg", "<style", "style=", "<script") if bad in html]
    nothing = handshake_explorer(client=[]).html()
    assert "<img" not in nothing
    assert "<ul>" not in nothing


async def test_it_can_be_called_where_a_loop_runs_and_leaves_nothing_in_it() -> None:
    before = asyncio.all_tasks()
    assert "Agreed on" in repr(handshake_explorer())
    assert asyncio.all_tasks() == before


def test_names_that_there_are_not_are_refused() -> None:
    with pytest.raises(ValueError, match="'2020-01-01' is no revision"):
        handshake_explorer(client=["2020-01-01"])
    with pytest.raises(ValueError, match="'flying' is no capability"):
        handshake_explorer(server_can=["flying"])
    assert known("both") == tuple(revisions.ALL)
    assert known(["2025-11-25", "2024-11-05", "2025-11-25"]) == ("2024-11-05", "2025-11-25")
    assert able("tools", SERVER_CAN) == ("tools",)


# -- live -----------------------------------------------------------------------------------------


def test_other_settings_bring_another_conversation() -> None:
    box = explorer(played("legacy", "legacy"))
    settings, diagram, opened = box.children
    assert settings.data["agreed"] is True
    assert len(opened.data["rows"]) == len(CLIENT_CAN) + len(SERVER_CAN)
    settings.state = {**settings.state, "server": ["2026-07-28"], "asked": 1}
    assert settings.data["agreed"] is False
    assert settings.data["answers"] == 1
    assert "the server is modern" in settings.data["words"]
    assert opened.data["rows"] == []
    assert box.children[0] is settings
    assert box.children[1] is not diagram
    settings.state = {**settings.state, "client": [], "asked": 2}
    assert len(box.children) == 2


def test_a_browser_cannot_ask_for_what_there_is_not() -> None:
    box = explorer(played("legacy", "legacy"))
    with pytest.raises(ValueError, match="no revision"):
        box.children[0].state = {"client": ["<script>"], "server": []}
