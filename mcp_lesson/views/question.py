"""One question that a server puts to a person, and what became of it.

A question is a card: who asks, what for, the fields of the form or the address to open, and three
ways out. *Accept* sends what was filled in, *decline* says no, *cancel* says nothing at all. Who
asks, and all that is asked, comes from a server; so it is shown with what cannot be seen made
visible, and with a warning where a form asks for what a form must never ask for.
Clause: https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
"""

import asyncio
import ipaddress
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .companion import Companion
from .form_faces import WIDTH, as_html, as_text, lines_of, pretty, rows
from .form_fields import ABSENT, Field, fields_of
from .form_values import Problems, Reading, blank, check, raw_of
from .marks import plain
from .shapes import safe

ACTIONS = ("accept", "decline", "cancel")

_SECRET = re.compile(
    r"\b(pass ?words?|pass ?phrases?|pass ?codes?|secrets?|credentials?|tokens?|pins?|cvv|cvc"
    r"|(api|access|private|secret) ?keys?|(credit ?)?card numbers?|iban)\b"
)

_OUTCOMES = {
    "accept": "accepted",
    "decline": "declined",
    "cancel": "cancelled",
    "withdrawn": "taken back by the server",
}


@dataclass(frozen=True)
class Address:
    """An address to open, taken apart so that its host can be seen for what it is.

    opens  False where it is none that a browser should open
    """

    before: str
    host: str
    after: str
    opens: bool
    warnings: tuple[str, ...]


class Question(Companion):
    """One question: its params as they came, and its answer once there is one.

    who      who asks, in words for a person
    details  what an approval is about, if this is one: any JSON value
    outcome  "", one of the three actions, or "withdrawn"
    how      who or what brought the outcome about: "by the script"
    """

    def __init__(self, who: str, params: Any, details: Any = ABSENT) -> None:
        self.who = who
        self.params: dict[str, Any] = params if isinstance(params, dict) else {}
        self.details = details
        self.schema = self.params.get("requestedSchema", {"type": "object"})
        self.field: Field = fields_of(self.schema)
        self.raw: Any = blank(self.field)
        self.outcome, self.how = "", ""
        self.answered = asyncio.Event()
        self.on_answer: Callable[[], None] = lambda: None
        self._shown: Any = None

    # -- what is asked -------------------------------------------------------------------------

    @property
    def message(self) -> str:
        """What the server says it wants."""
        return lines_of(str(self.params.get("message", "")))

    @property
    def address(self) -> Address | None:
        """The address to open, in URL mode."""
        return address_of(self.params.get("url")) if self.params.get("mode") == "url" else None

    @property
    def warnings(self) -> list[str]:
        """What a person should know before answering."""
        if self.address:
            return list(self.address.warnings)
        secret = [plain(f.title or f.name) for f in self.field.all() if is_secret(f)]
        if secret or _SECRET.search(_words(self.message)):
            asked = f" ({', '.join(secret)})" if secret else ""
            return [f"This looks like a secret{asked}. A form must never ask for one: decline."]
        return []

    @property
    def content(self) -> Any:
        """What is filled in, keyed as the schema says; empty fields are left out."""
        return Reading(self.field, self.raw).value

    @property
    def problems(self) -> Problems:
        """What is wrong with it, each at its place."""
        if self.address or self.details is not ABSENT:
            return {}
        return check(self.schema, self.field, Reading(self.field, self.raw))

    # -- answering -----------------------------------------------------------------------------

    def fill(self, values: dict[str, Any]) -> None:
        """Fill in these values, and leave what the form proposes elsewhere."""
        self.raw = raw_of(self.field, {**self.content, **values})

    def answer(self, action: str, how: str = "") -> bool:
        """Accept, decline or cancel. False if it was answered before, or does not fit the form."""
        if self.outcome or action not in _OUTCOMES:
            return False
        if action == "accept" and (self.problems or not self._may_open()):
            return False
        self.outcome, self.how = action, how
        self.answered.set()
        self.on_answer()
        return True

    def _may_open(self) -> bool:
        return self.address is None or self.address.opens

    @property
    def result(self) -> dict[str, Any]:
        """The answer: an ElicitResult."""
        return self.result_of(self.outcome if self.outcome in ACTIONS else "cancel")

    def result_of(self, action: str) -> dict[str, Any]:
        """The answer that this action gives; an accepted address has no content to send."""
        with_content = action == "accept" and self.address is None
        return {"action": action} | ({"content": self.content} if with_content else {})

    # -- faces ---------------------------------------------------------------------------------

    def __repr__(self) -> str:
        """The question and its outcome as text."""
        lines = textwrap.wrap(f"{plain(self.who)} asks: {' '.join(self.message.split())}", WIDTH)
        for about in self._about():
            lines += textwrap.wrap(about, WIDTH, initial_indent="  ", subsequent_indent="    ")
        lines += [] if self.address else as_text(self._rows())
        lines += [f"  ⚠ {warning}" for warning in self.warnings]
        return "\n".join([*lines, f"  {self.said()}"])

    def html(self) -> str:
        """The same as a few lines and a list."""
        head = f"<p><strong>{safe(plain(self.who))} asks:</strong> {safe(self.message)}</p>"
        about = "".join(f"<p><code>{safe(one)}</code></p>" for one in self._about())
        listed = "" if self.address else as_html(self._rows())
        warned = "".join(f"<p>⚠ {safe(warning)}</p>" for warning in self.warnings)
        return f"{head}{about}{listed}{warned}<p><em>{safe(self.said())}</em></p>"

    def said(self) -> str:
        """What became of it: "accepted by the script"."""
        return f"{_OUTCOMES.get(self.outcome, 'not answered yet')} {self.how}".strip()

    def _about(self) -> list[str]:
        if self.details is not ABSENT:
            return [plain(one) for one in details_of(self.details).splitlines()]
        one = self.address
        return [f"{one.before}{one.host}{one.after}", f"host: {one.host}"] if one else []

    def _rows(self) -> Any:
        return rows(self.field, self.content if self.outcome == "accept" else ABSENT)

    def _widget(self) -> Any:
        from .form_widget import question_view

        self._shown = self._shown or question_view(self)
        return self._shown


