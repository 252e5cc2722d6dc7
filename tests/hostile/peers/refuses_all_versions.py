"""Refuses every revision with an error, and names none of its own."""

from good import answer, requests, say

for message in requests():
    if message["method"] == "initialize":
        body = {"code": -32602, "message": "Unsupported protocol version"}
        say({"jsonrpc": "2.0", "id": message["id"], "error": body})
    else:
        say(answer(message))
