"""One machine under watch: its detector, its open event, its silent points."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auscult.gateway.machines.alarms import MachineAlarms
from auscult.gateway.machines.approval import held
from auscult.gateway.machines.events import OPENING, EventTracker, Judges
from auscult.gateway.machines.idle import idle_decision, idle_machine, stands
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.gateway.records import Event
from auscult.gateway.windows.pipeline import Hop
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.decision.diagnosis import Diagnosis, without_superseded
from auscult.models.detector import MachineDetector
from auscult.models.records import (
    SEVERITY,
    Condition,
    Decision,
    MachineDecision,
    Observation,
    Reason,
    ReasonKind,
    Said,
)

STALE_AT_LEAST_S = 10.0
"""A point is not called silent earlier: sources pause for a moment now and then."""
SEARCH_AGAIN_NS = 10_000_000_000
"""Recent windows are searched for a bearing fault when an event begins or gets worse, and so much
later again; then each time when the event has lasted twice as long."""
STALE_INTERVALS = 3.0
"""Intervals between windows after which a point is silent."""


@dataclass(frozen=True, slots=True)
class Hearing:
    """What one hop said of a machine: its verdict, those of its points, and a changed event."""

    machine: Decision
    points: Mapping[str, Decision]
    observations: Mapping[str, Observation]
    event: Event | None = None
    idle: frozenset[str] = frozenset()
    """Points whose window is of a machine that stood still: no measurement of how it runs."""


class MonitoredMachine:
    """Joins a machine's verdicts with what its sources say; the window loop owns it.

    Parameters
    ----------
    detector : MachineDetector
    learning : MachineLearning
    open_event : Event or None
        What an earlier process left open.
    interval_s : mapping of point to float
        Real time between two windows of a point, for noticing its silence.
    stream_ns : int
        How far its stream had come in an earlier process.
    needs_approval : bool
        Whether a person must approve a baseline before it speaks.
    approved : str
        Id of the baseline that was approved last.
    alarms : MachineAlarms, optional
        How people have handled its events.
    """

    def __init__(
        self,
        detector: MachineDetector,
        learning: MachineLearning,
        open_event: Event | None,
        interval_s: Mapping[str, float],
        stream_ns: int = 0,
        *,
        needs_approval: bool = False,
        approved: str = "",
        alarms: MachineAlarms | None = None,
    ) -> None:
        self.detector = detector
        self.learning = learning
        self.id = detector.name_plate.machine
        self.stream_ns = stream_ns
        self._needs_approval = needs_approval
        self._approved = approved
        self.alarms = alarms or MachineAlarms(self.id)
        self._tracker = EventTracker(self.id, open_event)
        self._stale_after_s = {
            point: max(STALE_AT_LEAST_S, STALE_INTERVALS * interval)
            for point, interval in interval_s.items()
        }
        now_s = time.monotonic()
        self._heard_s = dict.fromkeys(interval_s, now_s)
        self._silent: dict[str, Decision] = {}
        self._forecasts: dict[str, tuple[Reason, ...]] = {}
        self._bearing: Diagnosis | None = None
        self._search_at_ns = 0
        self._search_due = False
        self._last = Decision(None, stream_ns, Condition.LEARNING, ())
        if detector.model is not None:
            self._begin_learning(detector.model)

    @property
    def open_event(self) -> Event | None:
        """The event that lasts."""
        return self._tracker.open_event

    @property
    def decision(self) -> Decision:
        """Verdict on the machine, with points that are not heard counted as unknown."""
        if not self._silent:
            return self._last
        reasons = tuple(r for decision in self._silent.values() for r in decision.reasons)
        deaf = len(self._silent) == len(self._heard_s)
        condition = max(self._last.condition, Condition.UNKNOWN, key=SEVERITY.__getitem__)
        if deaf:
            return Decision(None, self._last.t_ns, Condition.UNKNOWN, reasons)
        return self._last._replace(condition=condition, reasons=self._last.reasons + reasons)

    @property
    def awaiting_approval(self) -> bool:
        """Whether a complete baseline waits for a person."""
        model = self.detector.model
        return self._needs_approval and model is not None and model.baseline_id != self._approved

    def approve(self, baseline_id: str) -> None:
        """Let a baseline speak; its evidence begins anew."""
        self._approved = baseline_id
        self.detector.reset_evidence()

    def judges(self, point: str | None = None) -> Judges:
        """Ids of all that judges now; of the machine's first point unless one is named."""
        model = self.detector.model
        spec = self.detector.specs[point] if point else next(iter(self.detector.specs.values()))
        return Judges(
            model_id=model.model_id if model else "",
            baseline_id=model.baseline_id if model else "",
            spec_id=spec.spec_id,
            checkpoint_id=self.learning.checkpoint_id,
        )

    def adopt(self, model: MachineModel) -> None:
        """Judge by a new baseline, and learn from labels on it."""
        self.detector.adopt(model)
        self._begin_learning(model)

    def go_back(self, state: bytes) -> None:
        """Judge by an older baseline again, with what labels taught on it.

        Raises
        ------
        StateError
            If the state is damaged or of other points; the machine is then as it was.
        """
        self.detector.restore(state)
        self.detector.cancel_baseline()
        self.detector.reset_evidence()
        model = self.detector.model
        if model is not None:
            self._approved = model.baseline_id
            self._begin_learning(model)

    def take_heads(self) -> None:
        """Let the detector judge by what labels have taught."""
        self.detector.set_heads(self.learning.heads)

    def _begin_learning(self, model: MachineModel) -> None:
        self.learning.begin(model)
        self.take_heads()

    def hear(self, hop: Hop) -> Hearing:
        """Judge one hop."""
        now_s = time.monotonic()
        for observation in hop.observations:
            self._heard_s[observation.point] = now_s
            self._silent.pop(observation.point, None)
        # Not the latest ever: a sensor's clock may be set back.
        self.stream_ns = max(o.t_ns for o in hop.observations)
        idle = {o.point: idle_decision(o) for o in hop.observations if stands(o.state)}
        if len(idle) == len(hop.observations):
            return self._stand_still(hop, idle)
        running = [o for o in hop.observations if o.point not in idle]
        judged = self._with_forecasts(self.detector.observe(running))
        if self.awaiting_approval:
            points = {point: held(decision) for point, decision in judged.points.items()}
            judged = MachineDecision(held(judged.machine), points)
        windows = self.detector.scored_windows()
        lasting = self.open_event.event_id if self.open_event else None
        recognised = self.learning.recognise(judged.machine, windows, judged.points, lasting)
        decision = self._with_bearing(recognised)
        worse = SEVERITY[decision.condition] > SEVERITY[self._last.condition]
        self._last = decision
        if worse or (self._search_at_ns and self.stream_ns >= self._search_at_ns):
            self._search_due = decision.condition in OPENING
        lead = next((r.point for r in decision.reasons if r.point), None)
        event = self._tracker.update(decision, self.judges(lead))
        event_id = self.open_event.event_id if self.open_event else None
        self.learning.show(windows, judged.points, event_id)
        return Hearing(
            machine=self.decision,
            points={**judged.points, **idle},
            observations={o.point: o for o in hop.observations},
            event=event,
            idle=frozenset(idle),
        )

    def _stand_still(self, hop: Hop, idle: Mapping[str, Decision]) -> Hearing:
        """Take a hop of a machine that stands still: evidence, events and baseline wait."""
        self._last = idle_machine(self.stream_ns)
        return Hearing(
            machine=self.decision,
            points=idle,
            observations={o.point: o for o in hop.observations},
            idle=frozenset(idle),
        )

    def search_due(self) -> bool:
        """Whether it is time to search recent windows for a bearing fault; True once."""
        due, self._search_due = self._search_due, False
        if due and self.open_event is not None:
            lasted_ns = self.stream_ns - self.open_event.started_ns
            self._search_at_ns = self.stream_ns + max(SEARCH_AGAIN_NS, lasted_ns)
        return due

    def take_diagnosis(self, found: Diagnosis) -> None:
        """Take what was found of the bearings; the surest of an event is kept."""
        if self._bearing is None or found.confidence >= self._bearing.confidence:
            self._bearing = found

    def _with_bearing(self, decision: Decision) -> Decision:
        """Add the bearing fault that was found, in place of weaker words on the same."""
        if decision.condition not in OPENING:
            if self.open_event is None:
                self._bearing = None
            return decision
        if self._bearing is None:
            return decision
        found = self._bearing.reason(decision.condition)
        return decision._replace(reasons=without_superseded((found, *decision.reasons)))

    def remember(self, point: str, t_ns: int, values: NDArray[np.float32]) -> None:
        """Take a point's mean features over an interval, for what they foretell."""
        self._forecasts[point] = self.detector.update_forecasts(point, t_ns, values)

    def _with_forecasts(self, judged: MachineDecision) -> MachineDecision:
        """Add what is foretold to what is judged."""
        foretold = tuple(reason for own in self._forecasts.values() for reason in own)
        if not foretold:
            return judged
        machine = judged.machine._replace(reasons=judged.machine.reasons + foretold)
        points = {
            name: decision._replace(reasons=decision.reasons + self._forecasts.get(name, ()))
            for name, decision in judged.points.items()
        }
        return MachineDecision(machine, points)

    def silence(self, faults: Mapping[str, str]) -> Hearing | None:
        """Note points whose samples can't be used, or that were silent too long.

        Returns
        -------
        Hearing or None
            What is new, None if nothing is.
        """
        now_s = time.monotonic()
        new = {}
        for point, heard_s in self._heard_s.items():
            text, said = faults.get(point), None
            if text is None and now_s - heard_s > self._stale_after_s[point]:
                text = f"no window for more than {self._stale_after_s[point]:.0f} s"
                said = Said("silent", {"after_s": self._stale_after_s[point]})
            if text is not None and self._reason_text(point) != text:
                reason = Reason(ReasonKind.SENSOR, Condition.UNKNOWN, text, point=point, said=said)
                new[point] = Decision(point, self.stream_ns, Condition.UNKNOWN, (reason,))
        if not new:
            return None
        self._silent |= new
        return Hearing(self.decision, new, {})

    def forgive_silence(self) -> None:
        """Count silence from now on: it was we who did not listen."""
        self._heard_s = dict.fromkeys(self._heard_s, time.monotonic())

    def _reason_text(self, point: str) -> str | None:
        decision = self._silent.get(point)
        return decision.reasons[0].text if decision else None
