"""The client that the official conformance suite drives: scenario by scenario, what it must do.

Called as `client.py URL`; the suite names the scenario and the wire in the environment.
"""

import asyncio
import json
import os
import sys

from mcp_lesson import McpError, connect
from mcp_lesson.answers import accept_defaults

SCENARIO = os.environ["MCP_CONFORMANCE_SCENARIO"]
REVISION = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", "2025-11-25")
CONTEXT = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))


async def list_only(client):
    await client.list_tools()


async def call_first(client, arguments=None):
    tools = await client.list_tools()
    for tool in tools[:1]:
        await client.call_tool(tool["name"], arguments or {})


async def add_numbers(client):
    await client.list_tools()
    await client.call_tool("add_numbers", {"a": 5, "b": 3})


async def defaults(client):
    await client.list_tools()
    await client.call_tool("test_client_elicitation_defaults", {})


async def reconnection(client):
    await client.list_tools()
    await client.call_tool("test_reconnection", {})


async def echo_schema(client):
    tools = {tool["name"]: tool for tool in await client.list_tools()}
    schema = tools["json_schema_2020_12_tool"]["inputSchema"]
    await client.call_tool("json_schema_echo", {"schema": schema})


async def standard_headers(client):
    for tool in await client.list_tools():
        await client.call_tool(tool["name"], {})
    for resource in (await client.request("resources/list", unchecked=True))["resources"]:
        await client.request("resources/read", {"uri": resource["uri"]}, unchecked=True)
    for prompt in (await client.request("prompts/list", unchecked=True))["prompts"]:
        await client.request("prompts/get", {"name": prompt["name"]}, unchecked=True)


async def custom_headers(client):
    await client.list_tools()
    for call in CONTEXT["toolCalls"]:
        await client.call_tool(call["name"], call["arguments"])


async def every_tool(client):
    for tool in await client.list_tools():
        await client.call_tool(tool["name"], {"region": "us-west1"})


async def request_state(client):
    await client.list_tools()
    for name in ("echo_state", "unrelated", "no_state", "no_result_type"):
        await client.call_tool(f"test_mrtr_{name}", {})


STEPS = {
    "initialize": list_only,
    "tools_call": add_numbers,
    "elicitation-sep1034-client-defaults": defaults,
    "sse-retry": reconnection,
    "json-schema-2020-12-preservation": echo_schema,
    "request-metadata": add_numbers,
    "http-standard-headers": standard_headers,
    "http-custom-headers": custom_headers,
    "http-invalid-tool-headers": every_tool,
    "sep-2322-client-request-state": request_state,
    "json-schema-ref-no-deref": list_only,
}


def accepted(params):
    """Defaults where there are any, and true where a yes is asked for."""
    fields = params.get("requestedSchema", {}).get("properties", {})
    yes = {name: True for name, field in fields.items() if field.get("type") == "boolean"}
    return yes | accept_defaults(params)


async def main() -> None:
    steps = STEPS.get(SCENARIO)
    if steps is None:
        sys.exit(f"no steps for the scenario {SCENARIO}")
    async with connect(sys.argv[1], era=REVISION, elicitation=accepted) as client:
        try:
            await steps(client)
        except McpError as problem:
            print(problem, file=sys.stderr)


asyncio.run(main())
