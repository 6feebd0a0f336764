"""What is told, when: states on change and at a slow heartbeat, events, trends, spectra."""

from __future__ import annotations

import logging
import time
import zlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Final, Literal

import numpy as np
from sqlite_utils import Database

from auscult.dsp.envelope import envelope_spectrum
from auscult.dsp.health import SensorHealth
from auscult.dsp.kurtogram import KurtogramBand, best_band
from auscult.dsp.spectrum import amplitude_spectrum
from auscult.gateway.machines import alarm_store
from auscult.gateway.machines.alarms import Alarm
from auscult.gateway.machines.machine import Hearing, MonitoredMachine
from auscult.gateway.messages.message import now_ms
from auscult.gateway.messages.topics import Topics
from auscult.gateway.publishing import encode
from auscult.gateway.publishing.publisher import Publication, Publisher
from auscult.gateway.publishing.trends import (
    Interval,
    TrendAggregator,
    level_columns,
    trend_columns,
)
from auscult.gateway.records import Event, EventPhase, PointId
from auscult.gateway.settings.gateway import GatewaySection
from auscult.gateway.storage import archive, detector_states
from auscult.gateway.storage.audit import OURSELVES, audit
from auscult.gateway.storage.outbox import Lane, Work
from auscult.gateway.windows.pipeline import Pipeline
from auscult.gateway.windows.points import PointPlan
from auscult.models.records import Condition, Coverage, Decision, Observation

log = logging.getLogger(__name__)

EVIDENCE_DEAD_BAND = 0.1
"""Evidence is told anew when it moved by this share of the alarm level."""
COVERAGE_DEAD_BAND = 0.01
SOONEST_S = 0.2
"""Numbers alone are told at most five times a second; a new condition at once."""
TRENDS_AT_ONCE = 5
"""Trends made between two rounds of windows (about 1 ms each), so that verdicts don't wait."""
HEARTBEAT_SPREAD = 0.5
"""Heartbeats come this share of the interval early at most, each topic at its own moment."""
SECOND_NS = 1_000_000_000
SpectrumKind = Literal["spectrum", "envelope"]
SPECTRUM_KINDS: Final[tuple[SpectrumKind, ...]] = ("spectrum", "envelope")


@dataclass(frozen=True, slots=True)
class _Told:
    """What the last message of a topic said, and when (monotonic)."""

    key: tuple[object, ...]
    evidence: float
    at_s: float


@dataclass(frozen=True, slots=True)
class _Finished:
    """An interval that is over, to be told when there is time."""

    machine: MonitoredMachine
    point: PointId
    interval: Interval
    condition: Condition
    doubtful: bool


