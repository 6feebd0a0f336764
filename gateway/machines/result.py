"""What one hop of windows, or a check, changed on a machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from auscult.contract.event import Event
from auscult.contract.parts import SuppressionKind
from auscult.gateway.machines.alarms import Alarm
from auscult.gateway.machines.trends import PointInterval
from auscult.models.records import Decision, Observation


@dataclass(frozen=True, slots=True)
class MachineResult:
    """What changed on a machine: by a hop of windows, or by a check for silence and shelves."""

    points: Mapping[str, Decision] = field(default_factory=dict)
    """Decisions on the points that are new."""
    observations: Mapping[str, Observation] = field(default_factory=dict)
    idle: frozenset[str] = frozenset()
    """Points whose window was measured at rest."""
    intervals: tuple[PointInterval, ...] = ()
    """Intervals of the trends that are finished."""
    event: Event | None = None
    """An event that started, changed or ended."""
    alarms: tuple[Alarm, ...] = ()
    """Alarms that changed: that of the event, or those that a suppression returned."""
    expired: SuppressionKind | None = None
    """What ended by its time: a shelf, or planned work."""
    search_due: bool = False
    """Whether to search the recent windows for a bearing fault."""
