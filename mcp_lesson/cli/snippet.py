"""`mcp-lesson snippet`: list, show and copy the small programs of the lessons."""

from pathlib import Path
from typing import Annotated, NoReturn

import typer

from mcp_lesson.school import snippets
from mcp_lesson.school.checkout import CheckoutNotFound, find_checkout

app = typer.Typer(
    help="List, show and copy the small programs of the lessons.",
    no_args_is_help=True,
    add_completion=False,
)

Name = Annotated[str, typer.Argument(help="A snippet's name, as `list` shows it.")]


@app.command("list")
def list_snippets() -> None:
    """List the snippets: name, what it needs, where it is from, what it is."""
    for snippet in _read().values():
        typer.echo(f"{snippet.name} ({snippets.NEEDS[snippet.needs]}; {snippet.source})")
        if snippet.summary:
            typer.echo(f"    {snippet.summary}")


@app.command()
def show(name: Name) -> None:
    """Print a snippet."""
    typer.echo(_pick(name).text, nl=False)


@app.command()
def copy(
    name: Name,
    dest: Annotated[Path, typer.Argument(help="A folder, or the file to write.")] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Write over a file.")] = False,
) -> None:
    """Copy a snippet into a folder (here, if none is named) or to a file."""
    snippet = _pick(name)
    try:
        path = snippets.copy(snippet, dest, force=force)
    except (snippets.SnippetError, OSError) as problem:
        _refuse(problem)
    typer.echo(f"{path} (needs: {snippets.NEEDS[snippet.needs]})")


def _read() -> dict[str, snippets.Snippet]:
    try:
        return snippets.read_snippets(find_checkout())
    except (CheckoutNotFound, snippets.SnippetError) as problem:
        _refuse(problem)


def _pick(name: str) -> snippets.Snippet:
    try:
        return snippets.pick(_read(), name)
    except snippets.SnippetError as problem:
        _refuse(problem)


def _refuse(problem: Exception) -> NoReturn:
    typer.echo(problem, err=True)
    raise typer.Exit(1)
