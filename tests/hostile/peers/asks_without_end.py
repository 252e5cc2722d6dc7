"""Sends the client requests without end and never reads the answers."""

import itertools

from good import answer, requests, say

for message in requests():
    if message["method"] == "tools/call":
        for number in itertools.count():
            say({"jsonrpc": "2.0", "id": f"ask-{number}", "method": "ping"})
    say(answer(message))
