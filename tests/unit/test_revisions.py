"""The five revisions as tables, held against the specification's own schemas."""

import official
import pytest

from mcp_lesson import jsonrpc, revisions
from mcp_lesson.revisions import ALL, LEGACY, MODERN

with_schemas = pytest.mark.skipif(bool(official.MISSING), reason=str(official.MISSING))

ADVERTISED = {
    "tools": "server",
    "resources": "server",
    "prompts": "server",
    "logging": "server",
    "completions": "server",
    "sampling": "client",
    "roots": "client",
    "elicitation": "client",
}
"""Which side declares each capability."""


def rows(revision: str, sender: str, kind: str) -> set[str]:
    methods = ALL[revision].methods.values()
    return {m.name for m in methods if m.kind == kind and sender in m.senders}


@with_schemas
@pytest.mark.parametrize("revision", ALL)
@pytest.mark.parametrize("sender", ["client", "server"])
@pytest.mark.parametrize("kind", ["request", "notification"])
def test_the_methods_are_those_of_the_schema(revision: str, sender: str, kind: str) -> None:
    found = set(official.schema(revision).methods(sender, kind))
    mine = rows(revision, sender, kind)
    if (revision, sender, kind) == ("2025-11-25", "client", "notification"):
        assert "notifications/tasks/status" in mine
    assert mine == found


@with_schemas
@pytest.mark.parametrize("revision", ALL)
def test_what_a_method_needs_is_a_capability_of_the_schema(revision: str) -> None:
    definitions = official.schema(revision).definitions
    for method in ALL[revision].methods.values():
        whose, _, path = method.needs.partition(".")
        if not method.needs:
            continue
        first = path.split(".")[0]
        assert ADVERTISED[first] == whose, method
        declared = definitions[f"{whose.title()}Capabilities"]["properties"]
        assert first in declared, (method, revision)
        for step in path.split(".")[1:]:
            assert step in declared[first]["properties"], (method, revision)


@with_schemas
def test_names_and_questions_are_where_the_schema_has_them() -> None:
    schema = official.schema("2026-07-28")
    for method in ALL["2026-07-28"].methods.values():
        if method.kind == "notification":
            assert (method.named_by, method.asks, method.cached) == ("", False, False)
            continue
        name = schema.methods("client", "request")[method.name]
        result = schema.definitions[schema.result_of(method.name, "client")[0]]
        members = schema.definitions.get(f"{name}Params", {}).get("properties", {})
        assert method.named_by == "" or method.named_by in members, method
        assert method.asks is ("inputResponses" in members), method
        assert method.cached is ("ttlMs" in result["properties"]), method


def test_every_row_is_complete() -> None:
    for revision in ALL.values():
        for name, method in revision.methods.items():
            assert name == method.name
            assert method.kind == ("notification" if "notifications/" in name else "request")
            assert method.page, name
            assert method.senders <= {"client", "server"}


def test_eras() -> None:
    assert LEGACY == ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
    assert MODERN == ("2026-07-28",)
    assert (revisions.LATEST_LEGACY, revisions.NEWEST) == ("2025-11-25", "2026-07-28")
    assert [name for name, revision in ALL.items() if revision.batches] == ["2025-03-26"]
    assert [name for name, row in ALL.items() if row.bad_arguments == "result"] == [
        "2025-11-25",
        "2026-07-28",
    ]
    for revision in ALL.values():
        idless = revision.name >= "2025-11-25"
        assert revision.idless_errors is idless, revision.name
        assert revision.version_header is (revision.name >= "2025-06-18"), revision.name
        assert revision.not_found == (-32602 if revision.era == "modern" else -32002)


@with_schemas
@pytest.mark.parametrize("revision", ALL)
def test_an_error_without_id_is_legal_where_the_table_says_so(revision: str) -> None:
    complaints = official.schema(revision).judge(jsonrpc.error(None, -32700), "server")
    assert (complaints == []) is ALL[revision].idless_errors


def test_statuses() -> None:
    """2026-07-28 basic/transports/streamable-http; basic#meta."""
    statuses = ALL["2026-07-28"].statuses
    assert {code: statuses.get(code, 200) for code in jsonrpc.CODES} == {
        jsonrpc.PARSE_ERROR: 400,
        jsonrpc.INVALID_REQUEST: 400,
        jsonrpc.METHOD_NOT_FOUND: 404,
        jsonrpc.INVALID_PARAMS: 200,
        jsonrpc.INTERNAL_ERROR: 200,
        jsonrpc.RESOURCE_NOT_FOUND: 200,
        jsonrpc.URL_ELICITATION_REQUIRED: 200,
        jsonrpc.HEADER_MISMATCH: 400,
        jsonrpc.MISSING_CLIENT_CAPABILITY: 400,
        jsonrpc.UNSUPPORTED_VERSION: 400,
    }


def test_who_may_send_what() -> None:
    assert ALL["2025-11-25"].may_send("server", "ping")
    assert not ALL["2026-07-28"].may_send("server", "ping")
    assert not ALL["2025-11-25"].may_send("server", "tools/list")
    assert not ALL["2025-03-26"].may_send("server", "elicitation/create")
    assert not ALL["2025-11-25"].may_send("client", "nothing/here")


@pytest.mark.parametrize(
    ("capabilities", "path", "declared"),
    [
        ({"tools": {}}, "tools", True),
        ({"tools": {}}, "tools.listChanged", False),
        ({"tools": {"listChanged": True}}, "tools.listChanged", True),
        ({"tools": {"listChanged": False}}, "tools.listChanged", False),
        ({"tools": None}, "tools", False),
        ({"tools": False}, "tools", False),
        ({"tools": True}, "tools", True),
        ({"tools": "yes"}, "tools.listChanged", False),
        ({}, "tools", False),
        (None, "tools", False),
        ([], "tools", False),
    ],
)
def test_what_counts_as_declared(capabilities: object, path: str, declared: bool) -> None:
    assert revisions.has_capability(capabilities, path) is declared


def test_a_revision_is_found_by_its_date_or_refused_with_the_known_ones() -> None:
    assert revisions.find("2025-06-18").name == "2025-06-18"
    with pytest.raises(ValueError, match="known: 2024-11-05, 2025-03-26"):
        revisions.find("2025-06-19")
    assert revisions.clause("2025-06-18", "basic") == (
        "https://modelcontextprotocol.io/specification/2025-06-18/basic"
    )
