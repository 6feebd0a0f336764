"""Machines and their points: their current state."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from auscult.app.views.alarms import Alarm, Suppression
from auscult.app.views.base import View
from auscult.app.views.events import Event
from auscult.contract.inventory import BearingPart, LimitPart, ZonesPart
from auscult.contract.learning import QuestionPart
from auscult.contract.parts import (
    Level,
    Quality,
    RepairPart,
    WarrantyPart,
)
from auscult.contract.payloads import Condition, Provenance
from auscult.contract.records import Coverage, Reason
from auscult.contract.said import Said


class CurrentDecision(View):
    """The current decision, its evidence and the ids of all that made it."""

    condition: Condition
    quality: Quality
    stale: bool = Field(description="Too old to trust, or its gateway is offline")
    heard_ms: int | None = Field(description="When its state was last received; null = never")
    updated_ms: int | None = Field(description="When it was decided, by the gateway's clock")
    reasons: tuple[Reason, ...] = ()
    p_value: float | None = None
    evidence: float | None = None
    warning_level: float | None = Field(default=None, description="In the unit of `evidence`")
    alarm_level: float | None = Field(default=None, description="In the unit of `evidence`")
    ids: Provenance = Provenance()


class Point(CurrentDecision):
    """A measuring point with its current state."""

    machine_id: str
    point: str
    name: str
    kind: Literal["vibration", "sound", "value"] | None = None
    unit: str | None = None
    fs_hz: float | None = None
    quantity: str | None = Field(default=None, description="What an overall value is")
    interval_s: float | None = Field(default=None, description="Usual time between two values")
    limits: tuple[LimitPart, ...] = Field(default=(), description="Fixed limits on features")
    window_ms: int | None = Field(default=None, description="Start of the newest window")
    score: float | None = None
    levels: dict[str, Level] = Field(default_factory=dict)
    sensor: tuple[str, ...] = Field(default=(), description="Sensor faults, empty when well")
    speed_rpm: float | None = None
    load: float | None = None


class Machine(CurrentDecision):
    """A machine with its current state, as a list shows it."""

    id: str = Field(description="`site~gateway~machine`")
    gateway_id: str
    machine: str
    name: str
    area: str = ""
    power_kw: float | None = None
    speed_rpm: float | None = None
    support: str | None = None
    points: int = Field(default=0, description="How many measuring points it has")
    coverage: Coverage | None = Field(default=None, description="Progress of the baseline")
    event_id: str | None = Field(default=None, description="The open event, if any")
    awaiting_approval: bool = Field(
        default=False, description="Its baseline is complete, and an engineer must approve it"
    )
    alarm: Alarm = Field(
        description="Of the open event, else of one that waits for someone, else `normal`"
    )
    unacknowledged: int = Field(default=0, description="Events that wait for someone")
    suppression: Suppression | None = Field(
        default=None, description="Shelved or out of service, if so"
    )
    repair: RepairPart | None = Field(
        default=None, description="Whether the last planned work removed the fault"
    )
    questions: list[QuestionPart] = Field(
        default_factory=list,
        description="Stretches without an event to answer, the most informative first; "
        "label the id of one as that of an event",
    )


class FalseAlarmAccount(View):
    """Events of the last 365 days that a machine's charts opened, beside its warranty."""

    since_ms: int
    false_alarms: int = Field(description="Whose newest verdict is false alarm")
    unanswered: int = Field(description="Ended without a verdict, or with unsure: true or false")


class MachineDetail(Machine):
    """A machine with its points and the open event."""

    bearings: tuple[BearingPart, ...] = ()
    gear_teeth: tuple[int, ...] = ()
    zones: ZonesPart | None = Field(
        default=None, description="ISO zones of r.m.s. velocity; null where none applies"
    )
    zones_refusal: str = Field(
        default="", description="Why ISO zones apply at no point, or not at all points"
    )
    zones_said: Said | None = Field(default=None, description="`zones_refusal` as code and values")
    point_states: list[Point] = Field(default_factory=list)
    event: Event | None = None
    warranty: WarrantyPart | None = Field(
        default=None, description="What the charts promise; null before the first baseline"
    )
    account: FalseAlarmAccount | None = Field(
        default=None, description="What became of the promise"
    )


class MachineList(View):
    """All machines, worst first."""

    items: list[Machine]
