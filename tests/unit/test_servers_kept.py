"""`bookmarks` keeps what it answered, and `library` what it has, whatever is asked of them."""

import asyncio
import contextlib
import json
import os
import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from rungs import SERVERS, Heard, every_way, meeting

from mcp_lesson import Client

WRITERS, WRITES = 4, 50
KILLS, AT_ONCE = 8, 40


def stored(path: Path) -> dict[str, str]:
    """What the file holds: addresses and titles. Fails if SQLite finds anything wrong with it."""
    with contextlib.closing(sqlite3.connect(path, timeout=20)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return dict(db.execute("SELECT url, title FROM bookmarks"))


async def add(client: Client, name: str, *tags: str, title: str | None = None) -> Any:
    given = {"url": f"https://example.com/{name}", "title": title or name, "tags": list(tags)}
    return await client.call_tool("add_bookmark", given)


# -- bookmarks -------------------------------------------------------------------------------------


@every_way
async def test_bookmarks(wire: str, era: str, tmp_path: Path) -> None:
    env = {"BOOKMARKS_DB": str(tmp_path / "b.db")}
    async with meeting("bookmarks", wire, era, env) as client:
        assert (await client.read_resource("bookmarks://all")).text == ""
        assert (await add(client, "100%", "much")).text == "kept 100%"
        assert (
            await add(client, "b", "x", "a", "x", title=" two\nlines ")
        ).text == "kept two lines"
        everything = "100%: https://example.com/100% [much]\ntwo lines: https://example.com/b [a x]"
        assert (await client.read_resource("bookmarks://all")).text == everything
        assert (await found(client, "TWO")).count("\n") == 0
        assert (await found(client, "100%")).startswith("100%")
        assert await found(client, "%") == await found(client, "00%"), "a % is a %"
        assert await found(client, "nowhere") == "nothing found"
        assert (await client.read_resource("bookmarks://tag/a")).text.startswith("two lines")
        for wrong in ({"url": "ftp://x", "title": "x"}, {"url": "https://x"}):
            assert (await client.call_tool("add_bookmark", wrong)).is_error
        assert (await add(client, "c", "two words")).is_error
        gone = {"url": "https://example.com/b"}
        assert (await client.call_tool("delete_bookmark", gone)).text.startswith("forgot")
        assert (await client.call_tool("delete_bookmark", gone)).is_error


async def found(client: Client, words: str) -> str:
    return (await client.call_tool("find_bookmarks", {"words": words})).text


@every_way
async def test_bookmarks_tell_who_subscribed(wire: str, era: str, tmp_path: Path) -> None:
    env = {"BOOKMARKS_DB": str(tmp_path / "b.db")}
    async with meeting("bookmarks", wire, era, env) as client:
        heard = Heard(client, "resources/updated")
        await client.subscribe("bookmarks://tag/old")
        await add(client, "a", "other")
        await add(client, "b", "old")
        assert await heard.uri() == "bookmarks://tag/old"
        await add(client, "b", "new")
        assert await heard.uri() == "bookmarks://tag/old", "it has one fewer"
        await client.call_tool("delete_bookmark", {"url": "https://example.com/b"})
        await client.call_tool("find_bookmarks")
        assert heard.nothing_more()


async def test_bookmarks_survive_a_restart(tmp_path: Path) -> None:
    env = {"BOOKMARKS_DB": str(tmp_path / "b.db")}
    async with meeting("bookmarks", "stdio", "legacy", env) as client:
        await add(client, "kept")
    async with meeting("bookmarks", "http", "modern", env) as client:
        assert await found(client, "") == "kept: https://example.com/kept"


async def test_no_write_of_several_servers_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "b.db"

    async def write(writer: int) -> None:
        async with meeting("bookmarks", "stdio", "legacy", {"BOOKMARKS_DB": str(path)}) as client:
            names = [f"{writer}-{n}" for n in range(WRITES)]
            for start in range(0, WRITES, 5):  # five at a time within each, too
                batch = names[start : start + 5]
                done = await asyncio.gather(*(add(client, name) for name in batch))
                assert [result.text for result in done] == [f"kept {name}" for name in batch]

    await asyncio.gather(*(write(writer) for writer in range(WRITERS)))
    assert len(stored(path)) == WRITERS * WRITES


def test_what_was_answered_outlives_a_kill(tmp_path: Path) -> None:
    path, chance = tmp_path / "b.db", random.Random(7)
    answered: set[str] = set()
    for life in range(KILLS):
        kept = written_until_killed(path, life, chance.randint(1, 20), chance.uniform(0.0, 0.02))
        assert kept, "some were answered before the kill"
        answered |= kept
        assert answered <= stored(path).keys()
    assert len(stored(path)) < KILLS * AT_ONCE, "some were killed before they were written"


def written_until_killed(path: Path, life: int, answers: int, seconds: float) -> set[str]:
    """Start a server, let it write, kill it so long after so many answers; what it said it kept."""
    process = subprocess.Popen(
        [sys.executable, str(SERVERS / "bookmarks.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"BOOKMARKS_DB": str(path)},
    )
    urls = {number: f"https://example.com/{life}/{number}" for number in range(1, AT_ONCE + 1)}
    asked = [greeting(), *(adding(number, url) for number, url in urls.items())]
    try:
        process.stdin.write(b"".join(json.dumps(one).encode() + b"\n" for one in asked))
        process.stdin.flush()
        lines = [process.stdout.readline() for _ in range(1 + answers)]
        time.sleep(seconds)  # not for luck: any moment must do
    finally:
        process.kill()
        rest, _ = process.communicate(timeout=20)
    whole = [line for line in lines + rest.splitlines(keepends=True) if line.endswith(b"\n")]
    said = [json.loads(line) for line in whole]
    return {urls[one["id"]] for one in said if one.get("result", {}).get("content")}


def greeting() -> dict[str, Any]:
    who = {"protocolVersion": "2025-11-25", "capabilities": {}}
    params = {**who, "clientInfo": {"name": "test", "version": "1"}}
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}


def adding(number: int, url: str) -> dict[str, Any]:
    params = {"name": "add_bookmark", "arguments": {"url": url, "title": f"title {number}"}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


# -- library ---------------------------------------------------------------------------------------

JOIN = ", ".join(f"orders o{n}" for n in range(30))
NESTED = ", ".join(f"a{n} AS (SELECT 1 FROM a{n - 1} p, a{n - 1} q)" for n in range(1, 19))

WRITING = [
    "DELETE FROM orders",
    "UPDATE employees SET days_left = 99",
    "INSERT INTO orders VALUES (1, 'x', 'x', 'x')",
    "REPLACE INTO orders VALUES (1001, 'x', 'x', 'x')",
    "DELETE FROM orders RETURNING *",
    "WITH x AS (SELECT 1001 AS id) DELETE FROM orders WHERE id IN (SELECT id FROM x) RETURNING *",
    "WITH x AS (SELECT 1) INSERT INTO orders (customer) SELECT * FROM x RETURNING id",
    "SELECT 1; DELETE FROM orders",
    "SELECT 1 -- \n; DROP TABLE orders",
    "DROP TABLE orders",
    "ALTER TABLE orders RENAME TO gone",
    "CREATE TABLE t (a)",
    "CREATE TEMP TABLE t (a)",
    "CREATE TEMP TRIGGER t AFTER DELETE ON orders BEGIN SELECT 1; END",
    "CREATE TEMP VIEW v AS SELECT 1",
    "CREATE VIRTUAL TABLE t USING fts5(a)",
    "CREATE INDEX i ON orders (item)",
    "PRAGMA query_only = OFF",
    "PRAGMA query_only(0)",
    "PRAGMA writable_schema = ON",
    "PRAGMA user_version = 7",
    "PRAGMA temp_store_directory = '/'",
    "PRAGMA journal_mode = OFF",
    "SELECT * FROM pragma_query_only(0)",
    "SELECT * FROM pragma_writable_schema(1)",
    "UPDATE sqlite_master SET sql = 'x'",
    "ATTACH '{path}' AS other",
    "ATTACH ':memory:' AS other",
    "DETACH main",
    "VACUUM",
    "VACUUM INTO '{path}'",
    "REINDEX",
    "ANALYZE",
    "BEGIN EXCLUSIVE",
    "SAVEPOINT s",
    "SELECT load_extension('x')",
    "SELECT writefile('{path}', 'x')",
    "SELECT readfile('/etc/hosts')",
    "SELECT fts3_tokenizer('simple')",
    "EXPLAIN DELETE FROM orders",
]

COSTLY = [
    f"SELECT count(*) FROM {JOIN}",
    f"SELECT max(length(o1.item || o2.item)) FROM {JOIN}",
    f"SELECT * FROM (SELECT o1.id FROM {JOIN} ORDER BY o1.id + o2.id)",
    f"SELECT group_concat(o1.item) FROM {JOIN}",
    f"SELECT sum(o1.item LIKE '%a%b%c%d%e%f%') FROM {JOIN}",
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c",
    f"WITH a0 AS (SELECT 1 FROM orders), {NESTED} SELECT count(*) FROM a18",
    "SELECT length(printf('%.*c', 900000000, 'x'))",
    "SELECT format('%900000000d', 1)",
    "SELECT length(hex(zeroblob(400000000)))",
    "SELECT length(randomblob(900000000))",
    "SELECT replace('aaaa', 'a', 'aaaa')",
    "SELECT " + "(" * 5_000 + "1" + ")" * 5_000,
]


@every_way
async def test_library(wire: str, era: str) -> None:
    async with meeting("library", wire, era) as client:
        assert (await client.list_tools()).names == ["query", "search_documents"]
        rows = await query(client, "SELECT name, days_left FROM employees ORDER BY name")
        assert rows.structured == {
            "columns": ["name", "days_left"],
            "rows": [["ada", 12], ["grace", 3]],
            "complete": True,
        }
        odd = (await query(client, "SELECT x'00ff' AS a, 9e999 AS a, NULL")).structured
        assert (odd["columns"][:2], odd["rows"]) == (["a", "a"], [["00ff", "inf", None]])
        assert (await query(client, "-- nothing")).structured["rows"] == []
        many = "SELECT 1 FROM " + ", ".join(f"orders o{n}" for n in range(7))
        cut = (await query(client, many)).structured
        assert (len(cut["rows"]), cut["complete"]) == (100, False)
        search = await client.call_tool("search_documents", {"words": "SHIP monday"})
        assert search.text == "docs://demo/release-plan"
        assert "Freeze" in (await client.read_resource(search.text)).text
        schema = await client.read_resource("db://tables/orders/schema")
        assert schema.text.startswith("CREATE TABLE orders")
        for wrong in ("docs://demo/none", "db://tables/sqlite_autoindex_employees_1/schema"):
            with pytest.raises(Exception, match="there is no"):
                await client.read_resource(wrong)


async def test_library_cannot_be_written(tmp_path: Path) -> None:
    async with meeting("library", "stdio", "modern") as client:
        before = await query(client, "SELECT * FROM orders")
        for sql in WRITING:
            refused = await query(client, sql.format(path=tmp_path / "file"))
            assert refused.is_error, sql
            assert (await query(client, "SELECT * FROM orders")) == before, sql
    assert os.listdir(tmp_path) == []


async def test_library_ends_a_query_that_would_not_end() -> None:
    async with meeting("library", "stdio", "legacy") as client:
        began = time.monotonic()
        asked = asyncio.gather(*(query(client, sql) for sql in COSTLY))
        assert await client.request("ping") == {}, "it serves others meanwhile"
        for sql, result in zip(COSTLY, await asked, strict=True):
            assert result.is_error, f"{sql}: {result}"
        assert time.monotonic() - began < 20, "two seconds each, and they may share one processor"


async def query(client: Client, sql: str) -> Any:
    return await client.call_tool("query", {"sql": sql})
