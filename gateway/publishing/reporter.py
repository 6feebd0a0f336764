"""Publishes what machines decided: states on change and as a heartbeat, events, trends, spectra."""

from __future__ import annotations

import logging
import time
import zlib
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from auscult.contract.event import Event, EventPhase
from auscult.contract.message import now_ms
from auscult.contract.records import Condition, Coverage
from auscult.contract.topics import Topics
from auscult.dsp.health import DOUBTS, SensorHealth
from auscult.gateway.machines.alarms import Alarm, MachineAlarms
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.machines.result import MachineResult
from auscult.gateway.machines.trends import PointInterval
from auscult.gateway.publishing import encode
from auscult.gateway.publishing.levels import level_columns, trend_columns
from auscult.gateway.publishing.publisher import Publication, Publisher
from auscult.gateway.publishing.spectra import Spectra
from auscult.gateway.records import PointId
from auscult.gateway.settings.gateway import GatewaySection
from auscult.gateway.storage.detector_states import StreamEndWrite
from auscult.gateway.storage.outgoing import DatabaseWrite, Lane
from auscult.gateway.windows.pipeline import Pipeline
from auscult.gateway.windows.points import PointPlan, ValuePlan
from auscult.models.learning.repair import RepairCheck
from auscult.models.records import Decision, Observation

log = logging.getLogger(__name__)

EVIDENCE_DEAD_BAND = 0.1
"""Evidence is published again when it moved by this share of the alarm level."""
COVERAGE_DEAD_BAND = 0.01
SOONEST_S = 0.2
"""Changed numbers alone are published at most five times a second; a new condition at once."""
TRENDS_AT_ONCE = 5
"""Trends published between two rounds of windows (about 1 ms each), so that decisions don't wait
for them."""
HEARTBEAT_SPREAD = 0.5
"""Heartbeats come early by at most this share of the interval, each topic at its own moment."""


@dataclass(frozen=True, slots=True)
class _Published:
    """Content of the last message of a topic; when numbers alone, and a heartbeat, may follow."""

    key: tuple[object, ...]
    evidence: float
    again_s: float
    heartbeat_s: float


