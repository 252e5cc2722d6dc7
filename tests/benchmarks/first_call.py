"""What a notebook waits for first: the import, a connection, one call. Against importing the SDK.

Run me: python tests/benchmarks/first_call.py [--rounds 9]

Each is measured in a fresh interpreter, in turns. asyncio is imported before the clock starts,
since both need it and a kernel has it already. The processor's time is the figure: it is the
machine's own work for this process alone, whatever else it does. Wall time is shown beside it.
"""

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

from tables import table, verdict

PROMISE = 5.0
"""How many times less than `import mcp` it takes."""

SCRIPT = Path(__file__).resolve().parents[2] / "servers" / "eighty_lines.py"

CLOCK = """
import asyncio, time
begun = time.process_time(), time.perf_counter()
{code}
print(time.process_time() - begun[0], time.perf_counter() - begun[1])
"""

CALL = """
from mcp_lesson import Trace, connect

async def main():
    async with connect({script!r}, era="legacy", trace=Trace()) as client:
        assert (await client.call_tool("add", {{"a": 3, "b": 4}})).text == "7"

asyncio.run(main())
"""

CODES = {
    "import mcp": "import mcp",
    "from mcp_lesson import Trace, connect": "from mcp_lesson import Trace, connect",
    "the same, a connection and a call": CALL.format(script=str(SCRIPT)),
}


def once(code: str) -> tuple[float, float]:
    """Milliseconds of the processor and of the wall that this code takes in a new interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", CLOCK.format(code=code)], capture_output=True, text=True, timeout=120
    )
    if done.returncode:
        sys.exit(done.stderr)
    own, wall = map(float, done.stdout.split())
    return own * 1e3, wall * 1e3


def main() -> bool:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in CODES}
    for turn in range(rounds + 1):  # the first reads the files from the disk
        for name, code in CODES.items():
            found = once(code)
            if turn:
                taken[name].append(found)
    medians = {
        name: [statistics.median(part) for part in zip(*values, strict=True)]
        for name, values in taken.items()
    }
    print(f"\nBefore the first answer, median of {rounds}, ms\n")
    print(table(["", "processor", "wall"], [[name, *both] for name, both in medians.items()]))
    first, *_, ours = medians.values()
    return verdict("import and a first call take less than import mcp", first[0] / ours[0], PROMISE)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
