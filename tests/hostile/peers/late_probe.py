"""Answers the probe only when initialize has come, too: called as `late_probe.py ORDER`.

ORDER is what it answers then, in one piece: "d" the probe alone, "di" the probe and then
initialize, "id" the other way round.
"""

import json
import sys

from good import answer, requests, say, write

held = {}
for message in requests():
    held[message["method"].removeprefix("server/")[0]] = message
    if message["method"] == "initialize":
        replies = [answer(held[letter], legacy=False) for letter in sys.argv[1]]
        write(b"".join(json.dumps(reply).encode() + b"\n" for reply in replies))
    elif message["method"] != "server/discover":
        say(answer(message, legacy=False))
