"""Threads for handlers that may block: as many as are busy, used again, and never too many."""

import asyncio
import contextvars
import functools
import threading

import pytest
from by_hand import eventually

from mcp_lesson.workers import Workers, call


async def test_a_plain_function_runs_on_another_thread_and_an_async_one_here() -> None:
    async def here() -> int:
        return threading.get_ident()

    assert await call(threading.get_ident) != threading.get_ident()
    assert await call(here) == threading.get_ident()
    assert await call(functools.partial(int, "11"), base=2) == 3


async def test_what_a_function_returns_to_be_awaited_is_awaited() -> None:
    async def later(n: int) -> int:
        return n + 1

    assert await call(lambda n: later(n), 1) == 2


@pytest.mark.parametrize("leave", [SystemExit(3), KeyboardInterrupt()], ids=repr)
async def test_a_function_cannot_end_the_program(leave: BaseException) -> None:
    def plain() -> None:
        raise leave

    async def awaited() -> None:
        raise SystemExit(3)

    for function in (plain, awaited):
        with pytest.raises(RuntimeError, match=r"SystemExit|KeyboardInterrupt"):
            await call(function)


@pytest.mark.parametrize("problem", [ValueError("x"), KeyError("y")])
async def test_what_it_raises_is_raised_here(problem: BaseException) -> None:
    def fails() -> None:
        raise problem

    with pytest.raises(type(problem)):
        await call(fails)


async def test_context_variables_go_along() -> None:
    who = contextvars.ContextVar("who", default="nobody")
    who.set("Ada")
    assert await call(who.get) == "Ada"


async def test_functions_at_once_run_at_once() -> None:
    barrier = threading.Barrier(20)
    await asyncio.wait_for(asyncio.gather(*(call(barrier.wait, 5) for _ in range(20))), 10)


async def test_an_idle_thread_is_used_again() -> None:
    workers, seen = Workers(), set()
    for _ in range(50):
        done = threading.Event()
        workers.submit(lambda done=done: (seen.add(threading.get_ident()), done.set()))
        assert done.wait(5)
        await eventually(lambda: workers._idle._value)  # it puts itself there after the job
    assert len(seen) == 1


def test_there_are_never_too_many() -> None:
    workers, gate = Workers(most=3), threading.Event()
    running, most, lock, done = 0, 0, threading.Lock(), threading.Semaphore(0)

    def job() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        gate.wait(5)
        with lock:
            running -= 1
        done.release()

    for _ in range(30):
        workers.submit(job)
    gate.set()
    assert all(done.acquire(timeout=5) for _ in range(30))
    assert most <= 3


async def test_a_caller_that_leaves_does_not_disturb_the_thread() -> None:
    gate, ended = threading.Event(), threading.Event()

    def blocks() -> None:
        gate.wait(5)
        ended.set()

    task = asyncio.ensure_future(call(blocks))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    gate.set()
    assert ended.wait(5)
