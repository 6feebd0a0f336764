"""Spectra, their healthy band, and their change over time."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from auscult.app.views.base import View
from auscult.contract.parts import SpectrumKind
from auscult.contract.payloads import Condition


class SpectrumRef(View):
    """Which spectrum there is; fetch it by its id."""

    id: str
    machine_id: str
    point: str
    event_id: str | None = None
    kind: SpectrumKind
    window_ms: int


class Spectrum(SpectrumRef):
    """A spectrum with its measuring statement (ISO 13373)."""

    f0_hz: float
    df_hz: float
    values: list[float]
    unit: str
    fs_hz: float
    window: str
    averages: int
    overlap: float
    band_hz: Annotated[list[float], Field(min_length=2, max_length=2)] | None = None
    speed_rpm: float | None = None
    load: float | None = None
    condition: Condition | None = Field(
        default=None, description="What the point was called when it was measured"
    )
    baseline_id: str = Field(
        default="", description="By which baseline; empty while one was learned"
    )


class CombinedSpectrum(Spectrum):
    """The average or the highest values of a period's spectra; the rest is the newest one's."""

    spectra: int = Field(description="How many it is made of")
    left_out: int = Field(description="Of other lines, another baseline, speed or load")
    first_ms: int = Field(description="Time of the oldest of them")


class SpectrumPage(View):
    """Spectra, newest first."""

    items: list[SpectrumRef]


class SpectrumBand(View):
    """Between which values each line lay while the point was healthy; no lines if too few.

    Made of spectra of one baseline and one operating state, as far as those are known.
    """

    f0_hz: float = 0
    df_hz: float = 0
    unit: str = ""
    spectra: int = Field(description="How many healthy spectra it is made of")
    baseline_id: str = Field(default="", description="Empty while the baseline is learned")
    speed_rpm: float | None = None
    load: float | None = None
    low: list[float] = Field(default=[], description="10 % of them lay below")
    median: list[float] = Field(default=[])
    high: list[float] = Field(default=[], description="10 % of them lay above")


class Waterfall(View):
    """Spectra of one point over time, oldest first; neighbouring lines joined to their largest."""

    f0_hz: float = 0
    df_hz: float = Field(default=0, description="Width of a column")
    unit: str = ""
    spectrum_ids: list[str] = Field(default=[])
    window_ms: list[int] = Field(default=[])
    condition: list[Condition | None] = Field(default=[])
    rows: list[list[float]] = Field(default=[], description="One row a spectrum")
