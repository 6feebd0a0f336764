"""How alarms stand and what they ask of people (ISA-18.2)."""

from __future__ import annotations

from pydantic import Field

from auscult.app.views.base import View
from auscult.gateway.messages.payloads import AlarmState, SuppressionKind


class Alarm(View):
    """Where an event stands as an alarm by its gateway's word, and who acknowledged it."""

    state: AlarmState
    acknowledged_ms: int | None = None
    acknowledged_by: str = ""
    comment: str = ""
    until_ms: int | None = Field(default=None, description="When a shelf gives it back")


class Suppression(View):
    """A machine whose alarms nobody needs to answer now, and why."""

    kind: SuppressionKind
    reason: str
    actor: str
    since_ms: int
    until_ms: int | None = Field(
        default=None, description="Null = until someone ends it (out of service)"
    )


class MachineLoad(View):
    """How many alarms a machine had."""

    machine_id: str
    alarms: int


class AlarmLoad(View):
    """How much the alarms ask of people (ISA-18.2, EEMUA 191)."""

    since_ms: int
    until_ms: int
    alarms: int
    per_day: float
    by_day: list[int] = Field(description="Alarms in each 24 hours from `since_ms` on")
    most_in_10_min: int
    flood_10_min_periods: int = Field(description="Periods of 10 minutes with more than 10")
    chattering: list[str] = Field(description="Machines with 3 or more alarms within a minute")
    standing: int = Field(description="Of these, how many are still going on")
    stale: int = Field(description="Open for longer than 24 hours")
    unacknowledged: int
    answered: int = Field(description="How many have a label")
    median_answer_s: float | None = Field(description="From start to acknowledgement")
    by_peak_condition: dict[str, int]
    top: list[MachineLoad] = Field(description="Up to ten machines with the most alarms")
