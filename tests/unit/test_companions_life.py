"""life_cycle: the picture and the table are the same thing, and a trace walks through both."""

import base64
import re
import xml.etree.ElementTree as ET
from itertools import combinations

import pytest

from mcp_lesson import Client, Server, Trace, connect, life_cycle, lifecycle
from mcp_lesson.trace import TO_CLIENT, TO_SERVER, Frame
from mcp_lesson.views import life_picture
from mcp_lesson.views.companion_widget import LifeView
from mcp_lesson.views.life_picture import EVENT_LOOKS, Box, inline, plan
from mcp_lesson.views.palette import DARK, LIGHT, LOOKS, contrast

GREETING = {
    "initialize": '{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{"protocolVersion":'
    '"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}',
    "answered": '{"jsonrpc":"2.0","id":%d,"result":{"protocolVersion":"2025-11-25",'
    '"capabilities":{},"serverInfo":{"name":"s","version":"1"}}}',
    "refused": '{"jsonrpc":"2.0","id":%d,"error":{"code":-32602,"message":"no"}}',
}
INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
LIST = '{"jsonrpc":"2.0","id":9,"method":"tools/list"}'


def drawn(**settings: object) -> ET.Element:
    html = life_cycle(**settings).html()  # type: ignore[arg-type]
    found = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', html)
    assert found
    return ET.fromstring(base64.b64decode(found[1]))


def attributes(picture: ET.Element, name: str) -> list[str]:
    return [part.attrib[name] for part in picture.iter() if name in part.attrib]


def lit(picture: ET.Element) -> list[str]:
    return [p.attrib["data-state"] for p in picture.iter() if p.attrib.get("class") == "state now"]


def words(part: ET.Element) -> str:
    return " ".join(text for text in part.itertext() if text.strip())


def greeted(*more: str) -> Trace:
    trace = Trace()
    trace.sent(GREETING["initialize"] % 1)
    trace.received(GREETING["answered"] % 1)
    trace.sent(INITIALIZED)
    for line in more:
        trace.sent(line)
    return trace


# -- the picture and the table --------------------------------------------------------------------


def pictures() -> list[ET.Element]:
    return [drawn(), *(ET.fromstring(inline(upright, {})) for upright in (False, True))]


def test_every_state_of_the_table_is_in_the_picture_and_no_other() -> None:
    for picture in pictures():
        assert sorted(attributes(picture, "data-state")) == sorted(lifecycle.STATES)
        names = [p for p in picture.iter() if p.attrib.get("class") == "name"]
        assert sorted(map(words, names)) == sorted(lifecycle.STATES)


def test_every_transition_of_the_table_is_in_the_picture_and_no_other() -> None:
    table = sorted((f"{a} {event}", b) for (a, event), b in lifecycle.TRANSITIONS.items())
    for picture in pictures():
        moves = [part for part in picture.iter() if "data-move" in part.attrib]
        shown = sorted((m.attrib["data-move"], m.attrib["data-target"]) for m in moves)
        assert shown == table
        for move in moves:
            assert words(move) == move.attrib["data-move"].partition(" ")[2]


