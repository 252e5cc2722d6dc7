"""start.py decides well: what to trust, what to repair, what to say, and what never to touch.

Each test loads a copy of start.py from an empty folder, so that folder is its checkout. Other
programs are played by `Machine`; nothing is installed, and no network is used.
"""

import ast
import importlib.util
import json
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SOURCE = Path(__file__).parents[2] / "start.py"
THIS_PYTHON = "{}.{}".format(*sys.version_info[:2])


class Machine:
    """Plays the programs that start.py runs: venv, uv, pip, and the environment's Python."""

    def __init__(self, start: ModuleType) -> None:
        self.start = start
        self.ran: list[str] = []
        self.says: dict[str, tuple[int, str]] = {"probe": (0, THIS_PYTHON)}
        self.cured_by: dict[str, str] = {}

    def run(self, command: list[str], limit: float | None = None) -> tuple[int, str]:
        kind = self.kind(command)
        self.ran.append(kind)
        for sick, cure in list(self.cured_by.items()):
            if kind == cure:
                del self.says[sick], self.cured_by[sick]
        return self.says.get(kind, (0, ""))

    def kind(self, command: list[str]) -> str:
        line = " ".join(command)
        rows = {
            "uv venv": "uv venv",
            "uv pip install": "uv install",
            "-m venv": "venv",
            "-m pip install": "pip install",
            "sys.version_info": "probe",
            "import mcp_lesson": "import",
        }
        return next(kind for words, kind in rows.items() if words in line)

    @property
    def built(self) -> list[str]:
        return [kind for kind in self.ran if kind not in ("probe", "import")]


