"""From top to bottom: how high each row is, and the bands of the phases around them."""

from .layout import LINE, Band, Layout
from .rows import Row

_HEIGHTS = {"http": 28.0, "refusal": 28.0, "stderr": 34.0}
_ROW = LINE + 14.0
_TAGS = 8.0
_NOTE = 8.0
_NOTE_LINE = 15.0
_BAND_GAP = 10.0
_BAND_PAD = 10.0


def place_rows(layout: Layout, only: frozenset[int] | None) -> None:
    """Give every row that is shown its y and its height, and open and close the bands."""
    y, band = 0.0, None
    for row in layout.story.rows:
        shown = only is None or row.number in only
        edge = y
        if shown and (band is None or row.phase != band.phase):
            edge = close_band(band, y)
            band, y = open_band(layout, row.phase, edge)
        place_row(layout, y, height_of(layout, row) if shown else 0.0, edge)
        y += layout.heights[-1]
        if shown:
            layout.shown.append(row.number)
    layout.edges.append(close_band(band, y) - _BAND_GAP if band else 0.0)


def place_row(layout: Layout, y: float, height: float, edge: float) -> None:
    """Put the next row at y."""
    layout.tops.append(y)
    layout.heights.append(height)
    layout.edges.append(edge)


def open_band(layout: Layout, phase: str, y: float) -> tuple[Band, float]:
    """Begin a band at y; returns it and the y of its first row."""
    layout.bands.append(Band(phase, y, y))
    return layout.bands[-1], y + _BAND_PAD


def close_band(band: Band | None, y: float) -> float:
    """End a band below y; returns where the next one begins."""
    if band is None:
        return 0.0
    label = 34 + 8.2 * len(band.phase) if band.phase else 0
    band.bottom = max(y + _BAND_PAD, band.top + label)
    return band.bottom + _BAND_GAP


def height_of(layout: Layout, row: Row) -> float:
    """How high this row is, with its tags and its note."""
    height = _HEIGHTS.get(row.look, _ROW)
    if row.look == "speech":
        height = 34 + 17 * len(layout.said(row))
    if row.tags and row.look not in ("http", "refusal"):
        height += _TAGS
    lines = len(layout.note_lines(row))
    return height + (_NOTE + _NOTE_LINE * lines if lines else 0)
