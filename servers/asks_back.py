# snippet: asks_back; mcp_lesson
"""Tools that need an answer before they can finish: from a person, from a model, from a host.

The new idea of this rung: a handler may ask the client while it runs. On a legacy connection that
is a request the other way. Since 2026-07-28 it is a result that says what is missing, and the
handler runs again from its first line when the answer is there, so nothing that cannot be done
twice stands before the question.
"""

from mcp_lesson import Context, Server, ToolError, run
from mcp_lesson.content import text

server = Server("asks-back", "1.0.0", logging=True)

BOOKING = {
    "type": "object",
    "properties": {
        "people": {"type": "integer", "title": "How many?", "minimum": 1, "default": 2},
        "window": {"type": "boolean", "title": "At the window?", "default": False},
    },
    "required": ["people"],
}


@server.tool
async def book_table(day: str, ctx: Context) -> str:
    """Book a table. Asks the person how many will come."""
    answer = await ctx.elicit(f"A table on {day}: for how many?", BOOKING)
    if answer["action"] != "accept":
        return "no table booked"
    place = "at the window" if answer["content"].get("window") else "inside"
    return f"a table for {answer['content']['people']} on {day}, {place}"


@server.tool
async def summarise(words: str, ctx: Context) -> str:
    """Summarise a text with the client's own model: this server has none, and no key."""
    asked = [{"role": "user", "content": text(f"In one sentence: {words}")}]
    answer = await ctx.sample(asked, max_tokens=100)
    said = answer["content"] if isinstance(answer["content"], list) else [answer["content"]]
    return "\n".join(block["text"] for block in said if block["type"] == "text")


@server.tool
async def where_am_i(ctx: Context) -> str:
    """List the folders that the client lets this server see."""
    return "\n".join(root["uri"] for root in await ctx.roots()) or "nowhere"


@server.tool
async def count_to(number: int, ctx: Context) -> str:
    """Count, and say how far it is; a caller who wants to know gives a progress token."""
    if not 1 <= number <= 1_000:
        raise ToolError(f"{number} is not from 1 to 1000")
    for step in range(1, number + 1):
        await ctx.progress(step, number, f"{step} of {number}")
        await ctx.log("debug", f"counted {step}")
    return f"counted to {number}"


if __name__ == "__main__":
    run(server)
