"""Which bearing fault an event shows: a comb search over recent windows, beside the window loop."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.bearing import Bearing
from auscult.dsp.diagnosis import diagnose_windows
from auscult.gateway.machines.idle import stands
from auscult.gateway.records import PointId, Window
from auscult.gateway.windows.pipeline import Pipeline
from auscult.gateway.windows.points import PointPlan
from auscult.models.decision.diagnosis import UNCLEAR, Diagnosis, bearing_diagnosis

log = logging.getLogger(__name__)

SAME_SPEED = 0.02
"""Windows whose speed differs by more than this share from the last one's are left out."""
NICENESS = 10
"""Decisions go first."""


@dataclass(frozen=True, slots=True)
class BearingSearch:
    """Windows [shape=(w, n)] with their rate of each point of a machine, at one speed."""

    channels: tuple[tuple[NDArray[np.float32], float], ...]
    bearings: tuple[Bearing, ...]
    speed_rpm: float

    def run(self) -> Diagnosis:
        """Search for all bearings; gives the fault that is surest, or why none is named."""
        found = [
            bearing_diagnosis(
                diagnose_windows(self.channels, bearing, self.speed_rpm), bearing.name
            )
            for bearing in self.bearings
        ]
        return max(found, key=lambda d: (d.fault != UNCLEAR, d.confidence))


class BearingSearches:
    """Makes searches from a machine's recent windows, and runs them one at a time.

    Parameters
    ----------
    plans : mapping of PointId to PointPlan
    pipeline : Pipeline
        For the recent windows.
    """

    def __init__(self, plans: Mapping[PointId, PointPlan], pipeline: Pipeline) -> None:
        self._plans = {p: plan for p, plan in plans.items() if plan.spec.bearings}
        self._pipeline = pipeline
        self._pool = ThreadPoolExecutor(1, "bearings", initializer=_be_nice)
        self._running: dict[str, Future[Diagnosis]] = {}

    def begin(self, machine: str) -> bool:
        """Begin a search for a machine; False if nothing is known of its bearings or speed."""
        if machine in self._running:
            return True
        search = self._search(machine)
        if search is None:
            return False
        self._running[machine] = self._pool.submit(search.run)
        return True

    def collect(self, *, wait: bool = False) -> list[tuple[str, Diagnosis]]:
        """Give what was found since the last call; `wait` for what is still searched."""
        done = [(m, f) for m, f in self._running.items() if wait or f.done()]
        found = []
        for machine, future in done:
            del self._running[machine]
            try:
                found.append((machine, future.result()))
            except Exception:
                log.exception("%s: its windows can't be searched for bearing faults", machine)
        return found

    def stop(self) -> None:
        """End; a search in hand is left behind."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _search(self, machine: str) -> BearingSearch | None:
        channels = []
        bearings: tuple[Bearing, ...] = ()
        speed_rpm = 0.0
        for point, plan in self._plans.items():
            if point.machine != machine:
                continue
            windows = [
                heard.window
                for heard in self._pipeline.recent(point)
                if not stands(heard.window.state)
            ]
            own_rpm = _speed_rpm(windows[-1], plan) if windows else None
            if not own_rpm:
                continue
            if not speed_rpm:
                bearings, speed_rpm = plan.spec.bearings, own_rpm
            like = [w.samples for w in windows if _alike(_speed_rpm(w, plan), speed_rpm)]
            if like:
                channels.append((np.stack(like), plan.window.fs_hz))
        return BearingSearch(tuple(channels), bearings, speed_rpm) if channels else None


def _speed_rpm(window: Window, plan: PointPlan) -> float | None:
    told = window.state.speed_rpm if window.state else None
    return told if told is not None else plan.spec.nominal_speed_rpm


def _alike(own_rpm: float | None, speed_rpm: float) -> bool:
    return own_rpm is not None and abs(own_rpm / speed_rpm - 1) <= SAME_SPEED


def _be_nice() -> None:
    # On Linux a thread has a priority of its own.
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
