"""The table of fields against the official schemas, examples and recorded conversations, and the
reader against anything at all.
"""

import json
import os
import re
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_lesson import fields
from mcp_lesson.fields import notes, reader, table
from mcp_lesson.fields.notation import JSON_WORDS, read_types
from mcp_lesson.fields.values import NAME_LIMIT
from mcp_lesson.revisions import ALL

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
PLACES = [os.environ.get("MCP_SPECIFICATION"), ROOT.parent / "modelcontextprotocol",
          ROOT.parent / "scratch" / "modelcontextprotocol"]  # fmt: skip
PAGES = next((p for place in PLACES if place
              and (p := Path(place) / "docs" / "specification").is_dir()), None)  # fmt: skip

needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the specification's data files (../shared) are not here"
)
needs_pages = pytest.mark.skipif(
    PAGES is None, reason="no checkout of the specification (set MCP_SPECIFICATION to its path)"
)
revisions = pytest.mark.parametrize("revision", list(ALL))
NEW = "2026-07-28"


# -- the table holds what the schemas hold ---------------------------------------------------------

RENAMED = {
    "JSONRPCError": "JSONRPCErrorResponse",
    "JSONRPCResponse": "JSONRPCResultResponse",
    "ResourceReference": "ResourceTemplateReference",
    "EnumSchema": "LegacyTitledEnumSchema",
    "GetTaskPayloadResult": "Result",  # whatever the request would have got; see its `answers`
}
"""Types that changed their name, or that the table describes under the name of their kin."""

BASES = {
    "Annotated": "2024-11-05 wrote a base for what carries annotations",
    "BaseMetadata": "a base: name and title are described where they occur",
    "ClientNotification": "all notifications a client may send: in 2026-07-28 only one is left",
    "Icons": "a base: icons is described where it occurs",
    "Notification": "a base without jsonrpc, of which no message is made",
    "PaginatedRequest": "a base: compared through the requests that extend it",
    "Request": "a base without jsonrpc and id, of which no message is made",
}

OURS = {
    "EmptyResult": "the schemas' other name for Result",
    "JSONRPCBatchRequest": "an array",
    "JSONSchema": "a language of its own, which MCP borrows",
    "FormField": "a base: title and description of every field of a form",
    "ErrorCode": "the codes of codes.txt",
    "headers": "the headers of headers.txt",
    "ResourceRequestParams": "a base",
}
"""Types of the table that no schema has under this name."""


@cache
def schema(revision: str) -> dict[str, Any]:
    body = json.loads((SHARED / "spec" / "schema" / f"{revision}.json").read_text("utf-8"))
    return body.get("$defs") or body["definitions"]


def resolve(revision: str, node: Any) -> list[tuple[str, dict[str, Any]]]:
    """What a node of a schema may be: pairs of a name ("" if it has none) and a plain schema."""
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        inner = resolve(revision, schema(revision)[name])
        return [(own or name, part) for own, part in inner]
    if "allOf" in node:
        return [("", merge(*(p for part in node["allOf"] for _, p in resolve(revision, part))))]
    if "anyOf" in node:
        return [pair for part in node["anyOf"] for pair in resolve(revision, part)]
    return [("", node)]


def merge(*parts: dict[str, Any]) -> dict[str, Any]:
    """One object schema that asks for all that these ask for."""
    merged: dict[str, Any] = {"type": "object", "properties": {}, "required": []}
    for part in parts:
        for name, node in part.get("properties", {}).items():
            old = merged["properties"].get(name)
            both = old and old.get("type") == node.get("type") == "object"
            merged["properties"][name] = merge(old, node) if both else node
        merged["required"] = [*merged["required"], *part.get("required", [])]
    return merged


def definition(revision: str, name: str) -> dict[str, Any]:
    """A definition as one object; an old request is also what every JSON-RPC request is."""
    [(_, node)] = resolve(revision, {"$ref": f"#/{name}"})
    method = node.get("properties", {}).get("method", {}).get("const", "")
    if method and revision < "2025-11-25":
        envelope = "JSONRPCNotification" if "notifications/" in method else "JSONRPCRequest"
        return merge(schema(revision)[envelope], node)
    return node


