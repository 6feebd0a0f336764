"""Who is notified of what, by which channel, and what became of each message."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from auscult.app.views.base import View
from auscult.contract.machines import Id
from auscult.contract.words import LanguageCode

Language = LanguageCode
MessageReason = Literal[
    "opened", "worse", "again", "escalated", "digest", "test", "report", "order"
]
DeliveryState = Literal["waiting", "sending", "sent", "failed", "dropped", "joined"]
"""`joined`: another message of the common cause is about this case, too."""
ClockTime = Annotated[
    str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$", description="Local time, `HH:MM`")
]
ChannelIds = Annotated[tuple[str, ...], Field(max_length=20)]


class Channel(View):
    """A way to reach people; its address is a secret that no answer holds."""

    id: str
    name: str
    service: str = Field(description="Kind of service, e.g. `E-Mail`, `ntfy`")
    target: str = Field(description="Receiver or host, without any secret")
    language: Language
    enabled: bool
    actor: str = Field(description="Who set it up")
    changed_ms: int
    failing: str = Field(default="", description="Why its last message failed; empty = it did not")


class ChannelList(View):
    """All channels by name."""

    items: list[Channel]


class Span(View):
    """A time of day; an end before the start is on the next day."""

    start: ClockTime
    end: ClockTime


class RuleBody(View):
    """Whom to notify of which cases, and when."""

    name: str = Field(min_length=1, max_length=64)
    enabled: bool
    channels: ChannelIds = Field(min_length=1, description="Ids of channels")
    areas: Annotated[tuple[str, ...], Field(max_length=100)] = Field(description="Empty = all")
    sites: Annotated[tuple[Id, ...], Field(max_length=1000)] = Field(
        default=(), description="Of these sites only; empty = all"
    )
    severity: Literal["warning", "alarm"] = Field(description="The least")
    weekdays: Annotated[tuple[Annotated[int, Field(ge=0, le=6)], ...], Field(max_length=7)] = Field(
        description="Of the shift, 0 = Monday; empty = all"
    )
    shift: Span | None = Field(description="null = at any time")
    quiet_hours: Span | None = Field(description="Messages wait until they are over")
    alarms_in_quiet_hours: bool = Field(description="Alarms don't wait")
    cool_down_min: int = Field(ge=0, le=10_080, description="Between two messages about a case")
    escalate_after_min: int | None = Field(
        ge=1, le=10_080, description="If unacknowledged so long after the first message"
    )
    escalate_to: ChannelIds = Field(description="Empty = the same channels again")
    digest_at: ClockTime | None = Field(
        description="One message a day with all cases, instead of one for each"
    )


class Rule(RuleBody):
    """A rule of notification."""

    id: str
    actor: str
    changed_ms: int


class RuleList(View):
    """All rules by name."""

    items: list[Rule]


class Delivery(View):
    """A message and what became of it."""

    id: str
    reason: MessageReason
    channel_id: str
    channel_name: str
    rule_id: str = ""
    case_id: str = ""
    subject: str
    state: DeliveryState
    attempts: int
    created_ms: int
    next_ms: int | None = Field(default=None, description="When it is tried next")
    sent_ms: int | None = None
    error: str = Field(default="", description="Why the last attempt failed")


class DeliveryPage(View):
    """Messages, newest first."""

    items: list[Delivery]
    failing: int = Field(description="Messages of the last 7 days that failed or are retried")
