"""Answers a call with a hundred thousand lists in one another."""

from good import answer, requests, say, write

for message in requests():
    if message["method"] == "tools/call":
        deep = b"[" * 100_000 + b"]" * 100_000
        write(b'{"jsonrpc":"2.0","id":%d,"result":{"content":%b}}\n' % (message["id"], deep))
    else:
        say(answer(message))
