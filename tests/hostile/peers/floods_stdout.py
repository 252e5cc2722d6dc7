"""Answers a call with noise, for ever."""

from good import answer, requests, say, write

for message in requests():
    while message["method"] == "tools/call":
        write(b"noise on stdout\n" * 64)
    say(answer(message))
