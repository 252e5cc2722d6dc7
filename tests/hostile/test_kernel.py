"""The life of a client in a notebook: across cells, in cells that are run again, and in kernels
that are interrupted, restarted and killed.

Each test talks to a real kernel as a front end does; JupyterLab names the cell in the metadata of
the request, and other front ends do not.
"""

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from processes import is_gone, peer, until

HOUSE = Path(__file__).resolve().parents[2]
CELL_SECONDS = 30


class Notebook:
    """A front end with a kernel of its own."""

    def __init__(self) -> None:
        native = KernelSpecManager(kernel_dirs=[])
        self.manager = KernelManager(kernel_name="python3", kernel_spec_manager=native)
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 -- closed in `end`
        environment = {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"}
        environment["PYTHONPATH"] = str(HOUSE)
        self.manager.start_kernel(
            env=environment, stdout=subprocess.DEVNULL, stderr=self.errors, cwd=str(HOUSE)
        )
        self.meet()

    def meet(self) -> None:
        """Connect to the kernel, after its start and after each new one."""
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.run("from mcp_lesson import connect, Limits, Trace")

    def send(self, code: str, cell: str | None = None) -> str:
        """Ask for a cell to be run; the number of the request."""
        content = {"code": code, "silent": False, "store_history": True, "stop_on_error": True}
        metadata = {"cellId": cell} if cell else {}
        message = self.client.session.msg("execute_request", content, metadata=metadata)
        self.client.shell_channel.send(message)
        return str(message["header"]["msg_id"])

    def finish(self, request: str) -> str:
        """All that a cell printed, and the name of its error."""
        said = ""
        while True:
            message = self.client.get_iopub_msg(timeout=CELL_SECONDS)
            if message["parent_header"].get("msg_id") != request:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "stream":
                said += content["text"]
            elif kind == "error":
                said += f"{content['ename']}: {content['evalue']}"
            elif kind == "status" and content["execution_state"] == "idle":
                return said.strip()

    def run(self, code: str, cell: str | None = None) -> str:
        """Run a cell to its end."""
        return self.finish(self.send(code, cell))

    def open(self, name: str, cell: str | None = None, more: str = "") -> int:
        """Run a cell that opens a client; the number of its server."""
        code = f"{more}\nclient = await connect({peer(name)!r}, era='legacy')"
        code += "\nprint(client.wire.process.pid)"
        return int(self.run(code, cell))

    def end(self) -> str:
        """Stop the kernel, if it runs; what it complained about."""
        self.client.stop_channels()
        if self.manager.is_alive():
            self.manager.shutdown_kernel()
        self.manager.cleanup_resources()
        self.errors.seek(0)
        with self.errors:
            return self.errors.read().decode("utf-8", "replace")


@pytest.fixture
def notebook() -> Iterator[Notebook]:
    """A notebook whose kernel has nothing to complain about, not even at its end."""
    mine = Notebook()
    yield mine
    complaints = mine.end()
    assert "Traceback" not in complaints
    assert "was destroyed" not in complaints


# -- cells -----------------------------------------------------------------------------------------


def test_open_in_one_cell_use_in_others_close_in_a_later_one(notebook: Notebook) -> None:
    server = notebook.open("silent_to_probe")
    assert notebook.run("print((await client.list_tools()).names)") == "['wait']"
    assert notebook.run("print((await client.call_tool('wait')).text)") == "done"
    assert not is_gone(server)
    assert notebook.run("await client.close()\nprint(client)") == (
        "<Client of peer, 2025-11-25, closed>"
    )
    assert is_gone(server)


def test_a_cell_that_is_run_again_closes_what_it_opened(notebook: Notebook) -> None:
    first = notebook.open("silent_to_probe")
    second = notebook.open("silent_to_probe")
    assert is_gone(first)
    assert not is_gone(second)
    assert notebook.run("print((await client.call_tool('wait')).text)") == "done"


def test_a_cell_that_was_edited_is_the_same_cell(notebook: Notebook) -> None:
    first = notebook.open("silent_to_probe", cell="a")
    second = notebook.open("silent_to_probe", cell="a", more="# an edit")
    assert is_gone(first)
    other = notebook.open("silent_to_probe", cell="b", more="# an edit")
    assert not is_gone(second)
    third = notebook.open("silent_to_probe", cell="a", more="# another edit")
    assert is_gone(second)
    assert not is_gone(other)
    assert not is_gone(third)


def test_two_clients_of_one_cell_live_beside_each_other(notebook: Notebook) -> None:
    code = f"""
    import asyncio
    server = {peer("silent_to_probe")!r}
    async def both():
        return await asyncio.gather(*(connect(server, era="legacy") for _ in range(2)))
    clients = await asyncio.create_task(both())
    print(*(client.wire.process.pid for client in clients))
    """
    code = "\n".join(line[4:] for line in code.splitlines())
    first = [int(pid) for pid in notebook.run(code, cell="a").split()]
    assert not any(map(is_gone, first))
    second = [int(pid) for pid in notebook.run(code, cell="a").split()]
    assert all(map(is_gone, first))
    assert not any(map(is_gone, second))


def test_a_failed_cell_that_is_run_again_after_mending(notebook: Notebook) -> None:
    bad = f"client = await connect({peer('dies_at_once')!r}, era='legacy')"
    assert "ConnectionLost: the server ended with exit status 3" in notebook.run(bad, cell="a")
    assert not is_gone(notebook.open("silent_to_probe", cell="a"))


# -- interrupts ------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="kernels are interrupted by a signal on POSIX")
async def test_an_interrupted_call_leaves_client_and_server_usable(notebook: Notebook) -> None:
    server = notebook.open("forgets_first_call")
    call = notebook.send("print('begun')\nawait client.call_tool('wait', timeout=100)")
    wait_for_output(notebook, call)
    notebook.manager.interrupt_kernel()
    said = notebook.finish(call)
    assert said.startswith(("KeyboardInterrupt", "CancelledError")), said
    assert not is_gone(server)
    assert notebook.run("print((await client.call_tool('wait')).text)") == "done"
    methods = notebook.run("print([m.get('method') for m in client.trace.messages()][-4:])")
    assert methods == "['tools/call', 'notifications/cancelled', 'tools/call', None]"


@pytest.mark.skipif(os.name != "posix", reason="kernels are interrupted by a signal on POSIX")
async def test_an_interrupted_connect_leaves_nothing(notebook: Notebook) -> None:
    more = "limits=Limits(start=100, leave=0.2)"
    call = notebook.send(f"print('begun')\nawait connect({peer('slow_handshake')!r}, {more})")
    wait_for_output(notebook, call)
    notebook.manager.interrupt_kernel()
    assert notebook.finish(call).startswith(("KeyboardInterrupt", "CancelledError"))
    left = "import psutil\nfrom mcp_lesson.transports.guardian import GUARDIAN\n"
    left += "print([p.pid for p in psutil.Process().children() if p.pid != GUARDIAN.process.pid])"
    assert notebook.run(left) == "[]"


def wait_for_output(notebook: Notebook, request: str) -> None:
    """Read what the kernel says until a cell prints something."""
    while True:
        message = notebook.client.get_iopub_msg(timeout=CELL_SECONDS)
        if message["parent_header"].get("msg_id") == request and message["msg_type"] == "stream":
            return


# -- kernels that end ------------------------------------------------------------------------------


def kill(notebook: Notebook) -> None:
    """End the kernel without a word."""
    provisioner: Any = notebook.manager.provisioner
    os.kill(provisioner.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


async def test_a_killed_kernel_leaves_nothing(notebook: Notebook) -> None:
    polite = notebook.open("silent_to_probe", cell="a")
    stubborn = notebook.open("stays_at_sigterm", cell="b")
    kill(notebook)
    assert await until(lambda: is_gone(polite), 2.0)
    assert await until(lambda: is_gone(stubborn), 6.0)


@pytest.mark.parametrize("now", [False, True], ids=["asked", "at once"])
async def test_a_restarted_kernel_leaves_nothing(notebook: Notebook, now: bool) -> None:
    polite = notebook.open("silent_to_probe", cell="a")
    stubborn = notebook.open("stays_at_eof", cell="b")
    notebook.client.stop_channels()
    notebook.manager.restart_kernel(now=now)
    assert await until(lambda: is_gone(polite), 2.0)
    assert await until(lambda: is_gone(stubborn), 6.0)
    notebook.meet()
    assert not is_gone(notebook.open("silent_to_probe", cell="a"))


async def test_a_kernel_that_is_shut_down_leaves_nothing(notebook: Notebook) -> None:
    polite = notebook.open("silent_to_probe", cell="a")
    stubborn = notebook.open("stays_at_sigterm", cell="b")
    notebook.manager.shutdown_kernel()
    assert await until(lambda: is_gone(polite), 2.0)
    assert await until(lambda: is_gone(stubborn), 6.0)
