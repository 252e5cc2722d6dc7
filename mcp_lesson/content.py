"""What tools, resources and prompts say, as the blocks the protocol has for it.

A handler may return what is natural in Python, and this module turns it into blocks: a string is
one text, a list of blocks is itself, anything else is its JSON as text.
Clause: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result
"""

import base64
from typing import Any

from . import jsonrpc
from .jsonrpc import Message

BLOCKS = {
    "text": "2024-11-05",
    "image": "2024-11-05",
    "resource": "2024-11-05",
    "audio": "2025-03-26",
    "resource_link": "2025-06-18",
}
"""The types of content block, and the revision that brought each."""


def text(words: str) -> Message:
    """A text block."""
    return {"type": "text", "text": words}


def image(data: bytes, mime_type: str = "image/png") -> Message:
    """An image block; `data` are the bytes of the file."""
    return {"type": "image", "data": base64.b64encode(data).decode(), "mimeType": mime_type}


def audio(data: bytes, mime_type: str = "audio/wav") -> Message:
    """An audio block (since 2025-03-26); `data` are the bytes of the file."""
    return {"type": "audio", "data": base64.b64encode(data).decode(), "mimeType": mime_type}


def embedded(uri: str, body: str | bytes, mime_type: str | None = None) -> Message:
    """A whole resource inside a block."""
    return {"type": "resource", "resource": contents(uri, body, mime_type)}


def link(uri: str, name: str, **more: Any) -> Message:
    """A block that names a resource without its content (since 2025-06-18)."""
    return {"type": "resource_link", "uri": uri, "name": name, **more}


def contents(uri: str, body: str | bytes, mime_type: str | None = None) -> Message:
    """One entry of a resource's `contents`: text for a string, base64 `blob` for bytes."""
    entry: Message = {"uri": uri}
    if mime_type:
        entry["mimeType"] = mime_type
    if isinstance(body, bytes):
        return entry | {"blob": base64.b64encode(body).decode()}
    return entry | {"text": body}


def is_block(value: object) -> bool:
    """True for a dictionary whose type is that of a content block."""
    return isinstance(value, dict) and str(value.get("type")) in BLOCKS


def are_blocks(value: object) -> bool:
    """True for a list of content blocks, be it empty."""
    return isinstance(value, list) and all(is_block(part) for part in value)


def blocks(value: Any, revision: str) -> list[Message]:
    """Any value as a list of content blocks; one that this revision lacks is only mentioned."""
    if value is None:
        return []
    found = [value] if is_block(value) else value
    if found == [] or not are_blocks(found):
        return [text(value if isinstance(value, str) else jsonrpc.dumps(value))]
    return [part if revision >= BLOCKS[part["type"]] else _mention(part) for part in found]


def _mention(block: Message) -> Message:
    return text(f"({block['type']} {block.get('uri') or block.get('mimeType', '')}: not shown)")
