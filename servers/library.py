# snippet: library; mcp_lesson
"""Documents to search, and a database to ask: read-only by the database's own word.

The new idea of this rung: the model writes the query. Looking for bad words in SQL does not make it
harmless. What may be done is listed, and the database refuses the rest, even functions: one call of
printf can keep it busy for minutes. Rows, lengths and time have limits, for a query may be correct
and endless.
"""

import sqlite3
import time
from typing import Any

from mcp_lesson import NotFound, Server, ToolError, run

server = Server("library", "1.0.0", instructions="Search documents, and ask a read-only database.")

DOCUMENTS = {
    "handbook": "Leave is booked by noon. Orders above 500 need a second signature.",
    "protocol-notes": "One message is one line. stdout is the protocol, stderr is for people.",
    "release-plan": "Freeze on Thursday, ship on Monday, celebrate on Tuesday.",
}
MAX_ROWS, MAX_SECONDS = 100, 2.0
SIZES = {
    sqlite3.SQLITE_LIMIT_LENGTH: 10_000,  # bytes of one value
    sqlite3.SQLITE_LIMIT_COLUMN: 20,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 25_000,  # a short query can be compiled to a very long program
}
ACTIONS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION}
FUNCTIONS = """abs avg coalesce count date datetime group_concat ifnull julianday length like lower
max min nullif round strftime substr sum time total trim upper"""

SCHEMA = """
CREATE TABLE employees (name TEXT PRIMARY KEY, team TEXT, days_left INTEGER);
INSERT INTO employees VALUES ('ada', 'engines', 12), ('grace', 'compilers', 3);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, item TEXT, status TEXT);
INSERT INTO orders VALUES (1001, 'Mira Sen', 'desk lamp', 'shipped'),
                          (1002, 'Mira Sen', 'chair', 'in production');
"""


ANSWER = {
    "type": "object",
    "properties": {
        "columns": {"type": "array", "items": {"type": "string"}},
        "rows": {"type": "array", "items": {"type": "array"}},
        "complete": {"type": "boolean", "description": f"false: only the first {MAX_ROWS} rows"},
    },
    "required": ["columns", "rows", "complete"],
}


def database() -> sqlite3.Connection:
    """The demo database, fresh in memory; from here on nothing can be written to it."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    connection.execute("PRAGMA query_only = ON")
    for size, most in SIZES.items():
        connection.setlimit(size, most)
    connection.set_authorizer(only_reading)
    return connection


def only_reading(action: int, _: str | None, name: str | None, *__: str | None) -> int:
    """What a query may do: select, read, and call what is listed. Setting a PRAGMA is not."""
    unknown = action == sqlite3.SQLITE_FUNCTION and name not in FUNCTIONS.split()
    return sqlite3.SQLITE_DENY if unknown or action not in ACTIONS else sqlite3.SQLITE_OK


@server.tool(outputSchema=ANSWER, annotations={"readOnlyHint": True})
def query(sql: str) -> dict:
    """Ask the database in SQL. Tables: employees(name, team, days_left), orders(id, customer, item,
    status). Nothing can be changed."""
    db, end = database(), time.monotonic() + MAX_SECONDS
    db.set_progress_handler(lambda: time.monotonic() > end, 1_000)  # true ends the query
    try:
        found = db.execute(sql)
        rows = [list(map(plain, row)) for row in found.fetchmany(MAX_ROWS + 1)]
    except (sqlite3.Error, sqlite3.Warning) as problem:
        slow = time.monotonic() > end
        reason = f"it takes more than {MAX_SECONDS:g} seconds" if slow else problem
        raise ToolError(f"the database refused: {reason}") from None
    finally:
        db.close()
    names = [column[0] for column in found.description or ()]
    return {"columns": names, "rows": rows[:MAX_ROWS], "complete": len(rows) <= MAX_ROWS}


def plain(value: Any) -> Any:
    """A value as JSON can hold it: it has neither bytes nor an infinite number."""
    if isinstance(value, bytes):
        return value.hex()
    return str(value) if value in (float("inf"), float("-inf")) else value


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
    asked = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?"
    found = db.execute(asked, (tableName,)).fetchone()
    db.close()
    if not found:
        raise NotFound(f"there is no table {tableName}")
    return found[0]


if __name__ == "__main__":
    run(server)
