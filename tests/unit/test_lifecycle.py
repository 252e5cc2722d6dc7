"""The life of a legacy connection as a table."""

import pytest

from mcp_lesson import jsonrpc, lifecycle
from mcp_lesson.lifecycle import EVENTS, PHASES, STATES, TRANSITIONS, event_of, is_early, step


def test_the_table_holds_together() -> None:
    assert STATES.keys() == PHASES.keys()
    for (state, event), following in TRANSITIONS.items():
        assert state in STATES
        assert event in EVENTS
        assert following in STATES
    assert not [state for state, _ in TRANSITIONS if state == "closed"], "nothing leads out"
    reached = {"new"} | set(TRANSITIONS.values())
    assert reached == STATES.keys()


def test_a_life() -> None:
    state = "new"
    for event, following in (
        ("initialized", "new"),
        ("initialize", "initializing"),
        ("refused", "new"),
        ("initialize", "initializing"),
        ("initialize", "initializing"),
        ("answered", "agreed"),
        ("answered", "agreed"),
        ("initialized", "operating"),
        ("initialize", "operating"),
        ("closed", "closed"),
        ("initialize", "closed"),
    ):
        state = step(state, event)
        assert state == following


@pytest.mark.parametrize(
    ("message", "answers", "event"),
    [
        (jsonrpc.request(1, "initialize"), None, "initialize"),
        (jsonrpc.notification("notifications/initialized"), None, "initialized"),
        (jsonrpc.result(1, {}), "initialize", "answered"),
        (jsonrpc.error(1, -1), "initialize", "refused"),
        (jsonrpc.result(1, {}), "ping", None),
        (jsonrpc.request(1, "ping"), None, None),
        (jsonrpc.result(1, {}), None, None),
        ("nonsense", None, None),
        (None, "initialize", None),
        ([], None, None),
        ({"method": ["unhashable"], "id": 1}, None, None),
    ],
)
def test_which_event_a_message_is(message: object, answers: str | None, event: str) -> None:
    assert event_of(message, answers) == event


@pytest.mark.parametrize(
    ("state", "sender", "method", "early"),
    [
        ("new", "client", "initialize", False),
        ("new", "client", "tools/list", True),
        ("new", "server", "roots/list", True),
        ("initializing", "client", "tools/list", True),
        ("initializing", "client", "ping", False),
        ("initializing", "server", "notifications/message", False),
        ("initializing", "server", "sampling/createMessage", True),
        ("agreed", "client", "tools/list", False),
        ("agreed", "server", "sampling/createMessage", True),
        ("agreed", "server", "ping", False),
        ("operating", "server", "sampling/createMessage", False),
        ("operating", "client", "tools/list", False),
        ("closed", "client", "tools/list", False),
        ("open", "client", "tools/list", False),
    ],
)
def test_what_comes_too_early(state: str, sender: str, method: str, early: bool) -> None:
    assert is_early(state, sender, method) is early
    assert lifecycle.EARLY.keys() <= STATES.keys()
