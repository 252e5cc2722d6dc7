"""Server-sent events: what is written is read again, wherever the bytes are torn."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_lesson.transports.events import Event, Parser, TooLong


def read(data: bytes, size: int | None = None, limit: int = 10_000) -> list[Event]:
    parser, found = Parser(limit), []
    for start in range(0, len(data), size or len(data) or 1):
        found += parser.feed(data[start : start + (size or len(data))])
    return found


STREAMS = [
    (b"data: a\n\n", [Event("a")]),
    (b"data:a\n\n", [Event("a")]),
    (b"data:  a\n\n", [Event(" a")]),
    (b"data: a\r\n\r\n", [Event("a")]),
    (b"data: a\r\r", [Event("a")]),
    (b"data: a\r\rdata: b\r\r\n", [Event("a"), Event("b")]),
    (b"data: a\ndata: b\n\n", [Event("a\nb")]),
    (b"data\n\n", [Event("")]),
    (b"data:\n\n", [Event("")]),
    (b"id: 7\nretry: 500\ndata:\n\n", [Event("", id="7", retry=500)]),
    (b"id\ndata: a\n\n", [Event("a", id="")]),
    (b"id: a\0b\ndata: x\n\n", [Event("x")]),
    (b"event: message\ndata: x\n\n", [Event("x", event="message")]),
    (b": comment\n\n", []),
    (b": comment\ndata: x\n\n", [Event("x")]),
    (b"unknown: y\n\n", []),
    (b"retry: soon\ndata: x\n\n", [Event("x")]),
    (b"retry: \xc2\xb2\ndata: x\n\n", [Event("x")]),
    (b"retry: 99999999999999\ndata: x\n\n", [Event("x")]),
    (b"\n\n\n", []),
    (b"data: never ended\n", []),
    (b"data: a:b: c\n\n", [Event("a:b: c")]),
    (b"data: \xe2\x80\xa8\xc2\x85\x0b\x0c\x1c\n\n", [Event("\u2028\x85\x0b\x0c\x1c")]),
    (b"data: \xff\n\n", [Event("\ufffd")]),
    (b"data: one\n\ndata: two\n\n", [Event("one"), Event("two")]),
]


@pytest.mark.parametrize("size", [None, 1, 2, 3, 7])
@pytest.mark.parametrize(("data", "events"), STREAMS, ids=[str(data) for data, _ in STREAMS])
def test_a_stream_is_read_wherever_it_is_torn(data: bytes, events: list, size: int | None) -> None:
    assert read(data, size) == events


words = st.text(st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"]))


@given(
    st.lists(
        st.builds(
            Event,
            st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"])),
            st.none() | words,
            st.none() | words,
            st.none() | st.integers(0, 999_999_999),
        )
    ),
    st.integers(1, 40),
)
def test_what_is_written_is_read_again(events: list[Event], size: int) -> None:
    assert read(b"".join(event.encode() for event in events), size, 10**6) == events


def test_what_an_event_says_besides_its_data() -> None:
    assert Event("x", id="1", retry=5).told() == {"id": "1", "retry": 5}
    assert Event("x").told() == {}


@pytest.mark.parametrize("data", [b"data: " + b"x" * 200, b"data: xxxxxxxxxxxx\n" * 30])
def test_an_event_longer_than_the_limit_is_not_kept(data: bytes) -> None:
    with pytest.raises(TooLong, match="longer than 100 bytes"):
        read(data, 10, limit=100)
    assert read(b"data: x\n\n" * 1000, 10, limit=100) == [Event("x")] * 1000


def test_a_long_event_in_small_pieces_takes_no_longer_than_its_length() -> None:
    parser, piece = Parser(64 * 2**20), b"x" * 4096
    assert not list(parser.feed(b"data: "))
    for _ in range(2000):
        assert not list(parser.feed(piece))
    (event,) = parser.feed(b"\n\n")
    assert len(event.data) == 2000 * 4096
