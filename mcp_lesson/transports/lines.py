"""Lines over pipes: how stdio frames messages, and how to read and write without blocking.

One message is one line. Where the system can say "this pipe has something for you" (POSIX, and only
for pipes and sockets) the event loop is asked to watch; everywhere else a thread waits. Both ways
behave alike, and `watch=False` chooses threads so that the other way can be tried anywhere.

A reader and a writer own their pipe and close it. With threads that is more than tidiness: to close
a pipe while a thread waits on it blocks the closer (Windows), or lets the thread wake up on another
file that got the same number (POSIX). So the thread itself closes it, when it is done.
"""

import asyncio
import os
import queue
import stat
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import IO, Any

from ..peer import ConnectionLost

CHUNK = 64 * 1024
"""Bytes of one read: what a pipe holds. Asking for more costs more, and never gets it."""

READS_NO_MORE = "the other side reads no more"
CLOSED = "the connection was closed by this side"


def can_watch(fd: int) -> bool:
    """True if the event loop can watch this file descriptor."""
    if os.name != "posix":
        return False
    mode = os.fstat(fd).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def call_in(loop: asyncio.AbstractEventLoop, function: Callable[..., None], *args: Any) -> bool:
    """Call a function in the event loop, from a thread; False if the loop is closed."""
    try:
        loop.call_soon_threadsafe(function, *args)
    except RuntimeError:
        return False
    return True


class Splitter:
    """Cuts a stream of bytes into lines, wherever the pieces were torn.

    A line longer than `limit` bytes is passed over and given as None.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._rest = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> Iterator[bytes | None]:
        """The lines that this piece completes, without their newline."""
        start = len(self._rest)
        self._rest += data
        while (end := self._rest.find(b"\n", start)) >= 0:
            line = bytes(self._rest[:end])
            del self._rest[: end + 1]
            start = 0
            skipped, self._skipping = self._skipping, False
            if not skipped:
                yield line.removesuffix(b"\r") if len(line) <= self.limit else None
        if len(self._rest) > self.limit:
            self._rest.clear()
            if not self._skipping:
                self._skipping = True
                yield None

    def end(self) -> bytes:
        """What stands after the last newline when the stream has ended."""
        return b"" if self._skipping else bytes(self._rest)


class Reader:
    """Hands the lines of a pipe to `take`, in the event loop, and calls `ended` at its end.

    A line longer than `limit` bytes is None; a last one without its newline is a line all the same.
    """

    def __init__(
        self,
        pipe: IO[bytes],
        limit: int,
        take: Callable[[bytes | None], None],
        ended: Callable[[], None],
        watch: bool | None = None,
    ) -> None:
        self._pipe, self._fd, self._give, self._ended = pipe, pipe.fileno(), take, ended
        self._lines = Splitter(limit)
        self._loop = asyncio.get_running_loop()
        self._watched = can_watch(self._fd) if watch is None else watch
        self._open = True
        self._room = threading.Semaphore(1)
        if self._watched:
            self._loop.add_reader(self._fd, self._ready)
        else:
            threading.Thread(target=self._pump, daemon=True).start()

    def _ready(self) -> None:
        self._take(self._read())

    def _read(self) -> bytes:
        try:
            return os.read(self._fd, CHUNK)
        except OSError:
            return b""

    def _pump(self) -> None:
        """The thread: one piece at a time, so that a flood waits here and not in memory."""
        with self._pipe:
            data = b"-"
            while data and self._open:
                data = self._read()
                self._room.acquire(timeout=1.0)  # not for ever: a closed loop makes no room
                if not call_in(self._loop, self._arrived, data):
                    return

    def _arrived(self, data: bytes) -> None:
        self._room.release()
        self._take(data)

    def _take(self, data: bytes) -> None:
        if not self._open:
            return
        for line in self._lines.feed(data):
            self._give(line)
        if not data:
            self.stop()
            if rest := self._lines.end():
                self._give(rest)
            self._ended()

    def stop(self) -> None:
        """Read no more."""
        if self._open and self._watched:
            if not self._loop.is_closed():
                self._loop.remove_reader(self._fd)
            self._pipe.close()
        self._open = False
        self._room.release()  # a thread that waits for room sees that there is nothing left to do


class Writer:
    """Writes to a pipe in order; `write` returns when the system has taken every byte."""

    def __init__(self, pipe: IO[bytes], watch: bool | None = None) -> None:
        self._pipe, self._fd = pipe, pipe.fileno()
        self._loop = asyncio.get_running_loop()
        self._watched = can_watch(self._fd) if watch is None else watch
        self._waiting: deque[tuple[memoryview, asyncio.Future[None]]] = deque()
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._closed = False
        if self._watched:
            os.set_blocking(self._fd, False)
        else:
            threading.Thread(target=self._pump, daemon=True).start()

    async def write(self, data: bytes) -> None:
        """Write all of it. A caller that stops waiting does not tear the line: it still goes out.

        Raises ConnectionLost when nobody reads any more.
        """
        if self._closed:
            raise ConnectionLost(CLOSED)
        left, done = memoryview(data), self._loop.create_future()
        if self._watched and not self._waiting:
            left = left[self._try(left) :]
        if not left:
            return
        self._waiting.append((left, done))
        if self._watched:
            self._loop.add_writer(self._fd, self._ready)
        else:
            self._queue.put(data)
        await done

    def _try(self, data: memoryview) -> int:
        try:
            return os.write(self._fd, data)
        except BlockingIOError:
            return 0
        except OSError as problem:
            raise ConnectionLost(READS_NO_MORE) from problem

    def _ready(self) -> None:
        data, done = self._waiting[0]
        try:
            left = data[self._try(data) :]
        except ConnectionLost:
            return self._fail(READS_NO_MORE)
        self._waiting[0] = (left, done)
        if not left:
            self._written(None)
        if not self._waiting:
            self._loop.remove_writer(self._fd)
        return None

    def _pump(self) -> None:
        """The thread: one line after the other, until `stop` sends None."""
        with self._pipe:
            while (data := self._queue.get()) is not None:
                left, reason = memoryview(data), None
                try:
                    while left:
                        left = left[os.write(self._fd, left) :]
                except OSError:
                    reason = READS_NO_MORE
                call_in(self._loop, self._written, reason)

    def _written(self, reason: str | None) -> None:
        """The first that waits is done, or has failed for this reason."""
        done = self._waiting.popleft()[1] if self._waiting else None
        if done is None or done.done():
            return
        if reason:
            done.set_exception(ConnectionLost(reason))
            done.exception()  # seen: whoever waits still gets it
        else:
            done.set_result(None)

    def _fail(self, reason: str) -> None:
        if self._watched:
            self._loop.remove_writer(self._fd)
        while self._waiting:
            self._written(reason)

    def stop(self) -> None:
        """Write no more; whoever still waits hears that at once."""
        if self._closed:
            return
        self._closed = True
        self._queue.put(None)
        if not self._loop.is_closed():
            self._fail(CLOSED)
        if self._watched:
            self._pipe.close()
