"""Every limit in one place: how long anything may take, and how large it may be.

Times are seconds, sizes are bytes. A limit that is reached is never silent: it ends in an error
that names the limit. Make your own with `Limits(request=60)` and hand it to `connect` or `serve`.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """How long to wait and how much to take; the defaults are the ones used everywhere.

    start        from starting a server to the end of its handshake
    probe        how long a server may be silent to `server/discover` before it counts as legacy
    request      from sending a request to its answer
    progress     the most that progress and questions may stretch a request to, in all
    asked        from a server's question to its answer: a person may have to think
    connect      opening one HTTP connection
    leave        from closing a server's input until it is told to go (SIGTERM)
    terminate    from telling it to go until it is ended (SIGKILL)
    drain        how long the last output of an ended server is still read
    line         the largest message, one line of stdio or one HTTP body
    stderr_lines how many of a server's last words are kept
    rounds       how often one request may be asked again for input (2026-07-28)
    concurrent   how many requests of one peer are served at a time
    pages        how many pages of a list are followed
    sessions     how many HTTP sessions a server keeps
    idle         how long an HTTP session is kept without traffic
    """

    start: float = 20.0
    probe: float = 3.0
    request: float = 30.0
    progress: float = 300.0
    asked: float = 300.0
    connect: float = 5.0
    leave: float = 2.0
    terminate: float = 2.0
    drain: float = 0.5
    line: int = 64 * 2**20
    stderr_lines: int = 50
    rounds: int = 8
    concurrent: int = 20_000
    pages: int = 1_000
    sessions: int = 10_000
    idle: float = 1_800.0


DEFAULT = Limits()
