"""Lines over pipes: framing wherever bytes are torn, and reading and writing in both ways."""

import asyncio
import os
from typing import IO

import pytest
from by_hand import eventually
from hypothesis import given
from hypothesis import strategies as st

from mcp_lesson import ConnectionLost
from mcp_lesson.transports.lines import Reader, Splitter, Writer

PATIENCE = 10.0
LIMIT = 1_000_000

both_ways = pytest.mark.parametrize(
    "watch",
    [
        pytest.param(
            True, id="watched", marks=pytest.mark.skipif(os.name != "posix", reason="POSIX only")
        ),
        pytest.param(False, id="thread"),
    ],
)


def pipe() -> tuple[IO[bytes], IO[bytes]]:
    source, sink = os.pipe()
    return os.fdopen(source, "rb", buffering=0), os.fdopen(sink, "wb", buffering=0)


class Listener:
    """Collects what a reader gives."""

    def __init__(self) -> None:
        self.lines: list[bytes | None] = []
        self.arrived, self.over = asyncio.Event(), asyncio.Event()

    def take(self, line: bytes | None) -> None:
        self.lines.append(line)
        self.arrived.set()

    async def wait(self, event: asyncio.Event) -> None:
        await asyncio.wait_for(event.wait(), PATIENCE)


# -- framing ---------------------------------------------------------------------------------------


def split(data: bytes, size: int, limit: int = LIMIT) -> tuple[list[bytes | None], bytes]:
    splitter, found = Splitter(limit), []
    for start in range(0, len(data), size):
        found += splitter.feed(data[start : start + size])
    return found, splitter.end()


@given(st.lists(st.binary(max_size=30)), st.binary(max_size=10), st.integers(1, 50))
def test_lines_are_cut_wherever_the_bytes_are_torn(lines: list, rest: bytes, size: int) -> None:
    lines = [line.replace(b"\n", b"").rstrip(b"\r") for line in lines]
    rest = rest.replace(b"\n", b"")
    for ending in (b"\n", b"\r\n"):
        data = b"".join(line + ending for line in lines) + rest
        assert split(data, size) == (lines, rest)


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_a_line_that_is_too_long_is_passed_over(size: int) -> None:
    data = b"good\n" + b"x" * 50 + b"\nalso good\n" + b"y" * 11 + b"\n" + b"z" * 10 + b"\n"
    assert split(data, size, limit=10) == ([b"good", None, b"also good", None, b"z" * 10], b"")
    assert split(b"a\n" + b"x" * 50, size, limit=10) == ([b"a", None], b"")


# -- reading ---------------------------------------------------------------------------------------


@both_ways
async def test_a_reader_gives_every_line_and_then_the_end(watch: bool) -> None:
    source, sink = pipe()
    heard = Listener()
    Reader(source, LIMIT, heard.take, heard.over.set, watch)
    for piece in (b"one\ntw", b"o\r\n", b"\n", "é".encode() * 3, b"\nno newline"):
        sink.write(piece)
        await asyncio.sleep(0)
    sink.close()
    await heard.wait(heard.over)
    assert heard.lines == [b"one", b"two", b"", "ééé".encode(), b"no newline"]
    await eventually(lambda: source.closed)


@both_ways
async def test_a_reader_that_is_stopped_gives_no_more(watch: bool) -> None:
    source, sink = pipe()
    heard = Listener()
    reader = Reader(source, LIMIT, heard.take, heard.over.set, watch)
    sink.write(b"one\n")
    await heard.wait(heard.arrived)
    reader.stop()
    reader.stop()
    sink.close()
    await eventually(lambda: source.closed)
    assert heard.lines == [b"one"]
    assert not heard.over.is_set()


@both_ways
async def test_a_long_flood_is_read_whole(watch: bool) -> None:
    source, sink = pipe()
    heard, line = Listener(), b"x" * 99_999
    Reader(source, LIMIT, heard.take, heard.over.set, watch)
    writer = Writer(sink, watch)
    for _ in range(50):
        await asyncio.wait_for(writer.write(line + b"\n"), PATIENCE)
    writer.stop()
    await heard.wait(heard.over)
    assert heard.lines == [line] * 50


# -- writing ---------------------------------------------------------------------------------------


@both_ways
async def test_lines_written_at_once_stay_whole_and_in_order(watch: bool) -> None:
    source, sink = pipe()
    heard, writer = Listener(), Writer(sink, watch)
    lines = [bytes([65 + n % 26]) * (n * 997 % 50_000) for n in range(60)]
    writing = [asyncio.ensure_future(writer.write(line + b"\n")) for line in lines]
    await asyncio.sleep(0)
    Reader(source, LIMIT, heard.take, heard.over.set, watch)
    await asyncio.wait_for(asyncio.gather(*writing), PATIENCE)
    writer.stop()
    await heard.wait(heard.over)
    assert heard.lines == lines


@both_ways
async def test_a_caller_that_stops_waiting_does_not_tear_its_line(watch: bool) -> None:
    source, sink = pipe()
    heard, writer = Listener(), Writer(sink, watch)
    big = b"b" * 500_000
    task = asyncio.ensure_future(writer.write(big + b"\n"))
    await asyncio.sleep(0.01)
    task.cancel()
    after = asyncio.ensure_future(writer.write(b"after\n"))
    Reader(source, LIMIT, heard.take, heard.over.set, watch)
    await asyncio.wait_for(after, PATIENCE)
    writer.stop()
    await heard.wait(heard.over)
    assert heard.lines == [big, b"after"]


@both_ways
async def test_a_pipe_that_nobody_reads_any_more_is_lost(watch: bool) -> None:
    source, sink = pipe()
    writer = Writer(sink, watch)
    source.close()
    with pytest.raises(ConnectionLost, match="reads no more"):
        await asyncio.wait_for(writer.write(b"x\n"), PATIENCE)
    writer.stop()


@both_ways
async def test_who_waits_to_write_hears_at_once_that_this_side_closed(watch: bool) -> None:
    source, sink = pipe()
    writer = Writer(sink, watch)
    writing = asyncio.ensure_future(writer.write(b"x" * 500_000))
    await asyncio.sleep(0.01)
    writer.stop()
    with pytest.raises(ConnectionLost, match="closed by this side"):
        await asyncio.wait_for(writing, PATIENCE)
    with pytest.raises(ConnectionLost, match="closed by this side"):
        await writer.write(b"y")
    source.close()
