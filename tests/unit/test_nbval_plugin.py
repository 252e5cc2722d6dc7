"""The nbval plugin: real notebooks, run by a real pytest in a process of its own.

Each test that a lesson passes has a twin in which it must not: nbval compares nothing in a cell
without a count, so a plugin that broke the comparison would otherwise look like a success.
"""

import subprocess
import sys
import time
from pathlib import Path
from queue import Empty

import notebook_rules
import pytest
from notebook_makers import NBVAL, code, error, nbval_run, notebook, result, shown, stream

from mcp_lesson.school import nbval_plugin

FAILING = ("raises-exception",)

CHILD = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', ''], stderr=sys.stderr)"
VARIABLES = "import os\n[os.environ.get(v) for v in ('PYTEST_CURRENT_TEST', 'MCP_LESSON_STATIC')]"
PICTURE = 'from IPython.display import HTML, display\ndisplay(HTML(\'<img src="{}" alt="7">\'))'


def picture(drawn: str, kept: str) -> tuple[str, dict]:
    """Code that shows one picture, and a saved output that shows another."""
    address = "data:image/svg+xml;base64,"
    source = PICTURE.format(address + drawn)
    saved = shown("text/html", f'<img src="{address + kept}" alt="7">')
    saved["data"]["text/plain"] = "<IPython.core.display.HTML object>"
    return source, saved


def test_a_lesson_passes_with_all_that_nbval_alone_breaks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE", "kept")
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "a person's profile"))
    cells = notebook(
        code("hide", "3;"),
        code("inherit", f"{CHILD}.returncode", result("0")),
        code("descriptor", "sys.stderr.fileno() > 2", result("True")),
        code("variables", VARIABLES, result("[None, '1']")),
        code("kept", "os.environ['MINE']", result("'kept'")),
        code("plots", "os.environ['MPLBACKEND'] == 'agg'", result("False")),
        code("profile", "'person' in os.environ['IPYTHONDIR']", result("False")),
        code("here", "os.path.exists('lesson.ipynb')", result("True")),
        code("fail", "1 / 0", error("ZeroDivisionError", "division by zero"), tags=FAILING),
        code("picture", *picture("AAAA", "BBBB")),
    )
    done = nbval_run(tmp_path, cells, *NBVAL, "-n1", "--dist=loadfile")
    assert done.status == 0, done.said
    assert "10 passed" in done.said
    assert not (tmp_path / "a person's profile").exists()


def test_a_changed_output_fails(tmp_path: Path) -> None:
    source, saved = picture("AAAA", "AAAA")
    saved["data"]["text/html"] = saved["data"]["text/html"].replace('alt="7"', 'alt="8"')
    cells = notebook(
        code("number", "3 + 5", result("7")),
        code("text", "print(8)", stream("7\n")),
        code("silent", "8;", result("8")),
        code("loud", "8"),
        code("fails", "1 / 0"),
        code("another", "1 / 0", error("KeyError", "7"), tags=FAILING),
        code("picture", source, saved),
    )
    done = nbval_run(tmp_path, cells, *NBVAL)
    assert done.status == 1, done.said
    assert "7 failed" in done.said
    assert "passed" not in done.said


def test_a_cell_without_a_count_is_compared_by_the_guard_alone(tmp_path: Path) -> None:
    unrun = notebook(code("sum", "3 + 5"))
    unrun["cells"][0]["execution_count"] = None
    assert nbval_run(tmp_path, unrun, *NBVAL).status == 0
    assert [id for id, _ in notebook_rules.counted(unrun)] == ["sum"]


def test_a_dead_kernel_ends_the_wait_at_once(tmp_path: Path) -> None:
    cells = notebook(code("die", "import os\nos._exit(3)"), code("after", "7", result("7")))
    done = nbval_run(tmp_path, cells, *NBVAL)
    assert done.status == 1
    assert nbval_plugin.DIED in done.said
    assert "2 failed" in done.said
    assert done.seconds < 30  # half the limit of the cell


class Kernel:
    """Stands for nbval's RunningKernel: it is as alive as told, and never answers."""

    def __init__(self, *alive: bool) -> None:
        self.alive = list(alive)

    def is_alive(self) -> bool:
        return self.alive.pop(0)

    def await_reply(self, msg_id: str, timeout: float) -> None:
        time.sleep(timeout)
        raise Empty


def test_a_living_kernel_is_waited_for_until_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nbval_plugin, "LOOK_SECONDS", 0.01)
    await_reply = nbval_plugin.PLACES[2][2](Kernel.await_reply)
    begun = time.monotonic()
    with pytest.raises(Empty):
        await_reply(Kernel(*[True] * 100), "id", timeout=0.2)
    assert 0.2 <= time.monotonic() - begun < 5
    with pytest.raises(RuntimeError, match="the kernel died"):
        await_reply(Kernel(True, True, False), "id", timeout=None)


def test_workers_that_tear_a_notebook_apart_are_refused(tmp_path: Path) -> None:
    done = nbval_run(tmp_path, notebook(code("sum", "3 + 4", result("7"))), *NBVAL, "-n1")
    assert done.status == pytest.ExitCode.USAGE_ERROR
    assert "--dist loadfile" in done.said


IDLE = """
import nbval.kernel
def test_nbval_is_as_it_was():
    assert not hasattr(nbval.kernel.start_new_kernel, "__wrapped__")
def test_the_plugin_is_there(pytestconfig):
    assert pytestconfig.pluginmanager.has_plugin("mcp_lesson_nbval")
"""


def test_without_its_flag_the_plugin_does_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_idle.py").write_text(IDLE, encoding="utf-8")
    done = nbval_run(tmp_path, notebook(code("sum", "3 + 5", result("7"))))
    assert "2 passed" in done.said
    busy = nbval_run(tmp_path, notebook(), *NBVAL)
    assert "1 failed, 1 passed" in busy.said


def test_importing_the_plugin_imports_nothing_heavy() -> None:
    heavy = "{'nbval', 'IPython', 'ipykernel', 'jupyter_client', 'nbformat', 'nbclient', 'zmq'}"
    source = "import sys, mcp_lesson.school.nbval_plugin\n"
    source += f"print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, timeout=60)
    assert done.stdout.decode().strip() == "[]", done.stderr


@pytest.mark.parametrize("place", nbval_plugin.PLACES, ids=lambda place: place[0])
def test_another_nbval_is_refused_in_a_clear_line(
    place: tuple, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"nbval.kernel.{place[0]}", lambda other: None)
    with pytest.raises(pytest.UsageError, match=f"{place[0]}.*install nbval 0.11"):
        nbval_plugin.mend(monkeypatch)
    monkeypatch.delattr(f"nbval.kernel.{place[0]}")
    with pytest.raises(pytest.UsageError, match=f"{place[0]}.*install nbval 0.11"):
        nbval_plugin.mend(monkeypatch)
