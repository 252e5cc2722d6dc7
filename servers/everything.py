# snippet: everything; mcp_lesson
"""One of each thing the protocol has: something to point a new client at, and to look things up in.

The new idea of this rung: none; all of the earlier ones stand side by side, each as small as it can
be. Lists come three entries a page, and what claims to change does change: a kept note is a new
resource, a changed note is told to those who subscribed, and `unlock` adds a tool and a prompt.
"""

import asyncio
import base64
import io
import math
import wave
from typing import Any

from mcp_lesson import Context, NotFound, Server, ToolError, run
from mcp_lesson.content import audio, contents, embedded, image, link, text

server = Server(
    "everything",
    "1.0.0",
    title="Everything at once",
    instructions="Try each tool, read each resource, pick each prompt; there is one of every kind.",
    logging=True,
    page_size=3,
    ttl_ms=1_000,
)


# -- a picture and a sound -------------------------------------------------------------------------

DOT = base64.b64decode(  # one red pixel
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
ICON = {
    "src": f"data:image/png;base64,{base64.b64encode(DOT).decode()}",
    "mimeType": "image/png",
    "sizes": ["1x1"],
}


def beep() -> bytes:
    """A tenth of a second of the note A, as a WAV file."""
    rate, file = 8_000, io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 1, rate, 0, "NONE", ""))  # one channel, one byte a sample
        height = (math.sin(2 * math.pi * 440 * n / rate) for n in range(rate // 10))
        sound.writeframes(bytes(round(128 + 100 * h) for h in height))
    return file.getvalue()


# -- tools -----------------------------------------------------------------------------------------

PLACE = {  # over HTTP, since 2026-07-28, clients repeat `region` in the header Mcp-Param-Region
    "type": "object",
    "properties": {
        "region": {"type": "string", "enum": ["coast", "hills"], "x-mcp-header": "Region"},
        "day": {"type": "integer", "minimum": 0, "maximum": 6, "default": 0},
    },
    "required": ["region"],
}
WEATHER = {
    "type": "object",
    "properties": {"sky": {"type": "string"}, "degrees": {"type": "number"}},
    "required": ["sky", "degrees"],
}
HARMLESS = {"readOnlyHint": True, "openWorldHint": False}


@server.tool(
    title="Weather", inputSchema=PLACE, outputSchema=WEATHER, annotations=HARMLESS, icons=[ICON]
)
def weather(region: str, day: int = 0) -> dict:
    """A forecast as structured output: it always fits the outputSchema."""
    return {"sky": "windy" if region == "coast" else "clear", "degrees": 18.5 - day}


@server.tool(annotations=HARMLESS)
def every_content() -> list[dict]:
    """One block of each kind; the first says who it is for, and how much it matters."""
    return [
        text("A text.") | {"annotations": {"audience": ["user"], "priority": 0.9}},
        image(DOT),
        audio(beep()),
        link("memo://welcome", "welcome", mimeType="text/plain"),
        embedded("memo://welcome", welcome(), "text/plain"),
    ]


@server.tool
def fail(reason: str = "no paper") -> None:
    """Fail in words that a model can read."""
    raise ToolError(reason)


@server.tool
async def work(ctx: Context, steps: int = 3) -> str:
    """Take a tenth of a second a step, and report each: progress and a log line."""
    steps = max(1, min(steps, 100))
    for step in range(1, steps + 1):
        await asyncio.sleep(0.1)
        await ctx.progress(step, steps, f"step {step}")
        await ctx.log("info", {"step": step}, "work")
    return f"{steps} steps done"


@server.tool
async def ask_model(question: str, ctx: Context) -> str:
    """Ask the client's model."""
    asked = {"role": "user", "content": text(question)}
    hints = {"hints": [{"name": "small"}], "speedPriority": 1.0}
    answer = await ctx.sample([asked], 100, systemPrompt="Be brief.", modelPreferences=hints)
    said = answer["content"] if isinstance(answer["content"], list) else [answer["content"]]
    return "\n".join(block.get("text", f"({block['type']})") for block in said)


def choices(**titles: str) -> list[dict]:
    """The values of an enum, each with the words that a person sees."""
    return [{"const": value, "title": title} for value, title in titles.items()]


FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name", "minLength": 1, "default": "Ada"},
        "guests": {"type": "integer", "minimum": 1, "maximum": 9, "default": 2},
        "tip": {"type": "number", "minimum": 0, "default": 1.5},
        "window": {"type": "boolean", "default": True},
        "email": {"type": "string", "format": "email", "default": "ada@example.com"},
        "drink": {"type": "string", "enum": ["tea", "coffee"], "default": "tea"},
        "seat": {
            "type": "string",
            "oneOf": choices(inside="In", outside="Out"),
            "default": "outside",
        },
        "sides": {
            "type": "array",
            "items": {"type": "string", "enum": ["bread", "salad"]},
            "default": ["bread"],
        },
        "sweets": {
            "type": "array",
            "items": {"anyOf": choices(pie="Apple pie", ice="Ice cream")},
            "maxItems": 1,
            "default": ["pie"],
        },
    },
    "required": ["name", "guests"],
}


