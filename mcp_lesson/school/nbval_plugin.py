"""Notebooks as tests: what nbval needs so that a lesson passes, or fails at once and says why.

`pytest --nbval` runs each code cell and compares what it shows with what was saved. Four things
stand between that and our lessons:

    a kernel that inherits pytest's variables loses what child processes print
    a trailing `;` hides nothing, because nbval runs cells outside the history
    a dead kernel is waited for until the cell's whole limit is over
    pytest-xdist may hand the cells of one notebook to several kernels

The first three are mended by wrapping one function of nbval each (PLACES); the last is refused.
Without `--nbval` this plugin does nothing. pytest imports it on every run, so nothing heavy stands
at the top. It never compares, skips or forgives an output: that stays nbval's.
"""

import functools
import inspect
import math
import time
from collections.abc import Callable
from contextlib import suppress
from operator import attrgetter
from queue import Empty
from typing import Any

import pytest

from . import kernels

LOOK_SECONDS = 0.5
"""How often a waiting test looks whether its kernel still lives."""

TEARING = ("load", "worksteal")
"""The ways of pytest-xdist that share out tests one by one."""

DIED = "the kernel died in this cell (os._exit, a crash or out of memory): the rest cannot run"

_Function = Callable[..., Any]


def pytest_configure(config: pytest.Config) -> None:
    """Mend nbval for this run, if it is asked for, and put all back at the end.

    Raises pytest.UsageError when the installed nbval is not the one this was written for, or when
    the cells of one notebook would be spread over several workers.
    """
    if not (config.getoption("nbval", False) or config.getoption("nbval_lax", False)):
        return
    if config.getoption("dist", "no") in TEARING:
        raise pytest.UsageError("notebooks on several workers need --dist loadfile")
    patch = pytest.MonkeyPatch()
    config.add_cleanup(patch.undo)
    mend(patch)


def mend(patch: pytest.MonkeyPatch) -> None:
    """Wrap the functions of nbval named in PLACES; `patch` knows how to unwrap them.

    Raises pytest.UsageError if one of them is missing or takes other parameters than expected.
    """
    import nbval.kernel

    for name, parameters, wrapper in PLACES:
        try:
            original = attrgetter(name)(nbval.kernel)
        except AttributeError:
            original = None
        if original is None or tuple(inspect.signature(original).parameters) != parameters:
            raise pytest.UsageError(
                f"mcp_lesson cannot mend this nbval ({nbval.__version__}): it has no "
                f"nbval.kernel.{name}({', '.join(parameters)}); install nbval 0.11"
            )
        owner, _, attribute = f"nbval.kernel.{name}".rpartition(".")
        patch.setattr(f"{owner}.{attribute}", wrapper(original))


def _in_clean_surroundings(original: _Function) -> _Function:
    @functools.wraps(original)
    def start_new_kernel(*args: Any, **options: Any) -> Any:
        return original(*args, **options | kernels.start_options())

    return start_new_kernel


def _with_history(original: _Function) -> _Function:
    @functools.wraps(original)
    def execute_cell_input(self: Any, cell_input: str, allow_stdin: bool | None = None) -> Any:
        return self.kc.execute(
            cell_input, store_history=True, allow_stdin=allow_stdin, stop_on_error=False
        )

    return execute_cell_input


def _watching(original: _Function) -> _Function:
    """Wait as before, but in short turns, with a look at the kernel between two of them."""

    @functools.wraps(original)
    def await_reply(self: Any, msg_id: str, timeout: float | None = None) -> None:
        end = time.monotonic() + (math.inf if timeout is None else timeout)
        while (left := end - time.monotonic()) > 0:
            with suppress(Empty):
                return original(self, msg_id, timeout=min(left, LOOK_SECONDS))  # type: ignore[no-any-return]
            if not self.is_alive():
                raise RuntimeError(DIED)
        raise Empty

    return await_reply


PLACES: tuple[tuple[str, tuple[str, ...], Callable[[_Function], _Function]], ...] = (
    ("start_new_kernel", ("startup_timeout", "kernel_name", "kwargs"), _in_clean_surroundings),
    ("RunningKernel.execute_cell_input", ("self", "cell_input", "allow_stdin"), _with_history),
    ("RunningKernel.await_reply", ("self", "msg_id", "timeout"), _watching),
)
"""What is wrapped: its name in nbval.kernel, the parameters it must have, and by what."""
