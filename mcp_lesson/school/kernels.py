"""Kernels: the surroundings in which every lesson runs, whoever starts it.

The tests (`nbval_plugin`) and the command that writes the outputs (`notebooks`) must see the same
lesson, or a fresh output differs from its own test. So what a kernel inherits is settled here,
once. No kernel is started here, and nothing of Jupyter is imported.
"""

import functools
import os
import tempfile

CELL_SECONDS = 60
"""Seconds a single cell may take before its run is given up."""

DROPPED = ("PYTEST_CURRENT_TEST", "MPLBACKEND")
"""Variables that no lesson inherits.

With the first, ipykernel leaves file descriptors 1 and 2 alone: what a child process prints is lost
and `sys.stderr.fileno()` fails. With the second, a plot is drawn where no reader sees it.
"""


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
