"""2024-11-05, the first: tools, resources, prompts; sampling and roots the other way."""

from .table import BOTH, CLIENT, SERVER, Method, Revision, table

METHODS = table(
    # the life of a connection
    Method("initialize", "request", CLIENT, page="basic/lifecycle#initialization"),
    Method("notifications/initialized", "notification", CLIENT, page="basic/lifecycle"),
    Method("ping", "request", BOTH, page="basic/utilities/ping"),
    Method("notifications/cancelled", "notification", BOTH, page="basic/utilities/cancellation"),
    Method("notifications/progress", "notification", BOTH, page="basic/utilities/progress"),
    # what a server offers
    Method("tools/list", "request", CLIENT, "server.tools", "server/tools#listing-tools"),
    Method("tools/call", "request", CLIENT, "server.tools", "server/tools#calling-tools"),
    Method("resources/list", "request", CLIENT, "server.resources", "server/resources"),
    Method("resources/templates/list", "request", CLIENT, "server.resources", "server/resources"),
    Method("resources/read", "request", CLIENT, "server.resources", "server/resources"),
    Method("resources/subscribe", "request", CLIENT, "server.resources.subscribe",
           "server/resources#subscriptions"),
    Method("resources/unsubscribe", "request", CLIENT, "server.resources.subscribe",
           "server/resources#subscriptions"),
    Method("prompts/list", "request", CLIENT, "server.prompts", "server/prompts"),
    Method("prompts/get", "request", CLIENT, "server.prompts", "server/prompts"),
    Method("completion/complete", "request", CLIENT, page="server/utilities/completion"),
    Method("logging/setLevel", "request", CLIENT, "server.logging", "server/utilities/logging"),
    # what a server tells
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
    # what a client offers, and tells
    Method("sampling/createMessage", "request", SERVER, "client.sampling", "client/sampling"),
    Method("roots/list", "request", SERVER, "client.roots", "client/roots"),
    Method("notifications/roots/list_changed", "notification", CLIENT,
           "client.roots.listChanged", "client/roots"),
)  # fmt: skip

REVISION = Revision("2024-11-05", "legacy", METHODS)
