# snippet: library; mcp_lesson
"""Documents to search, and a database to ask: read-only by the database's own word.

The new idea of this rung: the model writes the query. Looking for bad words in SQL does not make it
harmless; opening the database so that it cannot be written does. Rows and time are bounded too, for
a query may be correct and endless.
"""

import sqlite3
import time

from mcp_lesson import NotFound, Server, ToolError, run

server = Server("library", "1.0.0", instructions="Search documents, and ask a read-only database.")

DOCUMENTS = {
    "handbook": "Leave is booked by noon. Orders above 500 need a second signature.",
    "protocol-notes": "One message is one line. stdout is the protocol, stderr is for people.",
    "release-plan": "Freeze on Thursday, ship on Monday, celebrate on Tuesday.",
}
MAX_ROWS, MAX_SECONDS = 100, 2.0

SCHEMA = """
CREATE TABLE employees (name TEXT PRIMARY KEY, team TEXT, days_left INTEGER);
INSERT INTO employees VALUES ('ada', 'engines', 12), ('grace', 'compilers', 3);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, item TEXT, status TEXT);
INSERT INTO orders VALUES (1001, 'Mira Sen', 'desk lamp', 'shipped'),
                          (1002, 'Mira Sen', 'chair', 'in production');
"""


def database() -> sqlite3.Connection:
    """The demo database, fresh in memory; from here on nothing can be written to it."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    connection.execute("PRAGMA query_only = ON")
    connection.set_authorizer(only_reading)
    return connection


def only_reading(action: int, *_: object) -> int:
    """What a query may do: select, read, call functions. Switching query_only off is none of it."""
    allowed = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION)
    return sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY


@server.tool(annotations={"readOnlyHint": True})
def query(sql: str) -> list[dict]:
    """Ask the database in SQL. Tables: employees(name, team, days_left), orders(id, customer, item,
    status). Nothing can be changed."""
    db, end = database(), time.monotonic() + MAX_SECONDS
    db.set_progress_handler(lambda: int(time.monotonic() > end), 10_000)
    try:
        rows = db.execute(sql)
        names = [column[0] for column in rows.description or ()]
        return [dict(zip(names, row)) for row in rows.fetchmany(MAX_ROWS)]  # noqa: B905
    except sqlite3.Error as problem:
        raise ToolError(f"the database refused: {problem}") from None
    finally:
        db.close()


@server.tool(annotations={"readOnlyHint": True})
def search_documents(words: str) -> str:
    """Find documents that contain all of the words; gives their addresses, to be read."""
    wanted = words.lower().split()
    found = [name for name, body in DOCUMENTS.items() if all(w in body.lower() for w in wanted)]
    return "\n".join(f"docs://demo/{name}" for name in found) or "nothing found"


@server.resource("docs://demo/{name}", name="document", mimeType="text/plain")
def document(name: str) -> str:
    """One document."""
    if name not in DOCUMENTS:
        raise NotFound(f"there is no document {name}")
    return DOCUMENTS[name]


@server.resource("db://tables/{tableName}/schema", name="table-schema", mimeType="text/plain")
def table_schema(tableName: str) -> str:
    """How a table was created."""
    db = database()
    db.set_authorizer(None)
    found = db.execute("SELECT sql FROM sqlite_master WHERE name = ?", (tableName,)).fetchone()
    db.close()
    if not found:
        raise NotFound(f"there is no table {tableName}")
    return found[0]


if __name__ == "__main__":
    run(server)
