"""The shortest wire: a client and a server in one process, and still every message is text.

What one side sends is written as JSON and read again by the other, as on any wire, so that neither
can change what the other holds. It serves tests, and lessons that want nothing but the messages.
"""

from collections.abc import Mapping

from .. import jsonrpc
from ..connection import Connection
from ..jsonrpc import Id
from ..limits import DEFAULT, Limits
from ..peer import Envelope, Peer
from ..server import Server
from ..trace import Trace


class MemoryWire:
    """A wire from a client to a `Server` in the same process."""

    streams = False

    def __init__(self, server: Server, trace: Trace, limits: Limits = DEFAULT) -> None:
        self.trace = trace
        self.connection = Connection(server, self._to_client, limits=limits)

    def attach(self, peer: Peer) -> None:
        """Whom to hand what arrives."""
        self.peer = peer

    async def send(self, envelope: Envelope) -> None:
        """Carry a message to the server."""
        line = jsonrpc.dumps(envelope.message)
        self.trace.sent(line, message=envelope.message)
        self.connection.receive(Envelope(jsonrpc.loads(line)))

    async def _to_client(self, envelope: Envelope) -> None:
        line = jsonrpc.dumps(envelope.message)
        self.trace.received(line, message=envelope.message)
        self.peer.receive(Envelope(jsonrpc.loads(line)))

    async def listen(self, headers: Mapping[str, str]) -> None:
        """Nothing to open: one channel carries everything."""

    async def drop(self, id: Id) -> None:
        """No stream to close: requests are cancelled by a message."""

    async def close(self, headers: Mapping[str, str]) -> None:
        """End the server's side."""
        self.connection.lost("the client closed the connection")
