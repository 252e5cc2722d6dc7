"""`mcp-lesson lint`: judge recorded conversations by the rules of the revision they speak."""

import json
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from mcp_lesson import revisions
from mcp_lesson.rules import Findings
from mcp_lesson.rules import lint as judge
from mcp_lesson.trace import Trace, TraceError

app = typer.Typer(add_completion=False)


class Format(StrEnum):
    """The two forms of the report."""

    text = "text"
    json = "json"


@app.command()
def lint(
    files: Annotated[list[Path], typer.Argument(help="Traces: files of JSON Lines.")],
    form: Annotated[Format, typer.Option("--format", help="For a reader or a program.")] = (
        Format.text
    ),
    revision: Annotated[
        str | None,
        typer.Option(help=f"Judge by this one, whatever is spoken: {', '.join(revisions.ALL)}."),
    ] = None,
) -> None:
    """Say what is wrong in recorded conversations: the frame, the rule, and the clause.

    The exit status is 1 if something is found, and 2 for a file that is no trace.
    """
    if revision is not None and revision not in revisions.ALL:
        _refuse(f"{revision!r} is no revision; there are {', '.join(revisions.ALL)}")
    found = {path: judge(_load(path), revision) for path in files}
    typer.echo(as_json(found) if form is Format.json else as_text(found))
    raise typer.Exit(1 if any(found.values()) else 0)


def as_text(found: dict[Path, Findings]) -> str:
    """The findings for a reader: under each file one line a finding, and its clause."""
    return "\n".join(line for path, findings in found.items() for line in _lines(path, findings))


def _lines(path: Path, findings: Findings) -> list[str]:
    if not findings:
        return [f"{path}: nothing found"]
    return [f"{path}: {len(findings)} found"] + [
        f"  {finding}\n    {finding.clause}" for finding in findings
    ]


def as_json(found: dict[Path, Findings]) -> str:
    """The findings for a program: one object a finding."""
    facts = [
        {"file": str(path)} | asdict(finding)
        for path, findings in found.items()
        for finding in findings
    ]
    return json.dumps(facts, indent=2, ensure_ascii=False)


def _load(path: Path) -> Trace:
    try:
        return Trace.load(path)
    except TraceError as problem:
        _refuse(f"{path} is no trace: {str(problem).removeprefix(f'{path} is ')}")
    except OSError as problem:
        _refuse(f"{path} cannot be read: {problem.strerror}")


def _refuse(reason: str) -> NoReturn:
    typer.echo(reason, err=True)
    raise typer.Exit(2)
