"""Writes two megabytes to stderr before it answers a call, and a last word without a newline."""

import sys

from good import answer, requests, say

for message in requests():
    if message["method"] == "tools/call":
        sys.stderr.write("a line of chatter on stderr\n" * 64_000 + "x" * 200_000 + "\n")
        sys.stderr.flush()
    say(answer(message))
sys.stderr.write("goodbye")
