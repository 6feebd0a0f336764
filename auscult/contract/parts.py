"""Parts of several messages: a reason, the state of an alarm, a measured level."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Final, Literal, get_args

from pydantic import Field

from auscult.contract.message import Count, Millis, Part
from auscult.contract.records import Reason
from auscult.contract.said import Said

Quality = Literal["good", "uncertain", "bad"]
ClipKind = Literal["recent", "healthy"]
SpectrumKind = Literal["spectrum", "envelope"]
SPECTRUM_KINDS: Final[tuple[SpectrumKind, ...]] = get_args(SpectrumKind)
AlarmState = Literal[
    "normal", "unacknowledged", "acknowledged", "returned", "shelved", "out_of_service",
    "planned_work",
]  # fmt: skip
"""ISA-18.2: `returned` is back to normal without an acknowledgement; `normal` is over."""
WAITING: Final = ("unacknowledged", "returned")
"""States of an alarm that waits for a person."""


SuppressionKind = Literal["shelved", "out_of_service", "planned_work"]


@dataclass(frozen=True, slots=True)
class WordedReason(Reason):
    """One statement why a condition is what it is, with its sentence."""

    text: str = ""
    """`said` in English, for readers that don't have the catalogue of sentences"""


def worded(reason: Reason) -> WordedReason:
    """Return a reason with its sentence, as it is published."""
    own = {field.name: getattr(reason, field.name) for field in dataclasses.fields(Reason)}
    return WordedReason(**own, text=reason.text)


class HandlingPart(Part):
    """The state of an alarm and its acknowledgement (ISA-18.2); the gateway decides it."""

    state: AlarmState = "normal"
    changes: Count = Field(default=0, description="Counts its changes; the highest is the newest")
    acknowledged_ms: Millis | None = None
    acknowledged_by: str = ""
    comment: str = ""
    until_ms: Millis | None = Field(default=None, description="End of its shelf")


class SuppressionPart(Part):
    """A machine whose alarms need no acknowledgement for now, and why."""

    kind: SuppressionKind
    reason: str
    actor: str
    since_ms: Millis
    until_ms: Millis | None = Field(default=None, description="None = until a person ends it")
    event_id: str | None = Field(
        default=None, description="Of planned work: the event that it was the answer to"
    )


class Level(Part):
    """One measured value with its unit and quality."""

    value: float
    unit: str
    quality: Quality = "good"


UpdateStep = Literal[
    "downloading", "verifying", "installing", "rolling_back",
    "installed", "rolled_back", "rejected", "failed",
]  # fmt: skip


class UpdatePart(Part):
    """The last update that the dashboard offered, and how far it is."""

    rollout: str
    version: str
    step: UpdateStep = Field(
        description="`rejected`: nothing was changed; `rolled_back`: the version before runs again "
        "with its data; `failed`: neither, the gateway needs a person"
    )
    bytes: int = Field(default=0, description="Downloaded")
    size: int = Field(default=0, description="Of the bundle, bytes")
    text: str = Field(default="", description="Why it did not succeed")
    said: Said | None = Field(default=None, description="`text` as code and values")


class RepairPart(Part):
    """Whether planned work removed a fault, from the first 20 windows after it."""

    event_id: str = Field(description="The event that the work was for")
    since_ms: Millis
    windows: int = Field(description="Windows so far")
    windows_needed: int
    result: Literal["gone", "unchanged", "new"] | None = Field(
        default=None,
        description="`gone`: as in the baseline, which stays in use; `unchanged`: departs as "
        "before; `new`: departs otherwise; null: not known yet",
    )
    likeness: float | None = Field(
        default=None, description="Cosine 0..1 with the departure before, where it departs"
    )
    said: Said = Field(description="The result, or what is waited for")


class AccountPart(Part):
    """What all machines of a gateway promise of false events, and what was observed.

    Both are of the last twelve months. Observed are events that learned evidence began and that no
    person answered as a fault or as planned work.
    """

    a_month: float = Field(description="False events a month that the machines promise together")
    days: float = Field(
        description="Days in which a machine was decided on without an open event, mean of the "
        "machines"
    )
    promised: float = Field(description="False events promised for this time")
    false_alarms: int = Field(description="Events that a person answered as false alarm")
    unanswered: int = Field(description="Events without a certain answer")
    low: float = Field(description="Lower end of the 95 % confidence of the observed number")
    high: float = Field(description="Its upper end")
    wider: dict[str, float] = Field(
        default_factory=dict,
        description="Factor of the limits of each machine that had more false events than the "
        "promise of all machines explains; others have 1",
    )
    said: Said = Field(description="The account as code and values")
    widened: Said | None = Field(default=None, description="`wider` as code and values")


class WarrantyPart(Part):
    """What a machine promises of its false alarms."""

    false_alarms_per_year: float = Field(
        description="False events a machine and year that the charts allow on average"
    )
    days_missing: int = Field(
        description="Days of healthy operation until small changes are found as fast as with a "
        "long baseline; the promise of false alarms holds before"
    )
    wider: float = Field(
        default=1.0,
        description="Factor of the learned limits: above 1 while the machine has more false events "
        "than the promise of all machines explains",
    )