def ends(move: ET.Element) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where the stroke of an arrow begins, and the point of its head."""
    stroke, head = (part.attrib["d"] for part in move.iter() if part.tag.endswith("path"))
    start, point = (
        re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", stroke)[0],
        re.findall(r"L(-?[\d.]+) (-?[\d.]+)", head)[0],
    )
    return (float(start[0]), float(start[1])), (float(point[0]), float(point[1]))


def near(box: Box, place: tuple[float, float]) -> bool:
    reach = 5
    return (
        abs(place[0] - box.x) <= box.wide / 2 + reach
        and abs(place[1] - box.y) <= box.high / 2 + reach
    )


@pytest.mark.parametrize("upright", [False, True])
def test_every_arrow_leads_from_its_state_to_its_state(upright: bool) -> None:
    one = plan(upright)
    picture = ET.fromstring(inline(upright, {}))
    for move in (part for part in picture.iter() if "data-move" in part.attrib):
        source = move.attrib["data-move"].partition(" ")[0]
        begin, end = ends(move)
        assert near(one.boxes[source], begin), move.attrib
        assert near(one.boxes[move.attrib["data-target"]], end), move.attrib
        assert not near(one.boxes[source], end), move.attrib


@pytest.mark.parametrize("upright", [False, True])
def test_states_do_not_overlap_and_stand_inside(upright: bool) -> None:
    one = plan(upright)
    assert one.boxes.keys() == lifecycle.STATES.keys()
    for a, b in combinations(one.boxes.values(), 2):
        assert abs(a.x - b.x) >= (a.wide + b.wide) / 2 or abs(a.y - b.y) >= (a.high + b.high) / 2
    for box in one.boxes.values():
        assert box.wide / 2 < box.x < one.width - box.wide / 2
        assert box.high / 2 < box.y < one.height - box.high / 2
    assert one.width < (400 if upright else 1100)


def test_a_table_with_another_state_gives_another_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    states = {**lifecycle.STATES, "asleep": "Nobody speaks."}
    monkeypatch.setattr(lifecycle, "STATES", states)
    monkeypatch.setattr(lifecycle, "PHASES", {**lifecycle.PHASES, "asleep": "operation"})
    moves = {**lifecycle.TRANSITIONS, ("operating", "dozed"): "asleep", ("asleep", "woke"): "new"}
    monkeypatch.setattr(lifecycle, "TRANSITIONS", moves)
    monkeypatch.setattr(life_picture, "LADDER", tuple(s for s in states if s != "closed"))
    picture = ET.fromstring(inline(False, {}))
    assert "asleep" in attributes(picture, "data-state")
    assert "asleep woke" in attributes(picture, "data-move")


def test_every_event_looks_like_its_message() -> None:
    assert EVENT_LOOKS.keys() == set(lifecycle.EVENTS)
    assert set(EVENT_LOOKS.values()) <= LOOKS.keys()


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_mark_of_the_current_state_can_be_read(theme: dict[str, str]) -> None:
    assert contrast(theme["ground"], theme["request"]) >= 4.5
    assert contrast(theme["ink"], theme["select"]) >= 4.5


# -- a conversation walks through it --------------------------------------------------------------


async def test_a_real_conversation_from_the_first_word_to_the_last() -> None:
    trace = Trace()
    client = await connect(Server("s"), era="legacy", trace=trace)
    assert isinstance(client, Client)
    assert life_cycle(state=client.state).state == "operating"
    await client.request("ping")
    trace.noted("lifecycle", "the client closed the server's input", TO_SERVER)
    await client.close()
    assert repr(life_cycle(trace)) == (
        "Life of a connection\n"
        "  row 1   new ── initialize ──► initializing\n"
        "  row 2   initializing ── answered ──► agreed\n"
        "  row 3   agreed ── initialized ──► operating\n"
        "  row 6   operating ── closed ──► closed\n"
        "closed: The wire is closed. Nothing more can be said on this connection."
    )


def test_the_current_state_is_lit_and_the_way_there_is_numbered() -> None:
    picture = drawn(trace=greeted(LIST))
    assert lit(picture) == ["operating"]
    past = [p for p in picture.iter() if p.attrib.get("class", "").endswith(" past")]
    assert [(p.attrib["data-move"], words(p).split("row ")[1]) for p in past] == [
        ("new initialize", "1"),
        ("initializing answered", "2"),
        ("agreed initialized", "3"),
    ]


def test_a_trace_cut_short_is_lit_where_it_stopped() -> None:
    whole = list(greeted())
    stops = [life_cycle(whole[:count]).state for count in range(4)]
    assert stops == ["new", "initializing", "agreed", "operating"]


def test_a_refusal_leads_back_and_the_second_try_is_counted_too() -> None:
    trace = Trace()
    trace.sent(GREETING["initialize"] % 1)
    trace.received(GREETING["refused"] % 1)
    trace.sent(GREETING["initialize"] % 2)
    one = life_cycle(trace)
    assert one.state == "initializing"
    assert one.taken() == {("new", "initialize"): [1, 3], ("initializing", "refused"): [2]}


@pytest.mark.broken_messages
def test_what_is_sent_too_early_is_named() -> None:
    trace = Trace()
    trace.sent(GREETING["initialize"] % 1)
    trace.sent(LIST)
    trace.received(GREETING["answered"] % 1)
    one = life_cycle(trace)
    assert "  row 2   initializing: ⚠ early, #9 tools/list" in repr(one).split("\n")
    assert "Row 2: #9 tools/list was sent early" in one.html()
    assert one.state == "agreed"


def test_a_new_connection_after_the_end_begins_a_new_life() -> None:
    trace = greeted()
    trace.noted("lifecycle", "the client closed the server's input")
    for frame in greeted():
        trace.record(frame)
    assert life_cycle(trace).state == "operating"
    assert life_cycle(trace).taken()["new", "initialize"] == [1, 5]


def test_one_server_of_several_is_followed() -> None:
    trace = Trace()
    for peer in ("a", "b"):
        trace.sent(GREETING["initialize"] % 1, peer=peer)
    trace.received(GREETING["answered"] % 1, peer="b")
    assert life_cycle(trace).state == "initializing"
    assert life_cycle(trace, peer="b").state == "agreed"
    assert repr(life_cycle(trace, peer="b")).startswith("Life of a connection with b\n")


async def test_a_modern_conversation_has_no_such_life() -> None:
    trace = Trace()
    client = await connect(Server("s"), era="modern", trace=trace)
    await client.close()
    for one in (life_cycle(trace), life_cycle(state="open")):
        assert repr(one).startswith("This conversation is modern (2026-07-28)")
        assert "no handshake" in one.html()
        assert "<img" not in one.html()
        assert one._view() == {}


async def test_a_probe_that_falls_back_is_a_legacy_life() -> None:
    frames = [
        Frame(0, TO_SERVER, "message", {"jsonrpc": "2.0", "id": 0, "method": "server/discover"}),
        Frame(0, TO_CLIENT, "message", {"jsonrpc": "2.0", "id": 0, "error": {"code": -32601}}),
        *greeted(),
    ]
    one = life_cycle(frames)
    assert one.state == "operating"
    assert [step.row for step in one.steps] == [
        3,
        4,
        5,
    ]  # the probe moved nothing, nor was it early


def test_without_a_trace_it_is_the_table() -> None:
    lines = repr(life_cycle()).split("\n")
    assert lines[0] == "Life of a connection"
    assert len(lines) == 1 + len(lifecycle.TRANSITIONS)
    assert not lit(drawn())
    assert lit(drawn(state="agreed")) == ["agreed"]
    assert "should send only" in life_cycle(state="new").html()
    assert repr(life_cycle(Trace())).startswith("Life of a connection\nnew: Nothing was said yet.")


def test_a_state_that_is_in_no_table_is_refused() -> None:
    with pytest.raises(ValueError, match="state is 'asleep'; it must be"):
        life_cycle(state="asleep")


def test_hostile_words_stay_words() -> None:
    trace = greeted('{"jsonrpc":"2.0","id":3,"method":"<script>alert(1)</script>"}')
    view = life_cycle(trace)._widget()
    assert "<script" not in life_cycle(trace).html()
    assert view.data["labels"][3] == "#3 <script>alert(1)</script>"  # put on the page as text


def test_the_live_view_has_both_pictures_and_every_move() -> None:
    view = life_cycle(greeted(LIST))._widget()
    assert isinstance(view, LifeView)
    assert view.state == {"row": 4, "shown": "operating"}
    assert [step["event"] for step in view.data["steps"]] == [
        "initialize",
        "answered",
        "initialized",
    ]
    assert view.data["rows"] == 4
    assert " now" not in view.data["wide"] + view.data["tall"]


def test_ten_thousand_rows_stay_small() -> None:
    frames = list(greeted(LIST)) * 2500
    data = life_cycle(frames)._widget().data
    assert data["rows"] == 10_000
    assert len(str(data)) < 150_000
