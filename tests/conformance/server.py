"""The server that the official conformance suite talks to: everything it asks for, in one place.

Written against the public `Server` alone. Run with `--http [HOST:]PORT`; both eras at one path.
"""

import base64

from mcp_lesson import Context, Server, run
from mcp_lesson.content import audio, embedded, image, text

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
SILENCE = (
    b"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00@\x1f\x00\x00\x80>\x00\x00\x02"
    b"\x00\x10\x00data\x00\x00\x00\x00"
)

server = Server("conformance", "1.0.0", logging=True)


# -- content ---------------------------------------------------------------------------------------


@server.tool
async def test_simple_text() -> str:
    """One text."""
    return "This is a simple text response for testing."


@server.tool
async def test_image_content():
    """One image."""
    return image(PIXEL)


@server.tool
async def test_audio_content():
    """One sound."""
    return audio(SILENCE)


@server.tool
async def test_embedded_resource():
    """One resource inside the answer."""
    return embedded("test://embedded-resource", "An embedded resource.", "text/plain")


@server.tool
async def test_multiple_content_types():
    """A text, an image and a resource."""
    whole = embedded("test://mixed", '{"test":"data"}', "application/json")
    return [text("Several kinds:"), image(PIXEL), whole]


@server.tool
async def test_error_handling() -> str:
    """Fails, always."""
    raise ValueError("This tool intentionally returns an error for testing")


# -- while it runs ---------------------------------------------------------------------------------


@server.tool
async def test_tool_with_progress(ctx: Context) -> str:
    """Reports progress three times."""
    for done in (0, 50, 100):
        await ctx.progress(done, 100, f"{done} of 100")
    return "done"


@server.tool
async def test_tool_with_logging(ctx: Context) -> str:
    """Logs three lines."""
    for line in ("started", "processing", "finished"):
        await ctx.log("info", f"Tool {line}")
    return "logged"


@server.tool
async def test_logging_tool(ctx: Context) -> str:
    """Logs only if the request asked for it."""
    await ctx.log("info", "a line")
    return "logged, if you asked for it"


@server.tool
async def test_sampling(prompt: str, ctx: Context) -> str:
    """Asks the client's model."""
    answer = await ctx.sample([{"role": "user", "content": text(prompt)}], max_tokens=100)
    return f"LLM response: {answer['content'].get('text', '')}"


PERSON = {
    "type": "object",
    "properties": {
        "username": {"type": "string", "description": "User's name"},
        "email": {"type": "string", "description": "User's email address"},
    },
    "required": ["username", "email"],
}


@server.tool
async def test_elicitation(message: str, ctx: Context) -> str:
    """Asks the person at the client."""
    answer = await ctx.elicit(message, PERSON)
    return f"User response: {answer['action']} {answer.get('content')}"


@server.tool
async def test_elicitation_sep1034_defaults(ctx: Context) -> str:
    """Asks with a default for every kind of field."""
    fields = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    }
    answer = await ctx.elicit("Please review", {"type": "object", "properties": fields})
    return f"Elicitation completed: {answer['action']}"


@server.tool
async def test_elicitation_sep1330_enums(ctx: Context) -> str:
    """Asks with the five forms of a choice."""
    titled = [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)]
    options = ["option1", "option2", "option3"]
    fields = {
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }
    answer = await ctx.elicit("Please choose", {"type": "object", "properties": fields})
    return f"Elicitation completed: {answer['action']}"


# -- the stateless era -----------------------------------------------------------------------------


@server.tool
async def test_missing_capability(ctx: Context) -> str:
    """Needs sampling, and says so to a client that has none."""
    await ctx.sample([{"role": "user", "content": text("hello")}])
    return "you can sample"


CONFIRM = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


@server.tool
async def test_streaming_elicitation(ctx: Context) -> str:
    """Asks for input."""
    answer = await ctx.elicit("Go on?", CONFIRM)
    return answer["action"]


@server.tool
async def test_trigger_tool_change() -> str:
    """Makes the server say that its tools changed."""
    server.changed("tools")
    return "triggered"


@server.tool
async def test_trigger_prompt_change() -> str:
    """Makes the server say that its prompts changed."""
    server.changed("prompts")
    return "triggered"


def elicitation(message, schema):
    """A question for `ask_all`."""
    params = {"message": message, "requestedSchema": schema}
    return {"method": "elicitation/create", "params": params}


def sampling(words):
    """A question for `ask_all`."""
    said = [{"role": "user", "content": text(words)}]
    return {"method": "sampling/createMessage", "params": {"messages": said, "maxTokens": 100}}


@server.tool
async def test_input_required_result_elicitation(ctx: Context) -> str:
    """Asks for a name."""
    answer = await ctx.elicit("What is your name?", NAME, key="user_name")
    return f"Hello, {answer.get('content', {}).get('name', 'stranger')}!"


