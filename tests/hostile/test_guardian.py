"""The guardian: what becomes of servers whose client is killed, and what of strangers.

A stranger is a process that has, or had, the number of a server.
"""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from processes import is_gone, peer, until

from mcp_lesson.transports import guardian
from mcp_lesson.transports.guardian import GRACE, Guardian

HOUSE = Path(__file__).resolve().parents[2]

CLIENT = """
import asyncio, os, signal, sys
from mcp_lesson import connect
from mcp_lesson.transports.guardian import GUARDIAN

async def main():
    client = await connect(sys.argv[1:], era="legacy")
    await client.list_tools()
    said = [frame.text for frame in client.trace if frame.kind == "stderr"]
    print(client.wire.process.pid, GUARDIAN.process.pid, *said, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


@contextlib.contextmanager
def killed_client(*server: str) -> Iterator[list[int]]:
    """Run a client of this server and kill it; gives server, guardian and the server's children."""
    command = [sys.executable, "-c", CLIENT, *server]
    environment = os.environ | {"PYTHONPATH": str(HOUSE)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as client:
        assert client.stdout
        numbers = [int(word) for word in client.stdout.readline().split()]
        client.kill()
        client.wait(10)
        yield numbers


# -- a client that is killed -----------------------------------------------------------------------


async def test_a_server_that_honours_the_end_of_input_is_gone_in_two_seconds() -> None:
    with killed_client(*peer("silent_to_probe")) as (server, watcher):
        assert await until(lambda: is_gone(server), 2.0)
        assert await until(lambda: is_gone(watcher), 2 * GRACE + 3)


@pytest.mark.parametrize("name", ["stays_at_eof", "stays_at_sigterm", "leaves_child_at_eof"])
async def test_one_that_does_not_is_ended_with_its_children(name: str) -> None:
    with killed_client(*peer(name)) as (server, watcher, *below):
        begun = time.perf_counter()
        for pid in (server, *below, watcher):
            assert await until(lambda pid=pid: is_gone(pid), 2 * GRACE + 5), pid
        assert time.perf_counter() - begun < 2 * GRACE + 5


def test_a_family_is_ended_where_there_are_no_process_groups() -> None:
    with subprocess.Popen(peer("stays_at_sigterm"), stderr=subprocess.PIPE) as server:
        assert server.stderr
        child = psutil.Process(int(server.stderr.readline()))
        guardian.end_family(server.pid)
        assert server.wait(5) != 0
        assert not psutil.wait_procs([child], timeout=5)[1]
    guardian.end_family(server.pid)  # nobody there: nothing happens


# -- whom it must not touch ------------------------------------------------------------------------


@pytest.fixture
def sleeper() -> Iterator["subprocess.Popen[bytes]"]:
    """A process in a session of its own, as a server is."""
    command = [sys.executable, "-S", "-c", "import time; time.sleep(60)"]
    with subprocess.Popen(command, start_new_session=True) as process:
        yield process
        process.kill()


class Gone:
    """A server that has ended; its number may belong to somebody else by now."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def is_running(self) -> bool:
        return False

    def children(self, recursive: bool = False) -> list[Any]:
        raise psutil.NoSuchProcess(self.pid)


def test_a_number_that_was_given_away_is_not_touched(sleeper: Any) -> None:
    assert guardian.family(Gone(sleeper.pid)) == set()
    begun = time.perf_counter()
    guardian.end_all([Gone(sleeper.pid)])
    assert time.perf_counter() - begun < GRACE  # there was nobody to wait for
    assert sleeper.poll() is None


def test_a_process_is_known_by_its_beginning_too(
    sleeper: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the server had begun an hour before the process that has its number now."""
    ended: list[Any] = []
    monkeypatch.setattr(guardian, "end_all", ended.extend)
    guardian.main([f"watch {sleeper.pid}\n"])
    (known,) = ended
    assert guardian.family(known) == {known}
    monkeypatch.setattr(known, "_ident", (sleeper.pid, known.create_time() - 3600))
    assert guardian.family(known) == set()


def test_who_is_forgotten_or_never_was_is_not_on_the_list(
    sleeper: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[Any] = []
    monkeypatch.setattr(guardian, "end_all", ended.extend)
    with subprocess.Popen([sys.executable, "-S", "-c", ""]) as done:
        pass
    pid = sleeper.pid
    guardian.main([f"watch {pid}\n", f"watch {done.pid}\n", f"forget {pid}\n", "forget 1\n"])
    assert ended == []


# -- the client's half -----------------------------------------------------------------------------


@pytest.fixture
def own() -> Iterator[Guardian]:
    """A guardian for one test."""
    mine = Guardian()
    yield mine
    mine.dismiss()


def test_a_guardian_that_died_first_is_started_again(own: Guardian, sleeper: Any) -> None:
    own.watch(sleeper.pid)
    assert own.process
    first = own.process
    first.kill()
    first.wait(5)
    own.forget(0)  # it is told, and cannot hear
    command = [sys.executable, "-S", "-c", "import time; time.sleep(60)"]
    with subprocess.Popen(command, start_new_session=True) as another:
        own.watch(another.pid)
        assert own.process is not first
        own.dismiss()
        assert own.process.poll() == 0
        assert another.wait(5) != 0
        assert sleeper.wait(5) != 0


def test_one_that_has_nothing_to_do_leaves_at_once(own: Guardian, sleeper: Any) -> None:
    own.watch(sleeper.pid)
    own.forget(sleeper.pid)
    begun = time.perf_counter()
    own.dismiss()
    assert own.process
    assert own.process.poll() is not None
    assert time.perf_counter() - begun < 0.5
    assert sleeper.poll() is None


def test_without_a_guardian_servers_are_started_all_the_same(
    own: Guardian, sleeper: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(HOUSE / "no-such-python"))
    own.watch(sleeper.pid)
    assert own.process is None
    own.forget(sleeper.pid)
