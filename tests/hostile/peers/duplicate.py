"""Gives each answer three times, the copies with other content."""

from good import answer, requests, say

for message in requests():
    say(answer(message))
    say({**answer(message), "result": {"content": "a second answer"}})
    say({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -1, "message": "a third"}})
