"""A label: a technician's verdict on an event.

This one record decides in the gateway, is stored there and on the dashboard, travels (`Lesson` adds
what the label changed), and is what the API answers with (`app/views/labels.py` adds its effect).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field, model_validator

from auscult.contract.message import NS_PER_MS, MessageId, Millis, Part, millis

REPORTED = "report-"
"""Ids of reported faults begin with it."""


class Verdict(StrEnum):
    """A technician's verdict on an event."""

    CONFIRMED_FAULT = "confirmed_fault"
    FALSE_ALARM = "false_alarm"
    PLANNED_WORK = "planned_work"
    UNSURE = "unsure"


class Label(Part):
    """A technician's verdict on an event."""

    label_id: MessageId = Field(description="The id of the command that carried it")
    event_id: MessageId
    machine: str = Field(description="Its id on its gateway")
    verdict: Verdict
    kind: str | None = Field(default=None, description="The fault, with `confirmed_fault` only")
    actor: str
    note: str = ""
    created_ms: Millis = Field(description="When it was given")

    @property
    def at_ns(self) -> int:
        """Return when it was given, in nanoseconds."""
        return self.created_ms * NS_PER_MS

    @model_validator(mode="before")
    @classmethod
    def _of_any_version(cls, stored: Any) -> Any:
        """Convert what a gateway before 0.4 stored."""
        if not isinstance(stored, dict) or "at_ns" not in stored:
            return stored
        return {**stored, "created_ms": millis(stored["at_ns"])}