@server.tool
async def test_input_required_result_sampling(ctx: Context) -> str:
    """Asks the client's model."""
    answer = await ctx.sample([{"role": "user", "content": text("The capital of France?")}])
    return str(answer["content"])


@server.tool
async def test_input_required_result_list_roots(ctx: Context) -> str:
    """Asks for the roots."""
    return f"{len(await ctx.roots())} roots"


@server.tool
async def test_input_required_result_request_state(ctx: Context) -> str:
    """Asks, and carries something through."""
    ctx.state["step"] = "confirm"
    await ctx.elicit("Confirm?", CONFIRM, key="confirm")
    return f"state-ok: {ctx.state['step']}"


@server.tool
async def test_input_required_result_multiple_inputs(ctx: Context) -> str:
    """Asks for three things at once."""
    ctx.state["step"] = "all"
    questions = {
        "user_name": elicitation("What is your name?", NAME),
        "greeting": sampling("Write a greeting"),
        "client_roots": {"method": "roots/list"},
    }
    return f"{len(await ctx.ask_all(questions))} answers"


@server.tool
async def test_input_required_result_multi_round(ctx: Context) -> str:
    """Asks twice, one after the other."""
    ctx.state["round"] = 1
    await ctx.elicit("Step 1: your name?", NAME, key="step1")
    ctx.state["round"] = 2
    await ctx.elicit("Step 2: sure?", CONFIRM, key="step2")
    return "two rounds"


@server.tool
async def test_input_required_result_tampered_state(ctx: Context) -> str:
    """Asks with a state that must come back as it was."""
    ctx.state["step"] = "confirm"
    await ctx.elicit("Confirm?", CONFIRM, key="confirm")
    return "confirmed"


@server.tool
async def test_input_required_result_capabilities(ctx: Context) -> str:
    """Asks only what the client can answer."""
    questions = {"name": elicitation("Name?", NAME), "words": sampling("A word?")}
    able = {k: q for k, q in questions.items() if q["method"].split("/")[0] in ctx.capabilities}
    return f"{len(await ctx.ask_all(able))} answers"


STRICT = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


@server.tool(inputSchema=STRICT)
async def json_schema_2020_12_tool(**arguments) -> str:
    """Has a schema with much in it."""
    return f"called with {sorted(arguments)}"


HEADER = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
}


@server.tool(inputSchema=HEADER)
async def test_x_mcp_header(region: str = "nowhere") -> str:  # noqa: PT028
    """Has an argument that is mirrored into a header."""
    return region


# -- resources -------------------------------------------------------------------------------------


@server.resource("test://static-text", name="static-text", mimeType="text/plain")
async def static_text() -> str:
    """A text that never changes."""
    return "This is the content of the static text resource."


@server.resource("test://static-binary", name="static-binary", mimeType="image/png")
async def static_binary() -> bytes:
    """Bytes that never change."""
    return PIXEL


@server.resource("test://watched-resource", name="watched-resource", mimeType="text/plain")
async def watched_resource() -> str:
    """A resource to subscribe to."""
    return "watched"


@server.resource("test://template/{id}/data", name="template", mimeType="application/json")
async def template_data(id: str):
    """A resource for every id."""
    return {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}


# -- prompts ---------------------------------------------------------------------------------------


@server.prompt
async def test_simple_prompt() -> str:
    """A prompt without arguments."""
    return "This is a simple prompt for testing."


@server.prompt
async def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    """A prompt with two arguments."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


@server.completion("test_prompt_with_arguments", "arg1")
async def arg1_values(typed: str) -> list[str]:
    """Values that begin with what was typed."""
    return [word for word in ("test", "testing", "paris") if word.startswith(typed)]


@server.prompt
async def test_prompt_with_embedded_resource(resourceUri: str):
    """A prompt that carries a resource."""
    return [
        {"role": "user", "content": embedded(resourceUri, "Embedded.", "text/plain")},
        {"role": "user", "content": text("Please process the embedded resource above.")},
    ]


@server.prompt
async def test_prompt_with_image():
    """A prompt that carries an image."""
    return [
        {"role": "user", "content": image(PIXEL)},
        {"role": "user", "content": text("Please analyze the image above.")},
    ]


@server.prompt
async def test_input_required_result_prompt(ctx: Context) -> str:
    """A prompt that asks first."""
    fields = {"context": {"type": "string"}}
    form = {"type": "object", "properties": fields, "required": ["context"]}
    answer = await ctx.elicit("Which context?", form, key="user_input")
    return f"Context: {answer.get('content')}"


if __name__ == "__main__":
    run(server)
