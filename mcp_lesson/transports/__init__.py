"""The wires: envelopes to bytes and back.

A wire knows how its medium frames a message, and nothing about what messages mean. It fills the
trace, since it alone sees what really crossed.

memory   two peers in one process, for tests and for looking
stdio    a child process and its three pipes; and the other end, a program served on its own
http     a client of Streamable HTTP
asgi     the other end of it
"""
