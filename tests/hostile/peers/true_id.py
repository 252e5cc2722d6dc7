"""Answers initialize under the id true, which Python takes for 1, before it answers it rightly."""

from good import answer, requests, say

for message in requests():
    say({"jsonrpc": "2.0", "id": True, "result": {}})
    say({"jsonrpc": "2.0", "id": message["id"] * 1.0, "result": {}})
    say(answer(message))
