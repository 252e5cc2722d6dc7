"""Refuses every revision but 2025-06-18 with an error, where it should offer its own."""

from good import RESULTS, answer, requests, say

RESULTS["initialize"]["protocolVersion"] = "2025-06-18"
for message in requests():
    wanted = message.get("params", {}).get("protocolVersion")
    if message["method"] == "initialize" and wanted != "2025-06-18":
        data = {"supported": ["2025-06-18", "1999-01-01"], "requested": wanted}
        body = {"code": -32602, "message": "Unsupported protocol version", "data": data}
        say({"jsonrpc": "2.0", "id": message["id"], "error": body})
    else:
        say(answer(message))
