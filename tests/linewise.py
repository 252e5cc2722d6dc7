"""A program spoken to line by line over its pipes, as a stranger would, with an end to every wait.

Nothing of the package is used here: what a server of ours does is told by the bytes it writes.
"""

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, NoReturn, Self

LIMIT = 10.0
"""Seconds to wait for one line, or for the end of the process."""

ROOT = Path(__file__).resolve().parents[1]


def loads(line: bytes) -> Any:
    """Read one line as the JSON that may stand on a wire: UTF-8, one line, no NaN, no Infinity."""
    assert line.endswith(b"\n"), f"the line has no end: {line!r}"
    assert b"\r" not in line, f"a carriage return: {line!r}"
    return json.loads(line.decode("utf-8"), parse_constant=_no_constant)


def _no_constant(name: str) -> NoReturn:
    raise AssertionError(f"{name} is no JSON")


class Program:
    """A script that runs as a child: lines go in, lines come out, stderr is kept.

    `env` is put over this process's environment. Ends its own process, and no other, on leaving.
    """

    def __init__(self, script: str | Path, env: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | dict(env or {}),
        )
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        self.stdin = self.process.stdin
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._said: list[bytes] = []
        self._readers = [
            threading.Thread(target=self._read_lines, args=(self.process.stdout,), daemon=True),
            threading.Thread(target=self._said.extend, args=(self.process.stderr,), daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def _read_lines(self, stdout: IO[bytes]) -> None:
        for line in stdout:
            self._lines.put(line)
        self._lines.put(None)

    @property
    def stderr(self) -> str:
        """What the program wrote for people, so far."""
        return b"".join(self._said).decode("utf-8", "replace")

    def write(self, data: bytes) -> None:
        """Send bytes as they are; raises OSError if the program reads no more."""
        self.stdin.write(data)
        self.stdin.flush()

    def read(self) -> bytes | None:
        """The next line; None at the end of output. Fails if none comes within LIMIT."""
        try:
            return self._lines.get(timeout=LIMIT)
        except queue.Empty:
            raise AssertionError(f"no line within {LIMIT} s; stderr: {self.stderr}") from None

    def hear(self) -> Any:
        """The next message; fails at the end of output."""
        line = self.read()
        assert line is not None, f"the program has ended; stderr: {self.stderr}"
        return loads(line)

    def ask(self, message: object) -> Any:
        """Send one message (bytes go out as they are) and return the next one that comes."""
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.write(line + b"\n")
        return self.hear()

    def end(self) -> int:
        """Close the program's input, wait for its end, and return its exit status."""
        self.stdin.close()
        status = self.process.wait(LIMIT)
        for reader in self._readers:
            reader.join(LIMIT)
        return status

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(LIMIT)
        for reader in self._readers:
            reader.join(LIMIT)
        for pipe in (self.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):  # what could not be sent to it any more
                pipe.close()  # type: ignore[union-attr]
