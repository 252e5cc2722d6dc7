"""Reads initialize and ends without an answer."""

import sys

from good import answer, requests, say

for message in requests():
    if message["method"] == "initialize":
        sys.exit("initialize was too much")
    say(answer(message))
