"""Make the environment, lay your copy of the lessons, open JupyterLab at the first of them.

    python3 start.py [--no-browser] [--port N]      (Windows: py start.py)
    python3 start.py test [pytest arguments]
    python start.py --here                          (conda: use the environment you are in)

Everything stays inside this folder: the environment in `.venv`, your copy in `work`. Running it
again is always safe. An environment that is broken or half made is repaired, a lesson that is
new is added to your copy, and what you have written in `work` is never touched.

The file needs nothing but Python's standard library, and keeps to the syntax of Python 3.8, so
that a Python too old for the lessons says so in a sentence instead of failing on a colon.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
MARK = VENV / "made-by-start.py"  # written first: this environment is ours to remove
STAMP = VENV / "installed-by-start.json"  # written last: everything in it is there
WORK = ROOT / "work"

OLDEST, NEWEST = (3, 11), (3, 14)
SPACE_NEEDED = 1_500_000_000  # bytes: the environment and what is unpacked on the way

# Where each folder's notebooks go. All lie one folder deep, as their originals do, so that
# `../servers/eighty_lines.py` is the same file from the original and from the copy.
COPIES = (
    ("notebooks", "{}.ipynb"),
    ("exercises", "{}_exercises.ipynb"),
)

# JupyterLab's own settings. A saved picture stays alive when its notebook is opened again, and
# the first thing a learner sees is the lesson, not a question about news.
SETTINGS: dict[str, dict[str, object]] = {
    "@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True},
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false"},
}

NBVAL = (
    "pytest --nbval --nbval-current-env --nbval-sanitize-with notebooks/sanitize.cfg "
    "--nbval-cell-timeout 60 -n 2 --dist loadfile notebooks"
)

# What `start.py test` runs, each as `python -m …`, in this order.
STEPS = (
    ("lint", "ruff check ."),
    ("format", "ruff format --check ."),
    ("types", "mypy"),
    ("tests", "pytest -n 2 -rs tests"),
    ("lessons", NBVAL),
)

# How an installer says what is wrong, what that means, and what helps. The first match counts.
SYMPTOMS = (
    (
        r"No space left on device|not enough space|Errno 28|os error (28|112)\b",
        "There is no space left on the disk.",
        "Free some space and run this again; it goes on where it stopped.",
    ),
    (
        r"ensurepip is not\s+available|No module named '?(venv|ensurepip)",
        "This Python cannot make virtual environments.",
        "Debian and Ubuntu: sudo apt install python{0}.{1}-venv. Then run this again.",
    ),
    (
        r"CERTIFICATE_VERIFY_FAILED|invalid peer certificate",
        "The network's certificate is not trusted.",
        "Behind a company's proxy, tell pip its certificate: pip config set global.cert FILE",
    ),
    (
        r"Failed to establish a new connection|NameResolutionError|getaddrinfo failed|dns error"
        r"|name resolution|Network is unreachable|ProxyError|ConnectTimeout|[Rr]ead timed out"
        r"|error sending request|tcp connect error|Could not connect|Failed to fetch",
        "The packages could not be fetched: no network, or a proxy that pip does not know.",
        "Connect and run this again. Only the installation needs the network, the lessons do not.",
    ),
    (
        r"Long Path|os error 206",
        "A path is longer than Windows allows.",
        "Move this folder nearer to the root of the drive, for example C:\\mcp-lesson.",
    ),
    (
        r"Permission denied|Access is denied|PermissionError",
        "A file in .venv could not be written.",
        "Close JupyterLab and editors that use it, see that the folder is yours, and run again.",
    ),
)


class Trouble(Exception):
    """Something only the person at the keyboard can mend: what is wrong, and what to do."""

    def __init__(self, what: str, to_do: str) -> None:
        super().__init__(f"{what}\n{to_do}")
        self.what = what


class InstallFailed(Trouble):
    """The installation failed in a way that another attempt, from nothing, may cure."""


# --- before anything is made -------------------------------------------------------------------


def check_python(version: tuple[int, int]) -> None:
    """Raise Trouble where the lessons do not run on this Python."""
    if OLDEST <= version <= NEWEST:
        return
    supported = "{}.{} to {}.{}".format(*OLDEST, *NEWEST)
    what = "This is Python {}.{}; the lessons need {}.".format(*version, supported)
    other = other_python()
    if other:
        raise Trouble(what, f"There is another one here. Run: {other} start.py")
    raise Trouble(what, "Install one of these and run start.py with it.")


def other_python() -> str:
    """Return a command that starts a supported Python on this machine, or nothing."""
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        command = ["py", f"-3.{minor}"] if os.name == "nt" else [f"python3.{minor}"]
        if run([*command, "-c", ""], limit=20)[0] == 0:
            return " ".join(command)
    return ""


def check_writable() -> None:
    """Raise Trouble where nothing can be made in this folder."""
    try:
        with tempfile.TemporaryFile(dir=str(ROOT)):
            pass
    except OSError as error:
        raise Trouble(
            f"Nothing can be written in {ROOT} ({error.strerror}).",
            "Move the folder to a place of your own, such as your home, and run this there.",
        ) from None


def check_space() -> None:
    """Raise Trouble where the environment will not fit."""
    free = shutil.disk_usage(str(ROOT)).free
    if free < SPACE_NEEDED:
        raise Trouble(
            f"The disk has {free // 1_000_000} MB free; the environment needs "
            f"{SPACE_NEEDED // 1_000_000} MB.",
            "Free some space and run this again.",
        )


def check_port(port: int | None) -> None:
    """Raise Trouble where JupyterLab could not listen on the port that was asked for."""
    if port is None:
        return
    with socket.socket() as probe:
        if os.name != "nt":  # there, this option would let two programs share the port
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as error:
            raise Trouble(
                f"Port {port} cannot be used ({error}).",
                "Choose another with --port, or leave --port out and a free one is found.",
            ) from None


# --- running other programs --------------------------------------------------------------------


def venv_python() -> str:
    """Return the path of the environment's own Python."""
    inside = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    return str(VENV.joinpath(*inside))


