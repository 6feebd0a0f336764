"""`[[sources]]` of type `simulator`: a simulated machine, for trying Auscult without a sensor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import Field, model_validator

from auscult.contract.machines import Id
from auscult.contract.records import Direction
from auscult.contract.section import Section
from auscult.gateway.records import PointId
from auscult.gateway.settings.source import Place, SourceSettings, each_named_once

MachineFault = Literal[
    "none", "imbalance", "misalignment", "bent", "looseness", "inner", "outer", "ball", "gear",
    "lubrication",
]  # fmt: skip
SensorFaultName = Literal[
    "none", "loose_mount", "cable_break", "contact", "sensitivity", "saturation", "hum", "aliasing",
    "drifting_gain", "stuck", "battery",
]  # fmt: skip


class SimulatedPoint(Section):
    """A sensor or transmitter of the simulated machine."""

    point: Id = Field(
        description="Configured point; of kind sound: a microphone; of kind value: the temperature "
        "of the bearing, which follows the load, or (any other quantity) the load"
    )
    bearing: int = Field(
        default=2, ge=1, le=4, description="Bearing 1 to 4 along the train; the fault is at 2"
    )
    direction: Direction = Field(default="horizontal", description="Direction of the sensor")
    sensor_fault: SensorFaultName = Field(default="none", description="Fault of this sensor")


class SimulatorSource(SourceSettings):
    """Simulates a motor and a pump, healthy at first; seeded, with a fault that grows."""

    type: Literal["simulator"] = Field(description="Kind of source")
    points: tuple[SimulatedPoint, ...] = Field(
        min_length=1, max_length=16, description="Its sensors"
    )
    speed_rpm: float = Field(default=1480, ge=60, le=30_000, description="Shaft speed, r/min")
    fault: MachineFault = Field(default="none", description="Fault of the machine")
    healthy_s: float = Field(
        default=300, ge=0, le=31_536_000, description="Time without a fault, s of the machine"
    )
    growth_s: float = Field(
        default=600, ge=1, le=31_536_000, description="Time in which the fault grows, s"
    )
    repaired_s: float | None = Field(
        default=None,
        ge=1,
        description="The fault ends, as after a repair, so long after it began, s of the machine; "
        "default: never",
    )
    run_s: float | None = Field(
        default=None,
        ge=10,
        description="The machine stops after running so long, rests and starts again; default: "
        "never",
    )
    coast_s: float = Field(default=20, ge=1, le=3600, description="Coast-down, s")
    rest_s: float = Field(default=30, ge=0, le=86_400, description="Rest between two runs, s")
    start_s: float = Field(default=5, ge=1, le=3600, description="Start-up, s")
    speed_known: bool = Field(
        default=True, description="The samples state the true speed; not with a tachometer"
    )
    tacho: Id | None = Field(default=None, description="Id of the machine's tachometer")
    seed: int = Field(default=0, ge=0, lt=1 << 32, description="Equal seeds give equal samples")
    pace: float = Field(
        default=1.0,
        ge=0,
        le=100,
        description="Relative to real time; 0 = as fast as possible. A pace above 1 plays the "
        "healthy time (or `length_s`) as history that ends now; a fault plays in real time",
    )
    length_s: float | None = Field(
        default=None, gt=0, description="End after this time of the machine, s; default: never"
    )

    @property
    def feeds(self) -> Mapping[PointId, Place]:
        feeds = self._rows("points", [one.point for one in self.points])
        if self.tacho is not None:
            feeds[PointId(self.machine, self.tacho)] = ("tacho",)
        return feeds

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        each_named_once(point=[one.point for one in self.points])
        return self
