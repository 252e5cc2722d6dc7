"""`mcp-lesson lint` as a person calls it."""

import json
from pathlib import Path

import pytest
from rules_cases.talk import ask, c, ok, old, s
from typer.testing import CliRunner

from mcp_lesson import Trace, cli, lint

GOOD = Trace([*old(), c(ask(2, "ping")), s(ok(2))])
BAD = Trace([*old(), c(ask(1, "ping")), s(ok(1, pong=True))])


def call(*arguments: str) -> tuple[int, str]:
    """Call `mcp-lesson lint` in this process; return its exit status and all that it printed."""
    result = CliRunner().invoke(cli.app, ["lint", *arguments])
    return result.exit_code, result.output


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    GOOD.save(tmp_path / "good.jsonl")
    BAD.save(tmp_path / "bad.jsonl")
    (tmp_path / "text.txt").write_text("hello\n", encoding="utf-8")
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xfe\n")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("files")
def test_a_conversation_without_fault_ends_with_0() -> None:
    assert call("good.jsonl") == (0, "good.jsonl: nothing found\n")
    assert call("good.jsonl", "--format", "json") == (0, "[]\n")


@pytest.mark.usefixtures("files")
def test_what_is_found_is_told_with_frame_rule_and_clause() -> None:
    status, said = call("good.jsonl", "bad.jsonl")
    assert status == 1
    assert said.splitlines() == [
        "good.jsonl: nothing found",
        "bad.jsonl: 2 found",
        "  #3 ids.not-reused: In one session a sender uses an id for one request only.",
        "    https://modelcontextprotocol.io/specification/2025-11-25/basic#requests",
        "  #4 ping.empty: The answer to a ping is empty.",
        "    https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping"
        "#behavior-requirements",
    ]


@pytest.mark.usefixtures("files")
def test_a_program_gets_objects() -> None:
    status, said = call("bad.jsonl", "--format", "json")
    assert status == 1
    facts = json.loads(said)
    assert [set(fact) for fact in facts] == [
        {"file", "frame", "rule", "text", "clause", "severity"}
    ] * 2
    assert [(fact["frame"], fact["rule"]) for fact in facts] == [
        (finding.frame, finding.rule) for finding in lint(BAD)
    ]


@pytest.mark.usefixtures("files")
def test_a_revision_may_be_named() -> None:
    status, said = call("good.jsonl", "--revision", "2026-07-28")
    assert status == 1
    assert "stateless.meta" in said
    status, said = call("good.jsonl", "--revision", "yesterday")
    assert status == 2
    assert said.startswith("'yesterday' is no revision; there are 2024-11-05, ")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("text.txt", "text.txt is no trace: line 1: not JSON: at character 1"),
        ("bytes.jsonl", "bytes.jsonl is no trace: not UTF-8 text: byte 0"),
        ("absent.jsonl", "absent.jsonl cannot be read: No such file or directory"),
    ],
)
def test_a_file_that_is_no_trace_gets_one_clear_line(name: str, reason: str) -> None:
    assert call("good.jsonl", name) == (2, reason + "\n")
