"""What searches found of bearings, shafts, gears and drives while an event is open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from auscult.contract.event import Event
from auscult.models.decision.bearing_stage import FLOOR_ROSE, in_last_stage
from auscult.models.decision.diagnosis import (
    BEARING_FOUND,
    Diagnosis,
    part_of_machine,
    without_superseded,
)
from auscult.models.decision.growth import GROWTH_CODES, FaultGrowth
from auscult.models.records import Decision

BEARING = "bearing"
"""Key of what is known of bearings."""


class FoundFaults:
    """The most confident fault of each part of one machine.

    Parameters
    ----------
    levels : FaultGrowth
        For the growth of what is named.
    """

    def __init__(self, levels: FaultGrowth) -> None:
        self._levels = levels
        self._found: dict[str, Diagnosis] = {}

    def clear(self) -> None:
        """Discard all, because the event is over."""
        self._found.clear()

    def add(self, found: Sequence[Diagnosis], event: Event | None) -> None:
        """Add what a search found.

        A bearing fault that was named and now shows as noise in a loose bearing is in its last
        stage.

        Parameters
        ----------
        found : sequence of Diagnosis
        event : Event or None
            The open one; its reasons hold what an earlier process named.
        """
        for one in found:
            if one.said.code == FLOOR_ROSE:
                named = self._named_bearing(event)
                if named is not None:
                    self._found[BEARING] = in_last_stage(named, one)
                continue
            kind = part_of_machine(one)
            before = self._found.get(kind)
            if before is None or one.confidence >= before.confidence:
                self._found[kind] = one

    def added_to(self, decision: Decision) -> Decision:
        """Add the faults to the reasons, with their growth; they replace weaker reasons."""
        if not self._found:
            return decision
        found = tuple(
            self._levels.with_growth(one).reason(decision.condition) for one in self._found.values()
        )
        return decision._replace(reasons=without_superseded((*found, *decision.reasons)))

    def _named_bearing(self, event: Event | None) -> Diagnosis | None:
        found = self._found.get(BEARING)
        if found is not None and found.prescription is not None:
            return found
        for reason in event.reasons if event is not None else ():
            if reason.said.code in BEARING_FOUND and reason.fault is not None:
                matched = tuple(one for one in reason.matched if one.code not in GROWTH_CODES)
                return replace(Diagnosis.from_reason(reason), matched=matched)
        return None
