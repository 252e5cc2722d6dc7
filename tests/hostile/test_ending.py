"""How a connection ends: step by step, twice, in the middle of a call, before it began, or never.

Each way leaves no process behind (`conftest`), and is told in the trace.
"""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest
from processes import children, is_gone, peer, until

from mcp_lesson import ConnectionLost, HandshakeError, Limits, Trace, connect
from mcp_lesson.transports import lines

POSIX = pytest.mark.skipif(os.name != "posix", reason="signals and sessions are POSIX")
HOUSE = Path(__file__).resolve().parents[2]


@pytest.fixture(params=["watched", "threads"] if os.name == "posix" else ["threads"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to read and write pipes."""
    if request.param == "threads":
        monkeypatch.setattr(lines, "can_watch", lambda fd: False)
    return str(request.param)


def life(trace: Trace) -> list[tuple[float, str]]:
    """The lifecycle frames: when, and what."""
    return [(frame.t, frame.text or "") for frame in trace if frame.kind == "lifecycle"]


# -- the ladder ------------------------------------------------------------------------------------


async def test_a_polite_server_is_not_signalled() -> None:
    client = await connect(peer("silent_to_probe"), era="legacy")
    begun = time.perf_counter()
    await client.close()
    assert time.perf_counter() - begun < Limits().leave
    assert [text for _, text in life(client.trace)] == [
        "the client closed the server's input",
        "the server ended with exit status 0",
    ]


@POSIX
async def test_the_ladder_has_its_times() -> None:
    limits = Limits(leave=0.4, terminate=0.6)
    client = await connect(peer("stays_at_sigterm"), era="legacy", limits=limits)
    await client.close()
    (closed, input_text), (told, told_text), (ended, ended_text), (over, over_text) = life(
        client.trace
    )
    assert input_text == "the client closed the server's input"
    assert told_text == "the server did not leave and was told to go (SIGTERM)"
    assert ended_text == "the server did not leave and was ended (SIGKILL)"
    assert over_text == "the server was ended by SIGKILL"
    assert 0.35 < told - closed < 2.0
    assert 0.55 < ended - told < 2.0
    assert over - ended < 2.0


@POSIX
async def test_a_server_that_only_misses_the_end_of_input_is_told_to_go() -> None:
    limits = Limits(leave=0.2)
    client = await connect(peer("stays_at_eof"), era="legacy", limits=limits)
    await client.close()
    assert [text for _, text in life(client.trace)][1:] == [
        "the server did not leave and was told to go (SIGTERM)",
        "the server was ended by SIGTERM",
    ]


# -- closing ---------------------------------------------------------------------------------------


async def test_closing_twice_or_at_once_is_closing() -> None:
    client = await connect(peer("silent_to_probe"), era="legacy")
    await asyncio.gather(client.close(), client.close())
    await client.close()
    assert len(life(client.trace)) == 2
    with pytest.raises(ConnectionLost, match="closed by this side"):
        await client.call_tool("wait")


async def test_closing_after_the_server_has_died() -> None:
    client = await connect(peer("dies_in_call"), era="legacy")
    with pytest.raises(ConnectionLost, match=r"was ended by|exit status"):
        await client.call_tool("wait")
    await client.close()
    with pytest.raises(ConnectionLost, match=r"was ended by|exit status"):  # the first cause stays
        await client.call_tool("wait")
    assert len(life(client.trace)) == 1


@pytest.mark.parametrize("name", ["dies_in_call", "closes_stdout", "endless_line"])
async def test_a_lost_server_is_cleared_away_without_closing(name: str) -> None:
    limits = Limits(line=100_000, leave=0.1, terminate=0.1, drain=0.1)
    client = await connect(peer(name), era="legacy", limits=limits)
    with pytest.raises(ConnectionLost):
        await client.call_tool("wait")
    assert await until(lambda: not children())
    assert client.state == "closed"


@POSIX
@pytest.mark.parametrize("size", [1, 10_000_000], ids=["sent", "half sent"])
async def test_a_pending_call_fails_at_once(size: int) -> None:
    limits = Limits(leave=1.0)
    client = await connect(peer("slow"), era="legacy", limits=limits)
    call = asyncio.ensure_future(client.call_tool("wait", {"text": "x" * size}))
    assert await until(lambda: client.trace.messages()[-1]["method"] == "tools/call")
    closing = asyncio.ensure_future(client.close())
    with pytest.raises(ConnectionLost, match="closed by this side"):
        await call
    assert not closing.done()
    await closing


async def test_what_comes_after_closing_is_recorded_and_not_heard() -> None:
    client = await connect(peer("many_notifications"), era="legacy", limits=Limits(leave=20))
    heard: list[Any] = []
    client.on("notifications/message", heard.append)
    call = asyncio.ensure_future(client.call_tool("wait"))
    assert await until(lambda: heard)
    closing = asyncio.ensure_future(client.close())
    with pytest.raises(ConnectionLost):
        await call
    count = len(heard)
    await closing
    assert len(heard) == count
    assert '"data": 9999' in client.trace.frames[-3].line.decode()


async def test_a_listener_may_close_its_client() -> None:
    client = await connect(peer("many_notifications"), era="legacy")
    closed = asyncio.Event()

    async def close(_: Any) -> None:
        await client.close()
        closed.set()

    client.on("notifications/message", close)
    with pytest.raises(ConnectionLost, match="closed by this side"):
        await client.call_tool("wait")
    await asyncio.wait_for(closed.wait(), 5)


@pytest.mark.parametrize("name", ["dies_in_call", "dies_raising", "closes_stdout"])
async def test_all_that_is_pending_fails_at_once(name: str) -> None:
    limits = Limits(leave=0.2, terminate=0.2, drain=0.2)
    client = await connect(peer(name), era="legacy", limits=limits)
    loop, times = asyncio.get_running_loop(), list[float]()

    async def call() -> str:
        with pytest.raises(ConnectionLost) as caught:
            await client.call_tool("wait", timeout=20)
        times.append(loop.time())
        return caught.value.reason

    reasons = await asyncio.wait_for(asyncio.gather(*(call() for _ in range(50))), 10)
    assert len(set(reasons)) == 1
    assert max(times) - min(times) < 0.1
    await client.close()


# -- connections that never were -------------------------------------------------------------------


@pytest.mark.parametrize("era", ["legacy", "auto"])
@pytest.mark.parametrize("name", ["silent", "slow_handshake"])
async def test_a_cancelled_connect_leaves_nothing(name: str, era: str) -> None:
    trace, limits = Trace(), Limits(leave=0.2, terminate=0.2)
    opening = asyncio.ensure_future(_open(peer(name), era=era, trace=trace, limits=limits))
    assert await until(lambda: len(trace) > 0)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert not children()


@POSIX
async def test_a_connect_cancelled_twice_leaves_nothing_a_moment_later() -> None:
    trace, limits = Trace(), Limits(leave=0.3, terminate=0.3)
    command = peer("slow_handshake")
    opening = asyncio.ensure_future(_open(command, era="legacy", trace=trace, limits=limits))
    assert await until(lambda: len(trace) > 0)
    for _ in range(2):
        opening.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert await until(lambda: not children())


async def _open(*args: Any, **kwargs: Any) -> Any:
    return await connect(*args, **kwargs)


async def test_a_failed_connect_leaves_nothing(tmp_path: Path) -> None:
    not_a_program = tmp_path / "notes.txt"
    not_a_program.write_text("no program", encoding="utf-8")
    with pytest.raises(FileNotFoundError, match="no server script at"):
        await connect(tmp_path / "missing.py")
    with pytest.raises(FileNotFoundError, match="no program 'there-is-no-such-program'"):
        await connect(["there-is-no-such-program"])
    with pytest.raises(OSError):
        await connect(not_a_program)
    with pytest.raises(OSError):
        await connect(peer("silent"), cwd=tmp_path / "missing")
    with pytest.raises(HandshakeError):
        await connect(peer("unsupported_version"), era="legacy")
    assert not children()


# -- programs that end -----------------------------------------------------------------------------


def run(script: str, *options: str, way: str, **more: Any) -> "subprocess.Popen[str]":
    """Start a script that uses the package in a Python of its own."""
    head = "import asyncio, os, sys\nfrom mcp_lesson import Limits, connect\n"
    if way == "threads":
        head += "from mcp_lesson.transports import lines\nlines.can_watch = lambda fd: False\n"
    return subprocess.Popen(
        [sys.executable, *options, "-c", head + textwrap.dedent(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(HOUSE)},
        **more,
    )


def finished(script: str, *options: str, way: str) -> tuple[str, str]:
    """What a script printed and complained, after its end."""
    with run(script, *options, way=way) as process:
        out, errors = process.communicate(timeout=30)
    assert process.returncode == 0, errors
    return out, errors


def opened(name: str, limits: str = "") -> str:
    """The line of a script that connects and prints the number of the server."""
    return f"""
        client = await connect({peer(name)!r}, era="legacy", limits=Limits({limits}))
        print(client.wire.process.pid, flush=True)
    """


STRICT = ("-W", "error")


@pytest.mark.parametrize("name", ["silent_to_probe", "stays_at_sigterm"])
def test_a_proper_close_is_clean(name: str, way: str) -> None:
    script = f"""
    async def main():
        {opened(name, "leave=0.2, terminate=0.2")}
        await client.call_tool("wait")
        await client.close()
    asyncio.run(main())
    """
    out, errors = finished(script, *STRICT, way=way)
    assert errors == ""
    assert is_gone(int(out))


@pytest.mark.parametrize("name", ["silent_to_probe", "stays_at_sigterm", "slow"])
def test_a_program_that_forgets_to_close_is_clean_too(name: str, way: str) -> None:
    script = f"""
    async def main():
        {opened(name, "leave=0.2, terminate=0.2")}
        await client.list_tools()
    asyncio.run(main())
    """
    out, errors = finished(script, *STRICT, way=way)
    assert errors == ""
    assert is_gone(int(out))


def test_asyncio_run_waits_until_the_server_has_left(way: str) -> None:
    script = f"""
    import psutil
    async def main():
        {opened("silent_to_probe")}
        return client
    client = asyncio.run(main())
    print(psutil.pid_exists(client.wire.process.pid), client.state)
    """
    out, errors = finished(script, *STRICT, way=way)
    assert (out.split()[1:], errors) == (["False", "closed"], "")


@pytest.mark.parametrize(
    ("name", "status"), [("silent_to_probe", 0), ("stays_at_eof", -15), ("stays_at_sigterm", -9)]
)
@POSIX
def test_a_loop_that_is_closed_under_a_client(name: str, status: int, way: str) -> None:
    """Neither cancelled nor closed: the end of the program is all that the server hears of."""
    script = f"""
    import atexit
    atexit.register(lambda: print(client.wire.process.wait(5)))  # after all that is registered next
    async def main():
        {opened(name)}
        return client
    loop = asyncio.new_event_loop()
    client = loop.run_until_complete(main())
    loop.close()
    """
    out, errors = finished(script, way=way)
    assert "Traceback" not in errors
    pid, ended = map(int, out.split())
    assert ended == status
    assert is_gone(pid)


async def test_a_program_that_exits_in_the_middle(way: str) -> None:
    script = f"""
    async def main():
        {opened("stays_at_eof")}
        sys.stdout.flush()
        os._exit(0)
    asyncio.run(main())
    """
    out, errors = finished(script, *STRICT, way=way)
    assert errors == ""
    assert await until(lambda: is_gone(int(out)))


@POSIX
@pytest.mark.parametrize("name", ["slow", "silent_to_probe"])
async def test_ctrl_c_in_a_script(name: str, way: str) -> None:
    script = f"""
    async def main():
        {opened(name, "leave=0.3, terminate=0.3")}
        await client.call_tool("wait")
        print("called", flush=True)
        await asyncio.sleep(60)
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        print("interrupted")
    """
    with run(script, *STRICT, way=way) as process:
        pid = int(process.stdout.readline())
        if name != "slow":
            assert process.stdout.readline() == "called\n"
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=20)
    assert (out, errors) == ("interrupted\n", "")
    assert is_gone(pid)
