"""`mcp-lesson doctor`: what is installed here, what is missing, and what that costs you."""

import json
from dataclasses import asdict
from enum import StrEnum
from typing import Annotated

import typer

from mcp_lesson.school import checkup
from mcp_lesson.school.checkup import Finding

app = typer.Typer(add_completion=False)


class Format(StrEnum):
    """The two forms of the report."""

    text = "text"
    json = "json"


@app.command()
def doctor(
    form: Annotated[Format, typer.Option("--format", help="For a reader or a program.")] = (
        Format.text
    ),
) -> None:
    """Say what is installed here, what is missing, and what that costs you.

    Paste the text into a bug report. The exit status is 1 only if the lessons cannot be run.
    """
    findings = checkup.examine()
    ready = checkup.ready(findings)
    typer.echo(as_json(findings, ready) if form is Format.json else as_text(findings, ready))
    raise typer.Exit(0 if ready else 1)


def as_json(findings: list[Finding], ready: bool) -> str:
    """Return the report for a program."""
    facts = [asdict(finding) for finding in findings]
    return json.dumps({"ready": ready, "findings": facts}, indent=2)


def as_text(findings: list[Finding], ready: bool) -> str:
    """Return the report for a reader: all facts first, then what is missing and its price."""
    lines = [f"{finding.name:9} {finding.value}" for finding in findings]
    lines += [""] + [_price(finding) for finding in findings if finding.missing]
    lines.append(
        "Everything that the lessons need is here."
        if ready
        else "Something that the lessons need is missing. Run start.py again: it repairs this."
    )
    return "\n".join(lines)


def _price(finding: Finding) -> str:
    mark = "!" if finding.needed else "-"
    return f"{mark} {finding.name}: {finding.cost}."