def clean_environment() -> dict[str, str]:
    """Return the environment variables without those that lead Python or pip elsewhere."""
    astray = {"PYTHONPATH", "PYTHONHOME", "PIP_USER", "PIP_TARGET", "PIP_PREFIX", "VIRTUAL_ENV"}
    kept = {name: value for name, value in os.environ.items() if name not in astray}
    return dict(kept, JUPYTER_PREFER_ENV_PATH="1")


def activated(python: str) -> dict[str, str]:
    """Return the variables for JupyterLab and tests: `python` and `mcp-lesson` are on the PATH."""
    variables = clean_environment()
    variables["PATH"] = os.pathsep.join([str(Path(python).parent), variables.get("PATH", "")])
    return variables


def run(command: list[str], limit: float | None = None) -> tuple[int, str]:
    """Run a command without showing it; return its exit status and all that it printed.

    `limit` is in seconds. What cannot be started, or takes longer, has the exit status -1.
    """
    try:
        done = subprocess.run(
            command,
            cwd=str(ROOT),
            env=clean_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=limit,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return -1, str(error)
    return done.returncode, done.stdout


def run_shown(command: list[str]) -> tuple[int, str]:
    """Run a long command, its newest line in view; return its exit status and its last lines."""
    last: deque[str] = deque(maxlen=200)
    with subprocess.Popen(
        command,
        cwd=str(ROOT),
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    ) as process:
        try:
            for line in process.stdout or ():
                last.append(line)
                show_progress(line)
        except BaseException:
            process.kill()
            raise
    show_progress("")
    return process.returncode, "".join(last)


def show_progress(line: str) -> None:
    """Write one line over the last one, where a person is looking."""
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns - 1
        print("\r" + line.strip()[:width].ljust(width), end="\r", flush=True)


def say(text: str) -> None:
    """Tell the person at the keyboard what happens now."""
    print(text, flush=True)


# --- the environment ---------------------------------------------------------------------------


def fingerprint() -> dict[str, str]:
    """Return what an installation depends on; the stamp of a finished one holds the same."""
    return {
        "pyproject": hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest(),
        "python": "{}.{}".format(*sys.version_info[:2]),
        "checkout": str(ROOT),
    }


def read_stamp() -> dict[str, str]:
    """Return the stamp of the environment, empty if there is none that can be read."""
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def python_of_environment() -> str:
    """Return the version of the environment's Python, empty if it does not run."""
    status, said = run(
        [venv_python(), "-I", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], limit=60
    )
    return said.strip() if status == 0 else ""


def failing_import(python: str) -> str:
    """Return what goes wrong when a Python imports what a lesson needs, or nothing."""
    status, said = run([python, "-I", "-c", "import mcp_lesson, jupyterlab"], limit=120)
    return "" if status == 0 else (said.strip().splitlines() or ["no reason given"])[-1]


def diagnose() -> str:
    """Return "good", "install" (repair it in place) or "make" (begin from nothing).

    Raises Trouble for a `.venv` that this program did not make: that is somebody's own.
    """
    wanted, stamp = fingerprint(), read_stamp()
    if not VENV.exists():
        return "make"
    if not MARK.exists():
        raise Trouble(
            f"{VENV} is there already, and start.py did not make it.",
            "Rename it, or delete it if you do not need it, and run this again.",
        )
    moved = stamp and (stamp.get("checkout"), stamp.get("python")) != (
        wanted["checkout"],
        wanted["python"],
    )
    if moved or python_of_environment() != wanted["python"]:
        return "make"
    return "good" if stamp == wanted and not failing_import(venv_python()) else "install"


def ensure_environment() -> None:
    """Leave a working environment behind, whatever was there before."""
    state = diagnose()
    if state == "good":
        return
    check_space()
    say("Installing into .venv. The first time this takes a minute or two ...")
    *attempts, last = plan(state, ["uv", "pip"] if shutil.which("uv") else ["pip"])
    for tool, how in attempts:
        try:
            build(tool, how)
        except InstallFailed as failure:
            say(f"{failure.what} Trying another way ...")
        else:
            return
    build(*last)


def use_this_environment() -> None:
    """Make ready the environment that runs this, which somebody else keeps: conda, Binder."""
    problem = failing_import(sys.executable)
    if problem:
        raise Trouble(
            f"The lessons are not installed in {sys.prefix} ({problem}).",
            'Install them: python -m pip install -e ".[all]"',
        )
    save_settings(Path(sys.prefix))


def plan(state: str, tools: list[str]) -> list[tuple[str, str]]:
    """Return the ways to a working environment, the gentlest first, as arguments of `build`."""
    afresh = [(tool, "make") for tool in tools]
    return [(tools[0], "install"), *afresh] if state == "install" else afresh


def build(tool: str, how: str) -> None:
    """Install with "uv" or "pip" into a new environment ("make") or into the one that is there."""
    if how == "make":
        remove_environment()
        make_environment(tool)
    install(tool)
    problem = failing_import(venv_python())
    if problem:
        raise InstallFailed(f"The installation does not work: {problem}.", REPORT)
    save_settings(VENV)
    STAMP.write_text(json.dumps(fingerprint(), indent=1), encoding="utf-8")


def remove_environment() -> None:
    """Empty the environment; only ever one that this program has made.

    The mark stays to the last, so that a removal that was interrupted can be gone on with.
    """
    if not MARK.exists():
        return
    if Path(sys.prefix).resolve() == VENV:
        raise Trouble(
            "The environment must be made anew, and this Python runs inside it.",
            "Leave it (deactivate) and run start.py with the Python it was made from.",
        )
    for entry in VENV.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(str(entry))
        elif entry != MARK:
            entry.unlink()


def make_environment(tool: str) -> None:
    """Make an empty environment for the Python that runs this."""
    VENV.mkdir(exist_ok=True)
    MARK.write_text("start.py made this folder and may remove it.\n", encoding="utf-8")
    commands = {
        "uv": ["uv", "venv", "--quiet", "--allow-existing", "--python", sys.executable, str(VENV)],
        "pip": [sys.executable, "-m", "venv", str(VENV)],
    }
    must_succeed(tool, *run(commands[tool]))


def install(tool: str) -> None:
    """Install this package, editable, with everything that the lessons and tests need."""
    options = [
        "--disable-pip-version-check",
        "--no-input",
        "--no-compile",  # uv does not either: only what is used gets compiled, when it is used
        "--progress-bar=off",
        "--retries=2",
    ]
    commands = {
        "uv": ["uv", "pip", "install", "--python", venv_python(), "-e", ".[all]"],
        "pip": [venv_python(), "-m", "pip", "install", *options, "-e", ".[all]"],
    }
    must_succeed(tool, *run_shown(commands[tool]))


REPORT = "Run this again; if it stays so, please report these lines."


def must_succeed(tool: str, status: int, said: str) -> None:
    """Raise Trouble that explains a failed command, if it failed.

    A failure of uv is never the last word: pip may know a mirror or a proxy that uv does not.
    """
    if status == 0:
        return
    kind = InstallFailed if tool == "uv" else Trouble
    for pattern, what, to_do in SYMPTOMS:
        if re.search(pattern, said):
            raise kind(what, to_do.format(*sys.version_info[:2]))
    lines = "\n".join("  " + line for line in said.strip().splitlines()[-8:])
    raise InstallFailed(f"{tool} could not install the lessons. It said:\n{lines}", REPORT)


def save_settings(prefix: Path) -> None:
    """Write our JupyterLab settings into an environment, beside any that are there already."""
    path = prefix / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        settings = {}
    for plugin, ours in SETTINGS.items():
        settings[plugin] = dict(settings.get(plugin, {}), **ours)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(settings, indent=2), encoding="utf-8")


