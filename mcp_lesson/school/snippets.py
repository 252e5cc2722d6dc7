"""Snippets: the pieces of the lessons that are made to be taken along.

A snippet is a file in `servers/`, or a notebook's code cell tagged `snippet`, whose first line is

    # snippet: NAME; NEEDS

where NEEDS says what it takes to run: `stdlib` (Python alone), `mcp_lesson` (this package) or
`sdk` (the official SDK). This module finds them, describes them and copies them, line for line
as they are taught. It never runs one.
"""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NEEDS = {
    "stdlib": "Python alone",
    "mcp_lesson": "this package",
    "sdk": "the official SDK",
}

_HEADER = re.compile(r"# snippet: (?P<name>[a-z0-9_]+); (?P<needs>[a-z_]+)")


class SnippetError(ValueError):
    """A snippet is not there, is badly marked, or cannot be copied; the message says which."""


@dataclass(frozen=True)
class Snippet:
    """One piece of code to take along: its name, what it needs, where it is from, its text."""

    name: str
    needs: str
    source: str
    text: str

    @property
    def summary(self) -> str:
        """The first line of its docstring, empty if it has none."""
        try:
            docstring = ast.get_docstring(ast.parse(self.text)) or ""
        except SyntaxError:  # a cell may hold what only a notebook understands
            return ""
        return docstring.partition("\n")[0]


def read_snippets(checkout: Path) -> dict[str, Snippet]:
    """Return all snippets of a checkout by name, sorted.

    Raises `SnippetError` if a header is not in the form above, or a name is there twice.
    """
    found: dict[str, Snippet] = {}
    for source, text in [*_server_texts(checkout), *_cell_texts(checkout)]:
        snippet = _parse(source, text)
        twin = found.setdefault(snippet.name, snippet)
        if twin is not snippet:
            raise SnippetError(f"{source} and {twin.source} are both named {snippet.name!r}.")
    return dict(sorted(found.items()))


def pick(snippets: dict[str, Snippet], name: str) -> Snippet:
    """Return the snippet of that name; raises `SnippetError` that lists the names there are."""
    if name not in snippets:
        raise SnippetError(f"No snippet is named {name!r}. There are: {', '.join(snippets)}.")
    return snippets[name]


def copy(snippet: Snippet, target: Path, *, force: bool = False) -> Path:
    """Write a snippet to a file, or under its own name into a folder; return the file's path.

    Raises `SnippetError` if that file is there already and `force` is not given.
    """
    path = target / f"{snippet.name}.py" if target.is_dir() else target
    if path.exists() and not force:
        raise SnippetError(f"{path} is there already. Choose another place, or use --force.")
    path.write_text(snippet.text, encoding="utf-8", newline="\n")
    return path


def _server_texts(checkout: Path) -> Iterator[tuple[str, str]]:
    for path in sorted((checkout / "servers").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        if text.startswith("# snippet"):
            yield f"servers/{path.name}", text


def _cell_texts(checkout: Path) -> Iterator[tuple[str, str]]:
    for path in sorted((checkout / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code" and "snippet" in cell["metadata"].get("tags", []):
                yield f"notebooks/{path.name}, cell {cell.get('id', '?')}", _source(cell)


def _source(cell: dict[str, Any]) -> str:
    """Return a cell's text; the notebook format has it as one string or as a list of lines."""
    return "".join(cell["source"]).rstrip("\n") + "\n"


def _parse(source: str, text: str) -> Snippet:
    first = text.partition("\n")[0].rstrip()
    header = _HEADER.fullmatch(first)
    if header is None or header["needs"] not in NEEDS:
        raise SnippetError(
            f"{source} begins with {first!r}; a snippet begins with "
            f"'# snippet: NAME; NEEDS', where NEEDS is {' or '.join(NEEDS)}."
        )
    return Snippet(header["name"], header["needs"], source, text)
