"""Raises in the middle of a call, so that Python's traceback is its last word."""

from good import answer, requests, say

for message in requests():
    if message["method"] == "tools/call":
        raise RuntimeError("the tool fell over")
    say(answer(message))
