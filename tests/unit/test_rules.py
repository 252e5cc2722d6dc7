"""The rules: each has a conversation that breaks it and one that keeps it; the table against the
specification; recorded conversations, whole and in parts; and anything at all.
"""

import os
import re
import time
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rules_cases import sentences
from rules_cases.talk import ask, c, err, found, hello, new, noise, ok, old, post, reply, s, welcome

import mcp_lesson
from mcp_lesson import Trace, lint
from mcp_lesson.revisions import ALL, META
from mcp_lesson.rules import Finding, Findings, Rule, rules
from mcp_lesson.rules.conditions import FORMS, TESTS, holds
from mcp_lesson.rules.conversation import Event
from mcp_lesson.rules.facts import FACTS
from mcp_lesson.rules.ties import LINKS
from mcp_lesson.trace import TO_CLIENT, TO_SERVER, Frame

ROOT = Path(__file__).resolve().parents[2]
CAPTURES = ROOT.parent / "shared" / "captures"
PLACES = [os.environ.get("MCP_SPECIFICATION"), ROOT.parent / "modelcontextprotocol",
          ROOT.parent / "scratch" / "modelcontextprotocol"]  # fmt: skip
PAGES = next((p for place in PLACES if place
              and (p := Path(place) / "docs" / "specification").is_dir()), None)  # fmt: skip

needs_captures = pytest.mark.skipif(
    not CAPTURES.is_dir(), reason="the recorded conversations (../shared/captures) are not here"
)
needs_pages = pytest.mark.skipif(
    PAGES is None, reason="no checkout of the specification (set MCP_SPECIFICATION to its path)"
)

TABLE = rules()
CHECKED = [rule for rule in TABLE.values() if not rule.unseen]
EXCUSED = [rule for rule in TABLE.values() if rule.unseen]
TOPICS = sorted({rule.topic for rule in CHECKED})


def cases() -> Iterator[tuple[str, list[Frame], list[Frame], set[str]]]:
    """Each rule, what breaks it, what keeps it, and which other rules both of them break."""
    for topic in TOPICS:
        for name, (breaks, keeps, *also) in import_module(f"rules_cases.{topic}").CASES.items():
            yield name, breaks, keeps, also[0] if also else set()


CASES = {name: rest for name, *rest in cases()}


def names(findings: Iterable[Finding]) -> set[str]:
    return {finding.rule for finding in findings}


# -- each rule -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_what_breaks_a_rule_is_found(name: str) -> None:
    breaks, _, also = CASES[name]
    findings = lint(breaks)
    assert names(findings) == {name} | also, findings
    first = next(finding for finding in findings if finding.rule == name)
    assert first.text.startswith(TABLE[name].text) or name in ("form.missing", "form.type")
    assert first.severity == TABLE[name].level
    assert 0 <= first.frame < len(breaks)
    assert first.clause.startswith("https://modelcontextprotocol.io/specification/20")


@pytest.mark.parametrize("name", CASES)
def test_what_keeps_a_rule_is_passed_over(name: str) -> None:
    _, keeps, also = CASES[name]
    findings = lint(keeps)
    assert names(findings) <= also, findings


def test_every_rule_with_a_check_has_both() -> None:
    assert set(CASES) == {rule.id for rule in CHECKED}


@pytest.mark.parametrize("rule", TABLE.values(), ids=TABLE)
def test_a_row_is_complete_and_readable(rule: Rule) -> None:
    looks = rule.on or rule.member or rule.missing or rule.wrong
    plain = rule.id in ("form.missing", "form.type")
    assert bool(rule.unseen) != bool(looks or plain)
    assert rule.revisions
    assert set(rule.at) | {rule.until} <= set(ALL)
    assert rule.level in ("must", "should")
    for text in filter(None, (rule.text, rule.unseen)):
        assert text.endswith(".")
        assert 15 <= len(text) <= 200
        assert "MUST" not in text


def paths() -> Iterator[str]:
    for rule in CHECKED:
        yield from (*rule.when, *rule.must)


def test_a_row_asks_only_for_facts_that_there_are() -> None:
    ties = {link.tie for link in LINKS}
    known = {*FACTS, *Event.__slots__, *ties, *(f"@{tie}" for tie in ties)}
    known |= {"value", "name", "event"}
    assert {path.partition(".")[0] for path in paths()} <= known


