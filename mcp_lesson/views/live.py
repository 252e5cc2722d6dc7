"""Following: a live view that goes along with a trace while it grows.

Frames are recorded in any thread, and widgets are spoken to in the kernel's event loop. So a new
frame only wakes the loop; the loop then brings the view up to date, at most ten times a second and
never for more than a quarter of its time. A second after the last frame the view is drawn once
more, now saying which answers never came.
"""

import asyncio
import contextlib
import time
import weakref
from collections.abc import Sequence

from ..trace import Frame, Trace
from .scene import Scene
from .widget import Diagram

PERIOD = 0.1
"""Seconds between two updates, at least."""

QUIET = 1.0
"""Seconds without a frame after which the view is settled."""

SHARE = 4
"""An update that took t seconds is followed by a pause of so many times t, at least."""

_FOLLOWERS: "weakref.WeakKeyDictionary[Trace, list[Follower]]" = weakref.WeakKeyDictionary()
MOST = 3
"""Views of one trace that follow it; an older one stops when a newer one is shown."""


class Follower:
    """Keeps one view up to date with its trace."""

    def __init__(self, trace: Trace, view: Diagram, loop: asyncio.AbstractEventLoop) -> None:
        self._frames, self._view, self._loop = trace.frames, view, loop
        self._due = False
        self._free_at = 0.0
        self._quiet: asyncio.TimerHandle | None = None
        self._unwatch = trace.watch(self._seen)
        self._stopped = False
        self._wake()

    def stop(self) -> None:
        """Follow no further."""
        self._stopped = True
        self._unwatch()

    def _seen(self, frame: Frame) -> None:
        """In any thread: something was recorded."""
        if not self._due:
            self._due = True
            with contextlib.suppress(RuntimeError):  # the loop is gone, and the view with it
                self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._due = True
        self._loop.call_later(max(0.0, self._free_at - time.monotonic()), self._update)

    def _update(self) -> None:
        self._due = False
        if self._stopped:
            return
        began = time.monotonic()
        self._view.grow(self._frames)
        taken = time.monotonic() - began
        self._free_at = time.monotonic() + max(PERIOD, SHARE * taken)
        if self._quiet:
            self._quiet.cancel()
        self._quiet = self._loop.call_later(QUIET + SHARE * taken, self._view.settle)


def live(scene: Scene, trace: Trace, only: Sequence[str] = ()) -> Diagram:
    """Make a live view of a scene, which goes along with its trace while an event loop runs."""
    view = Diagram(scene, only)
    with contextlib.suppress(RuntimeError):  # no loop runs here, so nothing can be followed
        follow(trace, view, asyncio.get_running_loop())
    return view


def follow(trace: Trace, view: Diagram, loop: asyncio.AbstractEventLoop) -> Follower:
    """Let a view follow its trace; the oldest of too many stops."""
    followers = _FOLLOWERS.setdefault(trace, [])
    followers.append(Follower(trace, view, loop))
    while len(followers) > MOST:
        followers.pop(0).stop()
    return followers[-1]
