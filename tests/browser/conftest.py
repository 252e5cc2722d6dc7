"""A JupyterLab of our own, and a Chromium to look at it with.

The server listens on the loopback interface alone, works in a temporary folder, writes nothing to
anybody's settings, and is ended by its process id. Without Chromium the tests here are skipped with
a reason; where CI=true they fail instead.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
START_SECONDS = 60
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

SETTINGS = {
    "@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True},
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false", "checkForUpdates": False,
    },
}  # fmt: skip
"""Widgets are kept in saved notebooks; nothing is asked of the network, or of the learner."""

NOT_OURS = (
    "Failed to load resource",  # JupyterLab asks for settings and workspaces that are not there
    "Loading failed for the module with source",
    "Could not find a Kernel with id",
    "Canceled future for",
    "WebSocket connection to",  # a kernel that a test has shut down
    "Connection lost, reconnecting",
    "(reading 'schema')",  # Notebook 7, of a setting that only JupyterLab has
    "filebrowser:open-path",  # Notebook 7, of the workspace that JupyterLab left
)
"""What JupyterLab itself writes to the console as errors."""


@dataclass
class Lab:
    """A running JupyterLab: where it is, and the folder it shows."""

    url: str
    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def notebook(self, name: str, *cells: str) -> str:
        """Write a notebook of code cells; returns the address that opens it alone."""
        made = [
            {"cell_type": "code", "id": f"cell-{number}", "metadata": {}, "source": source,
             "execution_count": None, "outputs": []}
            for number, source in enumerate(cells)
        ]  # fmt: skip
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        body = {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4,
                "nbformat_minor": 5}  # fmt: skip
        (self.folder / name).write_text(json.dumps(body), encoding="utf-8")
        return f"{self.url}/lab/tree/{name}?reset"

    def kernels(self) -> list[Any]:
        """The kernels that run now."""
        with urllib.request.urlopen(f"{self.url}/api/kernels", timeout=10) as answer:
            return json.load(answer)  # type: ignore[no-any-return]

    def end_kernels(self) -> None:
        """Shut every kernel of this server down."""
        for kernel in self.kernels():
            address = f"{self.url}/api/kernels/{kernel['id']}"
            urllib.request.urlopen(urllib.request.Request(address, method="DELETE"), timeout=10)


def chromium() -> str:
    """The path of Chromium; skips without one, and fails where CI=true."""
    found = next((path for path in ("/usr/bin/chromium", shutil.which("chromium")) if path), "")
    if found and Path(found).exists():
        return found
    if os.environ.get("CI") == "true":
        pytest.fail("Chromium is missing: apt-get install chromium")
    pytest.skip("Chromium is missing: the pictures are not looked at")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """JupyterLab, started once for all tests that look at it."""
    chromium()
    home, folder = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("lab")
    port = _free_port()
    settings = home / "settings"
    settings.mkdir()
    (settings / "overrides.json").write_text(json.dumps(SETTINGS))
    environment = _environment(home)
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root",
        f"--ServerApp.port={port}", "--ServerApp.ip=127.0.0.1", "--ServerApp.port_retries=0",
        "--IdentityProvider.token=", f"--ServerApp.root_dir={folder}",
        "--ServerApp.disable_check_xsrf=True", f"--LabApp.app_settings_dir={settings}",
    ]  # fmt: skip
    log = (home / "log.txt").open("wb")
    server = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
    )
    running = Lab(f"http://127.0.0.1:{port}", folder)
    try:
        _wait_for(running, server, home / "log.txt")
        yield running
        running.end_kernels()
    finally:
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait(10)
        log.close()


def _environment(home: Path) -> dict[str, str]:
    """Settings, data and history of Jupyter in a folder of their own; a kernel that is watched."""
    dropped = ("MCP_LESSON_STATIC", "PYTEST_CURRENT_TEST", "JUPYTER_PATH")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    folders = {"JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data",
               "JUPYTER_RUNTIME_DIR": "runtime", "IPYTHONDIR": "ipython",
               "JUPYTERLAB_SETTINGS_DIR": "user",
               "JUPYTERLAB_WORKSPACES_DIR": "spaces"}  # fmt: skip
    paths = {name: str(home / folder) for name, folder in folders.items()}
    return kept | paths | {"PYTHONPATH": str(ROOT)}


def _wait_for(lab: Lab, server: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and server.poll() is None:
        try:
            lab.kernels()
        except OSError:
            time.sleep(0.2)
        else:
            return
    pytest.fail(f"JupyterLab did not start in {START_SECONDS} s: {log.read_text()[-800:]}")


@pytest.fixture
async def page() -> AsyncIterator[Any]:
    """A page of Chromium; the test fails when the page wrote an error that is ours."""
    from playwright.async_api import async_playwright

    path = chromium()
    async with async_playwright() as engine:
        browser = await engine.chromium.launch(executable_path=path, args=FLAGS)
        context = await browser.new_context(viewport={"width": 1400, "height": 1000})
        opened = await context.new_page()
        opened.set_default_timeout(30_000)
        errors: list[str] = []
        opened.on("pageerror", lambda error: errors.append(f"uncaught: {error}"))
        opened.on("console", lambda said: said.type == "error" and errors.append(said.text))
        yield opened
        await browser.close()
    ours = [error for error in errors if not any(known in error for known in NOT_OURS)]
    assert ours == []
