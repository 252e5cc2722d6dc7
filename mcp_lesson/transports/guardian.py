"""The guardian: a small process that ends servers whose client has died without a word.

A well-behaved server leaves when its input ends, which happens by itself when its client is killed.
Some do not. So the client keeps one guardian, tells it which processes it started, and holds the
other end of its input. When that ends and a process is still there after a moment, the guardian
tells it to go, and then ends it, with its children. It knows a process by its number and the moment
it began, so that it never touches another one that got the same number later.

Input, one a line: `watch PID` and `forget PID`. Run as a program; the client's half is at the end.
"""

import contextlib
import subprocess
import sys
from collections.abc import Iterable
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


def end_all(processes: Iterable[Any]) -> None:
    """Wait, ask, end: each of these psutil processes and all below them."""
    import psutil

    everyone = set(processes)
    for process in tuple(everyone):
        with contextlib.suppress(psutil.Error):
            everyone |= set(process.children(recursive=True))
    for step in ("terminate", "kill"):
        _, everyone = map(set, psutil.wait_procs(everyone, timeout=GRACE))
        for process in everyone:
            with contextlib.suppress(psutil.Error):
                getattr(process, step)()


class Guardian:
    """The client's half: starts the process when first needed, and talks to it."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self._watched: set[int] = set()

    def watch(self, pid: int) -> None:
        """From now on, see that this process does not outlive us."""
        self._watched.add(pid)
        if self.process is None or self.process.poll() is not None:
            self._start()
        else:
            self._say(f"watch {pid}")

    def forget(self, pid: int) -> None:
        """This process is gone."""
        self._watched.discard(pid)
        self._say(f"forget {pid}")

    def _start(self) -> None:
        """A new session keeps it from signals meant for us. It has no output to be read."""
        nothing = subprocess.DEVNULL
        self.process = subprocess.Popen(
            [sys.executable, "-I", __file__],
            stdin=subprocess.PIPE,
            stdout=nothing,
            stderr=nothing,
            start_new_session=True,
        )
        for pid in self._watched:
            self._say(f"watch {pid}")

    def _say(self, line: str) -> None:
        pipe = self.process.stdin if self.process else None
        with contextlib.suppress(OSError):
            if pipe:
                pipe.write(line.encode() + b"\n")
                pipe.flush()


GUARDIAN = Guardian()
"""One for this process and all the servers it starts."""


if __name__ == "__main__":
    main(sys.stdin)
