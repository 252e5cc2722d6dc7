"""Plots for the lessons: how many adapters a protocol saves, and how long things take.

    adapters(4, 6)                              N×M programs against N+M
    bars({"memory": 0.05, "stdio": 0.2}, "ms")  one bar a name

A bar's length says how much only where its scale begins at zero. Where the values lie so far apart
that the scale must be logarithmic, a dot stands at the value instead.


Drawn by matplotlib, which is imported at the first plot, in the colours of the diagram and on a
light card of their own. What they say as text holds no measured number, so that it is the same on
every run.
"""

import base64
import io
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import prose
from .drawing import image, is_live
from .palette import LIGHT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SPREAD = 30
"""The largest bar over the smallest beyond which the scale is logarithmic."""

MOST = 12
"""More programs than this on one side are not drawn."""

_DOTS = 100
"""Dots an inch of the PNG picture that a notebook keeps."""

_PAD = {"w_pad": 0.14, "h_pad": 0.14}
"""Inches between the drawing and the edge of its card."""

_SETTINGS: Any = {"svg.hashsalt": "mcp-lesson", "svg.fonttype": "path", "font.size": 13}
_NOTHING: Any = {"Date": None, "Creator": None, "Format": None, "Type": None}

Values = Mapping[str, float | Sequence[float]]


class Plot:
    """A drawn figure and one sentence that says what it shows."""

    def __init__(self, figure: "Figure", words: str) -> None:
        self.figure, self.words = figure, words

    def __repr__(self) -> str:
        """What the plot shows, without a number that was measured."""
        return self.words

    def png(self, dots: int = 2 * _DOTS) -> bytes:
        """The figure as a PNG picture, for a slide or a page; `dots` are dots an inch."""
        return self._drawn(format="png", dpi=dots)

    def svg(self) -> str:
        """The figure as SVG text."""
        return self._drawn(format="svg", metadata=_NOTHING).decode()

    def _drawn(self, **how: Any) -> bytes:
        buffer = io.BytesIO()
        with _style():
            self.figure.savefig(buffer, **how)
        return buffer.getvalue()

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, str], dict[str, Any]]:
        """What is kept is a PNG: two runs of a lesson may differ in that, and in nothing else.

        JupyterLab shows a PNG without its alt text, so a live view is an image that has one.
        """
        bundle = {"text/plain": self.words, "image/png": base64.b64encode(self.png(_DOTS)).decode()}
        if is_live():
            bundle["text/html"] = image(self.svg(), self.words)
        return bundle, {"image/png": {"alt": self.words}}


# -- N×M against N+M ------------------------------------------------------------------------------


def adapters(n: int, m: int) -> Plot:
    """Draw `n` applications that each need `m` services: without a protocol, and with one.

    Raises ValueError for less than one or more than twelve of either.
    """
    if not (1 <= n <= MOST and 1 <= m <= MOST):
        raise ValueError(f"{n} applications and {m} services: draw 1 to {MOST} of each")
    with _style():
        figure = _figure(9.6, 0.9 + 0.42 * max(n, m, 4))
        left, right = figure.subplots(1, 2)
        _each_to_each(left, n, m)
        _through_one(right, n, m)
    words = (
        f"{n} {_plural('application', n)} and {m} {_plural('service', m)}: {n} × {m} ="
        f" {n * m} adapters without a protocol, {n} + {m} = {n + m} with one."
    )
    return Plot(figure, words)


def _each_to_each(axes: "Axes", n: int, m: int) -> None:
    ours, theirs = _places(n), _places(m)
    for y in ours:
        for other in theirs:
            axes.plot([0, 1], [y, other], color=LIGHT["error"], linewidth=1.1, alpha=0.55, zorder=1)
    _ends(axes, ours, theirs)
    _headed(axes, "Without a protocol", f"{n} × {m} = {n * m} adapters", LIGHT["error"])


def _through_one(axes: "Axes", n: int, m: int) -> None:
    ours, theirs = _places(n), _places(m)
    for x, ys in ((0, ours), (1, theirs)):
        for y in ys:
            axes.plot([x, 0.5], [y, y], color=LIGHT["answer"], linewidth=1.8, zorder=1)
    everything = [*ours, *theirs]
    axes.plot(
        [0.5, 0.5],
        [min(everything) - 0.04, max(everything) + 0.04],
        color=LIGHT["answer"],
        linewidth=9,
        solid_capstyle="round",
        zorder=2,
    )
    _ends(axes, ours, theirs)
    _headed(axes, "With MCP between them", f"{n} + {m} = {n + m} adapters", LIGHT["answer"])


def _ends(axes: "Axes", ours: Sequence[float], theirs: Sequence[float]) -> None:
    """The applications at the left, round; the services at the right, square."""
    for x, ys, marker, colour in ((0, ours, "o", "request"), (1, theirs, "s", "notification")):
        axes.scatter([x] * len(ys), ys, s=130, marker=marker, color=LIGHT[colour], zorder=3)


