"""Clips of raw signals."""

from __future__ import annotations

from pydantic import Field

from auscult.app.views.base import View
from auscult.contract.parts import ClipKind


class ClipView(View):
    """A requested piece of a raw signal; the sound is at `/clips/{id}.wav`."""

    id: str = Field(description="Id of the command that requested it")
    machine_id: str
    point: str
    kind: ClipKind = Field(
        description="The last seconds, or the end of the healthy period of the baseline"
    )
    t0_ms: int = Field(description="Time of the first sample")
    asked_ms: int
    actor: str = Field(description="Who asked for it")
    fs_hz: float
    n: int
    duration_s: float
    unit: str
    peak: float = Field(description="Greatest distance from the mean, in `unit`")
    rms: float = Field(description="About the mean, in `unit`")
    baseline_id: str = ""
    speed_rpm: float | None = None


class ClipPage(View):
    """Clips, newest first."""

    items: list[ClipView]
