"""Authorization, as far as it shows."""

from .talk import V, ask, bare, hello, ok, post, reply, session

PING = ask(2, "ping")

CASES = {
    "auth.not-in-address": (
        [post(1, hello(), path="/mcp?access_token=abc")],
        [post(1, hello(), path="/mcp?tenant=abc")],
    ),
    "auth.every-request": (
        [
            *session(),
            post(3, PING, authorization="…", **V),
            reply(3, ok(2)),
            post(4, ask(3, "ping"), **V),
        ],
        [
            *session(),
            post(3, PING, authorization="…", **V),
            reply(3, ok(2)),
            post(4, ask(3, "ping"), authorization="…", **V),
        ],
    ),
    "auth.challenge": (
        [*session("2025-06-18"), post(3, PING, mcp_protocol_version="2025-06-18"), bare(3, 401)],
        [
            *session("2025-06-18"),
            post(3, PING, mcp_protocol_version="2025-06-18"),
            bare(3, 401, www_authenticate='Bearer resource_metadata="https://example.com/"'),
        ],
    ),
}
