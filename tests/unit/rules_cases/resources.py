"""Resources."""

from .talk import ask, c, err, found, new, ok, old, s

RESOURCES = {"resources": {}}
READ = c(ask(2, "resources/read", uri="doc:a"))

CASES = {
    "resources.declared": (
        [*old("2025-03-26"), c(ask(2, "resources/list")), s(ok(2, resources=[]))],
        [*old("2025-03-26", server=RESOURCES), c(ask(2, "resources/list")), s(ok(2, resources=[]))],
    ),
    "resources.list-answered": (
        [*found(resources={}), c(new(2, "resources/list")), s(err(2, -32601))],
        [*found(resources={}), c(new(2, "resources/list")), s(err(2, -32603))],
    ),
    "resources.base64": (
        [
            *old(server=RESOURCES),
            READ,
            s(ok(2, contents=[{"uri": "doc:a", "blob": "=not bytes="}])),
        ],
        [*old(server=RESOURCES), READ, s(ok(2, contents=[{"uri": "doc:a", "blob": "AAEC"}]))],
    ),
    "resources.uri": (
        [*old(server=RESOURCES), READ, s(ok(2, contents=[{"uri": "my file", "text": ""}]))],
        [*old(server=RESOURCES), READ, s(ok(2, contents=[{"uri": "doc:a/b?c=%20", "text": ""}]))],
    ),
}
