"""Threads for handlers that may block, so that a slow one does not stop the conversation.

The threads are daemons: a handler that never returns cannot keep a program from ending. They wait
for more work rather than end, since starting one costs more than most calls.
"""

import asyncio
import contextvars
import inspect
import queue
import threading
from collections.abc import Awaitable, Callable
from typing import Any


class Workers:
    """As many threads as were ever busy at once, up to `most`: then jobs wait for one another."""

    def __init__(self, most: int = 500) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._idle, self._free = threading.Semaphore(0), threading.Semaphore(most)

    def submit(self, job: Callable[[], None]) -> None:
        """Run a job on a thread that has nothing to do, or on a new one."""
        self._jobs.put(job)
        if not self._idle.acquire(blocking=False) and self._free.acquire(blocking=False):
            threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while True:
            self._jobs.get()()
            self._idle.release()


WORKERS = Workers()


async def call(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Call a function, async or plain; a plain one runs on a thread.

    One that wants the program to end (`sys.exit`) has failed: RuntimeError.
    """
    if inspect.iscoroutinefunction(function):
        return await _contained(function(*args, **kwargs))
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def work() -> None:
        value: Any = None
        problem: Exception | None = None
        try:
            value = context.run(function, *args, **kwargs)
        except Exception as caught:
            stopped = isinstance(caught, StopIteration)  # a future cannot carry this one
            problem = RuntimeError(repr(caught)) if stopped else caught
        except BaseException as caught:
            problem = RuntimeError(repr(caught))
        if not loop.is_closed():
            loop.call_soon_threadsafe(_settle, answer, value, problem)

    WORKERS.submit(work)
    value = await answer
    return await _contained(value) if inspect.isawaitable(value) else value


async def _contained(work: Awaitable[Any]) -> Any:
    try:
        return await work
    except SystemExit as leaving:
        raise RuntimeError(repr(leaving)) from None


def _settle(answer: "asyncio.Future[Any]", value: Any, problem: Exception | None) -> None:
    if answer.cancelled():
        return
    if problem:
        answer.set_exception(problem)
    else:
        answer.set_result(value)
