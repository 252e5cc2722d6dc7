"""The life of a connection, until 2025-11-25."""

from .talk import READY, ask, c, err, hello, ok, old, s, welcome

UNSUPPORTED = {"supported": ["2024-11-05"], "requested": "1999-01-01"}

CASES = {
    "lifecycle.initialize-first": (
        [c(ask(5, "tools/list")), s(err(5, -32600)), *old()],
        [c(ask(5, "ping")), s(ok(5)), *old()],
    ),
    "lifecycle.client-introduces-itself": (
        [c(ask(1, "initialize", protocolVersion="2025-11-25", capabilities={}))],
        [c(hello())],
    ),
    "lifecycle.server-introduces-itself": (
        [c(hello()), s(ok(1, protocolVersion="2025-11-25", capabilities={})), c(READY)],
        [c(hello()), s(welcome()), c(READY)],
    ),
    "lifecycle.initialized": (
        [c(hello()), s(welcome(server={"tools": {}})), c(ask(2, "tools/list"))],
        [*old(server={"tools": {}}), c(ask(2, "tools/list"))],
    ),
    "lifecycle.version-answered": (
        [c(hello("1999-01-01")), s(err(1, -32602, **UNSUPPORTED))],
        [c(hello("1999-01-01")), s(welcome("2024-11-05")), c(READY)],
    ),
    "lifecycle.version-exists": (
        [c(hello()), s(welcome("1.0"))],
        [c(hello("2099-01-01")), s(welcome("2099-01-01"))],
    ),
    "lifecycle.version-kept": (
        [*old("2025-03-26"), *old("2025-06-18", client={"roots": {}}), s(ask(1, "tools/list"))],
        [*old("2025-06-18", client={"roots": {}}), s(ask(1, "roots/list"))],
    ),
    "lifecycle.capabilities-kept": (
        [*old(), c(ask(2, "tools/list")), s(err(2, -32601))],
        [*old(server={"tools": {}}), c(ask(2, "tools/list")), s(ok(2, tools=[]))],
    ),
    "lifecycle.early-client": (
        [c(hello()), c(ask(2, "tools/list")), s(welcome(server={"tools": {}})), c(READY)],
        [c(hello()), c(ask(2, "ping")), s(welcome()), c(READY)],
    ),
    "lifecycle.early-server": (
        [c(hello(client={"roots": {}})), s(welcome()), s(ask(1, "roots/list")), c(READY)],
        [c(hello()), s(welcome()), s(ask(1, "ping")), c(READY)],
    ),
}
