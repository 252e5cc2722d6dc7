"""Ends in the middle of its answer: half a line, without a newline."""

import json
import sys

from good import answer, requests, say, write

for message in requests():
    if message["method"] == "tools/call":
        write(json.dumps(answer(message)).encode()[:30])
        sys.exit(0)
    say(answer(message))