class Comparison:
    """One revision's schema, walked beside the table."""

    def __init__(self, revision: str) -> None:
        self.revision, self.seen, self.faults = revision, set[str](), list[str]()

    def all_definitions(self) -> None:
        for name in schema(self.revision):
            parts = resolve(self.revision, {"$ref": f"#/{name}"})
            if name in BASES or len(parts) != 1 or "properties" not in parts[0][1]:
                continue
            if parts[0][0] and parts[0][0] != name:
                continue  # another name for one type
            if name.endswith("ResultResponse") and name != "JSONRPCResultResponse":
                self.response(name)
            elif {"code", "message"} <= set(parts[0][1]["properties"]) and "Error" in name:
                self.object(parts[0][1], "Error", name, {})
            elif self.own(name) in table.types():
                self.object(definition(self.revision, name), self.own(name), name, {})
            else:
                self.faults.append(f"{name}: not in the table")

    def own(self, name: str) -> str:
        if name == "EnumSchema" and self.revision != "2025-06-18":
            return name
        return RENAMED.get(name, name)

    def response(self, name: str) -> None:
        """2026-07-28 names the response of each method: its result is what `answered by` says."""
        request = name.replace("ResultResponse", "Request")
        answers = table.types()[request].facts.answers
        have = {a for a in answers if self.revision in table.types()[a].facts.revisions}
        parts = resolve(self.revision, schema(self.revision)[name]["properties"]["result"])
        if have != {part for part, _ in parts}:
            self.faults.append(f"{name}: answered by {have}")

    def object(self, node: dict[str, Any], kind: str, path: str, _: Any) -> None:
        if kind == "JSONSchema" or (kind, id(node)) in self.seen:
            return
        self.seen |= {kind, (kind, id(node))}  # type: ignore[arg-type]
        rows = table.members(kind, self.revision)
        listed = {name: row for name, row in rows.items()
                  if name != "*" and not row.facts.unlisted}  # fmt: skip
        props, required = node.get("properties", {}), set(node.get("required", []))
        if "JSONSchema" in table.types()[kind].bases:
            listed = {name: row for name, row in listed.items() if name in props}
        if set(props) != set(listed):
            self.faults.append(f"{path}: missing {sorted(set(props) - set(listed))}, "
                               f"invented {sorted(set(listed) - set(props))}")  # fmt: skip
        needs = {name for name, row in listed.items() if self.revision in row.facts.required}
        if needs != required & set(listed):
            self.faults.append(f"{path}: required should be {sorted(required ^ needs)} otherwise")
        for name in props.keys() & listed.keys():
            self.member(props[name], listed[name], f"{path}.{name}")
        more = node.get("additionalProperties")
        if isinstance(more, dict) and "*" in rows:
            self.member(more, rows["*"], f"{path}.*")

    def member(self, node: dict[str, Any], row: fields.Field, path: str) -> None:
        parts = resolve(self.revision, node)
        self.words(parts, row, path)
        self.values(parts, row, path)
        items = [p for _, n in parts if n.get("type") == "array"
                 for p in resolve(self.revision, n["items"])]  # fmt: skip
        self.types([p for p in parts if p[1].get("type") != "array"], row.one, path)
        self.types(items, row.many, f"{path}[]")

    def types(self, parts: list[tuple[str, Any]], names: tuple[str, ...], path: str) -> None:
        """Each kind of object in the schema is one in the table, and the other way round."""
        have = [name for one in names for name in table.flat(one)
                if self.revision in table.types()[name].facts.revisions]  # fmt: skip
        objects = [(self.own(name), node) for name, node in parts if node.get("type") == "object"]
        named = {name for name, _ in objects if name in have}
        rest = [name for name in have if name not in named]
        for name, node in objects:
            pair = name if name in have else (rest[0] if rest else "")
            if pair:
                self.object(node, pair, path, {})
            elif node.get("properties"):
                self.faults.append(f"{path}: {name or 'an object'} has no type in the table")
        if len(objects) > 1 and rest and named:
            self.faults.append(f"{path}: {rest} are not in the schema")

    def words(self, parts: list[tuple[str, Any]], row: fields.Field, path: str) -> None:
        theirs = {word for _, node in parts for word in json_words(node)}
        ours = {word for part in row.type.split("|") for word in table_words(part)}
        if "any" not in ours | theirs and theirs != ours:
            self.faults.append(f"{path}: is {sorted(theirs)}, the table says {sorted(ours)}")

    def values(self, parts: list[tuple[str, Any]], row: fields.Field, path: str) -> None:
        """A fixed value is the same; where a schema lists values, the table explains each."""
        fixed = [node["const"] for _, node in parts if "const" in node]
        if row.literal is not None and fixed and fixed != [row.literal]:
            self.faults.append(f"{path}: always {fixed}, the table says {row.literal!r}")
        listed = {value for _, node in parts for value in node.get("enum", [])}
        named = table.types()[row.one[0]].values if row.one else {}
        if listed and row.literal is None and listed != set(row.values or named):
            self.faults.append(f"{path}: the values {sorted(listed)} are not all explained")


def json_words(node: dict[str, Any]) -> set[str]:
    kinds = node.get("type", "string" if "const" in node or "enum" in node else "any")
    return {kinds} if isinstance(kinds, str) else set(kinds)


def table_words(part: str) -> set[str]:
    if part.endswith("[]"):
        return {"array"}
    if part[0] in '"-':
        return {"string"} if part[0] == '"' else {"integer"}
    if part in JSON_WORDS:
        return {part}
    return {"LoggingLevel": {"string"}, "ErrorCode": {"integer"}}.get(part) or {"object"}


