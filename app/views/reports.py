"""Figures for managers, and reports that are sent regularly."""

from __future__ import annotations

from pydantic import Field

from auscult.app.views.base import View
from auscult.app.views.notifications import ChannelIds, ClockTime, Language
from auscult.contract.machines import Id


class Stops(View):
    """Unplanned stops of some cases: their length and cost, by the plant's own figures."""

    cases: int
    hours: float
    cost: float = Field(
        description="Hours × cost of downtime, of the machines whose settings state that cost"
    )
    without_cost: int = Field(description="Cases whose machine states no cost; not in `cost`")


class MonthFigures(View):
    """The load of alarms in a month, and how people answered."""

    month: str = Field(description="`YYYY-MM`, in the plant's time zone")
    since_ms: int
    until_ms: int
    alarms: int
    per_day: float | None = Field(description="null = watched for less than a day")
    cases: int = Field(description="Opened")
    cases_closed: int = Field(description="Closed by people")
    answered: int = Field(description="Alarms with an answer")
    confirmed: int = Field(description="Answers: a real fault")
    false_alarms: int = Field(description="Answers: a false alarm")
    planned_work: int
    right_share: float | None = Field(
        description="Confirmed of confirmed and false, 0..1; null without such answers"
    )
    median_acknowledge_s: float | None
    unacknowledged: int
    stops_avoided: Stops = Field(description="Of cases closed in the month, as people stated")
    stops: Stops = Field(description="Stops that happened nevertheless")


class Figures(View):
    """Figures by the month, oldest first."""

    months: list[MonthFigures]


class ReportScheduleBody(View):
    """A report that is sent every week."""

    name: str = Field(min_length=1, max_length=64)
    enabled: bool
    machine_id: str | None = Field(max_length=256, description="null = of the plant")
    site: Id | None = Field(default=None, description="The plant's report of this site; null = all")
    weekday: int = Field(ge=0, le=6, description="0 = Monday")
    at: ClockTime
    channels: ChannelIds = Field(min_length=1, description="Ids of channels; mail carries the PDF")
    language: Language


class ReportSchedule(ReportScheduleBody):
    """A report that is sent every week, as it is stored."""

    id: str
    actor: str
    changed_ms: int


class ReportScheduleList(View):
    """All reports that are sent, by name."""

    items: list[ReportSchedule]
