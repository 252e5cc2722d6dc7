"""Refuses the probe in its own way: called as `refuses_probe.py CODE`, or with `null` for an id."""

import sys

from good import answer, requests, say

code = sys.argv[1]
for message in requests():
    if message["method"] == "server/discover":
        body = {"code": -32600 if code == "null" else int(code), "message": "what is that?"}
        say({"jsonrpc": "2.0", "id": None if code == "null" else message["id"], "error": body})
    else:
        say(answer(message))
