"""The table of rules, read from the files beside this module: one topic a file, one entry a rule.

    ["ids.not-null"]
    at.2024-11-05 = "basic/messages#requests"       the clause, from this revision on
    at.2025-03-26 = "basic#requests"
    until = "2025-11-25"                            the last revision; the newest if it is not said
    text = "The id of a request is never null."     the rule in plain words
    on = "request"                                  which events it speaks of: one, or several
    by = "client"                                   only what this side sends
    when."modern" = true                            only where all of this is found
    must."id" = { not = { type = "null" } }         and then all of this must be found

In place of `on`, a rule may name members of messages as the table of fields calls them: `member`
for those that must pass its own conditions, `form` for those that have to be there and of their
type (`missing` or `wrong` for one of the two). A rule without `must` forbids what it describes. A
rule that no trace can show broken says why: `unseen`. And `level = "should"` marks the few that
advise.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from .. import revisions as history
from ..fields import value_text
from .conditions import Scope, holds
from .facts import follow
from .promises import ABSENT, UNKNOWN
from .shape import kin
from .ties import is_name

ANY_MISSING, ANY_WRONG = "form.missing", "form.type"


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the table, as the module's text describes it. `topic` is the name of its file."""

    id: str
    topic: str
    text: str
    at: Mapping[str, str]
    revisions: frozenset[str]
    until: str = history.NEWEST
    on: tuple[str, ...] = ()
    by: str = ""
    member: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    when: Mapping[str, Any] = field(default_factory=dict)
    must: Mapping[str, Any] = field(default_factory=dict)
    unseen: str = ""
    level: str = "must"

    def clause(self, revision: str) -> str:
        """Where this revision says so."""
        since = max((name for name in self.at if name <= revision), default=min(self.at))
        return history.clause(revision, self.at[since])

    def broken(self, scope: Scope) -> str | None:
        """What breaks the rule, in a few words or none (""), or None if nothing does."""
        for path, wanted in self.when.items():
            value = follow(scope, path)
            if value is UNKNOWN or not holds(wanted, value, scope):
                return None
        for path, wanted in self.must.items():
            value = follow(scope, path)
            if value is not UNKNOWN and not holds(wanted, value, scope):
                return _found(path, value)
        return None if self.must else ""


def _found(path: str, value: Any) -> str:
    first, name = path.partition(".")[0], path.rpartition(".")[2]
    if first not in _SAID:
        return ""
    if value is ABSENT:
        return f"there is no {name}"
    plain = value is None or is_name(value)
    return f"{name} is {value_text(value)}" if plain else ""


_SAID = frozenset({"id", "jsonrpc", "method", "params", "result", "error", "meta", "status"})
_SAID |= {"headers", "reply", "asked"}
"""The facts that stand in a message or its headers, and so may be shown as they are."""


@cache
def rules() -> dict[str, Rule]:
    """Every rule by its identifier."""
    folder = sorted(resources.files(__package__).iterdir(), key=lambda file: file.name)
    files = [file for file in folder if file.name.endswith(".toml")]
    return {
        id: _rule(id, file.name.removesuffix(".toml"), entry)
        for file in files
        for id, entry in tomllib.loads(file.read_text(encoding="utf-8")).items()
    }


def _rule(id: str, topic: str, entry: dict[str, Any]) -> Rule:
    form = entry.pop("form", [])
    entry = {"missing": form, "wrong": form} | entry
    lists = {n: tuple([v] if isinstance(v := entry.get(n, []), str) else v) for n in _LISTS}
    until = entry.get("until", history.NEWEST)
    have = frozenset(name for name in history.ALL if min(entry["at"]) <= name <= until)
    return Rule(**{"id": id, "topic": topic, "revisions": have} | entry | lists)


_LISTS = ("on", "member", "missing", "wrong")


@lru_cache(maxsize=4096)
def for_event(shape: str, method: str, sender: str, spoken: frozenset[str]) -> tuple[Rule, ...]:
    """The rules that speak of such events, and hold in every revision that may be in force.

    What is kept here stays: ask with "" for a method that no revision has.
    """
    named = (rule for rule in rules().values() if _any((shape, f"{shape} {method}"), rule.on))
    return tuple(rule for rule in named if rule.by in ("", sender) and spoken <= rule.revisions)


@cache
def for_member(owner: str, name: str, how: str, spoken: frozenset[str]) -> tuple[Rule, ...]:
    """The rules that name this member of this type, or of what the type is based on.

    `how` is "member", "missing" or "wrong".
    """
    names = [f"{kind}.{name}" for kind in kin(owner)]
    named = (rule for rule in rules().values() if _any(names, getattr(rule, how)))
    return tuple(rule for rule in named if spoken <= rule.revisions)


def _any(names: Iterable[str], patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)
