"""The official conformance suite judges our server and our client, for both revisions it knows.

The suite is pinned in tests/node/package.json. It is run with a file of expected failures, so that
warnings fail too; the file excuses what needs OAuth and nothing else. Its exit code decides, and so
does every scenario by its name: what it prints as a total of passed checks means little.
"""

import asyncio
import importlib.util
import re
import shlex
import subprocess
import sys
from pathlib import Path

import node
import pytest
from linewise import ROOT

from mcp_lesson import Server, serve

HERE = Path(__file__).parent
BASELINE = HERE / "baseline.yml"
LIMIT = 150.0
"""Seconds for one run of the suite; it takes three to thirty."""

SCORED = {
    ("server", "2025-11-25"): 30,
    ("server", "2026-07-28"): 37,
    ("client", "2025-11-25"): 4,
    ("client", "2026-07-28"): 7,
}
"""How many scenarios count for each side and revision, those that need OAuth aside."""

NOT_OURS = ("tasks-", "auth/")
"""Scenarios of an extension we do not have (run and not scored), and of OAuth."""

pytestmark = pytest.mark.timeout(LIMIT + 30)


def run(*arguments: str, out: Path) -> "subprocess.CompletedProcess[str]":
    """One run of the suite; everything it found lies in `out`."""
    command = [
        *node.program("@modelcontextprotocol/conformance", "conformance"),
        *arguments,
        "--expected-failures",
        str(BASELINE),
        "-o",
        str(out),
    ]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=LIMIT,
        env=node.environment(),
        cwd=ROOT,
        check=False,
    )


def scenarios(output: str) -> dict[str, bool]:
    """Scenario by scenario, whether it passed: from the summary at the end."""
    _, _, summary = output.partition("SUMMARY ===")
    found = re.findall(r"^([✓✗]) (\S+): \d+ passed, \d+ failed", summary, re.MULTILINE)
    return {name: mark == "✓" for mark, name in found}


def judge(done: "subprocess.CompletedProcess[str]", side: str, revision: str, out: Path) -> None:
    ours = {n: ok for n, ok in scenarios(done.stdout).items() if not n.startswith(NOT_OURS)}
    failing = [name for name, passed in ours.items() if not passed]
    assert not failing, f"{side}, {revision}: {', '.join(failing)}\n{reasons(failing, out)}"
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert len(ours) >= SCORED[side, revision], f"only {len(ours)} were run: {sorted(ours)}"


def reasons(failing: list[str], out: Path) -> str:
    """What the suite wrote about the failing scenarios."""
    found = [path for path in out.rglob("checks.json") if any(n in str(path) for n in failing)]
    return "\n".join(path.read_text(encoding="utf-8")[:1500] for path in found[:3])


def our_server() -> Server:
    """The server of server.py, in this process, so that all it sends is judged here too."""
    spec = importlib.util.spec_from_file_location("conformance_server", HERE / "server.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.server  # type: ignore[no-any-return]


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_the_suite_accepts_our_server(
    revision: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with serve(our_server()) as url:
        asked = ("server", "--url", url, "--requirements", revision)
        done = await asyncio.to_thread(run, *asked, out=tmp_path)
    judge(done, "server", revision, tmp_path)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_the_suite_accepts_our_client(revision: str, tmp_path: Path) -> None:
    command = shlex.join([sys.executable, str(HERE / "client.py")])
    done = run("client", "--command", command, "--requirements", revision, out=tmp_path)
    judge(done, "client", revision, tmp_path)


def test_only_oauth_is_excused() -> None:
    lines = BASELINE.read_text(encoding="utf-8").splitlines()
    listed = [line.strip() for line in lines if line.strip().startswith("-")]
    assert listed
    assert all(line.startswith("- auth/") for line in listed)


def test_a_summary_is_read_by_scenario() -> None:
    """A dead server shows passed checks too: the marks tell."""
    output = (
        "=== SUMMARY ===\n✓ ping: 1 passed, 0 failed\n✗ tools-list: 1 passed, 1 failed\nTotal: 2"
    )
    assert scenarios(output) == {"ping": True, "tools-list": False}
    assert scenarios("✗ earlier: 0 passed, 1 failed") == {}
