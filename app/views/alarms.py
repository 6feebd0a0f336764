"""The load of alarms on the people who answer them (ISA-18.2)."""

from __future__ import annotations

from pydantic import Field

from auscult.app.views.base import View


class MachineLoad(View):
    """How many alarms a machine had."""

    machine_id: str
    alarms: int


class AlarmLoad(View):
    """The load of alarms on people (ISA-18.2, EEMUA 191)."""

    since_ms: int
    until_ms: int
    watched_s: float = Field(
        description="Of that time, from the first value or event that is stored"
    )
    alarms: int
    per_day: float | None = Field(description="null = watched for less than a day")
    by_day: list[int] = Field(description="Alarms in each 24 hours from `since_ms` on")
    most_in_10_min: int
    flood_10_min_periods: int = Field(description="Periods of 10 minutes with more than 10")
    chattering: list[str] = Field(description="Machines with 3 or more alarms within a minute")
    standing: int = Field(description="Of these, how many are still open")
    stale: int = Field(description="Open for longer than 24 hours")
    unacknowledged: int
    answered: int = Field(description="How many have a label")
    median_answer_s: float | None = Field(description="From start to acknowledgement")
    by_peak_condition: dict[str, int]
    top: list[MachineLoad] = Field(description="Up to ten machines with the most alarms")