def test_every_test_form_and_fact_is_used() -> None:
    folder = Path(mcp_lesson.__file__).parent / "rules"
    text = "".join(file.read_text(encoding="utf-8") for file in folder.glob("*.toml"))
    assert [name for name in TESTS if not re.search(rf"\b{name} = ", text)] == []
    assert [name for name in FORMS if f'"{name}"' not in text] == []
    used = {step.removeprefix("@") for path in re.findall(r'"([@\w.-]+)"', text)
            for step in path.split(".")}  # fmt: skip
    assert set(FACTS) - used - {"jsonrpc"} == set()


# -- the table against the specification -----------------------------------------------------------


def spoken() -> list[sentences.Sentence]:
    return [sentence for name in ALL for sentence in sentences.read(PAGES, name)]  # type: ignore[arg-type]


def test_the_list_of_sentences_names_rules_that_there_are() -> None:
    named = {name for rest in sentences.rules_by_mark().values() for name in rest}
    assert named - {sentences.EDITORIAL} <= set(TABLE)
    assert {rule.id for rule in TABLE.values() if rule.level == "must"} <= named


@needs_pages
def test_every_sentence_that_says_must_has_its_rule() -> None:
    listed = sentences.rules_by_mark()
    met = spoken()
    assert len(met) > 900
    assert {sentence.mark for sentence in met} == set(listed)
    for sentence in met:
        stand = [TABLE[name] for name in listed[sentence.mark] if name in TABLE]
        holds = any(sentence.revision in rule.revisions for rule in stand)
        assert holds or listed[sentence.mark] == [sentences.EDITORIAL], sentence


@needs_pages
@pytest.mark.parametrize("rule", TABLE.values(), ids=TABLE)
def test_every_clause_is_where_such_a_sentence_stands(rule: Rule) -> None:
    listed = sentences.rules_by_mark()
    for revision in rule.revisions:
        _, _, place = rule.clause(revision).partition(f"/{revision}/")
        page, _, heading = place.partition("#")
        stands = {
            (met.page, name)
            for met in SPOKEN
            if met.revision == revision and (rule.id in listed[met.mark] or rule.level == "should")
            for name in (*(name.replace("_", "") for name in met.under), "")
        }
        assert (page, heading) in stands, (revision, place)


SPOKEN = spoken() if PAGES else []


def runs(text: str, length: int = 8) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z0-9']+", text.lower())
    return {tuple(words[n : n + length]) for n in range(len(words) - length + 1)}


@needs_pages
def test_no_sentence_is_copied() -> None:
    pages = PAGES.rglob("*.mdx")  # type: ignore[union-attr]
    theirs = runs(" . ".join(page.read_text("utf-8") for page in pages))
    texts = [text for rule in TABLE.values() for text in (rule.text, rule.unseen)]
    assert [text for text in texts if runs(text) & theirs] == []


# -- recorded conversations ------------------------------------------------------------------------

RECORDED = {
    "everything.http.auto.jsonl": {
        (1, "answers.error-id"): "2025-11-25's basic#error-responses: it refuses with id null",
    },
    "everything.http.legacy.jsonl": {},
    "everything.stdio.legacy.jsonl": {},
    "filesystem.stdio.legacy.jsonl": {},
    "git.stdio.auto.jsonl": {},
    "memory.stdio.legacy.jsonl": {},
    "time.stdio.auto.jsonl": {},
    "time.stdio.legacy.jsonl": {},
}
"""What the servers and the client of the recordings do against the rules, and the clause."""

recordings = pytest.mark.parametrize("name", RECORDED)


def recording(name: str) -> list[Frame]:
    return list(Trace.load(CAPTURES / name))


@needs_captures
def test_every_recording_is_judged() -> None:
    assert {path.name for path in CAPTURES.glob("*.jsonl")} == set(RECORDED)


@needs_captures
@recordings
def test_of_the_recordings_only_what_is_wrong_is_found(name: str) -> None:
    findings = lint(recording(name))
    assert {(finding.frame, finding.rule) for finding in findings} == set(RECORDED[name])


@needs_captures
@recordings
def test_a_part_of_a_conversation_breaks_no_more_rules_than_the_whole(name: str) -> None:
    frames = recording(name)
    known = {rule for _, rule in RECORDED[name]}
    for cut in range(1, len(frames), 3):
        assert names(lint(frames[cut:])) <= known, cut
        assert names(lint(frames[:cut])) <= known, cut
    for side in ("client", "server"):
        assert names(lint([f for f in frames if f.sender == side])) <= known


