"""Which processes are there, and waiting for something to become true: for every test here."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import psutil

from mcp_lesson.transports.guardian import GUARDIAN

PEERS = Path(__file__).parent / "peers"


def peer(name: str, *arguments: str) -> list[str]:
    """The command line of a misbehaving peer; without site packages it starts sooner."""
    return [sys.executable, "-S", "-E", str(PEERS / f"{name}.py"), *arguments]


EARLIER: set[psutil.Process] = set()
"""What was there when the test began, such as a server that other tests share."""


def everyone() -> set[psutil.Process]:
    """Every process below this one but the guardian, zombies included."""
    guardian = GUARDIAN.process.pid if GUARDIAN.process else None
    found = psutil.Process().children(recursive=True)
    return {process for process in found if process.pid != guardian}


def children() -> set[psutil.Process]:
    """Every process below this one that the test itself has brought about."""
    return everyone() - EARLIER


def is_gone(pid: int) -> bool:
    """True if no process has this number, or one that is dead and waits for a strange parent."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


async def until(true: Callable[[], object], seconds: float = 5.0) -> bool:
    """Look often whether something has become true; False if it takes longer than that."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while not true():
        if loop.time() > end:
            return False
        await asyncio.sleep(0.01)
    return True
