"""The shift report."""

from __future__ import annotations

from pydantic import Field

from auscult.app.views.alarms import AlarmLoad
from auscult.app.views.base import View
from auscult.app.views.cases import Case
from auscult.app.views.labels import LabelView
from auscult.contract.records import Reason


class SensorFault(View):
    """A sensor that does not measure well now."""

    machine_id: str
    machine_name: str
    point: str
    point_name: str
    faults: tuple[str, ...] = Field(description="Codes of what its signal shows")
    reasons: list[Reason] = Field(description="Why it does not measure, where `faults` is empty")


class LearningMachine(View):
    """A machine that has no baseline yet, or one that waits for approval."""

    machine_id: str
    machine_name: str
    fraction: float
    awaiting_approval: bool
    approval_asked_ms: int | None = None


class ShiftReport(View):
    """What happened in a span of time; the state of what it lists is of now."""

    since_ms: int
    until_ms: int
    made_ms: int
    conditions: dict[str, int] = Field(description="How many machines are in which condition")
    began: list[Case] = Field(
        description="Cases of machines; each is in one list, the most urgent first, up to 100"
    )
    still_open: list[Case] = Field(description="From before")
    ended: list[Case] = Field(description="From before, over by now")
    labels: list[LabelView]
    lessons_accepted: int
    lessons_rejected: int
    learning: list[LearningMachine]
    alarm_load: AlarmLoad
    sensors: list[SensorFault]
    gateways_offline: list[str]
    machines_stale: list[str] = Field(description="By name")