def _headed(axes: "Axes", title: str, count: str, colour: str) -> None:
    axes.set_title(title, color=LIGHT["ink"], fontsize=14, fontweight="bold", pad=12)
    axes.text(0.5, -0.14, count, ha="center", color=colour, fontsize=15, fontweight="bold")
    for x, word, side in ((0, "applications", "left"), (1, "services", "right")):
        axes.text(x, 1.07, word, ha=side, color=LIGHT["muted"], fontsize=12)
    axes.set_xlim(-0.06, 1.06)
    axes.set_ylim(-0.2, 1.14)
    axes.axis("off")


def _places(count: int) -> list[float]:
    """Where so many dots stand, from the top: evenly, the first and last not quite at the ends."""
    return [1 - (place + 0.5) / count for place in range(count)]


def _plural(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"


# -- how long -------------------------------------------------------------------------------------


def bars(values: Values, unit: str, title: str = "") -> Plot:
    """Draw one bar for each name: a number, or the median of several and the middle half of them.

    values  a number or several for each name, all greater than zero
    unit    what they are counted in: "ms"
    title   set above the plot

    Raises ValueError for no values, an empty list, and a number that is not greater than zero.
    """
    measured = {name: _numbers(name, value) for name, value in values.items()}
    if not measured:
        raise ValueError("there is nothing to draw: give a number for at least one name")
    middles = [statistics.median(numbers) for numbers in measured.values()]
    is_log = max(middles) > SPREAD * min(middles)
    with _style():
        figure = _figure(9.6, 1.5 + 0.55 * len(measured))
        axes = figure.subplots()
        for place, numbers in enumerate(measured.values()):
            _bar(axes, place, numbers, unit, is_log)
        _scale(axes, middles, is_log)
        _frame(axes, list(measured), f"{unit}, logarithmic scale" if is_log else unit, title)
    named = f"{title}: " if title else ""
    return Plot(figure, f"Bar chart: {named}{unit} for {prose.joined(measured)}.")


def _numbers(name: str, value: float | Sequence[float]) -> list[float]:
    numbers = [float(value)] if isinstance(value, int | float) else [float(one) for one in value]
    if not numbers or not all(0 < one < float("inf") for one in numbers):
        raise ValueError(f"{name!r} is {value!r}; give numbers greater than zero")
    return numbers


def _bar(axes: "Axes", place: int, numbers: Sequence[float], unit: str, is_log: bool) -> None:
    middle = statistics.median(numbers)
    axes.barh(place, middle, height=0.1 if is_log else 0.56, color=LIGHT["request"], zorder=2)
    if is_log:
        axes.scatter([middle], [place], s=170, color=LIGHT["request"], zorder=3)
    end = middle
    if len(numbers) > 3:
        low, _, end = statistics.quantiles(numbers, n=4)
        axes.plot([low, end], [place, place], color=LIGHT["ink"], linewidth=2.5, zorder=4)
    axes.annotate(
        f"{_short(middle)} {unit}",
        (max(middle, end), place),
        xytext=(14 if is_log else 8, 0),
        textcoords="offset points",
        va="center",
        color=LIGHT["ink"],
        fontsize=13,
        fontweight="bold",
    )


def _short(number: float) -> str:
    """Three significant digits, never an exponent."""
    digits = max(0, 2 - math.floor(math.log10(number)))
    text = f"{number:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _scale(axes: "Axes", middles: Sequence[float], is_log: bool) -> None:
    if is_log:
        axes.set_xscale("log")
        axes.set_xlim(min(middles) / 4, max(middles) * 8)
        axes.xaxis.set_major_formatter(lambda value, _: _short(value))
        axes.minorticks_off()
    else:
        axes.set_xlim(0, max(middles) * 1.22)


def _frame(axes: "Axes", names: Sequence[str], below: str, title: str) -> None:
    axes.set_yticks(range(len(names)), names, fontsize=14, color=LIGHT["ink"])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlabel(below, color=LIGHT["muted"], fontsize=12)
    axes.tick_params(axis="x", colors=LIGHT["muted"], labelsize=12)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=LIGHT["edge"], linewidth=0.8, zorder=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(LIGHT["line"])
    if title:
        axes.set_title(title, color=LIGHT["ink"], fontsize=15, weight="bold", loc="left", pad=12)


@contextmanager
def _style() -> Iterator[None]:
    """Matplotlib's own settings and ours, whatever a notebook has made of them meanwhile."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield


def _figure(width: float, height: float) -> "Figure":
    """An empty figure, in inches, that no other plot of the notebook shares anything with."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), facecolor=LIGHT["ground"], layout="constrained")
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.set(**_PAD)
    return figure
