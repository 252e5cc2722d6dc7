"""How far above the floor is a call over stdio? Run me: python tests/benchmarks/stdio_floor.py

The floor is a pipe with a program behind it that gives back each line as it came: nothing can be
faster between two Python processes that take turns. Above it stands the client of the first
lesson, plain blocking pipes, calling a tool of servers/eighty_lines.py. Both are measured in turns,
in one run, because only their ratio means anything on a machine that is busy with other things.

Waking a process on another core costs several times what the floor does, and the system places
each pair as it likes: one pair together and the other apart makes the ratio double or halve. So
all run on one core where the system can be told to (Linux), which is also the stricter comparison:
apart, both pay for the waking. Elsewhere the table says that the placement is not known.

The promise: a call takes at most PROMISE times the floor, at the median. Exit status 1 if not.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Self

PROMISE = 5.0
"""How many times the floor a call may take."""

SERVER = Path(__file__).resolve().parents[2] / "servers" / "eighty_lines.py"
ECHO = """\
import sys
for line in sys.stdin.buffer:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
"""


class Pipes:
    """A child process and one line at a time: write, flush, read."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdin
        assert self.process.stdout
        self.stdin, self.stdout = self.process.stdin, self.process.stdout

    def turn(self, line: bytes) -> bytes:
        """Send one line and wait for one line."""
        self.stdin.write(line)
        self.stdin.flush()
        return self.stdout.readline()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stdin.close()
        try:
            self.process.wait(10)
        finally:
            self.process.kill()
            self.stdout.close()


class Client:
    """The client of lesson 01: numbers its requests, and checks the number of each answer."""

    def __init__(self, pipes: Pipes) -> None:
        self.pipes, self.id = pipes, 0
        client = {"name": "floor", "version": "1"}
        self.request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client)
        self.pipes.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def request(self, method: str, **params: object) -> dict[str, object]:
        """Ask one thing and return its result; raises RuntimeError if it is not answered well."""
        self.id += 1
        message = {"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}
        answer = json.loads(self.pipes.turn(json.dumps(message).encode() + b"\n"))
        if answer["id"] != self.id or "result" not in answer:
            raise RuntimeError(f"asked {message}, was answered {answer}")
        return answer["result"]  # type: ignore[no-any-return]


def times(action: Callable[[], object], number: int) -> list[float]:
    """How long each of so many runs takes, in microseconds."""
    taken = []
    for _ in range(number):
        begun = time.perf_counter()
        action()
        taken.append((time.perf_counter() - begun) * 1e6)
    return taken


def measure(rounds: int, number: int) -> dict[str, float]:
    """The median of each, in microseconds; in turns, after a warm-up of one round."""
    with ExitStack() as stack:
        echo = stack.enter_context(Pipes("-c", ECHO))
        client = Client(stack.enter_context(Pipes(str(SERVER))))
        message = {"name": "add", "arguments": {"a": 3, "b": 4}}
        line = b'{"jsonrpc": "2.0", "id": 1000, "method": "tools/call", "params": '
        line += json.dumps(message).encode() + b"}\n"  # as long as the client's own
        actions: dict[str, Callable[[], object]] = {
            "bare pipe": lambda: echo.turn(line),
            "ping": lambda: client.request("ping"),
            "tools/call": lambda: client.request("tools/call", **message),
        }
        taken: dict[str, list[float]] = {name: [] for name in actions}
        for turn in range(rounds + 1):
            for name, action in actions.items():
                taken[name] += times(action, number) if turn else times(action, number)[:0]
    return {name: statistics.median(values) for name, values in taken.items()}


def on_one_core() -> bool:
    """Keep this process and its children on one core; False where that cannot be asked for."""
    if not hasattr(os, "sched_setaffinity"):
        return False
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    return True


def main() -> int:
    """Measure, print a table, and say whether the promise is kept."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--number", type=int, default=500, help="turns of each in one round")
    given = parser.parse_args()
    together = on_one_core()
    medians = measure(given.rounds, given.number)
    floor = medians["bare pipe"]
    print(f"{'median of one turn':<20} {'µs':>8} {'times the floor':>16}")
    for name, value in medians.items():
        print(f"{name:<20} {value:>8.1f} {value / floor:>16.1f}")
    print("placement:", "all on one core" if together else "not known, run it several times")
    kept = medians["tools/call"] <= PROMISE * floor
    print(f"promise: at most {PROMISE:g} times the floor: {'kept' if kept else 'BROKEN'}")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
