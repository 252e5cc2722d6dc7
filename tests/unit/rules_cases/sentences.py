"""The sentences of the specification that say MUST, and which rules stand for each.

`sentences.txt` holds no sentence, only a mark of each: what is left of it when letters are counted
by a hash. So the table of rules can be checked against the checked-out specification, word by word,
and nothing of it is copied here.
"""

import hashlib
import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("sentences.txt")
EDITORIAL = "-"
"""Stands in place of rules for a sentence that obliges nobody."""


class Sentence(NamedTuple):
    """A sentence, or an item of a list, that says MUST or REQUIRED: where it stands, and its mark.

    `under` are the headings it stands under, the nearest first.
    """

    revision: str
    page: str
    under: tuple[str, ...]
    mark: str


def read(folder: Path, revision: str) -> list[Sentence]:
    """Every such sentence of one revision."""
    found = []
    for file in sorted((folder / revision).rglob("*.mdx")):
        page = file.relative_to(folder / revision).with_suffix("").as_posix()
        parts = _reference if page == "schema" else _prose
        for under, text in parts(file.read_text(encoding="utf-8")):
            if re.search(r"\b(MUST|REQUIRED)\b", text):
                name = page.removesuffix("/index").removeprefix("index")
                found.append(Sentence(revision, name, under, mark(text)))
    return found


def mark(text: str) -> str:
    """What tells a sentence from all others, without saying it."""
    plain = re.sub(r"\]\([^)]*\)", "]", text)
    words = re.findall(r"[a-z0-9_.-]+", plain.lower())
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:10]


def _prose(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Paragraphs and items of a page, without its examples."""
    under: list[tuple[int, str]] = []
    lines: list[str] = []
    for line in [*_without_examples(text), "## end"]:
        heading = re.match(r"(#+)\s+(.*)", line)
        starts = heading or not line.strip() or re.match(r"\s*(\d+\.|[-*+]|\|)\s", line)
        if starts and lines:
            yield tuple(name for _, name in reversed(under)), " ".join(lines)
            lines = []
        if heading:
            depth = len(heading[1])
            under = [(d, name) for d, name in under if d < depth] + [(depth, anchor(heading[2]))]
        elif line.strip():
            lines.append(line.strip())


def _without_examples(text: str) -> Iterator[str]:
    inside = False
    for line in text.splitlines():
        if line.strip().startswith("```"):
            inside = not inside
        elif not inside:
            yield line


def anchor(heading: str) -> str:
    """The name of a heading in an address."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[ -]+", "-", re.sub(r"[^a-z0-9 -]", "", plain.lower()).strip())


def _reference(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The parts of the schema's reference page, which is written in HTML."""
    name = ""
    edges = r'(?=<div class="tsd-anchor-link")|(?<=</p>)|(?<=</li>)|\n(?=### )'
    for part in re.split(edges, text):
        head = re.match(r'<div class="tsd-anchor-link" id="([^"]+)"|### `?([^`\n]+)', part)
        if head:
            name = head[1] or head[2].lower()
        words = html.unescape(re.sub(r"<[^>]+>", "", part))
        yield (name,), words[-400:]


def rules_by_mark() -> dict[str, list[str]]:
    """Which rules stand for the sentence with each mark."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    entries = (line.split() for line in lines if line and not line.startswith("#"))
    return {first: rest for first, *rest in entries}