@needs_shared
@revisions
def test_no_field_is_missing_and_none_invented(revision: str) -> None:
    comparison = Comparison(revision)
    comparison.all_definitions()
    assert comparison.faults == []
    unseen = {
        name for name, kind in table.types().items()
        if revision in kind.facts.revisions and set(table.rows(name)) - {"*"}
        and name not in comparison.seen | OURS.keys()
    }  # fmt: skip
    assert unseen == set()


@needs_shared
@revisions
def test_every_method_of_the_schema_is_known_and_no_other(revision: str) -> None:
    nodes = [n.get("properties", {}).get("method", {}) for n in schema(revision).values()]
    theirs = {node["const"] for node in nodes if "const" in node}
    ours = {
        row.literal
        for name in table.types()
        if "." not in name
        for row in [table.members(name, revision).get("method")]
        if row and row.literal
    }
    assert ours == theirs
    assert ours >= set(ALL[revision].methods)


@revisions
def test_what_only_the_text_of_the_specification_says_is_listed(revision: str) -> None:
    found = {f"{name}.{row.name}"
             for name, kind in table.types().items() if name not in OURS
             for versions in kind.fields.values() for row in versions
             if row.facts.unlisted and revision in row.facts.revisions}  # fmt: skip
    every = {"JSONRPCRequest.params._meta", "JSONRPCNotification.params._meta"}
    traces = {"MetaObject.traceparent", "MetaObject.tracestate", "MetaObject.baggage"}
    tasks = {f"{name}.params._meta" for name in (
        "GetTaskRequest", "GetTaskPayloadRequest", "CancelTaskRequest",
        "ElicitationCompleteNotification")}  # fmt: skip
    notes = {"MetaObject.io.modelcontextprotocol/related-task",
             "MetaObject.io.modelcontextprotocol/model-immediate-response"}  # fmt: skip
    expected = {"2025-11-25": every | tasks | notes, NEW: every | traces}
    assert found == expected.get(revision, set())


@pytest.mark.parametrize(
    "text",
    ["[T] frm 2025-06-18", "[T] from 2025-06-19", "[T\n", "[T]\nname string", "name  string  in 1"],
)
def test_a_faulty_entry_of_the_table_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="in the entry"):
        read_types(text, {})


# -- examples and recorded conversations -----------------------------------------------------------


def files(pattern: str) -> list[Path]:
    return sorted(SHARED.glob(pattern))


def unknown(rows: list[fields.Row]) -> list[str]:
    return [row.path for row in rows if not row.known]


EXAMPLES_OUTSIDE = {
    "list-roots-request": (["id"], "a request inside a result has no id, its own schema says"),
}


@needs_shared
@pytest.mark.parametrize("file", files("spec/examples/*/*.json"), ids=lambda file: file.stem)
def test_every_example_of_the_specification_is_read(file: Path) -> None:
    value, kind = json.loads(file.read_text("utf-8")), file.parent.name
    kind = "Error" if "code" in value else kind
    whole = "jsonrpc" in value
    rows = fields.read(value, revision=NEW) if whole else fields.read_as(value, kind, revision=NEW)
    assert rows
    assert all(row.meaning for row in rows)
    assert unknown(rows) == EXAMPLES_OUTSIDE.get(file.stem, ([],))[0]


def conversation(file: Path) -> list[tuple[Any, str, str | None]]:
    """The messages of a capture: each with its direction and the method that it answers."""
    frames = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    asked: dict[Any, str] = {}
    found = []
    for frame in frames:
        message, way = frame.get("message"), frame["dir"]
        if isinstance(message, dict):
            key = json.dumps([way, message.get("id")])
            if "method" in message:
                asked[json.dumps([turned(way), message.get("id")])] = message["method"]
            found.append((message, way, None if "method" in message else asked.get(key)))
    return found


def turned(way: str) -> str:
    return "->".join(reversed(way.split("->")))


CAPTURES_OUTSIDE = {
    'params._meta["io.modelcontextprotocol/clientCapabilities"].roots.listChanged':
        "the SDK client still declares here what 2026-07-28 took away",
    "id": "server-everything answers an HTTP request that it could not place with the id null",
}  # fmt: skip


@needs_shared
@pytest.mark.parametrize("file", files("captures/*.jsonl"), ids=lambda file: file.stem)
def test_every_recorded_message_is_read(file: Path) -> None:
    messages = conversation(file)
    agreed = fields.guess_revision(message for message, _, _ in messages)
    assert agreed in ALL
    outside = {}
    for message, way, answers in messages:
        own = fields.guess_revision([message]) or agreed
        rows = fields.read(message, revision=own, answers=answers, direction=way)
        assert len(rows) >= len(message)
        assert all(row.meaning for row in rows)
        outside |= {path: fields.title(message, answers) for path in unknown(rows)}
    assert outside.keys() <= CAPTURES_OUTSIDE.keys()
    assert ("auto" in file.stem) == bool(outside)