class Reporter:
    """Publishes the results of machines; the window loop owns it.

    Parameters
    ----------
    settings : GatewaySection
    topics : Topics
    plans : mapping of PointId to PointPlan
    publisher : Publisher
    pipeline : Pipeline
        For the windows that spectra are made of, and the run-ups.
    values : mapping of PointId to ValuePlan, optional
        Points with overall values.
    """

    def __init__(
        self,
        settings: GatewaySection,
        topics: Topics,
        plans: Mapping[PointId, PointPlan],
        publisher: Publisher,
        pipeline: Pipeline,
        values: Mapping[PointId, ValuePlan] | None = None,
    ) -> None:
        self._heartbeat_s = settings.heartbeat_s
        self._topics = topics
        self._specs = {p: plan.spec for p, plan in plans.items()}
        self._specs |= {p: plan.spec for p, plan in (values or {}).items()}
        self._publisher = publisher
        self._pipeline = pipeline
        self._published: dict[str, _Published] = {}
        self._trend_columns = {p: trend_columns(spec) for p, spec in self._specs.items()}
        self._level_columns = {p: level_columns(spec) for p, spec in self._specs.items()}
        self._waiting: deque[tuple[MonitoredMachine, PointInterval]] = deque()
        self._machines: dict[PointId, MonitoredMachine] = {}
        self._conditions = dict.fromkeys(self._specs, Condition.UNKNOWN)
        self.spectra = Spectra(
            topics, dict(plans), pipeline, settings.spectrum_interval_s, self._point_status
        )

    def prepare(self) -> None:
        """Build what checks and writes the messages; the first of each would take 10 ms longer."""
        for message in encode.MESSAGES:
            message.model_rebuild()

    def report(
        self,
        machine: MonitoredMachine,
        result: MachineResult,
        writes: Sequence[DatabaseWrite] = (),
    ) -> None:
        """Publish what is worth publishing of a result.

        Parameters
        ----------
        machine : MonitoredMachine
        result : MachineResult
        writes : sequence of DatabaseWrite
            Are stored in one transaction with the messages of events.
        """
        for name, decision in result.points.items():
            point = PointId(machine.id, name)
            observation = result.observations.get(name)
            self._point_state(machine, point, decision, observation)
            if observation is not None:
                self._machines[point], self._conditions[point] = machine, decision.condition
        self._waiting.extend((machine, interval) for interval in result.intervals)
        if writes:
            self._publisher.send(self.alarms(machine, result.alarms, result.event), writes)
            if result.event is not None and result.event.phase is not EventPhase.END:
                self.spectra.queue_event(result.event)
        self.machine_state(machine)

    def machine_state(self, machine: MonitoredMachine) -> None:
        """Publish a machine's state if it changed or its heartbeat is due."""
        topic = self._topics.machine_state(machine.id)
        decision, event = machine.decision, machine.open_event
        # Without the warranty: counting its missing days for each hop would cost more than the key.
        key = (
            *_subject(decision),
            machine.quality,
            event and event.event_id,
            machine.awaiting_approval,
            *_coverage_subject(machine.detector.coverage),
            *_handling_subject(machine.alarms),
            *_repair_subject(machine.learning.repair),
            *[question.question_id for question in machine.learning.questions],
        )
        if self._is_news(topic, key, decision):
            self._publisher.state(topic, encode.machine_state(machine, ts=now_ms()))

    def alarms(
        self, machine: MonitoredMachine, changed: Sequence[Alarm], event: Event | None = None
    ) -> tuple[Publication, ...]:
        """Messages of alarms that changed; `event` is the one that changed with its alarm."""
        topic, suppression = self._topics.event(machine.id), machine.alarms.suppression
        return tuple(
            Publication(
                topic,
                encode.event(
                    alarm if alarm.event is event else _as_update(alarm), suppression, ts=now_ms()
                ),
            )
            for alarm in changed
        )

    def send_trends(self) -> None:
        """Publish some of the finished intervals: those of all points end at the same moment."""
        for _ in range(max(TRENDS_AT_ONCE, len(self._waiting) // 10)):
            if not self._waiting:
                return
            self._send_trend(*self._waiting.popleft())

    @property
    def busy(self) -> bool:
        """Return whether spectra of events, or run-ups, wait."""
        return self.spectra.waiting

    def send_spectra(self) -> None:
        """Publish the spectra of the point whose turn it is."""
        if publications := self.spectra.due():
            self._publisher.send(publications)

    def finish(self, machines: Sequence[MonitoredMachine]) -> None:
        """Publish what waits, and unfinished intervals, before the gateway stops."""
        self._pipeline.run_ups.finish()
        while self.busy:
            self.send_spectra()
        for machine in machines:
            self._waiting.extend((machine, interval) for interval in machine.flush_trends())
        while self._waiting:
            self._send_trend(*self._waiting.popleft())

    def _point_status(self, point: PointId) -> tuple[Condition, str]:
        condition, machine = self._conditions[point], self._machines.get(point)
        if machine is None:
            return condition, ""
        if condition is Condition.LEARNING:
            # After the healthy period a fault may have begun: this is no healthy spectrum.
            training = machine.detector.coverage.phase == "training"
            return Condition.UNKNOWN if training else condition, ""
        return condition, machine.provenance(point.point).baseline_id

    def _point_state(
        self,
        machine: MonitoredMachine,
        point: PointId,
        decision: Decision,
        observation: Observation | None,
    ) -> None:
        topic = self._topics.point_state(point.machine, point.point)
        health = observation.health & DOUBTS if observation else 0
        if not self._is_news(topic, (*_subject(decision), health), decision):
            return
        message = encode.point_state(
            point,
            decision,
            ts=now_ms(),
            levels=self._levels(point, observation) if observation else {},
            sensor=_fault_names(health),
            state=observation.state if observation else None,
            provenance=machine.provenance(point.point),
        )
        self._publisher.state(topic, message)

    def _is_news(self, topic: str, key: tuple[object, ...], decision: Decision) -> bool:
        last = self._published.get(topic)
        now_s = time.monotonic()
        evidence = decision.evidence or 0.0
        if last is not None and last.key == key and now_s < last.heartbeat_s:
            moved = abs(evidence - last.evidence) > EVIDENCE_DEAD_BAND * (decision.alarm_level or 1)
            if not (moved and now_s >= last.again_s):
                return False
        heartbeat_s = now_s + self._heartbeat_s * _share(topic)
        self._published[topic] = _Published(key, evidence, now_s + SOONEST_S, heartbeat_s)
        return True

    def _levels(self, point: PointId, observation: Observation) -> dict[str, tuple[float, str]]:
        features = self._specs[point].features
        return {
            features[i].name: (float(observation.features[i]), features[i].unit)
            for i in self._level_columns[point]
        }

    def _send_trend(self, machine: MonitoredMachine, done: PointInterval) -> None:
        point = PointId(machine.id, done.point)
        message = encode.trend(
            point, done, self._specs[point], self._trend_columns[point], ts=now_ms()
        )
        topic = self._topics.trend(point.machine, point.point)
        # After a kill, recordings that play faster than real time continue after this time.
        self._publisher.send(
            [Publication(topic, message, Lane.TREND)],
            [StreamEndWrite(machine.id, machine.stream_ns)],
        )


def _as_update(alarm: Alarm) -> Alarm:
    """Mark an open event as an update: its handling changed, it did not start again."""
    if alarm.event.phase is EventPhase.END:
        return alarm
    return replace(alarm, event=alarm.event.model_copy(update={"phase": EventPhase.UPDATE}))


def _share(topic: str) -> float:
    """Share of the heartbeat after which a topic is published again: spreads them over time."""
    return 1 - HEARTBEAT_SPREAD * zlib.crc32(topic.encode()) / 2**32


def _subject(decision: Decision) -> tuple[object, ...]:
    reasons = frozenset([(r.kind, r.condition, r.point, r.fault) for r in decision.reasons])
    return decision.condition, reasons


def _handling_subject(alarms: MachineAlarms) -> tuple[object, ...]:
    shown = alarms.shown
    alarm = None if shown is None else (shown.event.event_id, shown.changes)
    return alarm, alarms.waiting, alarms.suppression


def _repair_subject(check: RepairCheck | None) -> tuple[object, ...]:
    """Return what makes the check of planned work news: its begin and its result."""
    return () if check is None else (check.event_id, check.since_ns, check.result)


def _coverage_subject(coverage: Coverage) -> tuple[object, ...]:
    return coverage.phase, round(coverage.fraction / COVERAGE_DEAD_BAND)


def _fault_names(health: int) -> tuple[str, ...]:
    return tuple(flag.name.lower() for flag in SensorHealth(health) if flag.name)
