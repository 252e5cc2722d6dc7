"""The rules: what is wrong in a conversation, where, and which clause says so.

    for finding in lint(trace):
        print(finding.frame, finding.rule, finding.text)

The rules themselves are data, in the files beside this module: one topic a file, each rule with
the revisions it holds in and its clause. The code knows no rule. It ties the frames of a trace
together (`conversation`, `ties`), tells which revision is in force (`spoken`), answers what the
rules ask (`facts`, `shape`), and puts each to its test (`table`, `conditions`).

One principle: what cannot be known is not claimed. A trace may begin in the middle, and a rule that
would need what came before it stays silent.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .. import fields, revisions
from ..fields.table import clause as page_of
from ..trace import Frame, Trace
from .conversation import Event, read
from .shape import Spot, spots
from .spoken import spoken
from .table import ANY_MISSING, ANY_WRONG, Rule, for_event, for_member, rules

__all__ = ["Finding", "Findings", "Rule", "lint", "rules"]

_MESSAGES = frozenset({"request", "notification", "result", "error"})
_METHODS = frozenset(name for revision in revisions.ALL.values() for name in revision.methods)
_SITE = "https://modelcontextprotocol.io"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong.

    frame     the index of the frame in the trace
    rule      the identifier of the rule
    text      what is wrong, in words for people
    clause    the address of the clause
    severity  "must" or "should", as strongly as the specification says it
    """

    frame: int
    rule: str
    text: str
    clause: str
    severity: str = "must"

    def __str__(self) -> str:
        return f"#{self.frame} {self.rule}: {self.text}"


class Findings(list[Finding]):
    """What was found, in the order of the frames; as text, one line each."""

    def __repr__(self) -> str:
        return "\n".join(map(str, self)) or "nothing found"


def lint(trace: Trace | Iterable[Frame], revision: str | None = None) -> Findings:
    """Judge a conversation by the rules of the revision that it speaks.

    `revision` is the one to judge all of it by; if it is None, the conversation tells: by its
    handshake, by its `_meta`, by its headers. Never raises, whatever the trace holds, but for a
    revision that does not exist: ValueError.
    """
    forced = frozenset({revisions.find(revision).name}) if revision else None
    found: dict[Finding, None] = {}
    for event in read(trace):
        event.revisions = forced or spoken(event)
        found |= dict.fromkeys(_judge(event))
    return Findings(found)


def _judge(event: Event) -> Iterator[Finding]:
    method = event.method if event.method in _METHODS else ""
    for rule in for_event(event.shape, method, event.sender, event.revisions):
        if (here := rule.broken({"event": event})) is not None:
            yield _finding(event, rule, f"{rule.text} Here {here}." if here else rule.text)
    for spot in spots(event) if event.shape in _MESSAGES else ():
        yield from _judge_spot(event, spot)


def _judge_spot(event: Event, spot: Spot) -> Iterator[Finding]:
    how = spot.fault or "member"
    named = for_member(spot.owner, spot.row.name, how, event.revisions)
    if spot.fault:
        if not any(rule.on for rule in named):  # else that rule looks at the whole event
            yield _faulty(event, spot, named)
    elif named:
        about = {"value": spot.value, "name": spot.name, "row": spot.row.values}
        for rule in named:
            if rule.broken({"event": event} | about) is not None:
                yield _finding(event, rule, f"{rule.text} ({spot.path})")


def _faulty(event: Event, spot: Spot, named: Sequence[Rule]) -> Finding:
    """The finding for a member that is missing, or that holds what it cannot."""
    default, must = ANY_MISSING, ""
    what = f"{spot.name} is missing in {spot.path or 'the message'}"
    if spot.fault == "wrong":
        default, must = ANY_WRONG, f", and must be {spot.row.type.replace('|', ' or ')}"
        what = f"{spot.path} is {fields.value_text(spot.value)}"
    if named:
        return _finding(event, named[0], f"{named[0].text} Here {what}.")
    page = page_of(spot.row.facts.page, max(event.revisions))
    return _finding(event, rules()[default], f"{what}{must}.", _SITE + page if page else None)


def _finding(event: Event, rule: Rule, text: str, clause: str | None = None) -> Finding:
    where = clause or rule.clause(max(event.revisions))
    return Finding(event.frame, rule.id, text, where, rule.level)
