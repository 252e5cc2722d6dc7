"""The table: what every field of every message of all five revisions is.

It stands in the text files beside this module (`notation.py` says how they are written), in one
place for all who need it: the reader explains messages from it, the rules and the peers may look up
what a revision has and requires. Types and fields are called what the official schema calls them.

Nothing here looks at a message, and no file is opened before somebody asks.
"""

from functools import cache
from importlib import resources

from .notation import Field, Type, entries, read_types, tie


@cache
def types() -> dict[str, Type]:
    """Every type by name; an object inside another type is called "ClientCapabilities.roots"."""
    found: dict[str, Type] = {}
    for name, text in _files().items():
        if name != "clauses.txt":
            read_types(text, found)
    tie(found)
    return found


@cache
def rows(type_name: str) -> dict[str, tuple[Field, ...]]:
    """All fields of a type by name, for whatever revision; its own hide those of its bases.

    Raises KeyError for a type that the table lacks.
    """
    kind = types()[type_name]
    inherited: dict[str, tuple[Field, ...]] = {}
    for base in reversed(kind.bases):
        inherited |= rows(base)
    return inherited | kind.fields


def members(type_name: str, revision: str) -> dict[str, Field]:
    """The fields of a type in one revision, by name. Raises KeyError as `rows` does."""
    picked = {name: pick(type_name, name, revision) for name in rows(type_name)}
    return {name: row for name, (row, known) in picked.items() if row and known}


def pick(type_name: str, name: str, revision: str) -> tuple[Field | None, bool]:
    """The field of this name, and whether the revision has it.

    If the revision does not, it is the field as another revision has it, or None.
    """
    versions = rows(type_name).get(name, ())
    for row in versions:
        if revision in row.facts.revisions:
            return row, True
    return (versions[-1] if versions else None), False


def elsewhere(type_name: str, name: str, revision: str) -> str:
    """A sentence that says which other revisions have a field that this one lacks."""
    have = {other for row in rows(type_name)[name] for other in row.facts.revisions}
    if len(have) == 1:
        return f"Not part of {revision}; {min(have)} has it."
    return f"Not part of {revision}; {min(have)} to {max(have)} have it."


@cache
def flat(type_name: str) -> tuple[str, ...]:
    """The types that a type stands for: the members of a union, or else the type alone."""
    union = types()[type_name].union
    return tuple(name for part in union for name in flat(part)) if union else (type_name,)


@cache
def clause(page: str, revision: str) -> str:
    """Where a page stands on modelcontextprotocol.io, or "" where the revision has none."""
    if page in _moved():
        since = [name for name in _moved()[page] if name <= revision]
        page = _moved()[page][since[-1]] if since else ""
    return f"/specification/{revision}/{page}" if page else ""


@cache
def _moved() -> dict[str, dict[str, str]]:
    """The pages that moved: for each name, the page from each revision on."""
    found: dict[str, dict[str, str]] = {}
    for line, _ in entries(_files()["clauses.txt"]):
        if line.startswith("["):
            pages = found.setdefault(line.strip("[]"), {})
        else:
            revision, page = line.split()
            pages[revision] = page
    return found


@cache
def _files() -> dict[str, str]:
    folder = sorted(resources.files(__package__).iterdir(), key=lambda file: file.name)
    texts = (file for file in folder if file.name.endswith(".txt"))
    return {file.name: file.read_text(encoding="utf-8") for file in texts}
