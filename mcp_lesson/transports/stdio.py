"""stdio: a server as a child process, spoken to through its pipes; and the child's side of it.

stdin carries what the client says, stdout what the server answers, one message a line, and stderr
is for people. The client's side here watches all three, notices at once when the process dies, and
ends it step by step: close its input, wait, tell it to go, wait, end it.
Clause: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from typing import IO

from .. import jsonrpc
from ..connection import Connection
from ..jsonrpc import Id, MalformedMessage
from ..limits import DEFAULT, Limits
from ..peer import Envelope, Peer
from ..server import Server
from ..trace import TO_CLIENT, TO_SERVER, Trace
from .guardian import GUARDIAN
from .lines import Reader, Splitter, Writer

INHERITED = (
    *("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ"),
    *("USER", "APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT"),
    *("PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT"),
    *("TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR"),
)
"""The environment variables a server gets; secrets in all others stay here. `env` adds to them."""

_STDERR_LINE = 64 * 1024


def environment(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a server: the inherited few, and what the caller adds."""
    return {name: os.environ[name] for name in INHERITED if name in os.environ} | dict(env or {})


class ProcessWire:
    """A wire to a server that is started as a child process.

    `command` is the program and its arguments. Raises OSError from `open` if it cannot be started.
    """

    streams = False

    def __init__(
        self,
        command: Sequence[str],
        trace: Trace,
        limits: Limits = DEFAULT,
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        watch: bool | None = None,
    ) -> None:
        self.command, self.trace, self.limits = list(command), trace, limits
        self.env, self.cwd, self._watch = environment(env), cwd, watch
        self.stderr: deque[str] = deque(maxlen=limits.stderr_lines)
        self.process: subprocess.Popen[bytes] | None = None
        self._output, self._words = Splitter(limits.line), Splitter(_STDERR_LINE)
        self._said_gone = False
        self._closing: asyncio.Task[None] | None = None

    def attach(self, peer: Peer) -> None:
        """Whom to hand what arrives."""
        self.peer = peer

    def open(self) -> None:
        """Start the process and watch its pipes. Must be called in a running event loop."""
        self._loop = asyncio.get_running_loop()
        self._exited, self._output_over = asyncio.Event(), asyncio.Event()
        self.process = process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=self.env,
            cwd=self.cwd,
            start_new_session=True,  # an interrupted notebook cell must not interrupt the server
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        GUARDIAN.watch(process.pid)
        stdin, stdout, stderr = map(_descriptor, (process.stdin, process.stdout, process.stderr))
        self._writer = Writer(stdin, self._watch)
        self._readers = (
            Reader(stdout, self._feed, self._output_ended, self._watch),
            Reader(stderr, self._feed_stderr, lambda: None, self._watch),
        )
        threading.Thread(target=self._wait, daemon=True).start()

    async def send(self, envelope: Envelope) -> None:
        """Write one line to the server's stdin."""
        line = jsonrpc.dumps(envelope.message).encode()
        self.trace.sent(line, message=envelope.message)
        await self._writer.write(line + b"\n")

    async def listen(self, headers: Mapping[str, str]) -> None:
        """Nothing to open: stdout carries everything."""

    async def drop(self, id: Id) -> None:
        """No stream to close: requests are cancelled by a message."""

    # -- what comes --------------------------------------------------------------------------

    def _feed(self, data: bytes) -> None:
        for line in self._output.feed(data):
            if line is None:
                limit = f"{self.limits.line:,} bytes (limits.line)"
                self.trace.noted("noise", f"a line longer than {limit}")
                return self._gone(f"the server sent a line longer than {limit}")
            if line.strip():
                take_line(line, self.trace, self.peer)
        return None

    def _feed_stderr(self, data: bytes) -> None:
        for line in self._words.feed(data):
            text = "(a line too long to show)" if line is None else line.decode("utf-8", "replace")
            self.stderr.append(text)
            self.trace.noted("stderr", text)

    # -- how it ends -------------------------------------------------------------------------

    def _wait(self) -> None:
        """The thread: wait for the process, and say so in the event loop."""
        assert self.process
        self.process.wait()
        if not self._loop.is_closed():
            with contextlib.suppress(RuntimeError):  # the loop closed this very moment
                self._loop.call_soon_threadsafe(self._process_ended)

    def _process_ended(self) -> None:
        assert self.process
        self._exited.set()
        GUARDIAN.forget(self.process.pid)
        over = self._output_over.is_set()
        self._loop.call_later(0 if over else self.limits.drain, self._gone)

    def _output_ended(self) -> None:
        rest = self._output.end()
        if rest.strip():  # a last line without its newline: real all the same
            take_line(rest, self.trace, self.peer)
        self._output_over.set()
        self._loop.call_later(0 if self._exited.is_set() else self.limits.drain, self._gone)

    def _gone(self, reason: str | None = None) -> None:
        if self._said_gone:
            return
        self._said_gone = True
        reason = reason or f"the server {self._ending()}"
        self.trace.noted("lifecycle", reason, TO_CLIENT)
        last = "; its last words: " + " | ".join(list(self.stderr)[-5:]) if self.stderr else ""
        self.peer.lost(reason + last)

    def _ending(self) -> str:
        status = self.process.poll() if self.process else None
        if status is None:
            return "closed its output and is still running"
        if status < 0:
            with contextlib.suppress(ValueError):
                return f"was ended by {signal.Signals(-status).name}"
        return f"ended with exit status {status}"

    async def close(self, headers: Mapping[str, str]) -> None:
        """Close its input, wait, tell it to go, wait, end it. Leaves no process behind."""
        if self.process is None:
            return
        if self._closing is None:
            self._closing = self._loop.create_task(self._close(self.process))
        await asyncio.shield(self._closing)

    async def _close(self, process: "subprocess.Popen[bytes]") -> None:
        if not self._exited.is_set():
            self.trace.noted("lifecycle", "the client closed the server's input", TO_SERVER)
        self._writer.stop()
        if process.stdin:
            with contextlib.suppress(OSError):
                process.stdin.close()
        await self._see_out(process)
        await _within(self._output_over, self.limits.drain)  # a grandchild may hold it for ever
        self._gone()
        for reader in self._readers:
            reader.stop()
        for pipe in (process.stdout, process.stderr):
            if pipe:
                pipe.close()


    async def _see_out(self, process: "subprocess.Popen[bytes]") -> None:
        """Give it time to leave, and end what does not, with all that it started."""
        steps = (
            (self.limits.leave, "SIGTERM", "told to go (SIGTERM)"),
            (self.limits.terminate, "SIGKILL", "ended (SIGKILL)"),
        )
        for patience, name, words in steps:
            if await _within(self._exited, patience):
                break
            self.trace.noted("lifecycle", f"the server did not leave and was {words}", TO_SERVER)
            _signal(process, name)
        else:
            await _within(self._exited, self.limits.terminate)
        _sweep(process)


