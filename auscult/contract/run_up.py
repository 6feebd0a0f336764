"""A run-up or coast-down of a point: 1× and spectra over the speed, and the critical speeds."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from auscult.contract.message import Message, MessageId, Millis, Part

Column = Annotated[tuple[float, ...], Field(max_length=1000)]
"""Values by speed."""
MAX_ROWS = 128
Row = Annotated[tuple[float, ...], Field(min_length=1, max_length=1000)]
MAX_CRITICAL = 50


class CriticalSpeedPart(Part):
    """A critical speed: a peak of 1× with its amplification and turn of phase (API 684)."""

    rpm: float = Field(gt=0)
    amplitude: float
    amplification: float = Field(description="Speed over the width at half the power")
    turn_deg: float | None = Field(
        default=None,
        description="Turn of the phase over that width, ideally 90; none without a phase: the peak "
        "may then be a resonance of the frame",
    )


class CascadePart(Part):
    """Spectra by speed, slowest first, in orders of the speed."""

    speed_rpm: Annotated[tuple[float, ...], Field(max_length=MAX_ROWS)] = ()
    order_step: float = Field(gt=0, le=100, description="Column n is at n times as many orders")
    unit: str
    values: Annotated[tuple[Row, ...], Field(max_length=MAX_ROWS)] = Field(
        default=(), description="R.m.s. amplitudes, a row for each speed; rows are equally long"
    )

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if len(self.values) != len(self.speed_rpm) or len({len(row) for row in self.values}) > 1:
            raise ValueError(f"the rows do not fit to {len(self.speed_rpm)} speeds")
        return self


class RunUpMessage(Message):
    """A run-up or coast-down of a point: 1× over the speed, and a cascade."""

    schema_name: ClassVar[str] = "auscult/v1/run_up"

    id: MessageId
    machine: str
    point: str
    start_ms: Millis
    end_ms: Millis
    rising: bool = Field(description="A run-up, else a coast-down")
    unit: str = Field(description="Of the amplitudes: µm where the signal is a vibration")
    speed_rpm: Annotated[Column, Field(min_length=1)] = Field(description="Slowest first")
    amplitude: Column = Field(description="Peak amplitude of 1× at each speed")
    phase_deg: Column | None = Field(
        default=None,
        description="Of 1× from the mark of the tachometer, a lag being negative; none without a "
        "mark",
    )
    critical_speeds: Annotated[tuple[CriticalSpeedPart, ...], Field(max_length=MAX_CRITICAL)] = (
        Field(default=(), description="Slowest first")
    )
    cascade: CascadePart

    @model_validator(mode="after")
    def _whole(self) -> Self:
        n = len(self.speed_rpm)
        if len(self.amplitude) != n or (self.phase_deg is not None and len(self.phase_deg) != n):
            raise ValueError(f"amplitudes or phases do not fit to {n} speeds")
        return self
