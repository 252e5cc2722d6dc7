"""Closes its output in a call, and lives on."""

import os
import time

from good import answer, requests, say

for message in requests():
    if message["method"] == "tools/call":
        os.close(1)
        time.sleep(60)
    say(answer(message))