@pytest.fixture
def start(tmp_path: Path) -> ModuleType:
    root = tmp_path / "checkout"
    root.mkdir()
    shutil.copy(SOURCE, root)
    (root / "pyproject.toml").write_text("[project]\n")
    spec = importlib.util.spec_from_file_location("start_under_test", root / "start.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def machine(start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Machine:
    fake = Machine(start)
    monkeypatch.setattr(start, "run", fake.run)
    monkeypatch.setattr(start, "run_shown", fake.run)
    monkeypatch.setattr(start, "check_space", lambda: None)
    on_path(monkeypatch, start, None)
    return fake


def on_path(monkeypatch: pytest.MonkeyPatch, start: ModuleType, uv: str | None) -> None:
    monkeypatch.setattr(start.shutil, "which", lambda name: uv if name == "uv" else None)


def installed(start: ModuleType, **other: str) -> None:
    """Lay an environment that start.py finished earlier, with a stamp that may differ."""
    start.VENV.mkdir()
    start.MARK.write_text("")
    (start.VENV / "package.py").write_text("")
    start.STAMP.write_text(json.dumps(dict(start.fingerprint(), **other)))


# --- what is trusted, what is repaired, what is made anew ---------------------------------------


def test_a_good_environment_is_left_alone(start: ModuleType, machine: Machine) -> None:
    installed(start)
    start.ensure_environment()
    assert machine.built == []


def test_the_first_time_everything_is_made_and_stamped(start: ModuleType, machine: Machine) -> None:
    start.ensure_environment()
    assert machine.built == ["venv", "pip install"]
    assert start.MARK.exists()
    assert start.read_stamp() == start.fingerprint()
    assert start.diagnose() == "good"


@pytest.mark.parametrize(
    ("stamp", "expected"),
    [
        ({"pyproject": "an older one"}, "install"),
        ({"python": "3.9"}, "make"),
        ({"checkout": "/moved/from/here"}, "make"),
    ],
)
def test_a_stamp_that_differs(
    start: ModuleType, machine: Machine, stamp: dict[str, str], expected: str
) -> None:
    installed(start, **stamp)
    assert start.diagnose() == expected
    start.ensure_environment()
    assert (start.VENV / "package.py").exists() == (expected == "install")
    assert start.diagnose() == "good"


@pytest.mark.parametrize("text", [None, "", "{", "[]", "{}"])
def test_without_a_readable_stamp_the_installation_is_finished(
    start: ModuleType, machine: Machine, text: str | None
) -> None:
    installed(start)
    start.STAMP.unlink()
    if text is not None:
        start.STAMP.write_text(text)
    start.ensure_environment()
    assert machine.built == ["pip install"]
    assert start.diagnose() == "good"


def test_a_python_that_does_not_run_is_replaced(start: ModuleType, machine: Machine) -> None:
    installed(start)
    machine.says["probe"] = (-1, "No such file or directory")
    assert start.diagnose() == "make"


def test_an_import_that_fails_is_installed_again(start: ModuleType, machine: Machine) -> None:
    installed(start)
    machine.says["import"] = (1, "ModuleNotFoundError: No module named 'zmq'")
    machine.cured_by["import"] = "pip install"
    start.ensure_environment()
    assert machine.built == ["pip install"]
    assert start.diagnose() == "good"


def test_what_installing_does_not_cure_is_made_anew(start: ModuleType, machine: Machine) -> None:
    installed(start)
    machine.says["import"] = (1, "ImportError: bad magic number")
    machine.cured_by["import"] = "venv"
    start.ensure_environment()
    assert machine.built == ["pip install", "venv", "pip install"]
    assert not (start.VENV / "package.py").exists()


def test_what_nothing_cures_is_told_and_not_stamped(start: ModuleType, machine: Machine) -> None:
    machine.says["import"] = (1, "Traceback ...\nImportError: DLL load failed")
    with pytest.raises(start.Trouble, match="ImportError: DLL load failed"):
        start.ensure_environment()
    assert start.read_stamp() == {}


def test_somebody_elses_environment_is_never_touched(start: ModuleType, machine: Machine) -> None:
    start.VENV.mkdir()
    (start.VENV / "precious").write_text("")
    with pytest.raises(start.Trouble, match=r"start.py did not make it.*\n.*Rename it"):
        start.ensure_environment()
    start.remove_environment()
    assert (start.VENV / "precious").exists()
    assert machine.ran == []


def test_a_removal_that_is_interrupted_can_be_gone_on_with(
    start: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(start)
    (start.VENV / "lib").mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(start.shutil, "rmtree", lambda path: (_ for _ in ()).throw(OSError("in use")))
        with pytest.raises(OSError, match="in use"):
            start.remove_environment()
    assert start.MARK.exists()
    start.remove_environment()
    assert list(start.VENV.iterdir()) == [start.MARK]


def test_the_environment_is_not_removed_from_inside(
    start: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(start)
    monkeypatch.setattr(start.sys, "prefix", str(start.VENV))
    with pytest.raises(start.Trouble, match="runs inside it"):
        start.remove_environment()
    assert (start.VENV / "package.py").exists()


# --- uv or pip ----------------------------------------------------------------------------------


def test_uv_is_used_where_it_is(
    start: ModuleType, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_path(monkeypatch, start, "/usr/bin/uv")
    start.ensure_environment()
    assert machine.built == ["uv venv", "uv install"]


def test_pip_may_succeed_where_uv_fails(
    start: ModuleType,
    machine: Machine,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    on_path(monkeypatch, start, "/usr/bin/uv")
    machine.says["uv install"] = (2, "error: error sending request for url")
    start.ensure_environment()
    assert machine.built == ["uv venv", "uv install", "venv", "pip install"]
    assert "no network, or a proxy" in capsys.readouterr().out
    assert start.diagnose() == "good"


# --- every failure has its line -----------------------------------------------------------------

NO_ENSUREPIP = """The virtual environment was not created successfully because ensurepip is not
available.  On Debian/Ubuntu systems, you need to install the python3-venv"""
NO_NETWORK = """WARNING: Retrying (Retry(total=1)) after connection broken by
'NewConnectionError('Failed to establish a new connection: [Errno -3] Temporary failure')'
ERROR: Could not find a version that satisfies the requirement hatchling>=1.27
ERROR: No matching distribution found for hatchling>=1.27"""


@pytest.mark.parametrize(
    ("kind", "said", "what", "to_do"),
    [
        ("venv", NO_ENSUREPIP, "cannot make virtual environments", f"python{THIS_PYTHON}-venv"),
        ("venv", "/usr/bin/python3: No module named venv", "cannot make virtual", "apt install"),
        ("pip install", NO_NETWORK, "no network", "run this again"),
        ("pip install", "OSError: [Errno 28] No space left on device", "no space", "Free some"),
        ("pip install", "SSLError: CERTIFICATE_VERIFY_FAILED", "not trusted", "pip config"),
        (
            "pip install",
            "PermissionError: [WinError 5] Access is denied",
            "not be written",
            "Close",
        ),
        ("pip install", "HINT: enable Windows Long Path support", "path is longer", "Move"),
    ],
)
def test_an_installers_failure_is_explained(
    start: ModuleType, machine: Machine, kind: str, said: str, what: str, to_do: str
) -> None:
    machine.says[kind] = (1, said)
    with pytest.raises(start.Trouble) as trouble:
        start.ensure_environment()
    first, second = str(trouble.value).splitlines()
    assert what in first
    assert to_do in second
    assert start.read_stamp() == {}


def test_without_network_an_environment_that_could_be_repaired_is_kept(
    start: ModuleType, machine: Machine
) -> None:
    installed(start, pyproject="an older one")
    machine.says["pip install"] = (1, NO_NETWORK)
    with pytest.raises(start.Trouble):
        start.ensure_environment()
    assert (start.VENV / "package.py").exists()


def test_an_unknown_failure_shows_what_was_said(start: ModuleType, machine: Machine) -> None:
    machine.says["pip install"] = (1, "\n".join(f"line {number}" for number in range(50)))
    with pytest.raises(
        start.Trouble, match=r"(?s)It said:\n  line 42\n.*  line 49\nRun this again"
    ):
        start.ensure_environment()


@pytest.mark.parametrize("version", [(3, 8), (3, 10), (3, 15), (4, 0)])
def test_a_python_that_will_not_do(
    start: ModuleType, machine: Machine, version: tuple[int, int]
) -> None:
    machine.kind = lambda command: "another python"  # type: ignore[method-assign]
    machine.says["another python"] = (-1, "not found")
    words = "This is Python {}.{}; the lessons need 3.11 to 3.14.".format(*version)
    with pytest.raises(start.Trouble, match=f"{words}\nInstall one of these"):
        start.check_python(version)
    machine.says["another python"] = (0, "")
    with pytest.raises(start.Trouble, match=r"Run: (python3\.14|py -3\.14) start.py"):
        start.check_python(version)


@pytest.mark.parametrize("version", [(3, 11), (3, 12), (3, 13), (3, 14)])
def test_a_python_that_will_do(start: ModuleType, version: tuple[int, int]) -> None:
    start.check_python(version)


def test_a_port_that_is_taken(start: ModuleType) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(start.Trouble, match=f"Port {port} cannot be used"):
            start.check_port(port)
    start.check_port(None)


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_that_is_none(start: ModuleType, port: int) -> None:
    with pytest.raises(start.Trouble, match=f"Port {port} cannot be used"):
        start.check_port(port)


def refuse(*_: object, **__: object) -> Any:
    raise PermissionError(13, "Permission denied")


def test_a_folder_that_cannot_be_written(
    start: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    start.check_writable()
    monkeypatch.setattr(start.tempfile, "TemporaryFile", refuse)
    with pytest.raises(start.Trouble, match=r"Nothing can be written in .*checkout"):
        start.check_writable()


def test_a_disk_that_is_full(start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = type("Usage", (), {"free": 12_000_000})
    monkeypatch.setattr(start.shutil, "disk_usage", lambda path: usage)
    with pytest.raises(start.Trouble, match="The disk has 12 MB free"):
        start.check_space()


@pytest.mark.parametrize("failure", ["trouble", "os error"])
def test_main_says_it_plainly_and_exits_with_1(
    start: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    failure: str,
) -> None:
    def fail() -> None:
        raise start.Trouble("It broke.", "Mend it.") if failure == "trouble" else OSError("Broken")

    monkeypatch.setattr(start, "check_writable", fail)
    monkeypatch.setattr(start.signal, "signal", lambda *_: None)
    assert start.main([]) == 1
    said = capsys.readouterr().err
    assert said.startswith("start.py: ")
    assert "Traceback" not in said


def test_an_interrupted_installation_is_quiet_and_not_stamped(
    start: ModuleType, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(command: list[str]) -> tuple[int, str]:
        raise KeyboardInterrupt

    monkeypatch.setattr(start, "run_shown", interrupt)
    monkeypatch.setattr(start.signal, "signal", lambda *_: None)
    assert start.main([]) == 130
    assert start.read_stamp() == {}
    assert start.diagnose() == "install"


def test_here_wants_the_lessons_installed(start: ModuleType, machine: Machine) -> None:
    machine.says["import"] = (1, "ModuleNotFoundError: No module named 'jupyterlab'")
    with pytest.raises(start.Trouble, match=r"No module named 'jupyterlab'.*\n.*pip install -e"):
        start.use_this_environment()
    assert not start.VENV.exists()


# --- running other programs ---------------------------------------------------------------------


def test_run_returns_what_a_program_says(start: ModuleType) -> None:
    assert start.run([sys.executable, "-c", "print('so'); raise SystemExit(3)"]) == (3, "so\n")
    assert start.run(["no-such-program-anywhere"])[0] == -1
    assert start.run([sys.executable, "-c", "input() or 1"])[0] == 1, "stdin must be empty"
    endless = [sys.executable, "-c", "import time; time.sleep(60)"]
    assert start.run(endless, limit=0.2)[0] == -1


def test_run_shown_keeps_the_last_lines(start: ModuleType) -> None:
    status, said = start.run_shown([sys.executable, "-c", "for n in range(999): print(n)"])
    assert status == 0
    assert said.splitlines()[-1] == "998"
    assert len(said.splitlines()) == 200


def test_variables_that_lead_python_astray_are_dropped(
    start: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setenv("PIP_USER", "1")
    monkeypatch.setenv("KEPT", "yes")
    environment = start.clean_environment()
    assert not {"PYTHONPATH", "PIP_USER"} & set(environment)
    assert environment["KEPT"] == "yes"
    assert start.activated("/env/bin/python")["PATH"].startswith(str(Path("/env/bin")))


# --- the learner's copy -------------------------------------------------------------------------


def notebook(text: str) -> dict[str, Any]:
    output = {"output_type": "stream", "name": "stdout", "text": ["the answer\n"]}
    return {
        "cells": [
            {"cell_type": "markdown", "id": "intro", "metadata": {}, "source": text},
            {
                "cell_type": "code",
                "id": "ask",
                "metadata": {"tags": ["snippet"], "execution": {"iopub.status": "when"}},
                "execution_count": 7,
                "source": "print('the answer')",
                "outputs": [output],
            },
        ],
        "metadata": {"kernelspec": {"name": "python3"}, "widgets": {}, "mcp_lesson": {}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def lay(start: ModuleType, folder: str, name: str, text: str = "你好") -> None:
    path = start.ROOT / folder / f"{name}.ipynb"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(notebook(text)), encoding="utf-8")


def test_the_copy_has_no_outputs_and_all_else(start: ModuleType) -> None:
    lay(start, "notebooks", "01_eighty_lines")
    assert start.lay_copy() == ["01_eighty_lines.ipynb"]
    text = (start.WORK / "01_eighty_lines.ipynb").read_text(encoding="utf-8")
    assert "你好" in text
    copy, original = json.loads(text), notebook("你好")
    assert copy["metadata"] == {"kernelspec": {"name": "python3"}}
    assert copy["cells"][0] == original["cells"][0]
    code = copy["cells"][1]
    assert (code["outputs"], code["execution_count"]) == ([], None)
    assert code["metadata"] == {"tags": ["snippet"]}
    assert code["source"] == original["cells"][1]["source"]


def test_what_is_there_is_never_overwritten_and_what_is_new_is_added(start: ModuleType) -> None:
    lay(start, "notebooks", "01_eighty_lines")
    start.lay_copy()
    mine = start.WORK / "01_eighty_lines.ipynb"
    mine.write_text("mine")
    lay(start, "notebooks", "01_eighty_lines", "a newer edition")
    lay(start, "notebooks", "02_json_rpc")
    assert start.lay_copy() == ["02_json_rpc.ipynb"]
    assert mine.read_text() == "mine"
    mine.unlink()
    assert start.lay_copy() == ["01_eighty_lines.ipynb"]


def test_a_lesson_and_its_exercises_lie_side_by_side(start: ModuleType) -> None:
    lay(start, "notebooks", "01_eighty_lines")
    lay(start, "exercises", "01_eighty_lines")
    start.lay_copy()
    names = sorted(path.name for path in start.WORK.iterdir())
    assert names == ["01_eighty_lines.ipynb", "01_eighty_lines_exercises.ipynb"]


def test_a_copy_is_there_whole_or_not_at_all(
    start: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(start, "notebooks", "01_eighty_lines")
    with monkeypatch.context() as patch:
        patch.setattr(start.os, "replace", refuse)
        with pytest.raises(PermissionError):
            start.lay_copy()
    assert not list(start.WORK.glob("*.ipynb"))
    assert start.lay_copy() == ["01_eighty_lines.ipynb"]


# --- JupyterLab and the tests -------------------------------------------------------------------


@pytest.mark.parametrize("before", [None, "not json", '{"other": {"a": 1}}'])
def test_settings_are_merged(start: ModuleType, tmp_path: Path, before: str | None) -> None:
    path = tmp_path / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    if before is not None:
        path.parent.mkdir(parents=True)
        path.write_text(before)
    start.save_settings(tmp_path)
    settings = json.loads(path.read_text())
    assert settings["@jupyter-widgets/jupyterlab-manager:plugin"] == {"saveState": True}
    assert ("other" in settings) == (before == '{"other": {"a": 1}}')
    start.save_settings(tmp_path)
    assert json.loads(path.read_text()) == settings


def test_jupyterlab_opens_at_the_first_lesson_of_the_copy(start: ModuleType) -> None:
    assert "default_url" not in " ".join(start.lab_command("python", True, None))
    lay(start, "notebooks", "01_eighty_lines")
    lay(start, "notebooks", "00_welcome")
    start.lay_copy()
    command = start.lab_command("python", False, 8899)
    assert command[:3] == ["python", "-m", "jupyterlab"]
    assert "--LabApp.default_url=/lab/tree/work/00_welcome.ipynb" in command
    assert {"--no-browser", "--ServerApp.port=8899", "--ServerApp.port_retries=0"} <= set(command)
    assert not {"--no-browser"} & set(start.lab_command("python", True, None))


def test_ctrl_c_ends_jupyterlab_too(start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    children: list[subprocess.Popen[bytes]] = []

    class Interrupted(subprocess.Popen[bytes]):
        """A child whose first wait is cut short by Ctrl-C."""

        def wait(self, timeout: float | None = None) -> int:
            if self not in children:
                children.append(self)
                raise KeyboardInterrupt
            return super().wait(timeout)

    monkeypatch.setattr(start.subprocess, "Popen", Interrupted)
    monkeypatch.setattr(start.os, "name", "posix")
    assert start.open_lab([sys.executable, "-c", "import time; time.sleep(60)"]) == 0
    assert children[0].returncode is not None


def calls(start: ModuleType, monkeypatch: pytest.MonkeyPatch, failing: str = "") -> list[str]:
    """Record what the tests' steps would run; the step with `failing` in its line fails."""
    lines: list[str] = []

    def call(command: list[str], **_: object) -> int:
        lines.append(" ".join(command))
        return 2 if failing and failing in lines[-1] else 0

    monkeypatch.setattr(start.subprocess, "call", call)
    return lines


def test_every_step_runs_and_one_failure_fails_all(
    start: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lay(start, "notebooks", "00_welcome")
    lines = calls(start, monkeypatch, failing="mypy")
    assert start.run_tests("py", []) == 1
    assert lines == [f"py -m {line}" for _, line in start.STEPS]
    report = capsys.readouterr().out.splitlines()[-len(start.STEPS) :]
    assert [line.split()[0] for line in report] == [name for name, _ in start.STEPS]
    assert [line for line in report if not line.endswith("ok")] == [report[2]]
    assert report[2].endswith("failed, exit status 2")


def test_all_steps_passing_is_0(start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = calls(start, monkeypatch)
    assert start.run_tests("py", []) == 0
    assert not any("nbval" in line for line in lines), "there is no notebook to compare"
    assert len(lines) == len(start.STEPS) - 1


def test_arguments_are_for_pytest_alone(start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = calls(start, monkeypatch)
    chosen = start.parse(["test", "tests/unit", "-k", "wire", "--port"])
    assert (chosen.command, chosen.here) == ("test", False)
    assert start.parse(["--here", "test", "--here"]).here
    assert start.parse(["--here", "test", "--here"]).rest == ["--here"]
    assert start.parse(["--no-browser"]).rest == []
    assert start.run_tests("py", chosen.rest) == 0
    assert lines == ["py -m pytest tests/unit -k wire --port"]


@pytest.mark.parametrize("arguments", [["--help"], ["test", "--help"], ["test", "-h"]])
def test_help(start: ModuleType, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        start.parse(arguments)
    assert "open JupyterLab at the first of them" in capsys.readouterr().out


# --- the file itself ----------------------------------------------------------------------------


def test_an_old_python_can_read_it_and_nothing_need_be_installed() -> None:
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"), feature_version=(3, 8))
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").partition(".")[0])
    assert imported <= sys.stdlib_module_names


def test_it_names_no_address_but_this_machine() -> None:
    assert "://" not in SOURCE.read_text(encoding="utf-8")
