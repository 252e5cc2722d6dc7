"""What every test here must show at its end: no process is left, not even a dead one unburied."""

import gc
import logging
from collections.abc import Iterator

import pytest
from processes import EARLIER, children, everyone


@pytest.fixture(autouse=True)
def nothing_left(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail a test that leaves a process behind, or a task whose end nobody saw."""
    gc.freeze()  # only what the test makes need be looked at in the end
    EARLIER.clear()
    EARLIER.update(everyone())
    yield
    left = children()
    assert not left, f"left behind: {left}"
    gc.collect()
    gc.unfreeze()
    records = caplog.get_records("call") + caplog.get_records("teardown")
    complaints = [record for record in records if record.levelno >= logging.ERROR]
    assert not complaints, complaints
