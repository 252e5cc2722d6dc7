"""Answers a call with a number of five thousand digits."""

from good import answer, requests, say, write

for message in requests():
    if message["method"] == "tools/call":
        number = b"1" * 5000
        write(b'{"jsonrpc":"2.0","id":%d,"result":{"content":%b}}\n' % (message["id"], number))
    else:
        say(answer(message))
