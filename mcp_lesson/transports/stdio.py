"""stdio: a server as a child process, spoken to through its pipes; and the child's side of it.

stdin carries what the client says, stdout what the server answers, one message a line, and stderr
is for people. The client's side here watches all three, notices at once when the process dies, and
ends it step by step: close its input, wait, tell it to go, wait, end it.
Clause: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
"""

import asyncio
import atexit
import contextlib
import io
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
from ..peer import ConnectionLost, Envelope, Peer
from ..server import Server
from ..trace import TO_CLIENT, TO_SERVER, Trace
from .guardian import GUARDIAN, end_family
from .lines import CLOSED, Reader, Writer, call_in

INHERITED = (
    *("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ"),
    *("USER", "APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT"),
    *("PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT"),
    *("TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR"),
)
"""The environment variables a server gets; secrets in all others stay here. `env` adds to them."""

_STDERR_LINE = 64 * 1024
_BURIAL = 5.0  # seconds for the system to take away what was killed


def environment(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a server: the inherited few, and what the caller adds."""
    return {name: os.environ[name] for name in INHERITED if name in os.environ} | dict(env or {})


class ProcessWire:
    """A wire to a server that is started as a child process.

    `command` is the program and its arguments. Raises OSError from `open` if it cannot be started.
    One task owns the process from its start to its end. Whatever ends first, the process, its
    output or our wish to talk, the task sees that the rest ends too.
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
        self._unwanted, self._how = False, ""

    def attach(self, peer: Peer) -> None:
        """Whom to hand what arrives."""
        self.peer = peer

    def open(self) -> None:
        """Start the process and watch its pipes. Must be called in a running event loop."""
        loop = asyncio.get_running_loop()
        self._ending, self._exited = asyncio.Event(), asyncio.Event()
        self._silent, self._wordless = asyncio.Event(), asyncio.Event()
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
        stdin, stdout, stderr = map(_there, (process.stdin, process.stdout, process.stderr))
        self._writer = Writer(stdin, self._watch)
        self._readers = (
            Reader(stdout, self.limits.line, self._take, self._output_over, self._watch),
            Reader(stderr, _STDERR_LINE, self._hear, self._wordless.set, self._watch),
        )
        atexit.register(self._writer.stop)  # it may leave when this program does
        threading.Thread(target=self._wait, args=(process, loop), daemon=True).start()
        self._keeper = loop.create_task(self._keep(process))

    async def send(self, envelope: Envelope) -> None:
        """Write one line to the server's stdin. What keeps it from that, the peer is told."""
        line = jsonrpc.dumps(envelope.message).encode()
        self.trace.sent(line, message=envelope.message)
        try:
            await self._writer.write(line + b"\n")
        except ConnectionLost:  # that it reads no more is a symptom; the keeper learns the cause
            self._ending.set()

    async def listen(self, headers: Mapping[str, str]) -> None:
        """Nothing to open: stdout carries everything."""

    async def drop(self, id: Id) -> None:
        """No stream to close: requests are cancelled by a message."""

    # -- what comes --------------------------------------------------------------------------

    def _take(self, line: bytes | None) -> None:
        if line is None:
            self._refuse_line()
        elif line.strip():
            take_line(line, self.trace, self.peer)
        else:
            self.trace.received(line)  # harmless, but it should not be there

    def _refuse_line(self) -> None:
        text = f"a line longer than {self.limits.line:,} bytes (limits.line)"
        self.trace.noted("noise", text)
        self._lose(f"the server sent {text}")
        self._unwanted = True
        self._ending.set()

    def _hear(self, line: bytes | None) -> None:
        """Keep what the server says to people."""
        text = "(a line too long to show)" if line is None else line.decode("utf-8", "replace")
        self.stderr.append(text)
        self.trace.noted("stderr", text)

    # -- how it ends -------------------------------------------------------------------------

    def _wait(self, process: "subprocess.Popen[bytes]", loop: asyncio.AbstractEventLoop) -> None:
        """The thread: wait for the process, and say so in the event loop."""
        process.wait()
        GUARDIAN.forget(process.pid)
        if not call_in(loop, self._process_over):
            _signal_all(process, "SIGKILL")  # nobody else does

    def _process_over(self) -> None:
        self._exited.set()
        self._ending.set()

    def _output_over(self) -> None:
        self._silent.set()
        self._ending.set()

    async def _keep(self, process: "subprocess.Popen[bytes]") -> None:
        """Wait for the beginning of the end, tell the peer the cause, and see the process out."""
        try:
            with contextlib.suppress(asyncio.CancelledError):  # the event loop ends, so does this
                await self._ending.wait()
                if not self._unwanted:  # it may still say why
                    ends = (self._exited, self._silent, self._wordless)
                    await _within(self.limits.drain, *ends)
                    self._lose(self._record_end(process))
            await self._see_out(process)
        finally:
            _signal_all(process, "SIGKILL")  # what it started and left behind
            for pipe in (self._writer, *self._readers):
                pipe.stop()
            atexit.unregister(self._writer.stop)
            if self._exited.is_set():
                self._record_end(process)
            self.peer.lost(CLOSED)

    async def _see_out(self, process: "subprocess.Popen[bytes]") -> None:
        """Close its input, give it time to leave, and end it if it does not."""
        if not self._exited.is_set():
            self.trace.noted("lifecycle", "the client closed the server's input", TO_SERVER)
        self._writer.stop()
        for limit, name, words in LADDER:
            if await _within(getattr(self.limits, limit), self._exited):
                break
            self.trace.noted("lifecycle", f"the server did not leave and was {words}", TO_SERVER)
            _signal_all(process, name)
        await _within(_BURIAL, self._exited)
        await _within(self.limits.drain, self._silent, self._wordless)

    @property
    def last_words(self) -> str:
        """What the server said last on stderr, to stand behind an error."""
        words = " | ".join(line[:150] for line in list(self.stderr)[-5:])
        return f"; its last words: {words}" if words else ""

    def _lose(self, reason: str) -> None:
        self.peer.lost(reason + self.last_words)

    def _record_end(self, process: "subprocess.Popen[bytes]") -> str:
        """Say what became of the server, once in the trace for each thing that did."""
        how = f"the server {self._what_became(process.poll())}"
        if how != self._how:
            self._how = how
            self.trace.noted("lifecycle", how, TO_CLIENT)
        return how

    def _what_became(self, status: int | None) -> str:
        if status is None:
            did = "closed its output" if self._silent.is_set() else "reads no more"
            return f"{did} and is still running"
        if status < 0:
            with contextlib.suppress(ValueError):
                return f"was ended by {signal.Signals(-status).name}"
        return f"ended with exit status {status}"

    async def close(self, headers: Mapping[str, str]) -> None:
        """Close its input, wait, tell it to go, wait, end it. Leaves no process behind."""
        if self.process is not None:
            self._unwanted = True
            self._ending.set()
            await asyncio.shield(self._keeper)


LADDER: tuple[tuple[str, str, str], ...] = (
    ("leave", "SIGTERM", "told to go (SIGTERM)"),
    ("terminate", "SIGKILL", "ended (SIGKILL)"),
)
"""How a server that does not leave is ended: after which limit, by which signal, in words."""
if os.name != "posix":  # without signals it cannot be told to go
    LADDER = (("leave", "", "ended"),)


def _there(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe  # all three were asked for
    return pipe


async def _within(seconds: float, *events: asyncio.Event) -> bool:
    """Wait for all of these; False if that takes longer."""
    try:
        async with asyncio.timeout(seconds):
            for event in events:
                await event.wait()
    except TimeoutError:
        return False
    return True


def _signal_all(process: "subprocess.Popen[bytes]", name: str) -> None:
    """Send a signal to a server and its children; where there are no signals, end them."""
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, getattr(signal, name))
        else:
            end_family(process.pid)


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
    writer, ended = Writer(sink), asyncio.Event()

    async def deliver(envelope: Envelope) -> None:
        line = jsonrpc.dumps(envelope.message).encode()
        if trace is not None:
            trace.sent(line, message=envelope.message)
        await writer.write(line + b"\n")

    connection = Connection(server, deliver, limits=limits)

    def take(line: bytes | None) -> None:
        if line is None:
            reason = f"a line longer than {limits.line:,} bytes"
            problem = MalformedMessage(jsonrpc.INVALID_REQUEST, reason)
            connection.malformed(problem, Envelope(None))
        elif line.strip():
            take_line(line, trace, connection)

    Reader(source, limits.line, take, ended.set)
    await ended.wait()
    await connection.finish(limits.leave / 2)
    connection.lost("the input ended")
    writer.stop()


def _take_over() -> tuple[IO[bytes], IO[bytes]]:
    """Private copies of stdin and stdout; in their place an empty input, and stderr."""
    sys.stdout.flush()
    source, sink = io.FileIO(os.dup(0), "r"), io.FileIO(os.dup(1), "w")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return source, sink
