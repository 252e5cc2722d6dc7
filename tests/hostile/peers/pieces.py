"""Hands out its answers byte by byte, letters torn apart."""

import json

from good import TOOL, answer, requests, write

TOOL["description"] = "Größe, 你好, 😀"
for message in requests():
    for byte in json.dumps(answer(message), ensure_ascii=False).encode() + b"\n":
        write(bytes([byte]))
