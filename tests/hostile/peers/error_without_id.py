"""Refuses calls with an error that names no request."""

from good import answer, requests, say

for message in requests():
    if message["method"] == "tools/call":
        say({"jsonrpc": "2.0", "error": {"code": -32600, "message": "I cannot read you"}})
    else:
        say(answer(message))
