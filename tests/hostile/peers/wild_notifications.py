"""Sends notifications whose members have every wrong type."""

from good import answer, requests, say

METHODS = ("cancelled", "progress", "message", "tools/list_changed", "resources/updated")
WRONG = ([], None, True, 1.5, {"a": []}, "x", 10**400)
for message in requests():
    for method in METHODS:
        for value in WRONG:
            params = dict.fromkeys(("requestId", "progressToken", "progress", "uri"), value)
            say({"jsonrpc": "2.0", "method": f"notifications/{method}", "params": params})
            say({"jsonrpc": "2.0", "method": f"notifications/{method}", "params": value})
    say(answer(message))