def details_of(details: Any) -> str:
    """The details of an approval: text as it is, anything else as JSON."""
    return details if isinstance(details, str) else pretty(details)


def is_secret(field: Field) -> bool:
    """True for a field that seems to want a password, a key or the like."""
    asked = _words(f"{field.name} {field.title} {field.words}")
    return field.format == "password" or bool(_SECRET.search(asked))


def _words(text: str) -> str:
    """Names taken apart into words: `apiKey` and `api_key` as `api key`."""
    return re.sub(r"[\W_]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)).lower()


_HOST = re.compile(r"[\w.-]+|\[[0-9a-fA-F:.]+\]")


def address_of(url: Any) -> Address:
    """An address, taken apart, and what is odd about it.

    Browsers and libraries read some addresses differently: one with blanks, backslashes or escapes
    where the host stands is not opened at all. Clause: client/elicitation#safe-url-handling
    """
    text = url if isinstance(url, str) else ""
    whole = plain(text, len(text) + 1)
    found = re.match(r"(https?)://([^/?#]*)", text, re.IGNORECASE)
    user, at, rest = found[2].rpartition("@") if found else ("", "", "")
    host = re.sub(r":\d*$", "", rest)
    if not found or whole != text or "\\" in text or " " in text or not _HOST.fullmatch(host):
        return Address(whole, "", "", False, ("This is no address that should be opened.",))
    start = found.start(2) + len(user + at)
    warnings = tuple(words for words, is_odd in _ODD if is_odd(found[1].lower(), user + at, host))
    return Address(text[:start], host, text[start + len(host) :], True, warnings)


def _is_number(host: str) -> bool:
    return host.startswith("[") or host.replace(".", "").isdigit()


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


_ODD: tuple[tuple[str, Callable[[str, str, str], bool]], ...] = (
    (
        "It is not encrypted: others can read along.",
        lambda scheme, user, host: scheme == "http" and not _is_local(host),
    ),
    (
        "Its host is written with letters that may imitate others.",
        lambda scheme, user, host: not host.isascii() or "xn--" in host.lower(),
    ),
    (
        "What stands before the @ is not the host.",
        lambda scheme, user, host: bool(user),
    ),
    (
        "Its host is a number, and no name.",
        lambda scheme, user, host: _is_number(host) and not _is_local(host),
    ),
)
"""What may be odd about an address, each with its test: scheme, what precedes the @, host."""