@server.tool
async def ask_person(ctx: Context) -> str:
    """Ask by a form that has every kind of field, each with a default."""
    answer = await ctx.elicit("Your order?", FORM)
    if answer["action"] != "accept":
        return f"no order: {answer['action']}"
    return ", ".join(f"{name}={value}" for name, value in sorted(answer["content"].items()))


@server.tool
async def send_to_page(ctx: Context) -> str:
    """Ask the person to open a page: the only way to ask for a secret, which no client may see."""
    asked = {"mode": "url", "message": "Please sign in.", "url": "https://example.com/sign-in"}
    legacy = ctx.revision.era == "legacy"
    named = {"elicitationId": f"sign-in-{ctx.message['id']}"} if legacy else {}
    answer = await ctx.ask("elicitation/create", asked | named)
    if legacy and answer["action"] == "accept":  # a real server says so when the page says so
        await ctx.peer.tell("notifications/elicitation/complete", named, reply_to=ctx.message["id"])
    return answer["action"]


@server.tool
async def look_around(ctx: Context) -> str:
    """List the folders that the client lets this server see."""
    return "\n".join(root["uri"] for root in await ctx.roots()) or "nowhere"


# -- what changes ----------------------------------------------------------------------------------

NOTES: dict[str, str] = {}


@server.tool(annotations={"idempotentHint": True})
async def keep_note(name: str, words: str) -> str:
    """Keep a note. A new one joins the list of resources; a changed one is told to subscribers."""
    if not name.isalnum() or (name not in NOTES and len(NOTES) == 100):
        raise ToolError("a name is letters and digits, and there is room for 100 notes")
    uri, is_new, is_changed = f"note://{name}", name not in NOTES, NOTES.get(name) != words
    NOTES[name] = words
    if is_new:
        server.resource(uri, name=name, mimeType="text/plain")(lambda: NOTES[name])
        server.changed("resources")
    if is_changed:
        server.updated(uri)
    return f"kept {uri}"


@server.tool
async def unlock() -> str:
    """Offer one more tool and one more prompt; called again, take them away again."""
    if "treasure" in server.tools:
        del server.tools["treasure"], server.prompts["riddle"]
    else:
        server.tool(lambda: "gold", name="treasure", description="What was locked away.")
        server.prompt(lambda: "What has keys and no doors?", name="riddle")
    server.changed("tools")
    server.changed("prompts")
    return "unlocked" if "treasure" in server.tools else "locked"


# -- resources -------------------------------------------------------------------------------------


@server.resource(
    "memo://welcome",
    name="welcome",
    title="Welcome",
    mimeType="text/plain",
    annotations={"audience": ["user", "assistant"], "priority": 1.0},
)
def welcome() -> str:
    """A text that is always there."""
    return "Welcome. There is one of everything."


@server.resource("picture://dot", name="dot", mimeType="image/png", size=len(DOT), icons=[ICON])
def dot() -> bytes:
    """Bytes: they travel as base64."""
    return DOT


@server.resource("folder://all", name="all")
def folder() -> list[dict]:
    """Several contents, each with its own address and type."""
    return [
        contents("memo://welcome", welcome(), "text/plain"),
        contents("picture://dot", DOT, "image/png"),
    ]


@server.resource("note://{name}", name="note", mimeType="text/plain")
def note(name: str) -> str:
    """A note by its name."""
    if name not in NOTES:
        raise NotFound(f"there is no note {name!r}")
    return NOTES[name]


@server.resource("thumbnail://{size}/{+path}", name="thumbnail", mimeType="image/png")
def thumbnail(size: str, path: str) -> bytes:
    """A picture at any path, slashes and all; they are all the same dot."""
    return DOT


@server.completion("note://{name}", "name")
def note_names(typed: str) -> list[str]:
    return sorted(name for name in NOTES if name.startswith(typed))


# -- prompts ---------------------------------------------------------------------------------------

TONES = {"ada": ["formal", "friendly"], "grace": ["frank", "friendly"]}


@server.prompt(
    title="Greet somebody",
    icons=[ICON],
    arguments=[
        {"name": "name", "title": "Name", "description": "Who is greeted", "required": True},
        {"name": "tone", "title": "Tone", "description": "friendly, if none is given"},
    ],
)
def greet(name: str, tone: str = "friendly") -> str:
    """A greeting in a tone."""
    return f"Greet {name} in a {tone} tone."


@server.completion("greet", "name")
def people(typed: str) -> list[str]:
    return [name for name in TONES if name.startswith(typed.lower())]


@server.completion("greet", "tone")
def tones(typed: str, ctx: Context) -> list[str]:
    """What suits the person who is filled in already; the client says who, since 2025-06-18."""
    name = ctx.params.get("context", {}).get("arguments", {}).get("name", "")
    known = TONES.get(name, sorted({tone for some in TONES.values() for tone in some}))
    return [tone for tone in known if tone.startswith(typed)]


@server.prompt
def compare_pictures() -> list[dict[str, Any]]:
    """Messages with a picture and a whole resource, and the beginning of the answer."""
    blocks = [text("Compare these two."), image(DOT), embedded("picture://dot", DOT, "image/png")]
    asked = [{"role": "user", "content": block} for block in blocks]
    return [*asked, {"role": "assistant", "content": text("They are the same:")}]


if __name__ == "__main__":
    run(server)
