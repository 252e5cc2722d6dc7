"""Answers a call with a line that never ends."""

from good import answer, requests, say, write

for message in requests():
    while message["method"] == "tools/call":
        write(b"x" * 65536)
    say(answer(message))
