"""Lists its tools and reads nothing from then on."""

import time

from good import answer, requests, say

for message in requests():
    say(answer(message))
    if message["method"] == "tools/list":
        time.sleep(60)
