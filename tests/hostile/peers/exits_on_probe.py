"""Ends when it hears server/discover, and is right otherwise."""

import sys

from good import answer, requests, say

for message in requests():
    if message["method"] == "server/discover":
        sys.exit("unknown method server/discover")
    say(answer(message))
