"""Answers a call in Latin-1."""

from good import answer, requests, say, write

for message in requests():
    if message["method"] == "tools/call":
        write(b'{"jsonrpc":"2.0","id":%d,"result":{"content":"Gr\xf6\xdfe"}}\n' % message["id"])
    else:
        say(answer(message))
