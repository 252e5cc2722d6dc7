"""The two doors: `connect` to a server wherever it is, and `serve` one to whoever comes.

    client = await connect("../servers/eighty_lines.py")     # a script, as a child process
    client = await connect(["npx", "-y", "some-server"])     # any program
    client = await connect("http://127.0.0.1:8000/mcp")      # over HTTP
    client = await connect(server)                           # a Server of this process

Open a client in one cell, use it in others, close it in a later one, or use `async with`. A cell
that is run again first closes what its last run opened.
"""

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from .client import Client
from .limits import DEFAULT, Limits
from .peer import ConnectionLost
from .server import Server
from .trace import Trace

Target = str | Path | Sequence[str] | Server


class Opening:
    """A client about to be opened: `await` it, or use it with `async with`."""

    def __init__(self, open: Callable[[], Any]) -> None:
        self._open = open
        self._client: Client | None = None

    def __await__(self) -> Generator[Any, None, Client]:
        return self._open().__await__()  # type: ignore[no-any-return]

    async def __aenter__(self) -> Client:
        self._client = await self
        return self._client

    async def __aexit__(self, *_: object) -> None:
        if self._client:
            await self._client.close()


def connect(
    target: Target,
    *,
    era: str = "auto",
    trace: Trace | None = None,
    limits: Limits = DEFAULT,
    env: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
    headers: Mapping[str, str] | None = None,
    **handlers: Any,
) -> Opening:
    """Connect to a server and agree with it on a revision.

    target    a script path, an argument list, a URL or a `Server`
    era       "auto" finds out; "legacy" (2025-11-25), "modern" (2026-07-28), or a revision
    trace     where to record; a new one if None, found as `client.trace`
    env, cwd  of a child process; the environment adds to a short list of inherited names
    headers   sent with every HTTP request
    handlers  sampling, elicitation, roots: what this client answers, and so declares

    Raises FileNotFoundError, HandshakeError, RequestTimeout or ConnectionLost; nothing is left
    running then.
    """
    trace = Trace() if trace is None else trace

    def reach() -> Any:
        return _wire(target, trace, limits, env, cwd, headers)

    async def started(wire: Any, era: str) -> Client:
        client = Client(wire, era=era, limits=limits, **handlers)
        client.trace = trace
        if _this_cell():
            client.spawn(_stay_awake())
        try:
            if hasattr(wire, "open"):
                wire.open()
            await client.start()
        except BaseException:
            await client.close()
            raise
        return client

    async def opened() -> Client:
        await _close_earlier_run()
        wire = reach()
        try:
            client = await started(wire, era)
        except ConnectionLost:
            if era != "auto" or not hasattr(wire, "process"):
                raise
            trace.noted("lifecycle", "the server did not survive the probe and is started again")
            client = await started(reach(), "legacy")
        _remember(client)
        return client

    return Opening(opened)


def _wire(
    target: Target,
    trace: Trace,
    limits: Limits,
    env: Mapping[str, str] | None,
    cwd: str | Path | None,
    headers: Mapping[str, str] | None,
) -> Any:
    """The wire that reaches this target; each is imported when first needed."""
    if isinstance(target, Server):
        from .transports.memory import MemoryWire

        return MemoryWire(target, trace, limits)
    if isinstance(target, str) and target.startswith(("http://", "https://")):
        from .transports.http import HttpWire

        return HttpWire(target, trace, limits, headers=headers)
    from .transports.stdio import ProcessWire

    where = None if cwd is None else str(cwd)
    return ProcessWire(command_of(target, where), trace, limits, env=env, cwd=where)


