"""Lines longer than allowed and torn anywhere, and what becomes of threads and pipes at the end."""

import asyncio
import io
import os
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from processes import until

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


def test_threads_survive_a_loop_that_is_closed(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither reader nor writer was stopped: they cannot tell anyone what they do, and go on."""
    raised: list[object] = []
    monkeypatch.setattr(threading, "excepthook", raised.append)

    async def begin() -> Writer:
        Reader(pipe.source, 100, lambda line: None, lambda: None, watch=False)
        return Writer(pipe.sink, watch=False)

    writer = asyncio.run(begin())
    writer._queue.put(b"a line\n")
    writer.stop()
    assert asyncio.run(until(lambda: pipe.source.closed and pipe.sink.closed))
    assert not raised
