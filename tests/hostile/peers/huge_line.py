"""Answers a call with a line of a million bytes."""

from good import answer, requests, say

for message in requests():
    reply = answer(message)
    if message["method"] == "tools/call":
        reply["result"] = {"content": [{"type": "text", "text": "x" * 1_000_000}]}
    say(reply)
