"""Ends its last answer without a newline."""

import json
import sys

from good import answer, requests, say, write

for message in requests():
    if message["method"] == "tools/call":
        write(json.dumps(answer(message)).encode())
        sys.exit(0)
    say(answer(message))
