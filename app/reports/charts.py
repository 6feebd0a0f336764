"""Line charts on a PDF page: a trend or a spectrum, with the healthy band behind it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from reportlab.graphics.shapes import Drawing, Line, Polygon, PolyLine, String
from reportlab.lib.colors import HexColor

from auscult.app.reports import ticks

INK: Final = HexColor("#1c2126")
MUTED: Final = HexColor("#68707a")
GRID: Final = HexColor("#dfe3e7")
BAND: Final = HexColor("#c9ced3")
MARK: Final = HexColor("#b3161b")
SMALL: Final = 7
MOST_POINTS: Final = 900
"""More than a page can show; of each group its largest stays."""
LEFT, RIGHT, BOTTOM, TOP = 40, 8, 18, 12
EDGE: Final = 16
"""Half a tick's name: nearer to the edge it ends at its tick."""


@dataclass(frozen=True, slots=True)
class ReportChart:
    """What a chart shows; ``x`` and ``y`` have equal length, ``band`` the lower and upper edges."""

    x: Sequence[float]
    y: Sequence[float]
    unit: str
    ticks: Sequence[tuple[float, str]]
    """Round places on the x axis with their names."""
    number: Callable[[float], str]
    """How a value of the y axis reads."""
    band: tuple[Sequence[float], Sequence[float]] | None = None
    marks: Sequence[tuple[float, str]] = ()
    """Places on the x axis with their names."""


def drawn(chart: ReportChart, width: float, height: float) -> Drawing:
    """Return the chart as a drawing of this size, points."""
    picture = Drawing(width, height)
    x, y = _thinned(np.asarray(chart.x, float), np.asarray(chart.y, float))
    if len(x) < 2:
        return picture
    frame = _Frame.around(chart, x, y, width, height)
    _add_axes(picture, frame, chart)
    if chart.band is not None:
        bx, lower = _thinned(np.asarray(chart.x, float), np.asarray(chart.band[0], float))
        _, upper = _thinned(np.asarray(chart.x, float), np.asarray(chart.band[1], float))
        edge = [*zip(bx, upper, strict=True), *reversed([*zip(bx, lower, strict=True)])]
        picture.add(Polygon(frame.flat(edge), fillColor=BAND, strokeColor=None))
    line = [(a, b) for a, b in zip(x, y, strict=True) if not math.isnan(b)]
    picture.add(PolyLine(frame.flat(line), strokeColor=INK, strokeWidth=0.8))
    for at, name in chart.marks:
        if frame.x0 <= at <= frame.x1:
            place = frame.px(at)
            picture.add(_dashed(place, BOTTOM, place, height - TOP))
            late = place > 0.8 * width
            x_text, anchor = (place - 2, "end") if late else (place + 2, "start")
            picture.add(_text(x_text, height - TOP - 6, name, anchor))
    return picture


@dataclass(frozen=True, slots=True)
class _Frame:
    """The axes: from values to places on the page."""

    x0: float
    x1: float
    low: float
    high: float
    width: float
    height: float

    @classmethod
    def around(cls, chart: ReportChart, x: Any, y: Any, width: float, height: float) -> _Frame:
        top = float(np.nanmax(y))
        if chart.band is not None:
            top = max(top, float(np.max(chart.band[1])))
        low = min(0.0, float(np.nanmin(y)))
        return cls(float(x[0]), float(x[-1]), low, top * 1.08 or 1.0, width, height)

    def px(self, value: float) -> float:
        wide = self.width - LEFT - RIGHT
        return LEFT + wide * (value - self.x0) / ((self.x1 - self.x0) or 1.0)

    def py(self, value: float) -> float:
        tall = self.height - BOTTOM - TOP
        return BOTTOM + tall * (value - self.low) / ((self.high - self.low) or 1.0)

    def flat(self, places: Sequence[tuple[float, float]]) -> list[float]:
        return [c for a, b in places for c in (self.px(a), self.py(b))]


def _add_axes(picture: Drawing, frame: _Frame, chart: ReportChart) -> None:
    right = frame.width - RIGHT
    for tick in ticks.of_numbers(frame.low, frame.high):
        place = frame.py(tick)
        picture.add(Line(LEFT, place, right, place, strokeColor=GRID))
        picture.add(_text(LEFT - 4, place - 2.5, chart.number(tick), "end"))
    for at, name in chart.ticks:
        place = frame.px(at)
        picture.add(Line(place, BOTTOM, place, BOTTOM - 3, strokeColor=MUTED))
        picture.add(_text(place, 6, name, "end" if place > right - EDGE else "middle"))
    picture.add(_text(2, frame.height - 8, "" if chart.unit == "1" else chart.unit, "start"))


def _dashed(x0: float, y0: float, x1: float, y1: float) -> Any:
    return Line(x0, y0, x1, y1, strokeColor=MARK, strokeDashArray=[1, 2])


def _text(x: float, y: float, text: str, anchor: str) -> Any:
    return String(x, y, text, fontSize=SMALL, textAnchor=anchor, fillColor=MUTED,
                  fontName="Helvetica")  # fmt: skip


def _thinned(x: Any, y: Any) -> tuple[Any, Any]:
    """Keep the largest of each group, so that no peak is lost."""
    step = -(-len(x) // MOST_POINTS)
    if step <= 1:
        return x, y
    starts = np.arange(0, len(x), step)
    return x[starts], np.fmax.reduceat(y, starts)
