"""Prompts, and content."""

from typing import Any

from mcp_lesson.trace import Frame

from .talk import ask, c, err, found, new, ok, old, s


def said(**block: Any) -> list[Frame]:
    """A prompt with this block."""
    messages = [{"role": "user", "content": block}]
    return [
        *old(server={"prompts": {}}),
        c(ask(2, "prompts/get", name="p")),
        s(ok(2, messages=messages)),
    ]


def embedded(**resource: Any) -> list[Frame]:
    """A prompt with this resource."""
    return said(type="resource", resource=resource)


CASES = {
    "prompts.declared": (
        [*old("2025-03-26"), c(ask(2, "prompts/list")), s(ok(2, prompts=[]))],
        [
            *old("2025-03-26", server={"prompts": {}}),
            c(ask(2, "prompts/list")),
            s(ok(2, prompts=[])),
        ],
    ),
    "prompts.list-answered": (
        [*found(prompts={}), c(new(2, "prompts/list")), s(err(2, -32601))],
        [*found(), c(new(2, "prompts/list")), s(err(2, -32601))],
    ),
    "prompts.image": (
        said(type="image", data="not base64!", mimeType="image/png"),
        said(type="image", data="AAEC", mimeType="image/png"),
    ),
    "prompts.image-type": (
        said(type="image", data="AAEC", mimeType="png"),
        said(type="image", data="AAEC", mimeType="image/svg+xml"),
    ),
    "prompts.audio": (
        said(type="audio", data="AAE", mimeType="audio/wav"),
        said(type="audio", data="AAE=", mimeType="audio/wav"),
    ),
    "prompts.audio-type": (
        said(type="audio", data="AAEC", mimeType="wav"),
        said(type="audio", data="AAEC", mimeType="audio/wav"),
    ),
    "prompts.embedded": (
        embedded(uri="doc:a", text="hello"),
        embedded(uri="doc:a", text="hello", mimeType="text/plain"),
    ),
    "prompts.embedded-body": (
        embedded(uri="doc:a", mimeType="text/plain"),
        embedded(uri="doc:a", blob="AAEC", mimeType="text/plain"),
    ),
}