def command_of(target: str | Path | Sequence[str], cwd: str | None = None) -> list[str]:
    """The command line for a target: a Python script is run by this Python.

    Raises FileNotFoundError that says what was looked for, and where.
    """
    if isinstance(target, str | Path):
        script = Path(target)
        if not (Path(cwd or ".") / script).is_file():
            raise FileNotFoundError(
                f"no server script at {script} (looked in {Path(cwd or '.').resolve()});"
                " a program with arguments is given as a list"
            )
        return [sys.executable, str(script)] if script.suffix == ".py" else [str(script)]
    if not target:
        raise ValueError("the target is an empty list; its first entry must be a program")
    program = shutil.which(target[0])  # on Windows this finds npx.cmd for npx
    if program is None and not (Path(cwd or ".") / target[0]).is_file():
        raise FileNotFoundError(f"no program {target[0]!r} on the PATH")
    return [program or target[0], *target[1:]]


# -- cells that are run again ----------------------------------------------------------------------

_opened: dict[str, tuple[str, list[Client]]] = {}
"""What each notebook cell opened: its key, the run that did, and the clients."""


def _this_cell() -> tuple[str, str] | None:
    """The cell that runs now and this run of it, or None outside a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or not hasattr(shell, "get_parent"):
        return None
    parent = shell.get_parent() or {}
    cell = parent.get("metadata", {}).get("cellId") or parent.get("content", {}).get("code")
    return (str(cell), str(parent.get("header", {}).get("msg_id"))) if cell else None


async def _stay_awake() -> None:
    """Let the event loop turn now and then: in between, a kernel does not hear an interrupt."""
    while True:  # noqa: ASYNC110 -- it waits for nothing
        await asyncio.sleep(0.25)


async def _close_earlier_run() -> None:
    here = _this_cell()
    if here and here[0] in _opened and _opened[here[0]][0] != here[1]:
        _, clients = _opened.pop(here[0])
        await asyncio.gather(*(client.close() for client in clients), return_exceptions=True)


def _remember(client: Client) -> None:
    here = _this_cell()
    if here:
        _, clients = _opened.setdefault(here[0], (here[1], []))
        clients[:] = [c for c in clients if c.state != "closed"] + [client]


# -- serving ---------------------------------------------------------------------------------------


@asynccontextmanager
async def serve(
    server: Server, *, host: str = "127.0.0.1", port: int = 0, limits: Limits = DEFAULT, **more: Any
) -> AsyncIterator[str]:
    """Serve over HTTP while the block lasts; gives the URL. Port 0 picks a free one.

        async with serve(server) as url:
            client = await connect(url)

    `more` is any further argument of `transports.asgi.application`. Raises OSError for a port that
    is taken.
    """
    from .transports.serving import serving

    async with serving(server, host=host, port=port, limits=limits, **more) as url:
        yield url


def run(server: Server, arguments: Sequence[str] | None = None) -> None:
    """Run a server as a program: over stdio, or over HTTP with `--http [HOST:]PORT`."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        if arguments[:1] == ["--http"]:
            host, port = address(arguments[1:])
            try:
                asyncio.run(_serve_until_interrupted(server, host, port))
            except OSError as problem:
                sys.exit(f"cannot listen at {host}:{port}: {problem.strerror}")
        elif arguments:
            sys.exit(f"usage: {Path(sys.argv[0]).name} [--http [HOST:]PORT]")
        else:
            from .transports.stdio import serve_stdio

            asyncio.run(serve_stdio(server))
    except KeyboardInterrupt:
        sys.exit(130)


def address(arguments: Sequence[str]) -> tuple[str, int]:
    """Host and port of `[HOST:]PORT`. Exits with one line for what is neither."""
    host, _, port = (arguments[0] if len(arguments) == 1 else "").rpartition(":")
    if not (port.isascii() and port.isdigit()) or int(port) > 65535:
        sys.exit("--http takes a port from 0 to 65535, or HOST:PORT")
    return host.strip("[]") or "127.0.0.1", int(port)


async def _serve_until_interrupted(server: Server, host: str, port: int) -> None:
    async with serve(server, host=host, port=port) as url:
        print(url, flush=True)
        await asyncio.Event().wait()
