"""Refuses calls with an error whose id is null."""

from good import answer, requests, say

for message in requests():
    if message["method"] == "tools/call":
        say({"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "I am lost"}})
    else:
        say(answer(message))
