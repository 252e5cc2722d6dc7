"""Sends ten thousand notifications before it answers a call."""

from good import answer, requests, say

for message in requests():
    if message["method"] == "tools/call":
        for number in range(10_000):
            params = {"level": "info", "data": number}
            say({"jsonrpc": "2.0", "method": "notifications/message", "params": params})
    say(answer(message))
