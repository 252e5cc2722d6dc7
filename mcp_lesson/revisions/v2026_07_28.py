"""2026-07-28: stateless. No handshake, no session, no request from server to client.

What a server needs to know stands in the `_meta` of every request; what it needs to ask stands in
its result, and the client asks again with the answers.
"""

from types import MappingProxyType

from .table import CLIENT, SERVER, Method, Revision, table

METHODS = table(
    Method("server/discover", "request", CLIENT, page="server/discover", cached=True),
    Method("tools/list", "request", CLIENT, "server.tools", "server/tools#listing-tools",
           cached=True),
    Method("tools/call", "request", CLIENT, "server.tools", "server/tools#calling-tools",
           named_by="name", asks=True),
    Method("resources/list", "request", CLIENT, "server.resources", "server/resources",
           cached=True),
    Method("resources/templates/list", "request", CLIENT, "server.resources", "server/resources",
           cached=True),
    Method("resources/read", "request", CLIENT, "server.resources", "server/resources",
           named_by="uri", asks=True, cached=True),
    Method("prompts/list", "request", CLIENT, "server.prompts", "server/prompts", cached=True),
    Method("prompts/get", "request", CLIENT, "server.prompts", "server/prompts",
           named_by="name", asks=True),
    Method("completion/complete", "request", CLIENT, "server.completions",
           "server/utilities/completion"),
    Method("subscriptions/listen", "request", CLIENT, page="basic/patterns/subscriptions"),
    Method("notifications/subscriptions/acknowledged", "notification", SERVER,
           page="basic/patterns/subscriptions#acknowledgment"),
    Method("notifications/cancelled", "notification", CLIENT | SERVER,
           page="basic/patterns/cancellation"),
    Method("notifications/progress", "notification", SERVER, page="basic/patterns/progress"),
    Method("notifications/message", "notification", SERVER, "server.logging",
           "server/utilities/logging"),
    Method("notifications/tools/list_changed", "notification", SERVER,
           "server.tools.listChanged", "server/tools#list-changed-notification"),
    Method("notifications/resources/list_changed", "notification", SERVER,
           "server.resources.listChanged", "server/resources#list-changed-notification"),
    Method("notifications/prompts/list_changed", "notification", SERVER,
           "server.prompts.listChanged", "server/prompts#list-changed-notification"),
    Method("notifications/resources/updated", "notification", SERVER,
           "server.resources.subscribe", "server/resources#subscriptions"),
)  # fmt: skip

REVISION = Revision(
    "2026-07-28",
    "modern",
    METHODS,
    bad_arguments="result",
    not_found=-32602,
    idless_errors=True,
    version_header=True,
    statuses=MappingProxyType(
        {-32700: 400, -32600: 400, -32601: 404, -32020: 400, -32021: 400, -32022: 400}
    ),
)
