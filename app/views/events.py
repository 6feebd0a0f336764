"""Departures of machines from their baselines."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from auscult.app.views.alarms import Alarm
from auscult.app.views.base import View
from auscult.app.views.labels import Label
from auscult.app.views.spectra import SpectrumRef
from auscult.contract.payloads import Condition, Provenance
from auscult.contract.records import Reason


class Event(View):
    """A departure of one machine from its baseline."""

    id: str
    machine_id: str
    machine_name: str
    area: str = ""
    open: bool
    phase: Literal["start", "update", "end"]
    condition: Condition
    peak_condition: Condition
    peak_evidence: float
    peak_p_value: float | None = None
    started_ms: int
    updated_ms: int
    ended_ms: int | None = None
    lost_ms: int | None = Field(
        default=None,
        description="When its gateway was found not to have it any more: its end is not measured",
    )
    points: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    ids: Provenance = Provenance()
    alarm: Alarm = Field(description="Its state as an alarm (ISA-18.2)")
    label: Label | None = Field(default=None, description="The newest label that counts")


class EventPage(View):
    """Events, newest first."""

    items: list[Event]
    next_cursor: str | None = Field(default=None, description="Give it as `cursor` for the rest")


class EventDetail(Event):
    """An event with its evidence and all labels."""

    spectra: list[SpectrumRef] = Field(default_factory=list)
    labels: list[Label] = Field(default_factory=list)