# --- the learner's copy ------------------------------------------------------------------------


def lay_copy() -> list[str]:
    """Add to `work` each lesson and exercise that is not there yet; return the names added."""
    WORK.mkdir(exist_ok=True)
    added = []
    for folder, pattern in COPIES:
        for source in sorted((ROOT / folder).glob("*.ipynb")):
            target = WORK / pattern.format(source.stem)
            if not target.exists():
                write_whole(target, without_outputs(source.read_text(encoding="utf-8")))
                added.append(target.name)
    return added


def without_outputs(text: str) -> str:
    """Return a notebook's text without outputs and teacher's notes: no answers in sight."""
    notebook = json.loads(text)
    for telling in ("widgets", "mcp_lesson"):
        notebook["metadata"].pop(telling, None)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
            cell["metadata"].pop("execution", None)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all, whenever this is interrupted."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(str(part), str(path))


# --- what you came for -------------------------------------------------------------------------


def open_lab(command: list[str]) -> int:
    """Run JupyterLab until it is closed or Ctrl-C is pressed; return the exit status."""
    process = subprocess.Popen(command, cwd=str(ROOT), env=activated(command[0]))
    try:
        return process.wait()
    except KeyboardInterrupt:
        end(process)
        return 0


def lab_command(python: str, browser: bool, port: int | None) -> list[str]:
    """Return the command that opens JupyterLab at the first lesson of the learner's copy."""
    command = [python, "-m", "jupyterlab", f"--ServerApp.root_dir={ROOT}"]
    command += ["--ServerApp.answer_yes=True"]  # Ctrl-C is meant: do not ask again
    lessons = sorted(path.name for path in WORK.glob("*.ipynb"))
    if lessons:
        command.append(f"--LabApp.default_url=/lab/tree/work/{lessons[0]}")
    if port is not None:
        command += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    if not browser:
        command.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    return command


