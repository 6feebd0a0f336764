"""The state of alarms (ISA-18.2) as their gateway reports it; the dashboard decides nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auscult.app.views import Alarm, Suppression


def of_machine(state: Mapping[str, Any]) -> Alarm:
    """Return a machine's state."""
    return Alarm.model_validate(state.get("handling") or {})


def suppression_of(state: Mapping[str, Any]) -> Suppression | None:
    """Return why a machine's alarms are suppressed, None if they are not."""
    part = state.get("suppression")
    return None if part is None else Suppression.model_validate(part)
