"""Sends the client requests that it never declared, and one without a meaning."""

from good import answer, requests, say

METHODS = ("sampling/createMessage", "elicitation/create", "roots/list", "no/such/method", "ping")
for message in requests():
    if message["method"] == "tools/call":
        for number, method in enumerate(METHODS):
            say({"jsonrpc": "2.0", "id": f"ask-{number}", "method": method, "params": {}})
    say(answer(message))
