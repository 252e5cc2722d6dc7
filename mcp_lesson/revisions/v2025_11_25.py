"""2025-11-25: URL elicitation, tasks (an experiment), bad values become tool errors."""

from . import v2025_06_18
from .table import BOTH, SERVER, Method, Revision, table

METHODS = v2025_06_18.METHODS | table(
    Method("notifications/elicitation/complete", "notification", SERVER,
           "client.elicitation.url", "client/elicitation"),
    Method("tasks/get", "request", BOTH, page="basic/utilities/tasks"),
    Method("tasks/result", "request", BOTH, page="basic/utilities/tasks"),
    Method("tasks/list", "request", BOTH, page="basic/utilities/tasks"),
    Method("tasks/cancel", "request", BOTH, page="basic/utilities/tasks"),
    Method("notifications/tasks/status", "notification", BOTH, page="basic/utilities/tasks"),
)  # fmt: skip

REVISION = Revision(
    "2025-11-25",
    "legacy",
    METHODS,
    bad_arguments="result",
    idless_errors=True,
    version_header=True,
)
