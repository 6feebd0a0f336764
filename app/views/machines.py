"""Machines and their points: their current state."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from auscult.app.views.base import View
from auscult.app.views.events import EventView
from auscult.contract.inventory import BearingPart, LimitPart, ZonesPart
from auscult.contract.machines import PointKind
from auscult.contract.records import Detectable
from auscult.contract.said import Said
from auscult.contract.state import MachineState, PointState

Need = Literal["needs_someone", "cannot_assess", "shelved", "learning", "at_rest", "quiet"]


class Recency(View):
    """When a state was decided and last received, and whether it still holds."""

    stale: bool = Field(description="Too old to trust, or its gateway is offline")
    heard_ms: int | None = Field(description="When its state was last received; null = never")
    updated_ms: int | None = Field(description="When it was decided, by the gateway's clock")


class Point(PointState, Recency):
    """A measuring point with its current state."""

    machine_id: str
    name: str
    kind: PointKind | None = None
    unit: str | None = None
    fs_hz: float | None = None
    quantity: str | None = Field(default=None, description="What an overall value is")
    interval_s: float | None = Field(default=None, description="Usual time between two values")
    limits: tuple[LimitPart, ...] = Field(default=(), description="Fixed limits on features")


class Machine(MachineState, Recency):
    """A machine with its current state, as a list shows it."""

    id: str = Field(description="`site~gateway~machine`")
    gateway_id: str
    name: str
    area: str = ""
    power_kw: float | None = None
    speed_rpm: float | None = None
    support: str | None = None
    points: int = Field(default=0, description="How many measuring points it has")
    approval_asked_ms: int | None = Field(
        default=None, description="Since when the baseline waits for a person's approval"
    )
    need: Need = Field(
        default="quiet",
        description="What it needs while it has no case; with one, `attention` of its first case "
        "says it. `cannot_assess` needs someone, too",
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
    event: EventView | None = None
    account: FalseAlarmAccount | None = Field(
        default=None, description="What became of the promise"
    )
    detectable: tuple[Detectable, ...] = Field(
        default=(), description="The least changes and faults that its baseline would find"
    )


class MachineList(View):
    """All machines, worst first."""

    items: list[Machine]
