"""The shortest wire: two peers in one process, and still every message is text between them."""

import pytest

from mcp_lesson import ConnectionLost, Server, Trace, connect, jsonrpc
from mcp_lesson.content import text

KEPT = {"content": [text("kept")], "_meta": {"list": [1]}}


def server() -> Server:
    made = Server("memory")
    made.tool(name="kept")(lambda: KEPT)
    made.tool(name="seen", inputSchema={"type": "object"})(lambda **given: given["a"].append(2))
    return made


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_neither_side_can_change_what_the_other_holds(era: str) -> None:
    async with connect(server(), era=era) as client:
        result = await client.call_tool("kept")
        result["_meta"]["list"].append("mine")
        result["content"].clear()
        assert KEPT["_meta"] == {"list": [1]}
        assert (await client.call_tool("kept")).text == "kept"
        mine = {"a": [1]}
        await client.call_tool("seen", mine)
        assert mine == {"a": [1]}


async def test_a_trace_holds_the_text_that_passed() -> None:
    trace = Trace()
    async with connect(server(), era="legacy", trace=trace) as client:
        await client.request("ping")
    lines = [frame.line.decode() for frame in trace if frame.kind == "message"]
    assert lines[-2:] == ['{"jsonrpc":"2.0","id":2,"method":"ping"}',
                          '{"jsonrpc":"2.0","id":2,"result":{}}']  # fmt: skip
    assert [jsonrpc.loads(line) for line in lines] == trace.messages()


async def test_closing_ends_the_servers_side_too() -> None:
    made = server()
    client = await connect(made, era="legacy")
    await client.request("ping")
    assert made.watchers
    await client.close()
    assert not made.watchers
    with pytest.raises(ConnectionLost, match="closed by this side"):
        await client.request("ping")


async def test_many_clients_of_one_server_do_not_meet() -> None:
    made = server()
    async with connect(made, era="legacy") as one, connect(made, era="2024-11-05") as two:
        assert one.revision.name != two.revision.name
        assert (await one.call_tool("kept")).text == (await two.call_tool("kept")).text
        await two.close()
        assert (await one.call_tool("kept")).text == "kept"