@needs_shared
@pytest.mark.parametrize("file", files("captures/*.jsonl"), ids=lambda file: file.stem)
def test_a_result_is_read_the_same_without_its_request_if_it_shows_what_it_is(file: Path) -> None:
    for message, way, answers in conversation(file):
        if message.get("result"):
            with_request = fields.read(message, answers=answers)
            assert fields.read(message, direction=way) == with_request


@needs_shared
def test_every_recorded_header_is_read() -> None:
    frames = [json.loads(line) for file in files("captures/*.http.*.jsonl")
              for line in file.read_text("utf-8").splitlines()]  # fmt: skip
    rows = [
        row for frame in frames for row in fields.read_headers(frame.get("headers"), "2025-11-25")
    ]
    assert {row.name for row in rows if not row.known} == {"mcp-method"}
    assert all(row.meaning for row in rows)


# -- the words -------------------------------------------------------------------------------------


def texts() -> list[tuple[str, str]]:
    """Every sentence of the table, with where it stands."""
    found = []
    for kind in table.types().values():
        found += [(kind.name, kind.meaning)] if kind.meaning else []
        found += [(f"{kind.name}={value}", text) for value, text in kind.values.items()]
        for row in (row for versions in kind.fields.values() for row in versions):
            found.append((f"{kind.name}.{row.name}", row.meaning))
            found += [(f"{kind.name}.{row.name}={v}", text) for v, text in row.values.items()]
    return found


OWN_WORDS = (notes.NOBODYS, notes.INSIDE, notes.INSIDE_NOBODYS, reader.NO_MESSAGE)
FILLER = ("specifies", "this field", "opaque", "payload", "leverage", "utilize", "various",
          "respective", "e.g.", "i.e.", "note that", "in order to", "simply", "just ")  # fmt: skip


def test_every_meaning_is_short_ends_with_a_full_stop_and_wastes_no_word() -> None:
    for where, text in texts() + [("reader", text) for text in OWN_WORDS]:
        assert 5 <= len(text) <= 160, where
        assert text.endswith("."), where
        assert text[0].isupper() or text.split()[0] in ("null:",), where
        assert not [word for word in FILLER if word in text.lower()], where
        assert "  " not in text, where


def test_every_type_that_a_list_or_a_choice_shows_says_what_it_is() -> None:
    for kind in table.types().values():
        for row in (row for versions in kind.fields.values() for row in versions):
            for name in row.many:
                assert all("." in one or table.types()[one].meaning for one in table.flat(name)), (
                    name
                )


def runs(text: str, length: int = 8) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z0-9']+", text.lower())
    return {tuple(words[n : n + length]) for n in range(len(words) - length + 1)}


def descriptions(node: Any) -> list[str]:
    if isinstance(node, list):
        return [text for part in node for text in descriptions(part)]
    if not isinstance(node, dict):
        return []
    own = [node["description"]] if isinstance(node.get("description"), str) else []
    return own + [text for part in node.values() for text in descriptions(part)]


def copied_from(source: str) -> list[str]:
    theirs = runs(source)
    return [where for where, text in texts() if runs(text) & theirs]


@needs_shared
@revisions
def test_no_sentence_is_copied_from_the_schema(revision: str) -> None:
    assert copied_from(" . ".join(descriptions(schema(revision)))) == []


@needs_pages
@revisions
def test_no_sentence_is_copied_from_the_specification(revision: str) -> None:
    pages = (PAGES / revision).rglob("*.mdx")  # type: ignore[operator]
    assert copied_from(" . ".join(page.read_text("utf-8") for page in pages)) == []


# -- the clauses -----------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#{2,6} (.+)$", page.read_text("utf-8"), re.MULTILINE)
    kept = (re.sub(r"[^a-z0-9 -]", "", heading.lower()) for heading in headings)
    return {re.sub(r"[ -]+", "-", heading.strip()) for heading in kept}


def missing_clause(address: str) -> bool:
    page, _, anchor = address.removeprefix("/specification/").partition("#")
    places = [PAGES / f"{page}.mdx", PAGES / page / "index.mdx"]  # type: ignore[operator]
    file = next((place for place in places if place.is_file()), None)
    return file is None or bool(anchor and anchor not in anchors(file))


def clauses(revision: str) -> set[str]:
    types = [kind for kind in table.types().values() if revision in kind.facts.revisions]
    rows = [row for kind in types for row in table.members(kind.name, revision).values()]
    pages = {facts.page for facts in [k.facts for k in types] + [row.facts for row in rows]}
    return {table.clause(page, revision) for page in pages} - {""}


@needs_pages
@revisions
def test_every_clause_leads_to_a_heading_of_its_revision(revision: str) -> None:
    assert [address for address in clauses(revision) if missing_clause(address)] == []


