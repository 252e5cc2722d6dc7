"""2025-06-18: elicitation, structured output, the version header; batches are gone again."""

from . import v2025_03_26
from .table import SERVER, Method, Revision, table

METHODS = v2025_03_26.METHODS | table(
    Method("elicitation/create", "request", SERVER, "client.elicitation", "client/elicitation"),
)

REVISION = Revision("2025-06-18", "legacy", METHODS, version_header=True)
