"""Side by side: which of the spans on one lifeline stand in which slot.

Two answers owed at the same time are two bars beside each other, and so are two open streams. Each
span takes the lowest slot that is free where it begins; where very many run at once, those beyond
the last slot share it.
"""

from collections.abc import Iterable, Sequence

from .rows import Span

MOST = 8
"""Slots on one lifeline."""

LANES = 3
"""Lanes that are drawn for streams of one kind; more streams share the last."""


def place_spans(spans: Sequence[Span]) -> list[int]:
    """For each span the lowest slot that is free where it begins."""
    slots: list[int] = []
    busy: dict[tuple[str, str], list[int]] = {}
    for span in spans:
        kind = group_of(span)
        ends = busy.setdefault((kind, span.lifeline), [])
        free = next((slot for slot, end in enumerate(ends) if end <= span.start), len(ends))
        free = min(free, MOST - 1)
        if free == len(ends):
            ends.append(0)
        ends[free] = 1 << 60 if span.end is None else span.end
        slots.append(free)
    return slots


def group_of(span: Span) -> str:
    """Spans of one group stand side by side: bars, streams, and GET streams outside those."""
    if span.kind == "stream":
        return "GET" if span.label == "GET" else "POST"
    return "round" if span.kind == "round" else "owed"


def lanes_of(spans: Iterable[Span], slots: Iterable[int], group: str) -> int:
    """How many streams of this group run side by side at most; more than three share a lane."""
    taken = (slot for span, slot in zip(spans, slots, strict=True) if group_of(span) == group)
    return min(LANES, max(taken, default=-1) + 1)