@revisions
def test_every_field_of_a_message_has_a_clause(revision: str) -> None:
    plain = {"headers", "ErrorCode"}
    without = {
        f"{name}.{row.name}" for name in table.types().keys() - plain
        for row in table.members(name, revision).values()
        if not table.clause(row.facts.page, revision)
    }  # fmt: skip
    assert without == set()


# -- reading ---------------------------------------------------------------------------------------


def lines(message: Any, **known: Any) -> dict[str, fields.Row]:
    return {row.path: row for row in fields.read(message, **known)}


RESULT = {"jsonrpc": "2.0", "id": 3, "result": {
    "content": [{"type": "text", "text": "7"}], "isError": False}}  # fmt: skip


def test_a_message_is_read_in_its_own_order_and_one_block_needs_no_line() -> None:
    rows = fields.read(RESULT, revision="2025-11-25", answers="tools/call")
    assert [(row.depth, row.name, row.value) for row in rows] == [
        (0, "jsonrpc", '"2.0"'), (0, "id", "3"), (0, "result", "{…}"), (1, "content", "[1 item]"),
        (2, "type", '"text"'), (2, "text", '"7"'), (1, "isError", "false"),
    ]  # fmt: skip
    assert rows[5].path == "result.content[0].text"
    assert rows[3].required
    assert not rows[6].required
    assert rows[3].clause == "/specification/2025-11-25/server/tools#tool-result"


def test_what_a_value_means_is_said_of_that_value() -> None:
    failed = {"result": {"content": [], "isError": True}}
    assert lines(failed, answers="tools/call")["result.isError"].meaning.startswith("The tool ran")
    assert lines(RESULT)["result.isError"].meaning.startswith("The tool did its work.")
    log = {"method": "notifications/message", "params": {"level": "alert", "data": 1}}
    assert "act at once" in lines(log)["params.level"].meaning


def test_who_decides_is_said_where_it_is_not_plain() -> None:
    call = {"id": 1, "method": "tools/call", "params": {"name": "add", "arguments": {"a": 3}}}
    rows = lines(call)
    assert rows["params.arguments"].setter == "the model"
    assert rows["params.arguments.a"].setter == "the model"
    assert rows["id"].setter == ""


def test_a_member_of_another_revision_is_marked_and_says_which() -> None:
    message = {"jsonrpc": "2.0", "id": 1, "result": {"tools": [], "ttlMs": 5, "wrong": 1}}
    rows = lines(message, revision="2025-11-25", answers="tools/list")
    assert not rows["result.ttlMs"].known
    assert rows["result.ttlMs"].meaning.startswith("Not part of 2025-11-25; 2026-07-28 has it.")
    assert not rows["result.wrong"].known
    assert rows["result.wrong"].meaning == notes.NOBODYS
    new = lines(message, revision=NEW, answers="tools/list")
    assert new["result.ttlMs"].known
    assert new["result.ttlMs"].required


@pytest.mark.parametrize(
    ("revision", "name", "sentence"),
    [
        ("2024-11-05", "title", "Not part of 2024-11-05; 2025-06-18 to 2026-07-28 have it."),
        (NEW, "execution", "Not part of 2026-07-28; 2025-11-25 has it."),
    ],
)
def test_where_else_a_field_exists(revision: str, name: str, sentence: str) -> None:
    assert table.elsewhere("Tool", name, revision) == sentence


def test_where_else_a_field_exists_among_the_older_ones() -> None:
    assert table.elsewhere("PingRequest", "method", NEW) == (
        "Not part of 2026-07-28; 2024-11-05 to 2025-11-25 have it.")  # fmt: skip
    assert table.elsewhere("headers", "Last-Event-ID", NEW) == (
        "Not part of 2026-07-28; 2025-03-26 to 2025-11-25 have it.")  # fmt: skip


def test_a_method_of_another_revision_is_marked_but_its_envelope_is_not() -> None:
    rows = lines({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}, revision=NEW)
    assert [path for path, row in rows.items() if not row.known] == ["method"]


def test_a_method_that_this_side_does_not_send_is_marked() -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add"}}
    assert lines(call, direction="client->server")["method"].known
    row = lines(call, direction="server->client")["method"]
    assert not row.known
    assert row.meaning.startswith("In 2025-11-25 a server sends no such message.")
    ask = {"jsonrpc": "2.0", "id": 1, "method": "roots/list"}
    assert lines(ask, revision="2025-11-25", direction="server->client")["method"].known
    assert not lines(ask, revision=NEW, direction="server->client")["method"].known
    mine = {"jsonrpc": "2.0", "id": 1, "method": "vendor/thing"}
    assert lines(mine, direction="server->client")["method"].known


def test_a_block_of_another_revision_is_marked() -> None:
    sound = {"type": "audio", "data": "", "mimeType": "audio/wav"}
    rows = lines({"result": {"content": [sound, sound]}}, revision="2024-11-05")
    assert not rows["result.content[0]"].known
    assert not rows["result.content[0].type"].known
    assert rows["result.content[0].type"].meaning.endswith("sound.")


