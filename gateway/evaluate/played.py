"""A machine's history of overall values played through the gateway's own code, as fast as it can.

Baselines are fitted at once, so decisions are those of their own time.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from auscult.contract.event import Event, EventPhase
from auscult.contract.message import NS_PER_MS, NS_PER_S
from auscult.contract.records import Condition
from auscult.gateway.datasets.value_tables import ValueHistory
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.machines.restore import new_detector
from auscult.gateway.machines.result import MachineResult
from auscult.gateway.machines.trends import PointInterval
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.windows.pipeline import Pipeline
from auscult.gateway.windows.points import plan_values
from auscult.models.baseline.fit import FitJob
from auscult.models.records import Decision, MachineDecision, Observation

log = logging.getLogger(__name__)

WARNING, ALARM = 1, 2
"""Levels of a row; 0 is neither."""
LEVELS = {Condition.WARNING: WARNING, Condition.ALARM: ALARM}


@dataclass(frozen=True, slots=True)
class PlayedEvent:
    """An event, from its start to its end or that of the history (UTC ns)."""

    from_ns: int
    to_ns: int
    alarm: bool
    event: Event | None = None
    """Its last message; None for a reference."""


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """What a detector decides on a history.

    ``level`` [shape=(n,)] of each row: 0, `WARNING` or `ALARM`; ``ready`` the row of the first
    decision, None if there is none.
    """

    level: NDArray[np.int8]
    ready: int | None
    events: tuple[PlayedEvent, ...]


class _Unlabelled(MachineLearning):
    """Stores no windows: without labels they decide nothing, and it takes a third of the time."""

    def offer(self, *_: object) -> None:
        """Store nothing."""

    def ask(self, *_: object) -> None:
        """Ask nothing."""


class _Replayed(MonitoredMachine):
    """Decides on values only where something departs: all else would be most of the time."""

    def _observe(self, running: list[Observation]) -> MachineDecision | None:
        if self._last.condition is Condition.NORMAL and self.open_event is None:
            return self.detector.observe_departures(running)
        return super()._observe(running)

    def _add_to_trends(
        self,
        points: Mapping[str, Decision],
        observations: Mapping[str, Observation],
        idle: frozenset[str],
    ) -> tuple[PointInterval, ...]:
        decided = {point: one for point, one in observations.items() if point in points}
        return super()._add_to_trends(points, decided, idle) if decided else ()


class Player:
    """A machine with the shipped defaults, to which a history is played.

    Parameters
    ----------
    history : ValueHistory
    folder : Path
        For what the machine stores of its learning.
    budget : float, optional
        False events a year of the machine; default: as shipped.
    settings : GatewaySettings, optional
        Of a gateway with this machine alone; default: as its tables describe it.
    """

    kind_of_machine: type[MonitoredMachine] = _Replayed
    """`MonitoredMachine` where the followed state or the trends are used afterwards."""

    def __init__(
        self,
        history: ValueHistory,
        folder: Path,
        budget: float | None = None,
        settings: GatewaySettings | None = None,
    ) -> None:
        self._history = history
        self._now_s = 0.0
        if settings is None:
            one = history.settings
            if budget is not None:
                one = one.model_copy(update={"false_alarms_per_year": budget})
            settings = GatewaySettings.model_validate(
                {"gateway": {"data_dir": folder}, "machines": [one]}
            )
        (one,) = settings.machines
        plans = plan_values(settings)
        self._pipeline = Pipeline({}, values=plans, now_s=lambda: self._now_s)
        self.machine = self.kind_of_machine(
            one,
            new_detector(one, settings.detector, {p.point: plan for p, plan in plans.items()}),
            _Unlabelled(folder, one.id, settings.learning.head_updates()),
            None,
            {point.point: plan.interval_s for point, plan in plans.items()},
            round(settings.gateway.trend_interval_s * NS_PER_S),
        )
        self._open: dict[str, Event] = {}
        self._ready: int | None = None

    def play(self) -> Played:
        """Play all of it."""
        history, machine = self._history, self.machine
        level = np.zeros(len(history.t_ns), np.int8)
        for row, items in history.items():
            for t_ns, of_time in groupby(items, key=lambda item: item.t_ns):
                self._now_s = t_ns / NS_PER_S
                for hop in self._pipeline.process(list(of_time)):
                    result = machine.process(hop)
                    self.took(result)
                    if self._ready is None and any(
                        one.p_value is not None for one in result.points.values()
                    ):
                        self._ready = row
            if row + 1 == history.table.healthy_rows:
                self._end_healthy_rows()
            elif row >= (history.table.healthy_rows or 0):
                self._fit(machine.detector.fit_due())
            level[row] = LEVELS.get(machine.decision.condition, 0)
        events = tuple(self._played(event) for event in self._open.values())
        return Played(level, self._ready, events)

    def took(self, result: MachineResult) -> None:
        """Process what a hop changed."""
        if result.event is not None:
            self._open[result.event.event_id] = result.event

    def _end_healthy_rows(self) -> None:
        """Take the rows so far as the healthy period, as a person does who knows it."""
        if self.machine.detector.model is None:
            self._fit(self.machine.detector.fit_now())

    def _fit(self, job: FitJob | None) -> None:
        if job is None:
            return
        detector = self.machine.detector
        try:
            model = job.run()
        except Exception as error:  # as the gateway's trainer: it is tried again later
            detector.fit_failed(error)
            log.warning("%s: %s", self.machine.id, detector.trouble)
        else:
            self.machine.adopt(model)

    def _played(self, event: Event) -> PlayedEvent:
        end_ns = int(self._history.t_ns[-1])
        if event.phase is EventPhase.END and event.ended_ms is not None:
            end_ns = event.ended_ms * NS_PER_MS
        alarm = event.peak_condition is Condition.ALARM
        return PlayedEvent(event.started_ms * NS_PER_MS, end_ns, alarm, event)
