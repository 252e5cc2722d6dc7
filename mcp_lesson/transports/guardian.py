"""The guardian: a small process that ends servers whose client has died without a word.

A well-behaved server leaves when its input ends, which happens by itself when its client is killed.
Some do not. So the client keeps one guardian, tells it which processes it started, and holds the
other end of its input. When that ends and a process is still there after a moment, the guardian
tells it to go, and then ends it, with all that it started. It knows a process by its number and the
moment it began, so that it never touches another one that got the same number later.

Input, one a line: `watch PID` and `forget PID`. Run as a program; the client's half is at the end.
"""

import atexit
import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Collection, Iterable
from typing import Any

GRACE = 1.0
"""Seconds a server has to leave by itself, and again after it was told to."""


def main(lines: Iterable[str]) -> None:
    """Keep the list until the input ends, then see that everyone on it is gone."""
    import psutil

    watched: dict[int, Any] = {}
    for line in lines:
        verb, _, number = line.strip().partition(" ")
        if verb == "watch":
            with contextlib.suppress(psutil.Error):
                watched[int(number)] = psutil.Process(int(number))
        elif verb == "forget":
            watched.pop(int(number), None)
    end_all(watched.values())


def family(leader: Any) -> set[Any]:
    """A server, as a psutil process, and all that it started, as far as that can be told.

    Where there are sessions (POSIX), they tell even when the server itself is gone already. Nobody,
    if its number belongs to a stranger by now.
    """
    import psutil

    alive = leader.is_running()
    if not alive and psutil.pid_exists(leader.pid):
        return set()
    found = {leader} if alive else set()
    with contextlib.suppress(psutil.Error):
        found.update(leader.children(recursive=True))
    if os.name == "posix":
        found.update(one for one in psutil.process_iter() if _session(one.pid) == leader.pid)
    return found


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


def end_family(pid: int) -> None:
    """End a process and all that it started: for where there are no process groups (Windows)."""
    import psutil

    with contextlib.suppress(psutil.Error):
        for process in family(psutil.Process(pid)):
            with contextlib.suppress(psutil.Error):
                process.kill()


def end_all(leaders: Collection[Any]) -> None:
    """Wait, ask, end: each of these psutil processes with its family."""
    import psutil

    for step in ("terminate", "kill"):
        _, left = psutil.wait_procs(set().union(*map(family, leaders)), timeout=GRACE)
        for process in set(left).union(*map(family, leaders)):
            with contextlib.suppress(psutil.Error):
                getattr(process, step)()


class Guardian:
    """The client's half: starts the process when first needed, and talks to it."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self._watched: set[int] = set()
        self._lock = threading.Lock()

    def watch(self, pid: int) -> None:
        """From now on, see that this process does not outlive us."""
        with self._lock:
            self._watched.add(pid)
            if self.process is None or self.process.poll() is not None:
                self._start()
            else:
                self._say(f"watch {pid}")

    def forget(self, pid: int) -> None:
        """This process is gone."""
        with self._lock:
            self._watched.discard(pid)
            self._say(f"forget {pid}")

    def _start(self) -> None:
        """In a session of its own, to be spared the signals meant for us; it needs no place."""
        if self.process and self.process.stdin:  # it died first
            self.process.stdin.close()
        with contextlib.suppress(OSError):  # then servers have only their own manners
            self.process = subprocess.Popen(
                [sys.executable, "-P", __file__],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=os.path.abspath(os.sep),
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        for pid in self._watched:
            self._say(f"watch {pid}")

    def _say(self, line: str) -> None:
        pipe = self.process.stdin if self.process else None
        with contextlib.suppress(OSError, ValueError):  # gone, or closed
            if pipe:
                pipe.write(line.encode() + b"\n")

    def dismiss(self) -> None:
        """This process ends: wait until the guardian has done its work, if it has any, and left."""
        if self.process and self.process.stdin:
            if not self._watched:
                self.process.kill()
            self.process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(4 * GRACE)


GUARDIAN = Guardian()
"""One for this process and all the servers it starts."""
atexit.register(GUARDIAN.dismiss)


if __name__ == "__main__":
    main(sys.stdin)
