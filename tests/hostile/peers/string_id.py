"""Answers a call under its id as a string: "3" for 3."""

from good import answer, requests, say

for message in requests():
    reply = answer(message)
    say({**reply, "id": str(reply["id"])} if message["method"] == "tools/call" else reply)
