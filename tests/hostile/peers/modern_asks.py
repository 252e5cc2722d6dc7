"""Is modern, and sends requests all the same, which no server may since 2026-07-28."""

from good import answer, requests, say

for message in requests():
    say({"jsonrpc": "2.0", "id": "ask", "method": "sampling/createMessage", "params": {}})
    say(answer(message, legacy=False))
