"""Where the lessons are on this machine.

Notebooks, servers and exercises are not part of the installed package: they lie beside it in a
checkout of the repository. This module finds that checkout and does nothing else.
"""

from collections.abc import Iterator
from pathlib import Path

_LANDMARKS = ("pyproject.toml", "mcp_lesson/__init__.py", "servers", "notebooks")


class CheckoutNotFound(LookupError):
    """No checkout of the lessons was found; the message says where it was looked for."""


def find_checkout(start: Path | None = None) -> Path:
    """Return the folder that holds `notebooks/` and `servers/`.

    Looked for first where this package lies (the editable installation that start.py makes), then
    from `start` (default: the current folder) upwards. Raises `CheckoutNotFound`.
    """
    for folder in _candidates(start or Path.cwd()):
        if all((folder / landmark).exists() for landmark in _LANDMARKS):
            return folder
    raise CheckoutNotFound(
        f"No checkout of the lessons at {_package_home()}, nor from {start or Path.cwd()} upwards. "
        "Run this inside the folder that holds start.py, notebooks/ and servers/."
    )


def _package_home() -> Path:
    return Path(__file__).resolve().parents[2]


def _candidates(start: Path) -> Iterator[Path]:
    here = start.resolve()
    yield _package_home()
    yield here
    yield from here.parents
