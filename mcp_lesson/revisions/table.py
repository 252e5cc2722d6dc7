"""What a row of the tables is: one method, and one revision made of methods."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

CLIENT = frozenset({"client"})
SERVER = frozenset({"server"})
BOTH = CLIENT | SERVER


@dataclass(frozen=True, slots=True)
class Method:
    """One method of one revision.

    name      as it stands in a message
    kind      "request" or "notification"
    senders   who may send it: {"client"}, {"server"} or both
    needs     who must have declared what: "server.tools", "client.sampling"; "" for nothing
    page      where the specification describes it
    named_by  the member of params that the Mcp-Name header repeats (2026-07-28)
    asks      its answer may be "input_required" (2026-07-28)
    cached    its result carries ttlMs and cacheScope (2026-07-28)
    """

    name: str
    kind: str
    senders: frozenset[str]
    needs: str = ""
    page: str = ""
    named_by: str = ""
    asks: bool = False
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Revision:
    """One revision: its methods, and how it settles what the others settle otherwise.

    era            "legacy" (opens with a handshake) or "modern" (every request stands alone)
    batches        a line or body may be an array of messages
    bad_arguments  how a server answers values that a tool's schema refuses: "error" (-32602) or
                   "result" (a result with isError)
    not_found      the error code for a resource that does not exist
    idless_errors  an error whose request has no readable id may be sent without one
    statuses       the HTTP status for an error code; 200 for all others
    version_header every HTTP request after the handshake names the revision
    """

    name: str
    era: str
    methods: Mapping[str, Method]
    batches: bool = False
    bad_arguments: str = "error"
    not_found: int = -32002
    idless_errors: bool = False
    version_header: bool = False
    statuses: Mapping[int, int] = field(
        default_factory=lambda: MappingProxyType({-32700: 400, -32600: 400})
    )

    def may_send(self, sender: str, method: str) -> bool:
        """True if this side may send this method at all, whatever was declared."""
        return method in self.methods and sender in self.methods[method].senders


def table(*methods: Method) -> dict[str, Method]:
    """Methods by name."""
    return {method.name: method for method in methods}