def test_a_long_list_shows_three_and_says_how_many_more() -> None:
    tools = [{"name": str(n), "inputSchema": {"type": "object"}} for n in range(9)]
    rows = fields.read({"result": {"tools": tools}}, revision="2025-11-25", answers="tools/list")
    assert [row.name for row in rows if row.name.startswith("[")] == ["[0]", "[1]", "[2]"]
    assert (rows[-1].name, rows[-1].value) == ("…", "6 more")


def test_a_round_of_2026_is_read_by_what_is_asked_and_answered() -> None:
    form = {"type": "object", "properties": {"n": {"type": "number", "minimum": 1}}}
    asks = {"who": {"method": "elicitation/create",
                    "params": {"message": "?", "requestedSchema": form}}}  # fmt: skip
    question = {"resultType": "input_required", "inputRequests": asks, "requestState": "s"}
    rows = lines({"result": question}, revision=NEW, answers="tools/call",
                 direction="server->client")  # fmt: skip
    assert all(row.known for row in rows.values())
    there = "result.inputRequests.who.params.requestedSchema.properties.n.minimum"
    assert rows[there].meaning == "The smallest number allowed."
    answer = {"method": "tools/call", "id": 2, "params": {
        "_meta": {}, "name": "t", "requestState": "s",
        "inputResponses": {"who": {"action": "accept", "content": {"n": 1}}}}}  # fmt: skip
    rows = lines(answer, revision=NEW)
    assert all(row.known for row in rows.values())
    assert rows["params.inputResponses.who.action"].setter == "the user"


@pytest.mark.parametrize(
    ("field", "meaning"),
    [
        ({"type": "string", "enum": ["a"]}, "one of the texts below"),
        ({"type": "string", "oneOf": [{"const": "a", "title": "A"}]}, "behind one of the choices"),
        ({"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}}, "list of choices"),
        ({"type": "string", "maxLength": 3}, "What the field takes: text."),
        ({"type": "boolean"}, "yes or no"),
        ({"type": "integer", "minimum": 3}, "a whole number"),
    ],
)
def test_the_fields_of_a_form_are_told_apart(field: Any, meaning: str) -> None:
    form = {"type": "object", "properties": {"it": field}}
    message = {"id": 1, "method": "elicitation/create",
               "params": {"message": "?", "requestedSchema": form}}  # fmt: skip
    rows = lines(message, revision="2025-11-25")
    assert meaning in rows["params.requestedSchema.properties.it.type"].meaning
    assert all(row.known for row in rows.values())


def test_a_task_answers_in_the_place_of_a_result() -> None:
    task = {"task": {"taskId": "t", "status": "working", "ttl": None}}
    rows = lines({"id": 1, "result": task}, revision="2025-11-25", answers="tools/call")
    assert all(row.known for row in rows.values())
    assert rows["result.task.status"].meaning == "The work is going on."


def test_an_error_is_read_by_its_code() -> None:
    error = {"code": -32022, "message": "no", "data": {"supported": [NEW], "requested": "1"}}
    rows = lines({"id": 1, "error": error})
    assert rows["error.data.requested"].required
    assert all(row.known for row in rows.values())
    assert not lines({"id": 1, "error": error}, revision="2025-11-25")["error.code"].known
    assert lines({"id": 1, "error": {"code": -1, "message": ""}})["error.code"].known


def test_a_batch_is_part_of_one_revision_only() -> None:
    batch = [{"jsonrpc": "2.0", "id": n, "method": "ping"} for n in range(5)]
    rows = fields.read(batch, revision="2025-03-26")
    assert rows[0].known
    assert rows[0].clause.endswith("basic#batching")
    assert [row.name for row in rows if row.depth == 1] == ["[0]", "[1]", "[2]", "…"]
    assert not fields.read(batch, revision="2025-06-18")[0].known


def test_a_piece_is_read_by_the_name_of_its_type() -> None:
    tool = {"name": "add", "inputSchema": {"type": "object"}}
    assert [row.depth for row in fields.read_as(tool, "Tool")] == [0, 0, 1]
    with pytest.raises(KeyError):
        fields.read_as(tool, "Tol")


def test_vendor_notes_are_shown_without_invented_meaning() -> None:
    note = {"com.example/mine": {"deep": [{"a": 1}, 2]}}
    rows = lines({"id": 1, "result": {"_meta": note}}, answers="ping")
    there = [row for path, row in rows.items() if "com.example" in path]
    assert len({row.meaning for row in there}) == 1
    assert all(row.known for row in there)


# -- what surrounds a message ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "answers", "heading"),
    [
        (RESULT, "tools/call", "Answer to tools/call"),
        (RESULT, None, "Answer"),
        ({"id": 1, "method": "tools/call"}, None, "Request tools/call"),
        ({"method": "notifications/progress"}, None, "Notification notifications/progress"),
        ({"id": 1, "error": {"code": -32602}}, "tools/call", "Error -32602 Invalid params"),
        ({"id": 1, "error": {"code": 7}}, None, "Error 7"),
        ({"id": 1, "error": {}}, None, "Error without a code"),
        ({"result": {"resultType": "input_required"}}, "tools/call",
         "Answer to tools/call: input required"),
        ([{}, {}], None, "Batch of 2 messages"),
        ({}, None, "Not a message"),
        (None, None, "Not a message"),
    ],
)  # fmt: skip
def test_titles(message: Any, answers: str | None, heading: str) -> None:
    assert fields.title(message, answers) == heading


def modern(version: str) -> dict[str, Any]:
    return {"id": 1, "method": "tools/list",
            "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": version}}}  # fmt: skip


