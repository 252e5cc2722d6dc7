"""Answers initialize, and takes a minute for anything else."""

import time

from good import answer, requests, say

for message in requests():
    if message["method"] == "tools/call":
        time.sleep(60)
    say(answer(message))
