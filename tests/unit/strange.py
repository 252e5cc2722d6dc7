"""Strange messages: any JSON at all, and messages that are nearly right, which is worse."""

from hypothesis import strategies as st

from mcp_lesson.revisions import ALL, META, NEWEST

WORDS = ["", "a", "1", "tools", "x" * 300, "\ud800", "\x00", "é😀", "-32600", "2.0", "2025-11-25"]
numbers = st.integers(-3, 3) | st.sampled_from([10**30, -1.5, 1.0, 1e300, 2**53])
leaves = st.none() | st.booleans() | numbers | st.sampled_from(WORDS)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*WORDS, "name", "uri", "_meta", "cursor"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)
"""Any JSON value."""

METHODS = sorted({name for revision in ALL.values() for name in revision.methods})
METHODS.remove("initialize")
NAMES = ["echo", "ask", "memo://today", "greet", "nothing"]

metas = values | st.fixed_dictionaries(
    {},
    optional={
        META + "protocolVersion": st.sampled_from([NEWEST, "2025-11-25", "x"]) | values,
        META + "clientCapabilities": st.sampled_from([{}, {"elicitation": {}}]) | values,
        META + "clientInfo": values,
        META + "logLevel": st.sampled_from(["debug", "error"]) | values,
        META + "subscriptionId": values,
        "progressToken": values,
    },
)

params = values | st.fixed_dictionaries(
    {},
    optional={
        "_meta": metas,
        "name": st.sampled_from(NAMES) | values,
        "uri": st.sampled_from(NAMES) | values,
        "arguments": st.dictionaries(st.sampled_from(["words", "name", "ctx"]), values) | values,
        "cursor": values,
        "level": values,
        "ref": values | st.just({"type": "ref/prompt", "name": "greet"}),
        "argument": values | st.just({"name": "name", "value": "A"}),
        "requestId": values,
        "progressToken": values,
        "progress": values,
        "notifications": values | st.just({"toolsListChanged": True}),
        "requestState": values,
        "inputResponses": values | st.dictionaries(st.just("who"), values),
        "messages": values,
        "requestedSchema": values,
    },
)

ids = st.sampled_from([1, 2, 3, "a", "1", -1, 0, None, True, 1.0, [], {}])

errors = values | st.fixed_dictionaries(
    {}, optional={"code": values | st.just(-32022), "message": values, "data": values}
)

results = values | st.fixed_dictionaries(
    {},
    optional={
        "resultType": st.sampled_from(["complete", "input_required"]) | values,
        "inputRequests": values
        | st.dictionaries(
            st.sampled_from(["k", "l"]),
            values
            | st.fixed_dictionaries(
                {"method": st.sampled_from(["elicitation/create", "roots/list"]) | values},
                optional={"params": values},
            ),
            max_size=2,
        ),
        "requestState": values,
        "ttlMs": values,
        "_meta": metas,
        "content": values,
        "tools": values,
        "nextCursor": values,
        "protocolVersion": values,
        "supportedVersions": values,
        "capabilities": values,
    },
)

nearly = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | values,
        "id": ids,
        "method": st.sampled_from(METHODS) | values,
        "params": params,
        "result": results,
        "error": errors,
        "more": values,
    },
)


def filled(message: dict) -> dict:
    """Most messages are at least JSON-RPC."""
    return {"jsonrpc": "2.0", **message}


calls = st.builds(
    lambda method, id, given: {"jsonrpc": "2.0", "id": id, "method": method, "params": given},
    st.sampled_from(METHODS),
    ids,
    params,
)
notices = st.builds(
    lambda method, given: {"jsonrpc": "2.0", "method": method, "params": given},
    st.sampled_from([m for m in METHODS if "notifications" in m]),
    params,
)
answers = st.builds(lambda id, value: {"jsonrpc": "2.0", "id": id, "result": value}, ids, results)
one = calls | notices | answers | nearly.map(filled) | nearly | values
messages = one | st.lists(one, max_size=4)
"""A message, a batch, or whatever."""
