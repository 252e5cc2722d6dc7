# snippet: bookmarks; mcp_lesson
"""Bookmarks kept in SQLite: state that outlives the server, and that two servers may share.

The new idea of this rung: what a tool changes must survive the process. Every call opens the file,
does one transaction and closes it again, so a kill loses nothing that was answered, and several
servers may write at once. Where the file is, says BOOKMARKS_DB; bookmarks.db beside you if nothing.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from mcp_lesson import Server, ToolError, run

server = Server("bookmarks", "1.0.0", instructions="Keeps links, each with a title and tags.")

TABLE = """CREATE TABLE IF NOT EXISTS bookmarks
           (url TEXT PRIMARY KEY, title TEXT NOT NULL, tags TEXT NOT NULL DEFAULT '')"""


@contextmanager
def database() -> Iterator[sqlite3.Connection]:
    """One transaction: kept if the block ends well, undone if it raises."""
    path = os.environ.get("BOOKMARKS_DB", "bookmarks.db")
    connection = sqlite3.connect(path, timeout=10)  # seconds to wait for another writer
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")  # on disk before it is answered
        connection.execute(TABLE)
        with connection:
            yield connection
    finally:
        connection.close()


def line(row: tuple[str, str, str]) -> str:
    """One bookmark as text."""
    url, title, tags = row
    return f"{title}: {url}" + (f" [{tags}]" if tags else "")


@server.tool(annotations={"idempotentHint": True})
def add_bookmark(url: str, title: str, tags: list[str] | None = None) -> str:
    """Keep a link under a title. A link that is there already gets the new title and tags."""
    if not url.startswith(("http://", "https://")):
        raise ToolError(f"{url!r} is no web address; it must begin with http:// or https://")
    words = " ".join(sorted(tags or []))
    with database() as db:
        db.execute("INSERT OR REPLACE INTO bookmarks VALUES (?, ?, ?)", (url, title, words))
    server.updated("bookmarks://all")
    return f"kept {title}"


@server.tool(annotations={"readOnlyHint": True})
def find_bookmarks(words: str = "", limit: int = 20) -> str:
    """List bookmarks whose title, address or tags contain the words; all of them if none given."""
    like = f"%{words}%"
    query = """SELECT url, title, tags FROM bookmarks
               WHERE title LIKE ? OR url LIKE ? OR tags LIKE ? ORDER BY title LIMIT ?"""
    with database() as db:
        rows = db.execute(query, (like, like, like, limit)).fetchall()
    return "\n".join(map(line, rows)) or "nothing found"


@server.tool(annotations={"destructiveHint": True, "idempotentHint": True})
def delete_bookmark(url: str) -> str:
    """Forget a link."""
    with database() as db:
        gone = db.execute("DELETE FROM bookmarks WHERE url = ?", (url,)).rowcount
    if not gone:
        raise ToolError(f"there is no bookmark for {url}")
    server.updated("bookmarks://all")
    return f"forgot {url}"


@server.resource("bookmarks://all", name="all-bookmarks", mimeType="text/plain")
def all_bookmarks() -> str:
    """Every bookmark, one a line."""
    with database() as db:
        rows = db.execute("SELECT url, title, tags FROM bookmarks ORDER BY title").fetchall()
    return "\n".join(map(line, rows))


@server.resource("bookmarks://tag/{tag}", name="bookmarks-by-tag", mimeType="text/plain")
def tagged(tag: str) -> str:
    """The bookmarks with one tag."""
    with database() as db:
        rows = db.execute("SELECT url, title, tags FROM bookmarks ORDER BY title").fetchall()
    return "\n".join(line(row) for row in rows if tag in row[2].split())


if __name__ == "__main__":
    run(server)
