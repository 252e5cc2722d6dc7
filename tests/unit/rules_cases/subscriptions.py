"""Subscriptions, since 2026-07-28."""

from typing import Any

from .talk import c, found, new, of, s, tell

WANTED = {"toolsListChanged": True}


def listen(**filter: Any) -> list[Any]:
    """A subscription is opened."""
    return [
        *found(tools={"listChanged": True}),
        c(new(2, "subscriptions/listen", notifications=filter)),
    ]


ACK = s(tell("notifications/subscriptions/acknowledged", _meta=of(2), notifications={}))
CHANGED = "notifications/tools/list_changed"

CASES = {
    "subscriptions.acknowledged-first": (
        [*listen(**WANTED), s(tell(CHANGED, _meta=of(2))), ACK],
        [*listen(**WANTED), ACK, s(tell(CHANGED, _meta=of(2)))],
    ),
    "subscriptions.asked-for": (
        [*listen(promptsListChanged=True), ACK, s(tell(CHANGED, _meta=of(2)))],
        [*listen(**WANTED), ACK, s(tell(CHANGED, _meta=of(2)))],
    ),
    "subscriptions.named": (
        [*listen(**WANTED), ACK, s(tell(CHANGED))],
        [*listen(**WANTED), ACK, s(tell(CHANGED, _meta=of(2)))],
    ),
    "subscriptions.known": (
        [*listen(**WANTED), ACK, s(tell(CHANGED, _meta=of("2")))],
        [*listen(**WANTED), ACK, s(tell(CHANGED, _meta=of(2)))],
    ),
}
