"""Run-ups and coast-downs of a point."""

from __future__ import annotations

from pydantic import Field

from auscult.app.views.base import View
from auscult.contract.run_up import CascadePart, CriticalSpeedPart


class RunUpRef(View):
    """Which run-up or coast-down there is; fetch its curves by its id."""

    id: str
    machine_id: str
    point: str
    start_ms: int
    end_ms: int
    rising: bool = Field(description="A run-up, else a coast-down")
    low_rpm: float
    high_rpm: float
    critical_speeds: list[CriticalSpeedPart] = Field(description="Slowest first")


class RunUpView(RunUpRef):
    """A run-up or coast-down: 1× over the speed, for Bode and polar plots, and a cascade."""

    unit: str = Field(description="Of the amplitudes: µm where the signal is a vibration")
    speed_rpm: list[float] = Field(description="Slowest first")
    amplitude: list[float] = Field(description="Peak amplitude of 1× at each speed")
    phase_deg: list[float] | None = Field(
        default=None,
        description="Of 1× from the mark of the tachometer, a lag being negative; null without one",
    )
    cascade: CascadePart


class RunUpPage(View):
    """Run-ups and coast-downs, newest first."""

    items: list[RunUpRef]
