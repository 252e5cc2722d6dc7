"""Ends its lines as Windows does."""

import json

from good import answer, requests, write

for message in requests():
    write(json.dumps(answer(message)).encode() + b"\r\n")
