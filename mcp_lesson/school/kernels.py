"""Kernels: how a lesson is run, and in which surroundings.

The tests (`nbval_plugin`) and the command that writes the outputs (`notebooks`) must see the same
lesson, or a fresh output differs from its own test. So what a kernel inherits is settled here,
once. What the outputs then look like in a file is none of this module's business.
"""

import functools
import logging
import os
import re
import tempfile
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

CELL_SECONDS = 60
"""Seconds a single cell may take before its run is given up."""

DROPPED = ("PYTEST_CURRENT_TEST", "MPLBACKEND")
"""Variables that no lesson inherits.

With the first, ipykernel leaves file descriptors 1 and 2 alone: what a child process prints is lost
and `sys.stderr.fileno()` fails. With the second, a plot is drawn where no reader sees it.
"""


class RunError(Exception):
    """A lesson that could not be run to its end.

    cell     the id of the cell it stopped in
    reason   one line: the error's name and text, or which limit was reached
    details  the traceback as plain text; empty where there is none
    """

    def __init__(self, cell: str, reason: str, details: str = "") -> None:
        super().__init__(f"cell {cell}: {reason}")
        self.cell, self.reason, self.details = cell, reason, details


def start_options() -> dict[str, Any]:
    """How to start a lesson's kernel: options of jupyter_client's `start_kernel`.

    What the kernel itself prints is for nobody: all that a cell shows comes as messages, and what
    its children print comes as a message and here once more.
    """
    return {"env": environment(), "stdout": DEVNULL, "stderr": DEVNULL}


def environment() -> dict[str, str]:
    """The environment variables of a lesson's kernel.

    As here, without those in DROPPED; `MCP_LESSON_STATIC` tells the views to leave the live widget
    out of what they show; and IPython keeps its settings and history in a folder of its own, so
    that no person's profile changes an output and no lesson enters a person's history.
    """
    kept = {name: value for name, value in os.environ.items() if name not in DROPPED}
    return kept | {"MCP_LESSON_STATIC": "1", "IPYTHONDIR": _profile().name}


@functools.cache
def _profile() -> tempfile.TemporaryDirectory[str]:
    """An empty folder that goes when this process does."""
    return tempfile.TemporaryDirectory(prefix="mcp-lesson-", ignore_cleanup_errors=True)


def run(notebook: Any, folder: Path) -> None:
    """Run all cells in a new kernel of this interpreter; the outputs are put into `notebook`.

    `notebook` is what nbformat reads, `folder` the one the cells run in. An error in a cell tagged
    `raises-exception` is an output like any other. Raises RunError for any other error, for a cell
    that takes longer than CELL_SECONDS, and for a kernel that does not start or dies.
    """
    from nbclient import NotebookClient, exceptions

    at = ["(none yet: the kernel did not start)"]
    client = NotebookClient(
        notebook,
        km=_manager(),
        log=logging.Logger("silent", logging.CRITICAL + 1),  # RunError says it
        timeout=CELL_SECONDS,
        raise_on_iopub_timeout=True,  # an output that got lost is an error, not an empty output
        on_cell_execute=lambda cell, cell_index: at.append(cell.get("id", f"number {cell_index}")),
    )
    try:
        client.execute(cwd=str(folder), cleanup_kc=True, **start_options())
    except exceptions.CellExecutionError as problem:
        raise RunError(at[-1], f"{problem.ename}: {problem.evalue}", _plain(problem)) from None
    except exceptions.CellTimeoutError as problem:
        raise RunError(at[-1], " ".join(str(problem).splitlines()[:2])) from None
    except RuntimeError as problem:  # nbclient's DeadKernelError, or a kernel that never began
        raise RunError(at[-1], str(problem)) from None


def _manager() -> Any:
    """A manager for a kernel of this very interpreter, whichever kernels a person installed."""
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager

    native = KernelSpecManager(kernel_dirs=[])
    return AsyncKernelManager(kernel_name="python3", kernel_spec_manager=native)


def _plain(problem: Any) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", problem.traceback)
