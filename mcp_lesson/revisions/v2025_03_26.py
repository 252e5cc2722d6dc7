"""2025-03-26: Streamable HTTP, batches, audio, annotations; completion becomes a capability."""

from . import v2024_11_05
from .table import CLIENT, Method, Revision, table

METHODS = v2024_11_05.METHODS | table(
    Method("completion/complete", "request", CLIENT, "server.completions",
           "server/utilities/completion"),
)  # fmt: skip

REVISION = Revision("2025-03-26", "legacy", METHODS, batches=True)