@pytest.mark.parametrize(
    ("messages", "revision"),
    [
        ([], None),
        ([None, 1, [], {"id": 1, "method": "ping"}], None),
        ([modern(NEW)], NEW),
        ([modern("1900-01-01")], None),
        ([{"id": 1, "result": {"resultType": "complete"}}], NEW),
        ([{"id": 1, "error": {"code": -32021}}], NEW),
        ([{"method": "notifications/subscriptions/acknowledged"}], NEW),
        ([modern(NEW), {"id": 2, "result": {"protocolVersion": "2025-06-18"}}], "2025-06-18"),
        ([{"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-03-26"}}],
         "2025-03-26"),
    ],
)  # fmt: skip
def test_the_revision_of_a_conversation(messages: list[Any], revision: str | None) -> None:
    assert fields.guess_revision(messages) == revision


def test_an_unknown_revision_is_read_as_the_newest_before_it() -> None:
    message = {"id": 1, "result": {"structuredContent": {}}}
    assert not lines(message, revision="2025-05-01")["result.structuredContent"].known
    assert lines(message, revision="2025-08-01")["result.structuredContent"].known
    assert lines(message, revision="DRAFT")["result.structuredContent"].known
    assert fields.read(message, revision="")


@revisions
def test_every_code_of_jsonrpc_has_a_meaning_that_begins_with_its_name(revision: str) -> None:
    for code in (-32700, -32600, -32601, -32602, -32603):
        name = fields.code_name(code)
        assert fields.code_meaning(code, revision).startswith(f"{name}: ")


def test_codes_differ_between_revisions() -> None:
    assert "isError" in fields.code_meaning(-32602, "2025-11-25")
    assert "bad arguments" in fields.code_meaning(-32602, "2025-06-18")
    assert fields.code_meaning(-32002, NEW).startswith("Not part of 2026-07-28; 2024-11-05 to")
    assert fields.code_meaning(-32002, "2025-06-18").startswith("Resource not found")
    assert fields.code_meaning(-32000, NEW).startswith("A code of the sender's own")
    assert fields.code_meaning(-32050, NEW).startswith("Reserved for MCP")
    assert (
        fields.code_meaning(4, NEW)
        == "A number for the kind of failure. MCP gives this one no meaning."
    )
    assert fields.code_meaning("x", NEW) == "A code has to be an integer."


def test_headers_are_read_whatever_their_case() -> None:
    headers = {"mcp-session-id": "s1", "MCP-PROTOCOL-VERSION": NEW, "Mcp-Param-Region": "eu",
               "Authorization": "Bearer abcdef", "x-other": "1", "Accept": "*/*"}  # fmt: skip
    rows = {row.name.lower(): row for row in fields.read_headers(headers, NEW)}
    assert not rows["mcp-session-id"].known
    assert rows["mcp-protocol-version"].required
    assert rows["mcp-param-region"].clause.endswith("#custom-headers-from-tool-parameters")
    assert rows["authorization"].value == "Bearer (not shown)"
    assert rows["x-other"].known
    assert rows["x-other"].meaning == table.types()["headers"].meaning
    old = {row.name: row for row in fields.read_headers(headers, "2025-11-25")}
    assert old["mcp-session-id"].known
    assert fields.read_headers(None) == []


# -- short texts, and whatever a stranger sends ----------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "{}"), ({"a": 1}, "{…}"), ([], "[]"), ([{}], "[1 item]"), ([{}, {}], "[2 items]"),
        (["a", 1, None], '["a", 1, null]'), (True, "true"), (None, "null"), (1.5, "1.5"),
        ("a\nb", '"a\\nb"'), ("\u202eevil", '"\\u202eevil"'), ("\ud800", '"\\ud800"'),
        ("naïve 世界", '"naïve 世界"'),
        pytest.param(10**5000, "a number of about 5,001 digits", id="long"),
        (list(range(1000)), "[" + ", ".join(map(str, range(23))) + ", … 977 more]"),
        ("x" * 2000, '"' + "x" * 80 + '…" (2,000 characters)'),
    ],
)  # fmt: skip
def test_the_text_of_a_value(value: Any, text: str) -> None:
    assert fields.value_text(value) == text


