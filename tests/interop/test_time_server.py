"""Our client meets mcp-server-time, which is on PyPI and nobody here wrote."""

import json

import pytest
from strangers import need

from mcp_lesson import McpError, connect

COMMAND = ["-m", "mcp_server_time", "--local-timezone=Europe/Berlin"]


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_the_time_server(era: str) -> None:
    need("mcp_server_time", "mcp-server-time>=2026.1")
    import sys

    async with connect([sys.executable, *COMMAND], era=era) as client:
        assert client.state in ("operating", "open")
        assert (await client.list_tools()).names == ["get_current_time", "convert_time"]
        now = json.loads((await client.call_tool("get_current_time", {"timezone": "UTC"})).text)
        assert now["timezone"] == "UTC"
        asked = {
            "source_timezone": "Asia/Tokyo",
            "time": "12:30",
            "target_timezone": "Asia/Kolkata",
        }
        converted = json.loads((await client.call_tool("convert_time", asked)).text)
        assert converted["time_difference"] == "-3.5h"
        try:
            failed = (await client.call_tool("get_current_time", {"timezone": "Nowhere"})).is_error
        except McpError:
            failed = True
        assert failed
        assert not client.strays
    assert client.state == "closed"
