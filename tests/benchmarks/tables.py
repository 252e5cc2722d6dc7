"""What the benchmarks share: a Markdown table, one core, a verdict."""

import os
from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; numbers with three figures."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def _cell(value: object) -> str:
    return f"{value:,.3g}" if isinstance(value, float) and value < 1000 else _whole(value)


def _whole(value: object) -> str:
    return f"{value:,.0f}" if isinstance(value, float) else str(value)


def on_one_core() -> bool:
    """Keep this process and its children on one core; False where that cannot be asked for.

    To wake a process on another core costs more than a call does, and the system places each pair
    as it likes: together and apart cannot be compared.
    """
    return on_core(0)


def on_core(number: int, process: int = 0) -> bool:
    """Keep a process (0: this one) on one of the cores it may use; False if that cannot be."""
    if not hasattr(os, "sched_setaffinity"):
        return False
    cores = sorted(CORES or os.sched_getaffinity(0))
    os.sched_setaffinity(process, {cores[number % len(cores)]})
    return True


CORES: list[int] = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
"""What this process may use, before anything was asked for."""


def verdict(what: str, ratio: float, promise: float) -> bool:
    """Say whether a promise is kept."""
    kept = ratio >= promise
    print(f"\n{what}: {ratio:.1f} times (promised: {promise:g}) {'kept' if kept else 'MISSED'}\n")
    return kept
