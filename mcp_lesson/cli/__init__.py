"""The door: `mcp-lesson COMMAND …`, also `python -m mcp_lesson.cli COMMAND …`.

Each command is one file in this folder, and that file's `app` is a typer application of its own.
The table below names them with one line of help each, so that `mcp-lesson --help` imports none
of them: a file is imported when its command is called, and gets the rest of the command line.
What a command does lives in the package; a file here only reads arguments and prints. Nothing in
the package imports the door.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

import typer

COMMANDS = {
    "doctor": "Say what is installed here, what is missing, and what that costs you.",
    "snippet": "List, show and copy the small programs of the lessons.",
    "lint": "Say what is wrong in recorded conversations, where, and by which rule.",
    "notebooks": "Run the lessons, and print their teacher's notes.",
}

app = typer.Typer(
    help="Learn the Model Context Protocol from the wire up.",
    no_args_is_help=True,
    add_completion=False,
)


@app.callback()
def _lesson() -> None:
    """Keep the program a group of commands, however few of them are there."""


def _forward(name: str) -> Callable[[typer.Context], None]:
    """Make the command that hands all of its arguments, `--help` too, to the file of that name."""

    def call(context: typer.Context) -> None:
        module = import_module(f"{__name__}.{name}")
        module.app(args=context.args, prog_name=f"mcp-lesson {name}")

    return call


def _register(commands: dict[str, str]) -> None:
    """Add a command for each row whose file is there; a row without its file is left out."""
    everything_goes = {
        "ignore_unknown_options": True,
        "allow_extra_args": True,
        "help_option_names": [],
    }
    for name, line in commands.items():
        if find_spec(f"{__name__}.{name}") is not None:
            app.command(name, help=line, context_settings=everything_goes)(_forward(name))


_register(COMMANDS)
