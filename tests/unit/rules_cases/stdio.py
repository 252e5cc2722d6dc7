"""stdio: one message a line, and nothing else."""

from mcp_lesson.trace import TO_SERVER

from .talk import READY, ask, c, hello, noise, old, s, welcome

CASES = {
    "stdio.server-only-messages": (
        [noise(b"listening ..."), *old()],
        [*old()],
    ),
    "stdio.client-only-messages": (
        [*old(), noise(b"quit", TO_SERVER)],
        [*old(), c(ask(2, "ping"))],
    ),
    "stdio.no-byte-order-mark": (
        [c(hello()), s(welcome(), raw=b'\xef\xbb\xbf{"jsonrpc": "2.0" ...}'), c(READY)],
        [c(hello()), s(welcome(), raw=b'{"jsonrpc": "2.0" ...}'), c(READY)],
    ),
    "stdio.one-line": (
        [c(hello()), s(welcome(), raw=b'{\n"jsonrpc": "2.0" ...}'), c(READY)],
        [c(hello()), s(welcome(), raw=b'{"jsonrpc": "2.0" ...}\r'), c(READY)],
    ),
}
