"""Answers a call under an id that nobody used."""

from good import answer, requests, say

for message in requests():
    reply = answer(message)
    say({**reply, "id": 999} if message["method"] == "tools/call" else reply)
