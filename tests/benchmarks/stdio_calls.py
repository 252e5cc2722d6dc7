"""A tool call over stdio, client against server: ours and the SDK's, each with each.

Run me: python tests/benchmarks/stdio_calls.py [--rounds 40] [--calls 25] [--era modern]

All four pairs are open at once and are measured in turns, on one core where that can be asked for,
so that what else the machine does falls on all alike: the ratio is the figure, not the times.
"""

import argparse
import asyncio
import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from tables import on_one_core, table, verdict

from mcp_lesson import connect

PROMISE = 5.0
"""How many times faster our pair is than the SDK's, at the median."""

HERE = Path(__file__).parent
SERVERS = {"ours": HERE / "add_ours.py", "the SDK's": HERE / "add_sdk.py"}
CLIENTS = ("ours", "the SDK's")

Call = Callable[[], Awaitable[Any]]


async def opened(client: str, script: Path, era: str, stack: AsyncExitStack) -> Call:
    """A connected pair, as a function that makes one call."""
    arguments = {"a": 3, "b": 4}
    if client == "ours":
        mine = await stack.enter_async_context(connect(script, era=era))
        return lambda: mine.call_tool("add", arguments)
    import mcp
    from mcp.client.stdio import stdio_client

    nowhere = stack.enter_context(open(os.devnull, "w"))  # noqa: ASYNC230, SIM115
    command = mcp.StdioServerParameters(command=sys.executable, args=[str(script)])
    mode = {"modern": "auto"}.get(era, era)
    theirs = mcp.Client(stdio_client(command, errlog=nowhere), mode=mode)
    session = await stack.enter_async_context(theirs)
    return lambda: session.call_tool("add", arguments)


async def measure(era: str, rounds: int, calls: int) -> dict[tuple[str, str], float]:
    """The median of a call for each pair, in microseconds; the first round warms up."""
    async with AsyncExitStack() as stack:
        pairs = {
            (client, server): await opened(client, script, era, stack)
            for client in CLIENTS
            for server, script in SERVERS.items()
        }
        taken: dict[tuple[str, str], list[float]] = {pair: [] for pair in pairs}
        for turn in range(rounds + 1):
            for pair, call in pairs.items():
                for _ in range(calls):
                    begun = time.perf_counter()
                    await call()
                    if turn:
                        taken[pair].append((time.perf_counter() - begun) * 1e6)
    return {pair: statistics.median(values) for pair, values in taken.items()}


def main() -> bool:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--calls", type=int, default=25)
    parser.add_argument("--era", choices=["modern", "legacy"], default="modern")
    given = parser.parse_args()
    placed = "on one core" if on_one_core() else "cores as the system likes"
    medians = asyncio.run(measure(given.era, given.rounds, given.calls))
    print(
        f"\nA call over stdio, {given.era}, median of {given.rounds * given.calls}, µs, {placed}\n"
    )
    rows = [[client, *(medians[client, server] for server in SERVERS)] for client in CLIENTS]
    print(table(["client \\ server", *SERVERS], rows))
    ratio = medians["the SDK's", "the SDK's"] / medians["ours", "ours"]
    return verdict("our pair is faster than the SDK's", ratio, PROMISE)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
