"""The live views of forms: what a browser sends is read here, and what Python says is sent back.

While somebody types, the browser sends what is filled in and gets back what would be sent; once a
button was pressed, also what is wrong with it and where. What goes to Python are messages and no
traits: while a cell waits, a kernel answers comm messages without saying that it is idle again, and
a front end that waits for this word holds back every change of a trait after the first.
What comes back is `data`, with the number of the message that it answers.
"""

import asyncio
from collections.abc import Iterable
from typing import Any

import ipywidgets

from .companion_widget import CSS, Live, read
from .form import ToolForm
from .form_faces import lines_of, pretty, sent
from .form_fields import ABSENT
from .form_values import keyed
from .marks import plain
from .question import ACTIONS, Question, details_of

_STYLE = CSS + read("forms.css")


class ToolView(Live):
    """A tool's form, its button, and what came of it."""

    _esm = read("page.js", "companion.js", "fields.js", "tool.js")
    _css = _STYLE


class QuestionView(Live):
    """A question of a server, its form or address, and three ways out."""

    _esm = read("page.js", "companion.js", "fields.js", "question.js")
    _css = _STYLE


# -- tools -----------------------------------------------------------------------------------------


def tool_view(form: ToolForm) -> ToolView:
    """A live form of a tool."""
    view = ToolView(_tool_data(form), {})
    _Presses(view, form).listen()
    return view


class _Presses:
    """What a person does with a tool's form, and the call that may be under way."""

    def __init__(self, view: ToolView, form: ToolForm) -> None:
        self.view, self.form = view, form
        self.number, self.checked = 0, False
        self.call: asyncio.Task[None] | None = None

    def listen(self) -> None:
        """Follow what the browser sends."""
        self.view.on_msg(lambda _, message, __: self._hear(message))

    def _hear(self, message: Any) -> None:
        self.form.raw, self.number = message.get("raw"), message.get("n", 0)
        if "press" in message:
            self._obey(message["press"])
        self._tell()

    def _obey(self, press: object) -> None:
        """A press of "call", "stop" or "clear"; while a call is under way only of "stop"."""
        if self.call and not self.call.done():
            if press == "stop":
                self.call.cancel()
            return
        self.form.result, self.form.trouble = None, ""
        self.checked = press == "call"
        if self.checked and self.form.call and not self.form.problems:
            self.call = asyncio.get_running_loop().create_task(self.form.submit())
            self.call.add_done_callback(lambda _: self._tell())

    def _tell(self) -> None:
        self.view.data = _tool_data(self.form) | {
            "n": self.number,
            "busy": self.call is not None and not self.call.done(),
            "checked": self.checked,
            "problems": keyed(self.form.problems) if self.checked else {},
        }


def _tool_data(form: ToolForm) -> dict[str, Any]:
    return {
        "name": plain(form.name),
        "words": lines_of(form.words),
        "calls": form.call is not None,
        "form": sent(form.field),
        "raw": form.raw,
        "preview": lines(pretty(form.arguments)),
        "result": "" if form.result is None else lines(repr(form.result)),
        "failed": bool(getattr(form.result, "is_error", False)),
        "trouble": lines(form.trouble),
        "busy": False,
        "checked": False,
        "problems": {},
        "n": 0,
    }


# -- questions -------------------------------------------------------------------------------------


def question_view(question: Question) -> QuestionView:
    """A live question."""
    view = QuestionView(_question_data(question, 0, False), {})
    number, tried = 0, False

    def tell() -> None:
        view.data = _question_data(question, number, tried)

    def hear(_: Any, message: Any, __: Any) -> None:
        nonlocal number, tried
        if question.outcome:
            return
        question.raw, number = message.get("raw"), message.get("n", 0)
        action = message.get("press")
        tried = tried or action == "accept"
        if action in ACTIONS:
            question.answer(action, "by you")
        tell()

    question.on_answer = tell
    view.on_msg(hear)
    return view


def _question_data(question: Question, number: int, tried: bool) -> dict[str, Any]:
    """What a question shows; what is wrong with the answer only once somebody wanted to send it."""
    address, approval = question.address, question.details is not ABSENT
    return {
        "who": plain(question.who),
        "message": question.message,
        "form": None if address or approval else sent(question.field),
        "address": None if address is None else {**vars(address), "url": question.params["url"]},
        "details": lines(details_of(question.details)) if approval else "",
        "warnings": question.warnings,
        "problems": keyed(question.problems) if tried else {},
        "preview": lines(pretty(question.result_of(question.outcome or "accept"))),
        "outcome": question.outcome,
        "said": question.said(),
        "raw": question.raw,
        "n": number,
    }


def place(questions: Iterable[Question]) -> Any:
    """A box in which questions stand one below the other; `add` puts another there."""
    shown = [question._widget() for question in questions]
    return ipywidgets.VBox(shown or [ipywidgets.HTML("<em>What servers ask appears here.</em>")])


def add(box: Any, question: Question) -> None:
    """Put a question into a place, in place of the note that nothing was asked yet."""
    before = (one for one in box.children if isinstance(one, QuestionView))
    box.children = (*before, question._widget())


def lines(text: str) -> str:
    """A text of many lines, each safe to look at."""
    return "\n".join(plain(line, 2_000) for line in text.splitlines()[:200])
