"""A person in the loop: questions of servers are put to whoever sits at the notebook, and awaited.

    client = await connect(server, elicitation=ask_human())           # somebody answers
    client = await connect(server, elicitation=ask_human({"people": 4}))  # a script does

While a call is in flight the question appears below the cell that made it, and the handler waits
for one of three buttons. It waits for a limited time, and then counts as cancelled. Where a script
was given, or nobody watches, nothing waits at all: so a notebook never stops for want of a person.

What was handed to `connect` is a value too: evaluate it in a cell, and it shows what was asked and
what was answered. A question that no cell has caused, but a button, appears there as well.
"""

import asyncio
import contextvars
import functools
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .companion import Companion
from .drawing import is_live
from .question import ACTIONS, Question

Answer = Mapping[str, Any] | str | bool
Script = Answer | Iterable[Answer] | None

LIMIT = 240.0
"""How long a person may take by default: seconds. A client waits longer (`Limits.asked`)."""

_WORDS = {True: "accept", False: "decline"}


class Human(Companion):
    """What `ask_human` returns: a handler for elicitation that remembers what it was asked.

    declares   the capability it stands for: forms, and addresses to open
    questions  what was asked, with what came of it, oldest first
    """

    declares: Mapping[str, Any] = {"form": {}, "url": {}}

    def __init__(self, script: Script, who: str, limit: float) -> None:
        self._script = _answers(script)
        self._who, self._limit = who, limit
        self._place: Any = None
        self.questions: list[Question] = []

    def of(self, client: Any) -> Callable[[dict[str, Any]], Any]:
        """The handler for this client: it knows the name that the server gave itself."""
        name = client.server_info.get("title") or client.server_info.get("name")
        return functools.partial(self._elicited, self._who or str(name or "a server"))

    async def __call__(self, params: dict[str, Any]) -> dict[str, Any]:
        """Put a question; returns an ElicitResult. Clause: client/elicitation"""
        return await self._elicited(self._who or "a server", params)

    async def approve(self, question: str, details: Any = "") -> bool:
        """Ask for a yes before something is done: True only if a person, or the script, said so."""
        asked = Question(self._who or "the host", {"message": question}, details)
        await self._put(asked)
        return asked.outcome == "accept"

    async def _elicited(self, who: str, params: dict[str, Any]) -> dict[str, Any]:
        question = Question(who, params)
        await self._put(question)
        return question.result

    async def _put(self, question: Question) -> None:
        self.questions.append(question)
        if self._script is not None:
            _by_script(question, next(self._script, None))
        elif not is_live():
            question.answer("decline", "since nobody is watching")
            _display(question)
        else:
            await self._wait_for(question)

    async def _wait_for(self, question: Question) -> None:
        """Show the question where it will be seen, and wait for its answer."""
        if _runs_a_cell() or self._place is None:
            _display(question)
        else:
            from .form_widget import add

            add(self._place, question)
        try:
            async with asyncio.timeout(self._limit):
                await question.answered.wait()
        except TimeoutError:
            question.answer("cancel", f"since nobody answered within {self._limit:g} s")
        finally:
            question.answer("withdrawn")  # whoever asked has gone; no effect on an answer

    # -- faces ---------------------------------------------------------------------------------

    def __repr__(self) -> str:
        """What was asked, and what was answered."""
        return "\n\n".join(map(repr, self.questions)) or "nothing was asked yet"

    def html(self) -> str:
        """The same, each question as a list."""
        shown = "".join(question.html() for question in self.questions)
        return shown or "<p><em>Nothing was asked yet.</em></p>"

    def _widget(self) -> Any:
        from .form_widget import place

        self._place = place(self.questions)
        return self._place


def ask_human(scripted: Script = None, *, who: str = "", limit: float = LIMIT) -> Human:
    """A handler for elicitation: forms and addresses are put to a person.

    scripted  answers instead of a person, at once: the content of a form, "accept" (as the form
              stands), "decline" or "cancel"; or a list of these, one for each question
    who       what the asking server is called here; if not said, what it calls itself
    limit     seconds until a question nobody answers counts as cancelled

    Where nobody watches and there is no script, it declines at once and says so. An answer of a
    script that the form would refuse is not sent: the question counts as cancelled.
    """
    return Human(scripted, who, limit)


async def approve(
    question: str, details: Any = "", *, scripted: Script = None, limit: float = LIMIT
) -> bool:
    """Ask a person for a yes: `await approve("Delete it?", {"path": "notes.txt"})`.

    details   what it is about, shown below the question: text, or any JSON value
    scripted  True or False instead of a person

    False for a no, for no answer, and where there is nobody to ask.
    """
    return await ask_human(scripted, limit=limit).approve(question, details)


# -- scripts ---------------------------------------------------------------------------------------


def _answers(script: Script) -> Any:
    """The answers of a script, one after another; a single one answers every question."""
    if script is None:
        return None
    if isinstance(script, Mapping | str | bool):
        return iter(lambda: script, None)
    return iter(list(script))


def _by_script(question: Question, answer: Any) -> None:
    """Answer as the script says; what it does not say, or says wrongly, counts as cancelled."""
    action = _WORDS.get(answer, answer) if isinstance(answer, bool) else answer
    if isinstance(answer, Mapping):
        action = "accept"
        question.fill(dict(answer))
    if action is None:
        question.answer("cancel", "since the script has no more answers")
    elif action not in ACTIONS:
        raise ValueError(f"a script answers with content, or {', '.join(ACTIONS)}; not {answer!r}")
    elif not question.answer(action, "by the script"):
        wrong = "; ".join(question.problems.values()) or "the address"
        question.answer("cancel", f"since the script does not fit: {wrong}")


# -- where a question is shown ---------------------------------------------------------------------


def _display(question: Question) -> None:
    """Show a question in the cell that runs now, which need not be the one that opened the client.

    A kernel finds the cell to write to in the context of the task, and a handler's is that of the
    cell that called `connect`. In an empty context the kernel takes the cell that it runs.
    """
    if "IPython" not in sys.modules:
        return
    from IPython.display import display

    if _runs_a_cell():
        contextvars.Context().run(display, question)
    else:
        display(question)  # type: ignore[no-untyped-call]


def _runs_a_cell() -> bool:
    """True while the kernel runs a cell, or has run nothing else since: no message of a widget."""
    from IPython import get_ipython

    shell = get_ipython()
    if not hasattr(shell, "get_parent"):
        return False
    running = contextvars.Context().run(shell.get_parent) or {}
    return bool(running.get("header", {}).get("msg_type") == "execute_request")
