"""Lines over pipes: how stdio frames messages, and how to read and write without blocking.

One message is one line. Where the system can say "this pipe has something for you" (POSIX, and only
for pipes and sockets) the event loop is asked to watch; everywhere else a thread waits. Both ways
behave alike, and `watch=False` chooses threads so that the other way can be tried anywhere.
"""

import asyncio
import os
import queue
import stat
import threading
from collections import deque
from collections.abc import Callable, Iterator

from ..peer import ConnectionLost

CHUNK = 256 * 1024


def can_watch(fd: int) -> bool:
    """True if the event loop can watch this file descriptor."""
    if os.name != "posix":
        return False
    mode = os.fstat(fd).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


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
    """Hands the bytes of a pipe to `feed`, in the event loop, and calls `ended` at its end."""

    def __init__(
        self,
        fd: int,
        feed: Callable[[bytes], None],
        ended: Callable[[], None],
        watch: bool | None = None,
    ) -> None:
        self.fd, self._feed, self._ended = fd, feed, ended
        self._loop = asyncio.get_running_loop()
        self._watched = can_watch(fd) if watch is None else watch
        self._open = True
        if self._watched:
            self._loop.add_reader(fd, self._ready)
        else:
            threading.Thread(target=self._pump, daemon=True).start()

    def _ready(self) -> None:
        data = self._read()
        if data:
            self._feed(data)
        else:
            self.stop()
            self._ended()

    def _read(self) -> bytes:
        try:
            return os.read(self.fd, CHUNK)
        except OSError:
            return b""

    def _pump(self) -> None:
        """The thread: one piece at a time, so that a flood waits here and not in memory."""
        taken = threading.Semaphore(8)
        data = b"-"
        while data and self._open:
            data = self._read()
            taken.acquire()
            if self._loop.is_closed():
                return
            self._loop.call_soon_threadsafe(self._take, data, taken)

    def _take(self, data: bytes, taken: threading.Semaphore) -> None:
        taken.release()
        if self._open and data:
            self._feed(data)
        elif self._open:
            self.stop()
            self._ended()

    def stop(self) -> None:
        """Read no more."""
        if self._open and self._watched and not self._loop.is_closed():
            self._loop.remove_reader(self.fd)
        self._open = False


class Writer:
    """Writes to a pipe in order; `write` returns when the system has taken every byte."""

    def __init__(self, fd: int, watch: bool | None = None) -> None:
        self.fd = fd
        self._loop = asyncio.get_running_loop()
        self._watched = can_watch(fd) if watch is None else watch
        self._waiting: deque[tuple[memoryview, asyncio.Future[None]]] = deque()
        self._queue: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]] | None]
        self._queue = queue.SimpleQueue()
        self._closed = False
        if self._watched:
            os.set_blocking(fd, False)
        else:
            threading.Thread(target=self._pump, daemon=True).start()

    async def write(self, data: bytes) -> None:
        """Write all of it. A caller that stops waiting does not tear the line: it still goes out.

        Raises ConnectionLost when nobody reads any more.
        """
        if self._closed:
            raise ConnectionLost("the pipe is closed")
        done: asyncio.Future[None] = self._loop.create_future()
        if not self._watched:
            self._queue.put((data, done))
            return await done
        left = memoryview(data)
        if not self._waiting:
            left = left[self._try(left) :]
        if left:
            self._waiting.append((left, done))
            self._loop.add_writer(self.fd, self._ready)
            await done
        return None

    def _try(self, data: memoryview) -> int:
        try:
            return os.write(self.fd, data)
        except BlockingIOError:
            return 0
        except OSError as problem:
            raise ConnectionLost("the other side reads no more") from problem

    def _ready(self) -> None:
        data, done = self._waiting[0]
        try:
            left = data[self._try(data) :]
        except ConnectionLost as problem:
            return self._fail(problem.reason)
        self._waiting[0] = (left, done)
        if not left:
            self._waiting.popleft()
            _settle(done, None)
        if not self._waiting:
            self._loop.remove_writer(self.fd)
        return None

    def _pump(self) -> None:
        while (item := self._queue.get()) is not None:
            data, done = item
            try:
                view = memoryview(data)
                while view:
                    view = view[os.write(self.fd, view) :]
                reason = None
            except OSError:
                reason = "the other side reads no more"
            if self._loop.is_closed():
                return
            self._loop.call_soon_threadsafe(_settle, done, reason)

    def _fail(self, reason: str) -> None:
        self._loop.remove_writer(self.fd)
        while self._waiting:
            _settle(self._waiting.popleft()[1], reason)

    def stop(self) -> None:
        """Write no more; what still waits fails."""
        if self._closed:
            return
        self._closed = True
        if self._watched and not self._loop.is_closed():
            self._fail("the pipe was closed")
        self._queue.put(None)


def _settle(done: "asyncio.Future[None]", reason: str | None) -> None:
    if done.done():
        return
    if reason:
        done.set_exception(ConnectionLost(reason))
        done.exception()  # seen: whoever waits still gets it
    else:
        done.set_result(None)
