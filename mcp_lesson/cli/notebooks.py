"""`mcp-lesson notebooks`: run the lessons, check that nothing is stale, print teacher's notes."""

from pathlib import Path
from typing import Annotated, NoReturn

import typer

from mcp_lesson.school import kernels, notebooks, notes
from mcp_lesson.school.checkout import CheckoutNotFound, find_checkout

app = typer.Typer(help="Run the lessons, and print their teacher's notes.", no_args_is_help=True)

Paths = Annotated[
    list[Path] | None,
    typer.Argument(help="Notebooks, or folders of them; all lessons if none is named."),
]


@app.command()
def run(
    paths: Paths = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; say what is stale, and end with 1.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Take new pictures and times, though all else is equal.")
    ] = False,
) -> None:
    """Run each notebook from its first cell to its last, and write it in its normal form.

    An unchanged notebook keeps its bytes. One that stops in an error is not written.
    """
    failed = [path for path in _find(paths) if not _run(path, check=check, fresh=fresh)]
    raise typer.Exit(1 if failed else 0)


@app.command(name="notes")
def print_notes(paths: Paths = None) -> None:
    """Print the teacher's notes as Markdown: minutes, wrong answers, questions, paths."""
    for path in _find(paths):
        try:
            typer.echo(notes.as_markdown(notebooks.read(path)))
        except notebooks.NotebookError as problem:
            _refuse(f"{path}: {problem}")


def _find(paths: list[Path] | None) -> list[Path]:
    try:
        return notebooks.find(paths or [find_checkout() / "notebooks"])
    except (notebooks.NotebookError, CheckoutNotFound) as problem:
        _refuse(str(problem))


def _refuse(reason: str) -> NoReturn:
    typer.echo(reason, err=True)
    raise typer.Exit(2)


def _run(path: Path, *, check: bool, fresh: bool) -> bool:
    """Run one notebook and say what came of it; False if it failed, or is stale under --check."""
    try:
        text, changed = notebooks.rerun(path, fresh=fresh)
    except (notebooks.NotebookError, kernels.RunError) as problem:
        typer.echo(f"{path}: not run: {problem}\n{getattr(problem, 'details', '')}", err=True)
        return False
    typer.echo(f"{path}: {'unchanged' if not changed else 'stale' if check else 'written'}")
    if check:
        for line in changed:
            typer.echo(f"  {line}")
    elif changed:
        notebooks.write(text, path)
    return not (changed and check)
