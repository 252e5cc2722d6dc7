"""Every figure that is promised, in one go: python -m tests.benchmarks

Each script runs in a process of its own and prints a table and a verdict. Exit status 1 if a
promise is missed. Ratios are promised; times are for the report.
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

RUNS = (
    ("stdio_floor.py",),
    ("stdio_calls.py", "--era", "modern"),
    ("stdio_calls.py", "--era", "legacy"),
    ("first_call.py",),
    ("http_calls.py", "--era", "legacy"),
    ("http_calls.py", "--era", "modern"),
)


def main() -> int:
    missed = []
    for script, *arguments in RUNS:
        print(f"## {' '.join([script, *arguments])}", flush=True)
        done = subprocess.run([sys.executable, str(HERE / script), *arguments], check=False)
        missed += [script] if done.returncode else []
    print(f"missed: {', '.join(missed) or 'none'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