@needs_captures
def test_several_servers_in_one_trace_are_told_apart() -> None:
    one, other = recording("time.stdio.auto.jsonl"), recording("git.stdio.auto.jsonl")
    mixed = [frame for pair in zip(one, other, strict=False) for frame in pair]
    assert names(lint(mixed))
    for number, frame in enumerate(mixed):
        frame.peer = ("time", "git")[number % 2]
    assert lint(mixed) == []


# -- which revision, and what is not claimed -------------------------------------------------------


def test_a_refused_probe_holds_no_legacy_server_to_the_new_rules() -> None:
    refused = {"jsonrpc": "2.0", "error": {"code": -32000, "message": "not initialized"}}
    probe = [post(1, new(1, "server/discover"), mcp_method="server/discover",
                  mcp_protocol_version="2026-07-28"), reply(1, refused, 400)]  # fmt: skip
    assert lint([*probe, post(2, hello()), reply(2, welcome())]) == []
    silent = [c(new(1, "server/discover")), s(err(1, -32601)), *old(server={"tools": {}})]
    assert lint([*silent, c(ask(5, "tools/list")), s(ok(5, tools=[]))]) == []


def test_a_revision_may_be_named() -> None:
    frames = [c(ask(1, "tools/list")), s(ok(1, tools=[]))]
    assert lint(frames) == []
    assert "stateless.meta" in names(lint(frames, "2026-07-28"))
    assert "caching.hints" in names(lint(frames, revision="2026-07-28"))
    with pytest.raises(ValueError, match="no revision of the protocol"):
        lint(frames, "2026-13-13")


def test_what_is_too_much_for_the_reader_is_no_fault_of_the_writer() -> None:
    deep = b'{"jsonrpc": "2.0", "method": "x", "params": {"x": ' + b"[" * 999 + b"]" * 999 + b"}}"
    long = b'{"jsonrpc": "2.0", "id": ' + b"1" * 9999 + b', "method": "x"}'
    over = Frame(0.0, TO_CLIENT, "noise", text="a line longer than 100 bytes")
    assert lint([noise(deep), noise(long), over]) == []
    assert names(lint([noise(b'{"a": NaN}')])) == {"stdio.server-only-messages"}


def test_the_body_of_a_refusal_may_be_anything() -> None:
    for body in ({"detail": "Not Found"}, {"error": "no"}, ["no"], "no"):
        assert lint([post(1, hello()), reply(1, body, 404)]) == []
        assert names(lint([post(1, hello()), reply(1, body, 200)]))


def test_after_a_restart_ids_begin_anew() -> None:
    again = Frame(0.0, TO_SERVER, "lifecycle", text="the server is started again")
    assert lint([c(new(1, "server/discover")), again, *old()]) == []
    assert lint([*found(), c(new(2, "a/b")), again, c(new(2, "a/b"))]) == []


# -- what comes back -------------------------------------------------------------------------------


def test_findings_read_like_lines() -> None:
    assert repr(lint([])) == "nothing found"
    assert repr(lint(Trace())) == "nothing found"
    findings = lint([c(ask(None, "ping")), s(ok(1, pong=1))])
    assert isinstance(findings, Findings)
    assert repr(findings) == (
        "#0 ids.not-null: The id of a request is never null, though plain JSON-RPC allows it."
        " Here id is null."
    )
    assert findings[0] == Finding(
        0, "ids.not-null", findings[0].text,
        "https://modelcontextprotocol.io/specification/2026-07-28/basic#requests",
    )  # fmt: skip


def test_the_diagram_marks_what_is_found() -> None:
    trace = Trace([*old(), c(ask(1, "ping")), s(ok(1))])
    drawn = repr(mcp_lesson.show(trace, findings=lint(trace), widget=False))
    assert "ids.not-reused" in drawn


def test_a_value_is_compared_as_json() -> None:
    assert not holds(1, True, {})
    assert holds([1, 2], 2, {})
    assert holds({"type": "integer"}, 1.0, {})
    assert not holds({"type": ["integer", "string"]}, True, {})


# -- anything at all -------------------------------------------------------------------------------

