"""Much at once, and much in one message: over the real wires, within a sane time."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from rungs import SERVERS, every_way, meeting
from wire_guard import sampled

from mcp_lesson import Client, Limits, connect

MANY, LARGE = 10_000, 16 * 2**20
PATIENCE = Limits(request=90)


@asynccontextmanager
async def timed(what: str, seconds: float) -> AsyncIterator[None]:
    began = time.monotonic()
    yield
    took = time.monotonic() - began
    print(f"{what}: {took:.2f} s")
    assert took < seconds, f"{what} took {took:.1f} s"


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_ten_thousand_requests_in_flight_over_stdio(era: str) -> None:
    async with connect(SERVERS / "dual_era.py", era=era, limits=PATIENCE) as client:
        async with timed(f"{MANY} requests over stdio, {era}", 60):
            with sampled(100):
                calls = [client.call_tool("echo", {"text": str(n)}) for n in range(MANY)]
                waiting = asyncio.gather(*calls)
                await sent(client)
                results = await waiting
        assert [result.text for result in results] == [str(n) for n in range(MANY)]


async def sent(client: Client) -> None:
    """Until all are asked: none of them was awaited one by one."""
    async with asyncio.timeout(60):
        while len(client._pending) < MANY:  # noqa: ASYNC110 -- nothing tells
            await asyncio.sleep(0)


@every_way
async def test_a_message_of_16_megabytes_each_way(wire: str, era: str) -> None:
    words = "0123456789abcde\n" * (LARGE // 16)
    async with meeting("dual_era", wire, era, limits=PATIENCE) as client:
        async with timed(f"16 MB there and back over {wire}, {era}", 30):
            result = await client.call_tool("echo", {"text": words})
        assert result.text == words
        assert (await client.call_tool("echo", {"text": "on"})).text == "on"