class Reporter:
    """Turns hearings into messages; the window loop owns it.

    Parameters
    ----------
    settings : GatewaySection
    topics : Topics
    plans : mapping of PointId to PointPlan
    publisher : Publisher
    pipeline : Pipeline
        For the windows that spectra are made of.
    """

    def __init__(
        self,
        settings: GatewaySection,
        topics: Topics,
        plans: Mapping[PointId, PointPlan],
        publisher: Publisher,
        pipeline: Pipeline,
    ) -> None:
        self._heartbeat_s = settings.heartbeat_s
        self._topics = topics
        self._plans = dict(plans)
        self._publisher = publisher
        self._pipeline = pipeline
        self._told: dict[str, _Told] = {}
        interval_ns = round(settings.trend_interval_s * SECOND_NS)
        self._trends = {p: TrendAggregator(len(v.spec) + 1, interval_ns) for p, v in plans.items()}
        # Features of a window with its evidence behind them: what a trend is made of.
        self._row = {p: np.empty(len(v.spec) + 1, np.float32) for p, v in plans.items()}
        self._trend_columns = {p: trend_columns(v.spec) for p, v in plans.items()}
        self._machines: dict[PointId, MonitoredMachine] = {}
        self._conditions = dict.fromkeys(plans, Condition.UNKNOWN)
        self._finished: deque[_Finished] = deque()
        self._doubtful: set[PointId] = set()
        self._spectra_turns = cycle(plans)
        self._spectra_every_s = settings.spectrum_interval_s / max(1, len(plans))
        self._spectra_at_s = time.monotonic() + self._spectra_every_s
        self._level_columns = {p: level_columns(v.spec) for p, v in plans.items()}

    def report(
        self,
        machine: MonitoredMachine,
        hearing: Hearing,
        saved_with_event: Callable[[Database], None] | None = None,
    ) -> None:
        """Send what is worth sending.

        Parameters
        ----------
        machine : MonitoredMachine
        hearing : Hearing
        saved_with_event : callable, optional
            What is stored in one transaction with an event.
        """
        for name, decision in hearing.points.items():
            point = PointId(machine.id, name)
            observation = hearing.observations.get(name)
            self._point_state(machine, point, decision, observation)
            if observation is None:
                continue
            self._machines[point], self._conditions[point] = machine, decision.condition
            if name not in hearing.idle:
                self._trend(machine, point, observation, decision)
        if hearing.event is not None:
            self._event(machine, hearing.event, saved_with_event)
        self.machine_state(machine)

    def machine_state(self, machine: MonitoredMachine) -> None:
        """Send a machine's state if it is new or old enough."""
        topic = self._topics.machine_state(machine.id)
        decision, meter = machine.decision, machine.detector.coverage
        event = machine.open_event
        event_id = event.event_id if event else None
        waits = machine.awaiting_approval
        alarms = machine.alarms
        key = (
            *_subject(decision),
            event_id,
            waits,
            *_coverage_subject(meter),
            encode.machine_handling(alarms),
            alarms.waiting,
            alarms.suppression,
        )
        if not self._is_news(topic, key, decision):
            return
        message = encode.machine_state(
            machine.id,
            decision,
            meter,
            ts=now_ms(),
            event_id=event_id,
            awaiting_approval=waits,
            alarms=alarms,
            judges=machine.judges(),
        )
        self._publisher.state(topic, message)

    def handled(
        self, machine: MonitoredMachine, changed: Sequence[Alarm]
    ) -> tuple[tuple[Publication, ...], Work]:
        """Tell a machine's handling now; return what is to be stored and sent of its events."""
        alarms, suppression = tuple(changed), machine.alarms.suppression
        topic = self._topics.event(machine.id)
        spoken = tuple(
            Publication(topic, encode.event(_retold(alarm), suppression, ts=now_ms()))
            for alarm in alarms
        )
        self.machine_state(machine)
        return spoken, lambda db: alarm_store.save(db, machine.id, alarms, suppression)

    def end_shelf(self, machine: MonitoredMachine) -> None:
        """Give back a machine's alarms if its shelf has run out."""
        changed = machine.alarms.run_out(time.time_ns())
        if changed is None:
            return
        spoken, save = self.handled(machine, changed)

        def work(db: Database) -> None:
            save(db)
            audit(db, OURSELVES, f"unshelve {machine.id}", "done: its time was over")

        self._publisher.send(spoken, work)

    def send_trends(self) -> None:
        """Send some of the finished intervals: those of all points end at the same moment."""
        for _ in range(max(TRENDS_AT_ONCE, len(self._finished) // 10)):
            if not self._finished:
                return
            self._send_trend(self._finished.popleft())

    def send_spectra(self) -> None:
        """Measure the point whose turn it is: each once an interval, one after the other."""
        if not self._plans or time.monotonic() < self._spectra_at_s:
            return
        self._spectra_at_s = time.monotonic() + self._spectra_every_s
        point = next(self._spectra_turns)
        made = [self.spectrum(point, kind, None) for kind in SPECTRUM_KINDS]
        self._publisher.send([spoken for spoken in made if spoken is not None])

    def flush_trends(self) -> None:
        """Send all intervals, also those that have only begun, as at the end."""
        for point, trend in self._trends.items():
            if (interval := trend.flush()) is not None:
                machine, condition = self._machines[point], self._conditions[point]
                doubtful = point in self._doubtful
                self._finished.append(_Finished(machine, point, interval, condition, doubtful))
        while self._finished:
            self._send_trend(self._finished.popleft())

    def spectrum(
        self, point: PointId, kind: SpectrumKind, event_id: str | None
    ) -> Publication | None:
        """Make a spectrum of the point's last window; None if it has none."""
        heard = self._pipeline.latest(point)
        if heard is None:
            return None
        window = heard.window
        measured = (
            envelope_spectrum(
                window.samples,
                window.fs_hz,
                window.unit,
                self._plans[point].spec.demodulation_band_hz,
            )
            if kind == "envelope"
            else amplitude_spectrum(window.samples, window.fs_hz, window.unit)
        )
        message = encode.spectrum(
            point,
            measured,
            ts=now_ms(),
            window_ns=window.t0_ns,
            event_id=event_id,
            state=window.state,
            condition=self._conditions[point],
            baseline_id=self._baseline_of(point),
            quality="uncertain" if heard.observation.health else "good",
        )
        topic = self._topics.spectrum(point.machine, point.point)
        return Publication(topic, message, Lane.TREND)

    def _baseline_of(self, point: PointId) -> str:
        """By which baseline a point is judged now; empty while one is learned."""
        machine = self._machines.get(point)
        if machine is None or self._conditions[point] is Condition.LEARNING:
            return ""
        return machine.judges(point.point).baseline_id

    def impulsive_band(self, point: PointId) -> KurtogramBand | None:
        """Best band of the kurtogram of the point's last window, None if it has none."""
        heard = self._pipeline.latest(point)
        try:
            return None if heard is None else best_band(heard.window.samples, heard.window.fs_hz)
        except ValueError:
            # a window of a few samples has no kurtogram
            return None

    def _point_state(
        self,
        machine: MonitoredMachine,
        point: PointId,
        decision: Decision,
        observation: Observation | None,
    ) -> None:
        topic = self._topics.point_state(point.machine, point.point)
        health = observation.health if observation else 0
        if not self._is_news(topic, (*_subject(decision), health), decision):
            return
        state = observation.state if observation else None
        message = encode.point_state(
            point,
            decision,
            ts=now_ms(),
            levels=self._levels(point, observation) if observation else {},
            sensor=_words(health),
            speed_rpm=state.speed_rpm if state else None,
            load=state.load if state else None,
            judges=machine.judges(point.point),
        )
        self._publisher.state(topic, message)

    def _is_news(self, topic: str, key: tuple[object, ...], decision: Decision) -> bool:
        told = self._told.get(topic)
        now_s = time.monotonic()
        evidence = decision.evidence or 0.0
        if told is not None and told.key == key:
            age_s = now_s - told.at_s
            moved = abs(evidence - told.evidence) > EVIDENCE_DEAD_BAND * (decision.alarm_level or 1)
            if age_s < self._heartbeat_s * _share(topic) and not (moved and age_s >= SOONEST_S):
                return False
        self._told[topic] = _Told(key, evidence, now_s)
        return True

    def _levels(self, point: PointId, observation: Observation) -> dict[str, tuple[float, str]]:
        features = self._plans[point].spec.features
        return {
            features[i].name: (float(observation.features[i]), features[i].unit)
            for i in self._level_columns[point]
        }

    def _trend(
        self,
        machine: MonitoredMachine,
        point: PointId,
        observation: Observation,
        decision: Decision,
    ) -> None:
        if _unusable(observation.health):
            return
        row = self._row[point]
        row[:-1] = observation.features
        row[-1] = np.nan if decision.evidence is None else decision.evidence
        interval = self._trends[point].add(observation.t_ns, row)
        if interval is not None:
            doubtful = point in self._doubtful
            self._doubtful.discard(point)
            done = _Finished(machine, point, interval, decision.condition, doubtful)
            self._finished.append(done)
        if observation.health:
            self._doubtful.add(point)

    def _send_trend(self, done: _Finished) -> None:
        point, interval = done.point, done.interval
        done.machine.remember(point.point, interval.end_ns, interval.mean[:-1])
        message = encode.trend(
            point,
            interval,
            self._plans[point].spec,
            self._trend_columns[point],
            ts=now_ms(),
            condition=done.condition,
            quality="uncertain" if done.doubtful else "good",
        )
        topic = self._topics.trend(point.machine, point.point)
        # Recordings that are played faster than real time go on behind it after a kill.
        end_ns = done.machine.stream_ns
        self._publisher.send(
            [Publication(topic, message, Lane.TREND)],
            lambda db: detector_states.note_stream_end(db, point.machine, end_ns),
        )

    def _event(
        self, machine: MonitoredMachine, event: Event, also: Callable[[Database], None] | None
    ) -> None:
        if event.phase is EventPhase.END:
            log.info("%s: the event is over (%s)", event.machine, event.event_id)
        else:
            why = event.reasons[0].text if event.reasons else ""
            log.info("%s: %s (%s): %s", event.machine, event.condition, event.event_id, why)
        alarm = machine.alarms.follow(event)
        message = encode.event(alarm, machine.alarms.suppression, ts=now_ms())
        topic = self._topics.event(event.machine)
        spoken = [Publication(topic, message)]
        if event.phase is not EventPhase.END:
            spoken += self._evidence(event)

        def work(db: Database) -> None:
            archive.save_event(db, event)
            alarm_store.save_alarm(db, alarm)
            if also is not None:
                also(db)

        self._publisher.send(spoken, work)

    def _evidence(self, event: Event) -> list[Publication]:
        """Spectra of the points that the event is about."""
        points = [PointId(event.machine, name) for name in event.points]
        made = [
            self.spectrum(point, kind, event.event_id)
            for point in points
            for kind in SPECTRUM_KINDS
        ]
        return [spoken for spoken in made if spoken is not None]


def _retold(alarm: Alarm) -> Alarm:
    """Say that an event goes on: told again for its handling, it does not start anew."""
    if alarm.event.phase is EventPhase.END:
        return alarm
    return replace(alarm, event=replace(alarm.event, phase=EventPhase.UPDATE))


def _share(topic: str) -> float:
    """Share of the heartbeat after which a topic is told again: spreads them over time."""
    return 1 - HEARTBEAT_SPREAD * zlib.crc32(topic.encode()) / 2**32


def _subject(decision: Decision) -> tuple[object, ...]:
    reasons = frozenset((r.kind, r.condition, r.point, r.fault) for r in decision.reasons)
    return decision.condition, reasons


def _coverage_subject(meter: Coverage) -> tuple[object, ...]:
    return meter.phase, round(meter.fraction / COVERAGE_DEAD_BAND)


def _words(health: int) -> tuple[str, ...]:
    return tuple(flag.name.lower() for flag in SensorHealth(health) if flag.name)


def _unusable(health: int) -> bool:
    return bool(health & (SensorHealth.NOT_FINITE | SensorHealth.FLAT_LINE))