WORDS = [
    *(
        "2.0",
        "initialize",
        "tools/call",
        "tools/list",
        "notifications/progress",
        "ping",
        "complete",
    ),
    *("notifications/cancelled", "server/discover", "elicitation/create", "2025-11-25", "200"),
    *(
        "complete",
        "2026-07-28",
        "",
        "\ud800",
        "input_required",
        "POST",
        "GET /mcp",
        "404",
        "DELETE /mcp",
    ),
]
NAMES = [
    *("jsonrpc", "id", "method", "params", "result", "error", "code", "_meta", "progressToken"),
    *("progress", "requestId", "name", "arguments", "tools", "inputSchema", "protocolVersion"),
    *("capabilities", "nextCursor", "cursor", "resultType", "inputRequests", "requestState"),
    *("task", "taskId", "status", "messages", "content", "role", "toolUseId", "uri", "type"),
    *("data", META + "protocolVersion", META + "subscriptionId", META + "clientCapabilities"),
]
HEADERS = [
    *("mcp-session-id", "mcp-protocol-version", "accept", "mcp-name", "last-event-id"),
    *("content-type", "authorization", "mcp-method"),
]
ODD = [None, True, False, 0, 1, -32602, 1.5, float("nan"), 10**400, [], {}]


def scribble(chance: Random, depth: int = 4) -> Any:
    """Any JSON value, made of the protocol's own words."""
    if depth == 0 or chance.random() < 0.3:
        return chance.choice(ODD + WORDS)
    if chance.random() < 0.15:
        return [scribble(chance, depth - 1) for _ in range(chance.randint(0, 3))]
    names = chance.sample(NAMES, chance.randint(1, 5))
    return {name: scribble(chance, depth - 1) for name in names}


def scribbled_frame(chance: Random) -> Frame:
    """Any frame."""
    frame = Frame(chance.random(), chance.choice([TO_SERVER, TO_CLIENT, "user->host"]), "message")
    frame.kind = chance.choice(["message", "message", "noise", "http", "lifecycle", "stderr"])
    frame.message = scribble(chance)
    frame.raw = chance.choice([None, b"\xff", b"{}\n{}", b""])
    frame.text = chance.choice([None, "closed", "x"])
    frame.x, frame.peer = chance.choice([None, 1, 2]), chance.choice([None, None, "a"])
    frame.http = chance.choice([None, *WORDS])
    frame.headers = {name: chance.choice(WORDS) for name in chance.sample(HEADERS, 3)}
    frame.headers = chance.choice([None, frame.headers])
    frame.sse = chance.choice([None, "open", {"id": scribble(chance, 1), "retry": 1}])
    return frame


def test_it_never_raises() -> None:
    for seed in range(3000):
        chance = Random(seed)
        frames = [scribbled_frame(chance) for _ in range(8)]
        try:
            findings = lint(frames, chance.choice([None, *ALL]))
        except Exception as problem:
            raise AssertionError(f"seed {seed}: {frames}") from problem
        assert all(0 <= finding.frame < len(frames) for finding in findings)
        assert repr(findings)


def test_it_never_raises_at_a_conversation_that_was_tampered_with() -> None:
    conversations = [case[0] for case in CASES.values()]
    for seed in range(2000):
        chance = Random(seed)
        frames = [*chance.choice(conversations), *chance.choice(conversations)]
        place = chance.randrange(len(frames))
        frame = Frame(**{name: getattr(frames[place], name) for name in Frame.__slots__})
        frame.message = tampered(frame.message, chance)
        try:
            lint([*frames[:place], frame, *frames[place + 1 :]])
        except Exception as problem:
            raise AssertionError(f"seed {seed}: {frame.message}") from problem


def tampered(value: Any, chance: Random) -> Any:
    """A message with something inside replaced by anything."""
    if isinstance(value, dict) and value and chance.random() < 0.7:
        name = chance.choice(sorted(value))
        return {**value, name: tampered(value[name], chance)}
    if isinstance(value, list) and value and chance.random() < 0.7:
        return [tampered(value[0], chance), *value[1:]]
    return scribble(chance, 2)


def test_the_time_it_takes_grows_with_the_frames_and_no_faster() -> None:
    def seconds(calls: int) -> float:
        talk = old(server={"tools": {}})
        for number in range(2, calls + 2):
            call = ask(number, "tools/call", name="add", arguments={"a": 1})
            talk += [c(call), s(ok(number, content=[{"type": "text", "text": "1"}]))]
        begun = time.process_time()
        assert lint(talk) == []
        return time.process_time() - begun

    seconds(10)
    some, many = seconds(500), seconds(5000)
    assert many < 4.0
    assert many < 30 * some
