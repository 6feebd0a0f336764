"""Spectra of the points' last windows: at intervals, with events, and on request; run-ups."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from itertools import cycle

from auscult.contract.event import Event
from auscult.contract.message import now_ms
from auscult.contract.parts import SPECTRUM_KINDS, SpectrumKind
from auscult.contract.records import Condition
from auscult.contract.topics import Topics
from auscult.dsp.envelope import envelope_spectrum
from auscult.dsp.health import DOUBTS
from auscult.dsp.kurtogram import KurtogramBand, best_band
from auscult.dsp.spectrum import amplitude_spectrum
from auscult.gateway.publishing import encode
from auscult.gateway.publishing.publisher import Publication
from auscult.gateway.records import PointId
from auscult.gateway.storage.outgoing import Lane
from auscult.gateway.windows.observed import ObservedWindow
from auscult.gateway.windows.pipeline import Pipeline
from auscult.gateway.windows.points import PointPlan

PointStatus = Callable[[PointId], tuple[Condition, str]]
"""Gives a point's condition and the baseline behind it; empty without a baseline."""


class Spectra:
    """Makes the messages of spectra; the window loop owns it.

    Parameters
    ----------
    topics : Topics
    plans : mapping of PointId to PointPlan
    pipeline : Pipeline
        For the last windows.
    interval_s : float
        Real time in which each point is measured once.
    status : callable
    """

    def __init__(
        self,
        topics: Topics,
        plans: Mapping[PointId, PointPlan],
        pipeline: Pipeline,
        interval_s: float,
        status: PointStatus,
    ) -> None:
        self._topics = topics
        self._plans = plans
        self._pipeline = pipeline
        self._status = status
        self._of_events: dict[PointId, tuple[str, ObservedWindow]] = {}
        self._turns = cycle(plans)
        self._every_s = interval_s / max(1, len(plans))
        self._next_s = time.monotonic() + self._every_s

    @property
    def waiting(self) -> bool:
        """Return whether points of events, or run-ups, wait."""
        return bool(self._of_events or self._pipeline.run_ups.done)

    def queue_event(self, event: Event) -> None:
        """Measure the last windows of an event's points when their turn comes, as its evidence.

        A point takes some 5 ms: all points of an event at once would delay decisions.
        """
        for name in event.points:
            point = PointId(event.machine, name)
            latest = self._pipeline.latest(point)
            if latest is not None:
                self._of_events[point] = event.event_id, latest

    def due(self) -> list[Publication]:
        """Measure one point: of an event, else the next when its turn has come.

        A complete run-up goes between them.
        """
        if self._of_events:
            point = next(iter(self._of_events))
            event_id, window = self._of_events.pop(point)
            return [self._measure(point, kind, event_id, window) for kind in SPECTRUM_KINDS]
        if self._pipeline.run_ups.done:
            passed = self._pipeline.run_ups.done.popleft()
            topic = self._topics.run_up(*passed.point)
            return [Publication(topic, encode.run_up(passed, ts=now_ms()), Lane.TREND)]
        if not self._plans or time.monotonic() < self._next_s:
            return []
        self._next_s = time.monotonic() + self._every_s
        point = next(self._turns)
        made = [self.measure(point, kind, None) for kind in SPECTRUM_KINDS]
        return [publication for publication in made if publication is not None]

    def measure(
        self, point: PointId, kind: SpectrumKind, event_id: str | None
    ) -> Publication | None:
        """Measure the point's last window; None if there is none."""
        latest = self._pipeline.latest(point)
        return None if latest is None else self._measure(point, kind, event_id, latest)

    def _measure(
        self, point: PointId, kind: SpectrumKind, event_id: str | None, latest: ObservedWindow
    ) -> Publication:
        window = latest.window
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
        condition, baseline_id = self._status(point)
        message = encode.spectrum(
            point,
            measured,
            ts=now_ms(),
            window_ns=window.t0_ns,
            event_id=event_id,
            state=window.state,
            condition=condition,
            baseline_id=baseline_id,
            quality="uncertain" if latest.observation.health & DOUBTS else "good",
        )
        topic = self._topics.spectrum(point.machine, point.point)
        return Publication(topic, message, Lane.TREND)

    def impulsive_band(self, point: PointId) -> KurtogramBand | None:
        """Best band of the kurtogram of the point's last window, None if there is none."""
        latest = self._pipeline.latest(point)
        try:
            return None if latest is None else best_band(latest.window.samples, latest.window.fs_hz)
        except ValueError:
            # A window of a few samples has no kurtogram.
            return None
