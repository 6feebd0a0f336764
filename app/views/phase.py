"""Phase, coherence and orbit of two points of a machine."""

from __future__ import annotations

from pydantic import Field

from auscult.app.views.base import View


class PhaseLine(View):
    """Two points at one line of their spectra."""

    hz: float
    phase_deg: float = Field(description="Of y against x, -180 to 180; positive: y leads")
    phase_error_deg: float = Field(description="Its standard error, 0 to 180")
    coherence: float = Field(description="0 to 1")
    x_amplitude: float = Field(description="Peak, in the unit of the signals")
    y_amplitude: float


class Orbit(View):
    """The path of one order of the shaft in the plane of two perpendicular points."""

    order: int
    line: PhaseLine
    unit: str = Field(description="µm where the signals can be integrated, else their own")
    x: list[float]
    y: list[float]


class PointPair(View):
    """Two points by their newest clips of the same time."""

    machine_id: str
    x: str = Field(description="Point")
    y: str = Field(description="Point")
    clips: list[str] = Field(description="Ids, of x and of y")
    t0_ms: int = Field(description="Begin of the time that both share")
    duration_s: float
    unit: str = Field(description="Of the amplitudes")
    df_hz: float = Field(description="Distance of two lines")
    averages: int = Field(description="Segments without overlap")
    shaft_hz: float = Field(description="The strongest line near the stated speed of the shaft")
    orbits: list[Orbit]
    line: PhaseLine | None = Field(default=None, description="At the frequency of the request")