def _descriptor(pipe: IO[bytes] | None) -> int:
    assert pipe  # all three were asked for
    return pipe.fileno()


async def _within(event: asyncio.Event, seconds: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return False
    return True


def _signal(process: "subprocess.Popen[bytes]", name: str) -> None:
    """Send a signal to a server and its children; where there are no signals, end it."""
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, getattr(signal, name))
        else:
            process.kill()


def _sweep(process: "subprocess.Popen[bytes]") -> None:
    """End what a server started and left behind, where it still belongs to the server's group."""
    if os.name == "posix":
        _signal(process, "SIGKILL")


def take_line(line: bytes, trace: Trace | None, peer: Peer) -> None:
    """Read one line for a peer; what is no message is recorded, and the peer is told."""
    try:
        message = jsonrpc.loads(line)
    except MalformedMessage as problem:
        if trace is not None:
            trace.received(line)
        peer.malformed(problem, Envelope(None))
        return
    if trace is not None:
        trace.received(line, message=message)
    peer.receive(Envelope(message))


async def serve_stdio(server: Server, limits: Limits = DEFAULT, trace: Trace | None = None) -> None:
    """Serve on this process's own stdin and stdout until the input ends, and answer what was asked.

    The protocol takes both for itself: what handlers print goes to stderr, and what they start
    finds an empty input.
    """
    source, sink = _take_over()
    writer, lines, ended = Writer(sink), Splitter(limits.line), asyncio.Event()

    async def deliver(envelope: Envelope) -> None:
        line = jsonrpc.dumps(envelope.message).encode()
        if trace is not None:
            trace.sent(line, message=envelope.message)
        await writer.write(line + b"\n")

    connection = Connection(server, deliver, limits=limits)

    def feed(data: bytes) -> None:
        for line in lines.feed(data):
            if line is None:
                reason = f"a line longer than {limits.line:,} bytes"
                problem = MalformedMessage(jsonrpc.INVALID_REQUEST, reason)
                connection.malformed(problem, Envelope(None))
            elif line.strip():
                take_line(line, trace, connection)

    Reader(source, feed, ended.set)
    await ended.wait()
    await connection.finish(limits.leave / 2)
    connection.lost("the input ended")


def _take_over() -> tuple[int, int]:
    """Private copies of stdin and stdout; in their place an empty input, and stderr."""
    sys.stdout.flush()
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return source, sink
