"""The door: the command line as a person calls it, and what each command prints."""

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mcp_lesson import cli
from mcp_lesson.cli import doctor, snippet
from mcp_lesson.school import checkup, snippets
from mcp_lesson.school.checkout import CheckoutNotFound, find_checkout
from mcp_lesson.school.checkup import Finding

ROOT = Path(__file__).parents[2]
GREETER = '# snippet: greeter; stdlib\n"""Greet: 你好.\n\nMore of it."""\nprint("hello")\n'


def call(*arguments: str) -> tuple[int, str]:
    """Call `mcp-lesson` in this process; return its exit status and all that it printed."""
    result = CliRunner().invoke(cli.app, list(arguments))
    return result.exit_code, result.output


# --- the door itself ----------------------------------------------------------------------------


def test_help_names_each_command_and_imports_none() -> None:
    code = (
        "import sys; from mcp_lesson.cli import app\n"
        "try: app(['--help'])\n"
        "except SystemExit: print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, timeout=60, check=True, cwd=ROOT
    )
    said = done.stdout.decode()
    assert all(name in said for name in cli.COMMANDS)
    assert not [name for name in said.split() if name.startswith("mcp_lesson.cli.")]


def test_it_can_be_started_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mcp_lesson.cli", "snippet", "--help"],
        capture_output=True,
        timeout=60,
        check=True,
        cwd=ROOT,
    )
    assert b"mcp-lesson snippet" in done.stdout


def test_a_row_without_its_file_breaks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli.app, "registered_commands", [])
    cli._register({"absent": "Not written.", "doctor": "There."})
    assert [command.name for command in cli.app.registered_commands] == ["doctor"]
    assert call("absent")[0] == 2


def test_every_command_file_has_a_row() -> None:
    files = {path.stem for path in Path(cli.__file__).parent.glob("*.py")}
    assert files - {"__init__", "__main__"} <= set(cli.COMMANDS)


