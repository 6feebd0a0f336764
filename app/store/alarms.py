"""Alarms (ISA-18.2) as their gateway tells them: it keeps the one truth, nothing is judged here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auscult.app.views import Alarm, Suppression

_ALARM = frozenset(Alarm.model_fields)


def of_event(message: Mapping[str, Any]) -> Alarm:
    """Return where an event stands; one of a gateway that does not tell waits until it ends."""
    handling = message.get("handling")
    if handling is None:
        return Alarm(state="unacknowledged" if message["phase"] != "end" else "normal")
    return _alarm(handling)


def of_machine(state: Mapping[str, Any]) -> Alarm:
    """Return where a machine stands."""
    return _alarm(state.get("handling") or {"state": "normal"})


def suppression_of(state: Mapping[str, Any]) -> Suppression | None:
    """Return why a machine's alarms ask nobody, if so."""
    said = state.get("suppression")
    return None if said is None else Suppression.model_validate(said)


def _alarm(handling: Mapping[str, Any]) -> Alarm:
    return Alarm(**{key: value for key, value in handling.items() if key in _ALARM})
