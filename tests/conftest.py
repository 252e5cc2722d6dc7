"""For every test: the guard over what our clients and servers send (`wire_guard`)."""

import signal
from collections.abc import Iterator

import pytest
import wire_guard
from hypothesis import settings

settings.register_profile("thorough", max_examples=5_000)  # --hypothesis-profile=thorough


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "broken_messages: this test sends broken messages, so they are not judged"
    )
    wire_guard.install()
    # A shell that starts us in the background ignores Ctrl-C, and so would all that we start.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def every_message_is_valid(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test whose clients or servers sent what the official schema refuses."""
    guard = wire_guard.GUARD
    guard.begin()
    guard.silent = int(request.node.get_closest_marker("broken_messages") is not None)
    yield
    assert not guard.complaints, "sent and invalid:\n" + "\n".join(guard.complaints[:5])
