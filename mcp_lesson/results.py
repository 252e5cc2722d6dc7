"""What a client hands to its caller: plain dictionaries and lists that print well in a notebook."""

from typing import Any

from . import jsonrpc
from .jsonrpc import Message


class Result(dict[str, Any]):
    """The result of a request, as it came: every member can be read by its protocol name."""

    @property
    def text(self) -> str:
        """All text in it, wherever this kind of result keeps text, one block a line."""
        found: list[Any] = [*_objects(self, "content"), *_objects(self, "contents")]
        found += [message.get("content") for message in _objects(self, "messages")]
        return "\n".join(str(b["text"]) for b in found if isinstance(b, dict) and "text" in b)

    @property
    def is_error(self) -> bool:
        """True if a tool ran, or would not run, and failed."""
        return self.get("isError") is True

    @property
    def structured(self) -> Any:
        """The typed value of a tool that promises one (since 2025-06-18), else None."""
        return self.get("structuredContent")

    def __repr__(self) -> str:
        words = self.text or jsonrpc.dumps(dict(self))
        return f"{'error: ' if self.is_error else ''}{words}"


class Listing(list[Message]):
    """A list of what a server offers, all pages of it."""

    @property
    def names(self) -> list[str]:
        """The names alone."""
        return [entry.get("name", "") for entry in self]

    def __repr__(self) -> str:
        return "\n".join(_line(entry) for entry in self) or "(nothing)"


def _objects(result: Message, member: str) -> list[Message]:
    """A list of objects in a result, or what is left of it where a server sent something else."""
    value = result.get(member)
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def _line(entry: Message) -> str:
    name = entry.get("uri") or entry.get("uriTemplate") or entry.get("name", "")
    words = str(entry.get("description") or entry.get("title") or "").partition("\n")[0]
    return f"{name}  {words}".rstrip()
