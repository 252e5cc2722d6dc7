"""The plots: what they count, what they say, and that nothing heavy is imported for a name."""

import base64
import re
import subprocess
import sys
from typing import Any

import pytest

from mcp_lesson import adapters, bars
from mcp_lesson.views import plots
from mcp_lesson.views.palette import LIGHT, contrast


def lines(axes: Any) -> int:
    return len(axes.lines)


def said(axes: Any) -> str:
    return " ".join(text.get_text() for text in axes.texts)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (4, 6), (12, 9)])
def test_as_many_lines_are_drawn_as_are_said(n: int, m: int) -> None:
    plot = adapters(n, m)
    left, right = plot.figure.axes
    assert lines(left) == n * m
    assert lines(right) == n + m + 1  # and the bar in the middle
    assert f"{n} × {m} = {n * m} adapters" in said(left)
    assert f"{n} + {m} = {n + m} adapters" in said(right)


def test_what_the_adapters_say() -> None:
    assert repr(adapters(4, 1)) == (
        "4 applications and 1 service: 4 × 1 = 4 adapters without a protocol, 4 + 1 = 5 with one."
    )


@pytest.mark.parametrize(("n", "m"), [(0, 3), (3, 0), (13, 1), (1, -1)])
def test_what_cannot_be_drawn_is_refused(n: int, m: int) -> None:
    with pytest.raises(ValueError, match="draw 1 to 12 of each"):
        adapters(n, m)


def test_a_bar_chart_says_no_measured_number() -> None:
    one = bars({"memory": 0.0531, "stdio": [0.2, 0.3, 0.25]}, "ms", "Latency")
    assert repr(one) == "Bar chart: Latency: ms for memory and stdio."
    assert repr(one) == repr(bars({"memory": 9.0, "stdio": 1.0}, "ms", "Latency"))


def test_every_bar_is_labelled_with_its_median() -> None:
    axes = bars({"a": [1, 9, 2], "b": 4}, "ms").figure.axes[0]
    assert said(axes) == "2 ms 4 ms"
    assert [bar.get_width() for bar in axes.patches] == [2, 4]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["a", "b"]


def test_the_scale_is_logarithmic_when_the_values_lie_far_apart() -> None:
    near = bars({"a": 1, "b": plots.SPREAD}, "ms").figure.axes[0]
    far = bars({"a": 1, "b": plots.SPREAD + 1}, "ms").figure.axes[0]
    assert (near.get_xscale(), near.get_xlabel()) == ("linear", "ms")
    assert (far.get_xscale(), far.get_xlabel()) == ("log", "ms, logarithmic scale")
    assert near.get_xlim()[0] == 0


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.0213, "0.0213"), (0.0002134, "0.000213"), (5.4, "5.4"), (5, "5"), (123.4, "123"),
     (2, "2"), (10, "10"), (100, "100"), (48213.7, "48,214")],
)  # fmt: skip
def test_numbers_have_three_digits_and_no_exponent(number: float, text: str) -> None:
    assert plots._short(number) == text


@pytest.mark.parametrize("values", [{}, {"a": []}, {"a": 0}, {"a": -1}, {"a": [1, float("inf")]},
                                    {"a": float("nan")}])  # fmt: skip
def test_nothing_and_less_than_nothing_are_refused(values: Any) -> None:
    with pytest.raises(ValueError, match=r"nothing to draw|greater than zero"):
        bars(values, "ms")


def test_what_is_kept_is_a_png_and_a_sentence() -> None:
    """`mcp-lesson notebooks run` and nbval let a PNG differ from run to run, and nothing else."""
    data, metadata = adapters(2, 3)._repr_mimebundle_()
    assert set(data) == {"text/plain", "image/png"}
    assert metadata == {"image/png": {"alt": data["text/plain"]}}
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert len(data["image/png"]) < 150_000


def test_a_live_plot_has_its_words_as_alt_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots, "is_live", lambda: True)
    html = adapters(2, 3)._repr_mimebundle_()[0]["text/html"]
    assert re.fullmatch(r'<img src="data:image/svg\+xml;base64,[\w+/=]+" alt="2 app[^"]+">', html)


def test_the_drawing_is_the_same_on_every_run_and_in_every_style() -> None:
    import matplotlib

    plain = adapters(2, 3).svg()
    with matplotlib.rc_context({"axes.facecolor": "red", "font.size": 30}):
        assert adapters(2, 3).svg() == plain
        assert matplotlib.rcParams["font.size"] == 30
    assert not re.search(r"\d{4}-\d\d-\d\d|matplotlib v|0x[0-9a-f]{6}", plain)


@pytest.mark.parametrize("colour", ["ink", "muted", "request", "answer", "error"])
def test_colours_can_be_told_from_the_ground(colour: str) -> None:
    assert contrast(LIGHT[colour], LIGHT["ground"]) >= 4.5


def test_matplotlib_is_imported_at_the_first_plot_and_pyplot_never() -> None:
    code = (
        "import sys; from mcp_lesson import adapters; print('matplotlib' in sys.modules);"
        "adapters(1, 1).png(); print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["False", "False"]
