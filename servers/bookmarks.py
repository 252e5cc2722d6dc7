# snippet: bookmarks; mcp_lesson
"""Bookmarks kept in SQLite: state that outlives the server, and that two servers may share.

The new idea of this rung: what a tool changes must survive the process. Every call opens the file,
does one transaction and closes it again, so a kill loses nothing that was answered, and several
servers may write at once. BOOKMARKS_DB says where the file is; without it, bookmarks.db in the
folder where the server was started. Subscribers hear what this server changes; SQLite does not say
what another one did.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

from mcp_lesson import Server, ToolError, run

server = Server("bookmarks", "1.0.0", instructions="Keeps links, each with a title and tags.")

TABLE = """CREATE TABLE IF NOT EXISTS bookmarks
           (url TEXT PRIMARY KEY, title TEXT NOT NULL, tags TEXT NOT NULL DEFAULT '')"""


@contextmanager
def database() -> Iterator[sqlite3.Connection]:
    """One transaction: kept if the block ends well, undone if it raises."""
    path = os.environ.get("BOOKMARKS_DB", "bookmarks.db")
    connection = sqlite3.connect(path, timeout=20)  # seconds to wait for another writer
    try:
        connection.execute("PRAGMA synchronous = EXTRA")  # on the disk before it is answered
        connection.execute(TABLE)
        with connection:
            yield connection
    finally:
        connection.close()


def line(row: tuple[str, str, str]) -> str:
    """One bookmark as text."""
    url, title, tags = row
    return f"{title}: {url}" + (f" [{tags}]" if tags else "")


def changed(*tags: str) -> None:
    """Tell subscribers: the whole list changed, and so did the list of each of these tags."""
    server.updated("bookmarks://all")
    for tag in sorted(set(" ".join(tags).split())):
        server.updated(f"bookmarks://tag/{quote(tag, safe='')}")


def tags_of(db: sqlite3.Connection, url: str) -> str | None:
    """The tags of a bookmark as they stand now; None if there is no such bookmark."""
    row = db.execute("SELECT tags FROM bookmarks WHERE url = ?", (url,)).fetchone()
    return row[0] if row else None


@server.tool(annotations={"idempotentHint": True})
def add_bookmark(url: str, title: str, tags: list[str] | None = None) -> str:
    """Keep a link under a title. A link that is there already gets the new title and tags."""
    if not url.startswith(("http://", "https://")):
        raise ToolError(f"{url!r} is no web address; it must begin with http:// or https://")
    if any(len(tag.split()) != 1 for tag in tags or []):
        raise ToolError("a tag is one word")
    title, words = " ".join(title.split()) or url, " ".join(sorted(set(tags or [])))
    with database() as db:
        db.execute("BEGIN IMMEDIATE")  # what is read now is still so when it is written
        before = tags_of(db, url) or ""
        db.execute("INSERT OR REPLACE INTO bookmarks VALUES (?, ?, ?)", (url, title, words))
    changed(before, words)
    return f"kept {title}"


@server.tool(annotations={"readOnlyHint": True})
def find_bookmarks(words: str = "", limit: int = 20) -> str:
    """List bookmarks whose title, address or tags contain the words; all of them if none given."""
    query = """SELECT url, title, tags FROM bookmarks
               WHERE instr(lower(title || ' ' || url || ' ' || tags), lower(?))
               ORDER BY title, url LIMIT ?"""
    with database() as db:
        rows = db.execute(query, (words, max(0, min(limit, 1_000)))).fetchall()
    return "\n".join(map(line, rows)) or "nothing found"


@server.tool(annotations={"destructiveHint": True, "idempotentHint": True})
def delete_bookmark(url: str) -> str:
    """Forget a link."""
    with database() as db:
        db.execute("BEGIN IMMEDIATE")
        tags = tags_of(db, url)
        db.execute("DELETE FROM bookmarks WHERE url = ?", (url,))
    if tags is None:
        raise ToolError(f"there is no bookmark for {url}")
    changed(tags)
    return f"forgot {url}"


@server.resource("bookmarks://all", name="all-bookmarks", mimeType="text/plain")
def all_bookmarks() -> str:
    """Every bookmark, one a line."""
    with database() as db:
        rows = db.execute("SELECT url, title, tags FROM bookmarks ORDER BY title, url").fetchall()
    return "\n".join(map(line, rows))


@server.resource("bookmarks://tag/{tag}", name="bookmarks-by-tag", mimeType="text/plain")
def tagged(tag: str) -> str:
    """The bookmarks with one tag."""
    with database() as db:
        rows = db.execute("SELECT url, title, tags FROM bookmarks ORDER BY title, url").fetchall()
    return "\n".join(line(row) for row in rows if tag in row[2].split())


if __name__ == "__main__":
    run(server)
