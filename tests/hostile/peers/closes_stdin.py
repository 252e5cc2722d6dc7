"""Closes its input before it answers initialize, and lives on."""

import os
import time

from good import answer, requests, say

for message in requests():
    if message["method"] == "initialize":
        os.close(0)
    say(answer(message))
    if message["method"] == "initialize":
        time.sleep(60)
