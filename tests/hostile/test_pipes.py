"""Lines through pipes, both ways: torn anywhere, longer than allowed, given up half-way."""

import asyncio
import io
import os
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from processes import until

from mcp_lesson import ConnectionLost
from mcp_lesson.transports.lines import Reader, Splitter, Writer

WAYS = [True, False] if os.name == "posix" else [False]
LIMIT = 8


def cut(data: bytes, places: list[int]) -> Iterator[bytes]:
    """The data in pieces."""
    ends = sorted({place % (len(data) + 1) for place in places} | {len(data)})
    for start, end in zip([0, *ends], ends, strict=False):
        yield data[start:end]


@settings(max_examples=300, deadline=None)
@given(
    some.text("ab\r\n", max_size=60).map(str.encode),
    some.lists(some.integers(0, 60), max_size=8),
)
def test_lines_do_not_depend_on_the_pieces(data: bytes, places: list[int]) -> None:
    splitter = Splitter(LIMIT)
    found = [line for piece in cut(data, places) for line in splitter.feed(piece)]
    *whole, rest = data.split(b"\n")
    due = [line.removesuffix(b"\r") if len(line) <= LIMIT else None for line in whole]
    assert found == due + ([None] if len(rest) > LIMIT else [])
    assert splitter.end() == (rest if len(rest) <= LIMIT else b"")


class Pipe:
    """The two ends of a pipe; what the test does not hand over it closes."""

    def __init__(self) -> None:
        source, sink = os.pipe()
        self.source, self.sink = io.FileIO(source, "r"), io.FileIO(sink, "w")


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    both = Pipe()
    yield both
    both.sink.close()
    both.source.close()


@pytest.mark.parametrize("watch", WAYS)
async def test_what_is_written_is_read(pipe: Pipe, watch: bool) -> None:
    lines: list[bytes | None] = []
    over = asyncio.Event()
    Reader(pipe.source, 2**20, lines.append, over.set, watch)
    writer = Writer(pipe.sink, watch)
    sent = [bytes([48 + n % 10]) * (n * 997 % 300_000) + b"\n" for n in range(40)]
    await asyncio.wait_for(asyncio.gather(*map(writer.write, sent)), 20)
    writer.stop()
    await asyncio.wait_for(over.wait(), 5)
    assert [line for line in lines if line is not None] == [line[:-1] for line in sent]
    assert await until(lambda: pipe.source.closed)
    assert await until(lambda: pipe.sink.closed)


@pytest.mark.parametrize("watch", WAYS)
async def test_a_line_that_is_given_up_still_goes_out_whole(pipe: Pipe, watch: bool) -> None:
    writer = Writer(pipe.sink, watch)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(writer.write(b"x" * 1_000_000 + b"\n"), 0.1)
    lines: list[bytes | None] = []
    reader = Reader(pipe.source, 2**20, lines.append, lambda: None, watch)
    await asyncio.wait_for(writer.write(b"next\n"), 5)
    assert await until(lambda: len(lines) == 2)
    assert lines == [b"x" * 1_000_000, b"next"]
    writer.stop()
    reader.stop()


@pytest.mark.parametrize("watch", WAYS)
async def test_who_waits_for_a_stopped_writer_hears_of_it(pipe: Pipe, watch: bool) -> None:
    writer = Writer(pipe.sink, watch)
    waits = [asyncio.ensure_future(writer.write(b"x" * 1_000_000)) for _ in range(3)]
    await asyncio.sleep(0)
    writer.stop()
    for wait in waits:
        with pytest.raises(ConnectionLost, match="closed by this side"):
            await asyncio.wait_for(wait, 1)
    with pytest.raises(ConnectionLost, match="closed by this side"):
        await writer.write(b"more")
    pipe.source.close()  # lets a thread go that still writes
    assert await until(lambda: pipe.sink.closed)


@pytest.mark.parametrize("watch", WAYS)
async def test_nobody_reads(pipe: Pipe, watch: bool) -> None:
    writer = Writer(pipe.sink, watch)
    pipe.source.close()
    with pytest.raises(ConnectionLost, match="reads no more"):
        await asyncio.wait_for(writer.write(b"hello\n"), 5)
    writer.stop()


@pytest.mark.parametrize("watch", WAYS)
async def test_a_stopped_reader_gives_nothing_and_lets_its_thread_go(
    pipe: Pipe, watch: bool
) -> None:
    before = threading.active_count()
    lines: list[bytes | None] = []
    reader = Reader(pipe.source, 2**20, lines.append, lambda: lines.append(b"over"), watch)
    os.write(pipe.sink.fileno(), b"one\n")
    assert await until(lambda: lines)
    reader.stop()
    reader.stop()
    if not watch:
        os.write(pipe.sink.fileno(), b"two\n")  # wakes the thread, which closes its pipe
    assert await until(lambda: pipe.source.closed and threading.active_count() <= before)
    assert lines == [b"one"]


def test_threads_survive_a_loop_that_is_closed(pipe: Pipe) -> None:
    """Neither reader nor writer was stopped; nothing is raised in their threads."""
    raised: list[object] = []
    hook, threading.excepthook = threading.excepthook, raised.append

    async def begin() -> None:
        Reader(pipe.source, 100, lambda line: None, lambda: None, watch=False)
        Writer(pipe.sink, watch=False)._queue.put(b"a line\n")

    try:
        asyncio.run(begin())
        pipe.source.closed or os.write(pipe.sink.fileno(), b"more\n")
        deadline = threading.Event()
        for _ in range(200):
            if pipe.source.closed:
                break
            deadline.wait(0.01)
        assert pipe.source.closed
    finally:
        threading.excepthook = hook
    assert not raised
