# snippet: eighty_lines; stdlib
"""A complete MCP server: it reads one JSON message a line, and answers each request on one line."""
import json
import sys
from contextlib import suppress
from datetime import UTC, datetime

VERSIONS = ["2025-11-25", "2025-06-18", "2024-11-05"]  # newest first; 2025-03-26 demands batches
NOTES = {"uri": "docs://demo/protocol-notes", "mimeType": "text/plain"}
TYPES = {str: {"type": "string"}, int: {"type": "number"}, float: {"type": "number"}}  # no bool

def echo(text: str) -> str: return text  # -------------------------------------------- 1. tools ---
def add(a: float, b: float) -> str: return json.dumps(a + b, allow_nan=False)
def get_time() -> str: return datetime.now(UTC).isoformat(timespec="seconds")

TOOLS = {"echo": (echo, "Return the text unchanged.", {"text": TYPES[str]}),
         "add": (add, "Add two numbers.", {"a": TYPES[float], "b": TYPES[float]}),
         "get_time": (get_time, "Tell the date and time, in UTC.", {})}
TOOL_LIST = [{"name": name, "description": about, "inputSchema": {"type": "object",
    "properties": needs, "required": list(needs)}} for name, (_, about, needs) in TOOLS.items()]

def initialize(asked: object) -> dict:  # ------------------------------------------ 2. handlers ---
    return {"result": {"protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
                       "capabilities": {"tools": {}, "resources": {}},
                       "serverInfo": {"name": "eighty_lines", "version": "1.0.0"}}}

def call_tool(name: object, arguments: object) -> dict:
    if not isinstance(name, str) or name not in TOOLS or not isinstance(arguments, dict):
        return {"error": {"code": -32602, "message": "Unknown tool, or arguments not an object"}}
    function, _, needs = TOOLS[name]
    try:
        if {key: TYPES.get(type(value)) for key, value in arguments.items()} != needs:
            raise TypeError(f"the arguments must be {json.dumps(needs)}")
        return {"result": {"content": [{"type": "text", "text": function(**arguments)}]}}
    except Exception as problem:  # up to 2025-06-18, bad arguments were an error: -32602
        return {"result": {"content": [{"type": "text", "text": str(problem)}], "isError": True}}

def read_resource(uri: object) -> dict:
    if uri == NOTES["uri"]:
        return {"result": {"contents": [NOTES | {"text": "Notifications are never answered."}]}}
    absent = {"code": -32002, "message": "Resource not found", "data": {"uri": uri}}
    return {"error": absent if isinstance(uri, str) else {"code": -32602, "message": "Invalid uri"}}

HANDLERS = {"initialize": lambda params: initialize(params.get("protocolVersion")),
            "ping": lambda params: {"result": {}},
            "tools/list": lambda params: {"result": {"tools": TOOL_LIST}},
            "tools/call": lambda params: call_tool(params.get("name"), params.get("arguments", {})),
            "resources/list": lambda params: {"result": {"resources": [NOTES | {"name": "notes"}]}},
            "resources/templates/list": lambda params: {"result": {"resourceTemplates": []}},
            "resources/read": lambda params: read_resource(params.get("uri"))}

def dispatch(line: bytes) -> dict | None:  # --------------------------------------- 3. dispatch ---
    try:
        message = json.loads(line.decode("utf-8-sig"), parse_constant=int)  # int("NaN") raises
    except (ValueError, RecursionError):
        return {"error": {"code": -32700, "message": "Parse error: this is not JSON in UTF-8"}}
    message = message if isinstance(message, dict) else {}
    method, params = message.get("method"), message.get("params", {})
    is_call = isinstance(method, str)
    if (is_call and "id" not in message) or (not is_call and {"result", "error"} & message.keys()):
        return None  # a notification, or a response to a question nobody asked
    reply = {"id": message["id"]} if type(message.get("id")) in (str, int) else {}  # true is no id
    if not (reply and is_call and isinstance(params, dict) and message.get("jsonrpc") == "2.0"):
        return reply | {"error": {"code": -32600, "message": "Invalid request"}}
    if method not in HANDLERS:  # so a 2026 client, which asks for server/discover, falls back
        return reply | {"error": {"code": -32601, "message": f"Method not found: {method}"}}
    return reply | HANDLERS[method](params)

def send(reply: dict) -> None:  # ------------------------------------------------------ 4. send ---
    sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0"} | reply).encode() + b"\n")  # all ASCII
    sys.stdout.buffer.flush()  # now, or the client waits

def loop() -> None:  # ----------------------------------------------------------------- 5. loop ---
    for line in sys.stdin.buffer:
        if line.strip() and (reply := dispatch(line)):
            send(reply)

if __name__ == "__main__":  # --------------------------------------------------------- 6. start ---
    with suppress(OSError, KeyboardInterrupt), sys.stdout:  # leave quietly, whoever hangs up
        loop()
