"""An event: a departure of one machine from its baseline, from its start to its end.

This one record decides in the gateway, travels (`EventMessage` adds the message's id and time), is
stored, and is what the API answers with (`app/views/events.py` adds names and labels). A new field
needs its line here, what computes it in `gateway/machines/events.py`, and where the page shows it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

from pydantic import Field, model_validator

from auscult.contract.message import NS_PER_MS, MessageId, Millis, Part
from auscult.contract.parts import HandlingPart, Quality
from auscult.contract.records import Condition, Provenance, Reason

ADDED: Final = frozenset({"added_departs", "further_departs"})
"""Codes of what was added to an event while it was open, from `at_ms` on."""


class EventPhase(StrEnum):
    """An event starts, may be updated, and ends; it is never reopened."""

    START = "start"
    UPDATE = "update"
    END = "end"


class Event(Part):
    """A departure of one machine from its baseline."""

    event_id: MessageId = Field(description="ULID of the event")
    machine: str = Field(description="Its id on its gateway")
    phase: EventPhase
    condition: Condition
    quality: Quality = Field(
        default="good",
        description="`uncertain` where a sensor or an unseen state is among the reasons",
    )
    started_ms: Millis
    updated_ms: Millis
    ended_ms: Millis | None = None
    peak_condition: Condition
    peak_evidence: float = Field(description="The highest accumulated evidence so far")
    alarm_ms: int = Field(default=0, ge=0, description="Time in the condition `alarm` so far")
    peak_p_value: float | None = Field(default=None, description="The smallest so far")
    points: tuple[str, ...] = Field(default=(), description="Points in warning or alarm so far")
    reasons: tuple[Reason, ...] = ()
    handling: HandlingPart = Field(
        default=HandlingPart(state="unacknowledged"),
        description="Its state as an alarm (ISA-18.2). A change of it is a new message with the "
        "phase `update` or `end`",
    )
    ids: Provenance = Provenance()

    @property
    def added_ms(self) -> int:
        """Return when something was added to it last, UTC; 0 if nothing was."""
        added = (r.said.values.get("at_ms") for r in self.reasons if r.said.code in ADDED)
        return max((at for at in added if isinstance(at, int)), default=0)

    @model_validator(mode="before")
    @classmethod
    def _of_any_version(cls, stored: Any) -> Any:
        """Convert what a version before 0.4 stored on the gateway, or one before 0.2 sent."""
        if not isinstance(stored, dict):
            return stored
        event = dict(stored)
        for name in ("started", "updated", "ended"):
            if (t_ns := event.pop(f"{name}_ns", None)) is not None:
                event[f"{name}_ms"] = t_ns // NS_PER_MS
        if "ids" not in event:
            names = Provenance.__dataclass_fields__
            event["ids"] = {name: event[name] for name in names if name in event}
        if event.get("handling") is None:
            over = event.get("phase") == "end"
            event["handling"] = {"state": "normal" if over else "unacknowledged"}
        return event
