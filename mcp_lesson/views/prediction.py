"""Guess before you run: one question, a few options, and why each wrong one tempts.

    predict(
        "We ask for `add(3, 4)`. What comes back?",
        {
            "`7`": "It is what `add` returned, but a result must carry pictures and errors too.",
            '`"7"`': "Text it is, but a tool may say several things, so it comes in a list.",
            "a list with a text in it": True,
        },
        because="`content` is a list of blocks, and numbers travel as text.",
    )

A wrong option is a mistake that people really make, and its value says why it tempts. The right
one has the value True. A person clicks and reads; a class votes first, and nobody's name is kept.
Nothing here waits for anybody: a notebook that runs by itself shows the question and goes on.

The source of such a cell gives the answer away, so hide it: in the cell's metadata,
`{"jupyter": {"source_hidden": true}}`. JupyterLab and Notebook then fold it.
"""

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from . import prose
from .companion import Companion

LETTERS = "ABCDEF"
"""What options are called, so that a class can shout them. There are no more than these."""

_WIDTH = 78


@dataclass(frozen=True)
class Option:
    """One thing to guess: `why` says why it tempts, or why it is right."""

    letter: str
    text: str
    right: bool
    why: str


class Prediction(Companion):
    """What `predict` returns. Its text is the question and its options, never the answer."""

    def __init__(self, question: str, options: Mapping[str, str | bool], because: str = "") -> None:
        self.question = question
        self.options = _read(options, because)

    def __repr__(self) -> str:
        """The question and the options, without a word on which is right."""
        lines = textwrap.wrap(f"Predict: {self.question}", _WIDTH)
        for option in self.options:
            first = f"  {option.letter}  "
            lines += textwrap.wrap(
                option.text, _WIDTH, initial_indent=first, subsequent_indent=" " * 5
            )
        return "\n".join(lines)

    def html(self) -> str:
        """The question, the options, and the answer behind a line that must be opened first."""
        items = _list(f"{_letter(one)}{prose.html(one.text)}" for one in self.options)
        reasons = _list(f"{_letter(one)}{_reason(one)}" for one in self.options)
        return (
            f"<p><strong>Predict:</strong> {prose.html(self.question)}</p>{items}"
            f"<details><summary>The answer</summary>{reasons}</details>"
        )

    def _widget(self) -> Any:
        from .companion_widget import PredictionView

        options = [
            {
                "letter": option.letter,
                "text": prose.html(option.text),
                "right": option.right,
                "why": prose.html(option.why),
            }
            for option in self.options
        ]
        data = {"question": prose.html(self.question), "options": options}
        votes = [0] * len(options)
        return PredictionView(data, {"guess": -1, "open": False, "voting": False, "votes": votes})


def predict(question: str, options: Mapping[str, str | bool], *, because: str = "") -> Prediction:
    """Ask for a guess before a cell is run.

    question  what to predict; words between backticks are shown as code
    options   each option and why it tempts; exactly one has the value True: it is right
    because   why the right one is right

    Raises ValueError for fewer than two or more than six options, for none or several that are
    right, and for a wrong one without its reason.
    """
    return Prediction(question, options, because)


def _read(options: Mapping[str, str | bool], because: str) -> tuple[Option, ...]:
    if not 2 <= len(options) <= len(LETTERS):
        raise ValueError(f"there are {len(options)} options; give 2 to {len(LETTERS)}")
    right = [text for text, why in options.items() if why is True]
    if len(right) != 1:
        raise ValueError(f"{len(right)} options have the value True; exactly one is right")
    for text, why in options.items():
        if why is not True and not (isinstance(why, str) and why.strip()):
            raise ValueError(f"say why the option {text!r} tempts: its value is {why!r}")
    return tuple(
        Option(letter, text, why is True, because if why is True else str(why))
        for letter, (text, why) in zip(LETTERS, options.items(), strict=False)
    )


def _letter(option: Option) -> str:
    return f"<strong>{option.letter}</strong>&ensp;"


def _list(items: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"


def _reason(option: Option) -> str:
    said = "This one." if option.right else "Not this one."
    return f"{said} {prose.html(option.why)}".rstrip()
