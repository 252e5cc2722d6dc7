"""What follows from several messages: rounds, streams, progress, the turns of a sampled chat."""

from typing import Any

from ..connection import FILTERS
from ..revisions import META
from .conversation import Event, get, heard
from .promises import UNKNOWN

_ROUNDS = ("inputResponses", "requestState", "_meta")


def reused(event: Event) -> bool:
    """Whether this id was used before in this session, which begins with its `initialize`."""
    before, opening = event.ties.get("before"), heard(event, "opening")
    begins = opening.frame if opening else 0
    return bool(before and before.event.life == event.life and before.event.frame >= begins)


def waits(event: Event, tie: str) -> bool:
    """Whether the request that a tie leads to still waits for its answer."""
    return tie in event.ties and event.ties[tie].event.waits(event)


def _salient(event: Event) -> Any:
    """What a request asks for, without what changes from round to round."""
    params = get(event.message, "params") or {}
    return [event.method, {name: params[name] for name in params if name not in _ROUNDS}]


def continues(event: Event, tie: str) -> Any:
    """Whether this asks for the same as the request whose result a tie leads to."""
    asked = event.ties[tie].event.asked if tie in event.ties else None
    return bool(_salient(asked) == _salient(event)) if asked else UNKNOWN


def state_owed(event: Event) -> bool:
    """Whether these answers belong to a result with a state that is not repeated here."""
    if continues(event, "retry") is not True:
        return False
    given = "requestState" in event.ties["retry"].event.message["result"]
    return given and get(event.message, "params", "requestState") is None


def wanted(event: Event) -> Any:
    """Whether the subscription that brings this asked for its kind."""
    if "listen" not in event.ties or event.method not in FILTERS:
        return UNKNOWN
    listen = event.ties["listen"].object
    return bool(get(listen, "params", "notifications", FILTERS[event.method]))


def log_wanted(event: Event) -> bool:
    """Whether some request that this log line may be about asked for log lines."""
    calls = event.exchange.calls if event.exchange else []
    levels = (get(call.message, "params", "_meta", META + "logLevel") for call in calls)
    return any(levels) or (event.exchange is None and bool(event.talk.known.get("level")))


def follows(event: Event) -> bool:
    """Whether the last progress with this token was about the same request."""
    last, now = event.ties.get("progress"), event.ties.get("token")
    token = last.event.ties.get("token") if last else None
    return last is not None and (token and token.event) is (now and now.event)


def token_live(event: Event) -> bool:
    """Whether the work that this progress is about goes on, as far as was said on its stream."""
    tie = event.ties.get("token")
    if tie is None or get(tie.event.message, "params", "task") is not None:
        return True  # a task goes on after its first answer
    return event.exchange is not tie.event.exchange or tie.event.waits(event)


def supported(event: Event) -> Any:
    """Whether the server says that it speaks the version of the request that this answers."""
    known = event.talk.server.heard.get("result server/discover")
    versions = get(known.message if known else None, "result", "supportedVersions")
    version = get((event.asked or event).message, "params", "_meta", META + "protocolVersion")
    return version in versions if isinstance(versions, list) and version else UNKNOWN


def blocks(turn: Any, kind: str = "") -> list[Any]:
    """The blocks of one turn, all or those of one type; a lone block counts as one."""
    content = get(turn, "content")
    found = content if isinstance(content, list) else [content]
    return [block for block in found if not kind or get(block, "type") == kind]


def results_stand_alone(turns: list[Any]) -> bool:
    """Whether every turn with results of tools holds nothing else."""
    return all(len(blocks(turn, "tool_result")) in (0, len(blocks(turn))) for turn in turns)


def uses_are_answered(turns: list[Any]) -> bool:
    """Whether each use of a tool has its result in the next turn, and each result its use."""
    return all(
        sorted(str(get(use, "id")) for use in blocks(before, "tool_use"))
        == sorted(str(get(result, "toolUseId")) for result in blocks(after, "tool_result"))
        for before, after in zip([None, *turns], [*turns, None], strict=True)
    )


def uses_tools(event: Event) -> bool:
    """Whether the model asks for a tool in this result, or did in the request's messages."""
    turns = get(event.asked.message if event.asked else None, "params", "messages")
    found = [*(turns if isinstance(turns, list) else []), get(event.message, "result")]
    return any(blocks(turn, "tool_use") for turn in found)
