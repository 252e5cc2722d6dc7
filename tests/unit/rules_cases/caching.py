"""Caching, since 2026-07-28."""

from .talk import KEPT, c, done, found, new, s

LIST = c(new(2, "tools/list"))
PUBLIC = KEPT | {"cacheScope": "public"}


def pages(first: dict[str, object], second: dict[str, object]) -> list[object]:
    """A list of two pages."""
    return [
        *found(tools={}),
        LIST,
        s(done(2, tools=[], nextCursor="n", **first)),
        c(new(3, "tools/list", cursor="n")),
        s(done(3, tools=[], **second)),
    ]


CASES = {
    "caching.hints": (
        [*found(tools={}), LIST, s(done(2, tools=[], ttlMs=0))],
        [*found(tools={}), LIST, s(done(2, tools=[], **KEPT))],
    ),
    "caching.not-negative": (
        [*found(tools={}), LIST, s(done(2, tools=[], ttlMs=-1, cacheScope="public"))],
        [*found(tools={}), LIST, s(done(2, tools=[], ttlMs=1, cacheScope="public"))],
    ),
    "caching.one-scope": (
        pages(KEPT, PUBLIC),
        pages(PUBLIC, PUBLIC),
    ),
}