def test_the_limit_of_a_text_is_the_callers() -> None:
    assert fields.value_text("abcdef", limit=3) == '"abc…" (6 characters)'


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=30,
)
NAMES = "jsonrpc id method params result error _meta code content tools type properties task"
words = st.sampled_from(NAMES.split())
anything = st.dictionaries(
    words, json_values | st.sampled_from(["tools/call", "text", -32042, 2.0])
)


def check(message: Any, revision: str | None, answers: Any, direction: Any) -> None:
    rows = fields.read(message, revision=revision, answers=answers, direction=direction)
    assert len(rows) <= reader.MAX_ROWS + 1
    for row in rows:
        assert row.meaning.endswith(".")
        assert len(row.name) <= 6 * NAME_LIMIT + 1
        (row.path + row.name + row.value).encode("utf-8")
    fields.title(message, answers).encode("utf-8")
    fields.guess_revision([message])


@settings(max_examples=300, deadline=None)
@given(
    json_values | anything | st.lists(anything, max_size=4),
    st.sampled_from([None, *ALL, "x"]),
    st.sampled_from([None, "tools/call", "initialize", "elicitation/create", "nope"]),
    st.sampled_from([None, "client->server", "server->client", ""]),
)
def test_any_value_is_read(message: Any, revision: Any, answers: Any, direction: Any) -> None:
    check(message, revision, answers, direction)


@cache
def recorded() -> list[tuple[Any, str, str | None]]:
    return [entry for file in files("captures/*.jsonl") for entry in conversation(file)]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a message where something can be replaced."""
    steps = value.items() if isinstance(value, dict) else enumerate(value)
    inner = [part for part in (value.values() if isinstance(value, dict) else value)
             if isinstance(part, dict | list)]  # fmt: skip
    return [(value, step) for step, _ in steps] + [p for part in inner for p in places(part)]


@needs_shared
@settings(max_examples=200, deadline=None)
@given(st.data(), json_values)
def test_any_mutation_of_a_recorded_message_is_read(data: Any, value: Any) -> None:
    message, way, answers = data.draw(st.sampled_from(recorded()))
    message = json.loads(json.dumps(message))
    where, step = data.draw(st.sampled_from(places(message)))
    where[step] = value
    check(message, data.draw(st.sampled_from([None, *ALL])), answers, way)


def deep(levels: int, step: Any) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = step(value)
    return value


HOSTILE = {
    "a text of 16 MB": {"result": {"content": [{"type": "text", "text": "x" * 2**24}]}},
    "a name of 16 MB": {"result": {"x" * 2**24: {"x" * 2**24: 1}}},
    "a method of 16 MB": {"id": 1, "method": "x" * 2**24},
    "a million members": {"result": {str(n): n for n in range(10**6)}},
    "a million blocks": {"result": {"content": [{"type": "text", "text": ""}] * 10**6}},
    "a million numbers": {"result": {"completion": {"values": list(range(10**6))}}},
    "nested objects": {"result": deep(10**5, lambda value: {"_meta": value})},
    "nested lists": {"result": {"content": deep(10**5, lambda value: [value, value])}},
    "nested schemas": {"result": {"tools": [{"name": "t", "inputSchema": deep(
        10**5, lambda value: {"properties": {"a": value, "b": value, "c": value}})}]}},
    "a number of 5,000 digits": {"id": 10**5000, "method": "ping"},
    "a code of 5,000 digits": {"id": 1, "error": {"code": 10**5000, "message": ""}},
    "no number": {"id": float("nan"), "method": float("inf")},
    "names that are no texts": {1: 2, None: {(): []}, "method": 3, "id": True},
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_messages_are_read_quickly(name: str) -> None:
    start = time.perf_counter()
    check(HOSTILE[name], None, None, None)
    assert time.perf_counter() - start < 1


def test_hostile_headers_are_read() -> None:
    rows = fields.read_headers({"x" * 10**7: "y" * 10**7, "Mcp-Name": None}, "x")  # type: ignore[dict-item]
    assert all(len(row.name + row.value) < 1000 for row in rows)


def id_row(id: Any) -> fields.Row:
    return fields.read({"jsonrpc": "2.0", "id": id, "method": "ping"})[1]


@pytest.mark.parametrize("id", [1.5, True, None, [1]])
def test_an_id_that_is_none_is_marked_in_words(id: Any) -> None:
    row = id_row(id)
    assert not row.known
    assert row.meaning.startswith("This must be a string or an integer, and ")
    assert row.clause


@pytest.mark.parametrize("id", [0, -1, "", "1.5"])
def test_an_id_that_is_one_is_not_marked(id: Any) -> None:
    assert id_row(id).known
    assert id_row(id).meaning.startswith("Chosen by the sender")
