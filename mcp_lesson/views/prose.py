"""Short texts that a lesson's author wrote, made ready for HTML.

An author may set words between backticks: `isError` is then shown as code. That is all the markup
there is. What never enters here: text that came over a wire; that goes through `marks`.
"""

from collections.abc import Iterable

from .shapes import safe


def html(text: str) -> str:
    """The text escaped for HTML, with what stands between backticks as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # an odd backtick is only a backtick
        parts[-2:] = ["`".join(parts[-2:])]
    return "".join(f"<code>{safe(p)}</code>" if n % 2 else safe(p) for n, p in enumerate(parts))


def joined(parts: Iterable[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    listed = list(parts)
    if len(listed) < 2:
        return "".join(listed)
    return f"{', '.join(listed[:-1])} {last} {listed[-1]}"