# --- doctor -------------------------------------------------------------------------------------


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the kernel out of it: one test starts a real one."""
    monkeypatch.setattr(checkup, "_try_kernel", lambda: "")


@pytest.mark.usefixtures("quick")
def test_doctor_reports_what_is_here() -> None:
    status, said = call("doctor")
    assert status == 0
    assert said.endswith("Everything that the lessons need is here.\n")
    names = [line.split()[0] for line in said.splitlines() if line[:1].isalpha()]
    expected = "python package platform encoding disk base lab http sdk school test kernel node"
    assert names[: len(expected.split())] == expected.split()
    assert f"jupyterlab {metadata.version('jupyterlab')}" in said


@pytest.mark.usefixtures("quick")
def test_doctor_says_what_a_missing_extra_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    real = checkup._version
    monkeypatch.setattr(checkup, "_version", lambda name: "" if name == "uvicorn" else real(name))
    status, said = call("doctor")
    assert status == 1
    assert "http      uvicorn missing, httpx2 " in said
    assert "! http: lessons that speak HTTP" in said
    assert "Run start.py again" in said


@pytest.mark.usefixtures("quick")
def test_what_the_lessons_do_not_need_does_not_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkup.shutil, "which", lambda *_, **__: None)
    status, said = call("doctor")
    assert status == 0
    assert "- node: the conformance suite" in said
    assert "- chromium: " in said


@pytest.mark.usefixtures("quick")
def test_doctor_for_a_program() -> None:
    status, said = call("doctor", "--format", "json")
    report = json.loads(said)
    assert (status, report["ready"]) == (0, True)
    assert report["findings"][0]["name"] == "python"
    assert {"name", "value", "missing", "needed", "cost"} == set(report["findings"][0])


def test_a_kernel_is_really_started() -> None:
    assert checkup.kernel() == Finding(
        "kernel",
        "python3 starts",
        missing=False,
        needed=True,
        cost="no cell of a lesson can be run",
    )


def test_a_kernel_that_does_not_start_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> str:
        raise RuntimeError("Kernel died in /home/ann/secret")

    monkeypatch.setattr(checkup, "_try_kernel", fail)
    finding = checkup.kernel()
    assert finding.missing
    assert finding.value == "does not start (RuntimeError)"


@pytest.mark.parametrize(("said", "missing"), [("v20.19.1", True), ("v22.0.0", False)])
def test_an_old_node_will_not_do(monkeypatch: pytest.MonkeyPatch, said: str, missing: bool) -> None:
    monkeypatch.setattr(checkup, "_ask_version", lambda path: said)
    assert checkup.node().missing == missing


def test_the_home_folder_is_not_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(checkup.Path, "home", lambda: tmp_path)
    monkeypatch.setattr(checkup.sys, "prefix", str(tmp_path / "course" / ".venv"))
    assert checkup.python().value.endswith(f" in {Path('~', 'course', '.venv')}")
    monkeypatch.setattr(checkup.sys, "prefix", f"{tmp_path}-of-another")
    assert checkup.python().value.endswith(f" in {tmp_path}-of-another")


def test_every_extra_is_looked_at() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for extra in checkup.EXTRAS.keys() - {"base"}:
        assert f"\n{extra} = [" in text
        assert checkup.requirements(extra)
    assert "typer" in checkup.requirements("base")


def test_the_forms_agree() -> None:
    findings = [Finding("lab", "jupyterlab missing", missing=True, needed=True, cost="no lessons")]
    assert not checkup.ready(findings)
    assert "! lab: no lessons." in doctor.as_text(findings, False)
    assert json.loads(doctor.as_json(findings, False))["findings"][0]["cost"] == "no lessons"


# --- snippet ------------------------------------------------------------------------------------


def lay_checkout(root: Path, *, cell: str = "# snippet: retry; mcp_lesson\nx = await y\n") -> Path:
    """Make a small checkout with one server and one notebook that has a tagged cell."""
    for folder in ("servers", "notebooks", "mcp_lesson"):
        (root / folder).mkdir(parents=True)
    (root / "pyproject.toml").write_text("")
    (root / "mcp_lesson" / "__init__.py").write_text("")
    (root / "servers" / "greeter.py").write_text(GREETER, encoding="utf-8")
    (root / "servers" / "helper.py").write_text("not = 'a snippet'\n")
    cells = [
        {"cell_type": "markdown", "id": "a", "metadata": {"tags": ["snippet"]}, "source": "text"},
        {"cell_type": "code", "id": "b", "metadata": {}, "source": "1 + 1"},
        {
            "cell_type": "code",
            "id": "retry-cell",
            "metadata": {"tags": ["snippet"]},
            "source": cell.splitlines(keepends=True),
        },
    ]
    (root / "notebooks" / "07_client.ipynb").write_text(json.dumps({"cells": cells}))
    return root


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = lay_checkout(tmp_path / "checkout")
    monkeypatch.setattr(snippet, "find_checkout", lambda: root)
    monkeypatch.chdir(tmp_path)
    return root


@pytest.mark.usefixtures("checkout")
def test_list_tells_name_need_place_and_summary() -> None:
    assert call("snippet", "list") == (
        0,
        "greeter (Python alone; servers/greeter.py)\n"
        "    Greet: 你好.\n"
        "retry (this package; notebooks/07_client.ipynb, cell retry-cell)\n",
    )


@pytest.mark.usefixtures("checkout")
def test_show_prints_it_as_it_is() -> None:
    assert call("snippet", "show", "greeter") == (0, GREETER)
    assert call("snippet", "show", "retry") == (0, "# snippet: retry; mcp_lesson\nx = await y\n")


@pytest.mark.usefixtures("checkout")
@pytest.mark.parametrize(
    ("arguments", "written"), [([], "greeter.py"), (["sub"], "sub/greeter.py"), (["a.py"], "a.py")]
)
def test_copy_to_here_a_folder_or_a_file(
    tmp_path: Path, arguments: list[str], written: str
) -> None:
    (tmp_path / "sub").mkdir()
    status, said = call("snippet", "copy", "greeter", *arguments)
    assert status == 0
    assert said == f"{Path(written)} (needs: Python alone)\n"
    assert (tmp_path / written).read_bytes() == GREETER.encode()


@pytest.mark.usefixtures("checkout")
def test_copy_overwrites_only_by_force(tmp_path: Path) -> None:
    (tmp_path / "greeter.py").write_text("mine")
    status, said = call("snippet", "copy", "greeter")
    assert status == 1
    assert "greeter.py is there already" in said
    assert (tmp_path / "greeter.py").read_text() == "mine"
    assert call("snippet", "copy", "greeter", "--force")[0] == 0
    assert (tmp_path / "greeter.py").read_bytes() == GREETER.encode()


@pytest.mark.usefixtures("checkout")
def test_copy_to_nowhere_is_a_line_not_a_traceback() -> None:
    status, said = call("snippet", "copy", "greeter", "no/such/folder/x.py")
    assert status == 1
    assert "No such file or directory" in said
    assert "Traceback" not in said


@pytest.mark.usefixtures("checkout")
def test_an_unknown_name_lists_the_names() -> None:
    assert call("snippet", "show", "greter") == (
        1,
        "No snippet is named 'greter'. There are: greeter, retry.\n",
    )


@pytest.mark.parametrize(
    "cell",
    ["x = 1\n", "# snippet: retry\n", "# snippet: retry; numpy\n", "# snippet: Re try; sdk\n", ""],
)
def test_a_bad_first_line_is_named(tmp_path: Path, cell: str) -> None:
    root = lay_checkout(tmp_path / "checkout", cell=cell)
    with pytest.raises(snippets.SnippetError, match=r"07_client.ipynb, cell retry-cell begins"):
        snippets.read_snippets(root)


def test_a_name_stands_for_one_snippet(tmp_path: Path) -> None:
    root = lay_checkout(tmp_path / "checkout", cell="# snippet: greeter; sdk\n")
    with pytest.raises(snippets.SnippetError, match=r"both named 'greeter'"):
        snippets.read_snippets(root)


# --- where the lessons are ----------------------------------------------------------------------


def test_the_checkout_is_found_from_the_package() -> None:
    assert find_checkout() == ROOT


def test_the_checkout_is_found_upwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_lesson.school.checkout._package_home", lambda: tmp_path / "site")
    root = lay_checkout(tmp_path / "checkout")
    assert find_checkout(root / "servers") == root.resolve()
    with pytest.raises(CheckoutNotFound, match=r"Run this inside the folder that holds start\.py"):
        find_checkout(tmp_path)