def end(process: subprocess.Popen[bytes]) -> None:
    """End JupyterLab, gently first, so that it can end its kernels."""
    if os.name != "nt":  # there, Ctrl-C has reached it already, and terminate would be a kill
        process.terminate()
    try:
        process.wait(15)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        process.kill()
        process.wait()


def run_tests(python: str, arguments: list[str]) -> int:
    """Run every step, or pytest alone with the given arguments; return 1 if one failed."""
    steps = [("tests", ["pytest", *arguments])] if arguments else chosen_steps()
    results = []
    for name, command in steps:
        say(f"\n== {name}: {' '.join(command)}")
        began = time.monotonic()
        module = [python, "-m", *command]
        status = subprocess.call(module, cwd=str(ROOT), env=activated(python))
        verdict = "ok" if status == 0 else f"failed, exit status {status}"
        results.append((status, f"{name:8} {time.monotonic() - began:6.0f} s  {verdict}"))
    say("\n" + "\n".join(line for _, line in results))
    return int(any(status for status, _ in results))


def chosen_steps() -> list[tuple[str, list[str]]]:
    """Return the steps to run; without notebooks there is nothing for nbval to compare."""
    lessons = any((ROOT / "notebooks").glob("*.ipynb"))
    return [(name, line.split()) for name, line in STEPS if lessons or line is not NBVAL]


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line; all that follows the word `test` is pytest's."""
    parser = argparse.ArgumentParser(
        prog="start.py",
        description=(__doc__ or "").rpartition("\n\n")[0],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "command",
        nargs="?",
        choices=["test"],
        help="run lint, types, tests and lessons; with arguments, pytest alone with these",
    )
    parser.add_argument(
        "--here", action="store_true", help="make no .venv: use the Python that runs this"
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser window")
    parser.add_argument("--port", type=int, metavar="N", help="use this port and no other")
    end_of_ours = arguments.index("test") + 1 if "test" in arguments else len(arguments)
    ours, theirs = arguments[:end_of_ours], arguments[end_of_ours:]
    if {"-h", "--help"} & set(theirs):
        parser.parse_args(["--help"])
    return parser.parse_args(ours, argparse.Namespace(rest=theirs))


def work(chosen: argparse.Namespace) -> int:
    """Do all of it, in order; raises Trouble or OSError at the first thing that cannot be done."""
    check_python(sys.version_info[:2])
    check_port(chosen.port)
    check_writable()
    python = sys.executable if chosen.here else venv_python()
    if chosen.here:
        use_this_environment()
    else:
        ensure_environment()
    added = lay_copy()
    if added:
        say(f"Laid in {WORK.name}: {', '.join(added)}")
    if chosen.command == "test":
        return run_tests(python, chosen.rest)
    say("Opening JupyterLab. Ctrl-C here ends it.")
    return open_lab(lab_command(python, not chosen.no_browser, chosen.port))


def main(arguments: list[str]) -> int:
    """Run the command line and return the exit status: 1 with a plain sentence for any trouble."""
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    sys.stderr.reconfigure(errors="replace")  # type: ignore[union-attr]
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return work(parse(arguments))
    except Trouble as trouble:
        print(f"start.py: {trouble}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"start.py: {error}\n{REPORT}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
