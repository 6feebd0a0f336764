"""Which bearing, shaft or gear fault an event shows: a search beside the window loop."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from auscult.contract.message import NS_PER_S
from auscult.contract.records import SAME_STATE_SPEED
from auscult.contract.said import Said
from auscult.dsp.bearing import Bearing
from auscult.dsp.diagnosis import diagnose_bearing
from auscult.dsp.tracking import at_mean_speed
from auscult.dsp.units import CURRENT_UNIT
from auscult.gateway.machines.healthy_references import HealthyReferences
from auscult.gateway.machines.idle import at_rest
from auscult.gateway.machines.train_search import (
    TrainSignals,
    TrainState,
    compared,
    last_stage_signs,
    train_key,
    train_signals,
)
from auscult.gateway.records import PointId, Window
from auscult.gateway.storage.store import Store
from auscult.gateway.windows.assembler import WindowPlan
from auscult.gateway.windows.pipeline import Pipeline
from auscult.gateway.windows.points import PointPlan
from auscult.host.supervised import give_way
from auscult.models.decision.bearing_diagnosis import (
    BEARING,
    COMB_CONFIDENCE,
    bearing_diagnosis,
)
from auscult.models.decision.diagnosis import UNCLEAR, Diagnosis
from auscult.models.name_plate import PlacedBearing, Train

log = logging.getLogger(__name__)

STEADY = 0.002
"""A measured speed that varies by more than this share smears the lines of 100 revolutions …"""
TRACKED = 0.3
"""… and is followed within this share of the last one: resonances stay where they are in Hz."""
APPROXIMATE_CONFIDENCE = 0.6
"""Most that is claimed where a bearing's orders follow a convention: makers differ by whole balls,
and a neighbour's order may fit as well."""
PARTS = {"outer": ("bpfo", 1), "inner": ("bpfi", 1), "ball": ("bsf", 2)}
"""Lines of each part, and which of their harmonics leads."""
SAME_LINES = 0.01
"""Parts of two bearings whose lines differ by less can't be distinguished: both slip so much."""
UNKNOWN = PlacedBearing(Bearing(""), 1.0, approximate=False)
"""Stands for the bearings of a machine that has none configured."""
HOPS_BETWEEN = 20
"""Hops of a normal machine between two looks for a speed that was not measured yet."""
NICENESS = 10
"""Decisions have priority."""


@dataclass(frozen=True, slots=True)
class FaultSearch:
    """Recent signals of a machine's points as at one speed, and the bearings to search for.

    Parameters
    ----------
    points : tuple of str
    channels : tuple of (np.ndarray [shape=(w, n)], fs_hz)
        For each point one stretch of n samples, or w bursts.
    bearings : tuple of (PlacedBearing, tuple of int)
        Each with the channels near it.
    speed_rpm : float
        Of the measured shaft.
    train : TrainSignals or None
        For faults of shafts and gears; None for bursts.
    healthy : TrainState or None
        Of the healthy machine at this speed, None where it is not known.
    units : tuple of str
        Of each point; empty = all alike.
    """

    points: tuple[str, ...]
    channels: tuple[tuple[NDArray[np.float32], float], ...]
    bearings: tuple[tuple[PlacedBearing, tuple[int, ...]], ...]
    speed_rpm: float
    train: TrainSignals | None = None
    healthy: TrainState | None = None
    units: tuple[str, ...] = ()

    def run_all(self, stopped: Callable[[], bool] = lambda: False) -> tuple[Diagnosis, ...]:
        """Search for all bearings; without a bearing fault, compare shafts and gears.

        A damaged bearing also moves the orders of its shaft: on two rigs a third of such recordings
        looked like a shaft fault.

        Parameters
        ----------
        stopped : function
            Asked before each bearing and before the shafts: the gateway's end waits for one step.
        """
        bearing = self.run(stopped)
        found = [] if bearing is None else [bearing]
        if bearing is not None and bearing.fault != UNCLEAR:
            return tuple(found)
        if self.train is not None and self.healthy is not None and not stopped():
            now = self.train.measured()
            found += compared(now, self.healthy, self.train)
            found += last_stage_signs(now, self.healthy)
        return tuple(found)

    def run(self, stopped: Callable[[], bool] = lambda: False) -> Diagnosis | None:
        """Search for all bearings.

        Returns
        -------
        Diagnosis or None
            The most confident fault, a named part before an unclear one; else why none is named;
            None where no bearing is configured and nothing stands out.
        """
        found = [self._search(bearing, near) for bearing, near in self.bearings if not stopped()]
        if len(found) < len(self.bearings):
            return None
        best = max(found, key=lambda d: (d.fault != UNCLEAR, d.fault != BEARING, d.confidence))
        if best.fault in PARTS:
            own, near = self.bearings[found.index(best)]
            best = self._doubted(best, own, near)
        known = any(placed != UNKNOWN for placed, _ in self.bearings)
        return best if known or best.fault != UNCLEAR else None

    def _doubted(self, named: Diagnosis, own: PlacedBearing, near: tuple[int, ...]) -> Diagnosis:
        """Claim less where a part of another bearing near the same points has the same lines."""
        first_hz, shaft_rpm = (float(str(named.said.values[key])) for key in ("hz", "speed_rpm"))
        found_hz, measured_hz = PARTS[named.fault][1] * first_hz, shaft_rpm / 60 / own.ratio
        for placed, others in self.bearings:
            if placed == own or not set(near) & set(others):
                continue
            for part, (line, turn) in PARTS.items():
                order = placed.measured.order(line)
                if order and abs(turn * order * measured_hz / found_hz - 1) <= SAME_LINES:
                    values = {"fault": part, "bearing": placed.bearing.name}
                    return replace(
                        named,
                        confidence=min(named.confidence, COMB_CONFIDENCE),
                        missing=(*named.missing, Said("other_part_fits", values)),
                    )
        return named

    def _search(self, placed: PlacedBearing, near: tuple[int, ...]) -> Diagnosis:
        speed_rpm = self.speed_rpm * placed.ratio
        channels = [self.channels[i] for i in near]
        points = [self.points[i] for i in near]
        units = [self.units[i] for i in near] if self.units else []
        lines = diagnose_bearing(channels, placed.bearing, speed_rpm, units)
        found = bearing_diagnosis(lines, placed.bearing, speed_rpm, points)
        if placed.approximate:
            found = replace(found, confidence=min(found.confidence, APPROXIMATE_CONFIDENCE))
        return found


@dataclass(frozen=True, slots=True)
class _Recent:
    """Recent windows of a point, and those of them at the speed of its machine."""

    plan: PointPlan
    windows: list[Window]
    like: list[Window]


class FaultSearches:
    """Runs searches in the recent windows of machines, one at a time.

    Parameters
    ----------
    plans : mapping of PointId to PointPlan
    pipeline : Pipeline
        For the recent windows.
    trains : mapping of machine to Train
    store : Store, optional
        Keeps the measurements of healthy machines.
    """

    def __init__(
        self,
        plans: Mapping[PointId, PointPlan],
        pipeline: Pipeline,
        trains: Mapping[str, Train] = MappingProxyType({}),
        store: Store | None = None,
    ) -> None:
        self._plans: dict[str, dict[PointId, PointPlan]] = {}
        for point, plan in plans.items():
            if plan.searched:
                self._plans.setdefault(point.machine, {})[point] = plan
        self._pipeline = pipeline
        self._pool = ThreadPoolExecutor(1, "searches", initializer=give_way, initargs=(NICENESS,))
        self._stopped = threading.Event()
        self._running: dict[str, Future[tuple[Diagnosis, ...]]] = {}
        self._trains = trains
        self._measuring: dict[tuple[str, str], Future[TrainState]] = {}
        self._healthy = HealthyReferences(trains, store)
        self._hops: dict[str, int] = {}

    def begin(self, machine: str, baseline_id: str = "") -> bool:
        """Start a search for a machine; False if its speed is unknown.

        It is compared with what was measured while it was normal by this baseline.
        """
        if machine in self._running:
            return True
        self._healthy.use(machine, baseline_id)
        search = self.search_for(machine)
        if search is None:
            return False
        self._running[machine] = self._pool.submit(search.run_all, self._stopped.is_set)
        return True

    def measure_healthy(self, machine: str, baseline_id: str = "") -> None:
        """Measure a machine that is normal, once for each of its speeds, to compare with later.

        A measurement belongs to a baseline: after a repair the machine is measured again. One
        machine at a time, because a measurement holds seconds of all its points.
        """
        hops = self._hops[machine] = self._hops.get(machine, HOPS_BETWEEN - 1) + 1
        if hops < HOPS_BETWEEN or self._measuring:
            return
        self._hops[machine] = 0
        recent, speed_rpm = self._recent(machine)
        steady = _steady(recent)
        self._healthy.use(machine, baseline_id)
        key = train_key(steady, speed_rpm)
        if self._healthy.full(machine) or self._healthy.like(machine, key) is not None:
            return
        signals = self._train_signals(machine, steady, speed_rpm)
        if signals is not None:
            self._measuring[machine, baseline_id] = self._pool.submit(signals.measured)

    def collect(self, *, wait: bool = False) -> list[tuple[str, tuple[Diagnosis, ...]]]:
        """Return the results since the last call; `wait` for running searches."""
        for key in [key for key, f in self._measuring.items() if wait or f.done()]:
            machine, baseline_id = key
            try:
                self._healthy.add(machine, baseline_id, self._measuring.pop(key).result())
            except Exception:
                log.exception("%s: its healthy shaft orders can't be measured", machine)
        done = [(m, f) for m, f in self._running.items() if wait or f.done()]
        found = []
        for machine, future in done:
            del self._running[machine]
            try:
                found.append((machine, future.result()))
            except Exception:
                log.exception("%s: its windows can't be searched for faults", machine)
        return found

    def stop(self) -> None:
        """Stop; a running search is abandoned after its current bearing."""
        self._stopped.set()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def search_for(self, machine: str) -> FaultSearch | None:
        """Collect the recent windows of a machine as at one speed; None without any."""
        channels: dict[str, tuple[NDArray[np.float32], float]] = {}
        bearings: dict[PlacedBearing, list[int]] = {}
        recent, speed_rpm = self._recent(machine)
        for point, one in recent.items():
            # No vibration is searched in a current.
            current = one.plan.unit == CURRENT_UNIT
            signal = None if current else _steady_signal(one.windows, one.plan, speed_rpm)
            if signal is not None:
                channels[point] = signal
                for placed in one.plan.bearings or (UNKNOWN,):
                    bearings.setdefault(placed, []).append(len(channels) - 1)
        if not channels:
            return None
        steady = _steady(recent)
        train = self._train_signals(machine, steady, speed_rpm)
        return FaultSearch(
            tuple(channels),
            tuple(channels.values()),
            tuple((placed, tuple(near)) for placed, near in bearings.items()),
            speed_rpm,
            train,
            self._healthy.like(machine, train_key(steady, speed_rpm)),
            tuple(recent[point].plan.unit for point in channels),
        )

    def _train_signals(
        self,
        machine: str,
        steady: Mapping[str, tuple[list[Window], WindowPlan]],
        speed_rpm: float,
    ) -> TrainSignals | None:
        marks = self._pipeline.tachos.marks(PointId(machine, point) for point in steady)
        return train_signals(steady, speed_rpm, self._trains.get(machine, Train()), marks)

    def _recent(self, machine: str) -> tuple[dict[str, _Recent], float]:
        """Return the recent windows of each point of known speed, and the speed of the first."""
        found: dict[str, _Recent] = {}
        speed_rpm = 0.0
        for point, plan in self._plans.get(machine, {}).items():
            windows = [
                one.window for one in self._pipeline.recent(point) if not at_rest(one.window.state)
            ]
            own_rpm = _speed_rpm(windows[-1], plan) if windows else None
            if own_rpm:
                speed_rpm = speed_rpm or own_rpm
                like = [
                    w for w in windows if _alike(_speed_rpm(w, plan), speed_rpm, SAME_STATE_SPEED)
                ]
                found[point.point] = _Recent(plan, windows, like)
        return found, speed_rpm


def _steady(recent: Mapping[str, _Recent]) -> dict[str, tuple[list[Window], WindowPlan]]:
    return {point: (one.like, one.plan.window) for point, one in recent.items() if one.like}


def _steady_signal(
    windows: Sequence[Window], plan: PointPlan, speed_rpm: float
) -> tuple[NDArray[np.float32], float] | None:
    """Join windows to a signal of a shaft that turns at `speed_rpm`; None without any.

    Where the measured speed varies, the signal is resampled at equal angles of the shaft.

    Returns
    -------
    samples : np.ndarray [shape=(w, n), dtype=float32]
    fs_hz : float
    """
    near = [w for w in windows if _alike(_measured_rpm(w), speed_rpm, TRACKED)]
    run = _longest_run(near, plan.window) if near else []
    speeds = np.array([_measured_rpm(w) for w in run], np.float64)
    if len(run) > 1 and np.ptp(speeds) > STEADY * speed_rpm:
        fs_hz = plan.window.fs_hz
        half_s = plan.window.n_samples / fs_hz / 2
        times_s = np.array([(w.t0_ns - run[0].t0_ns) / NS_PER_S + half_s for w in run])
        joined = _joined(run, plan.window)
        steady, fs_hz, mean_rpm = at_mean_speed(joined, fs_hz, times_s, speeds)
        # The same turns at the speed of all points: their orders are compared.
        return steady[None], fs_hz * speed_rpm / mean_rpm
    like = [w for w in windows if _alike(_speed_rpm(w, plan), speed_rpm, SAME_STATE_SPEED)]
    return (signal_of(like, plan.window), plan.window.fs_hz) if like else None


def signal_of(windows: Sequence[Window], plan: WindowPlan) -> NDArray[np.float32]:
    """Join windows that follow each other to the longest stretch without a gap.

    Parameters
    ----------
    windows : sequence of Window
        Of one point, in order of time, at least one.
    plan : WindowPlan

    Returns
    -------
    np.ndarray [shape=(1, n), dtype=float32], or [shape=(w, n)] where no two follow each other
        (bursts): all windows.
    """
    longest = _longest_run(windows, plan)
    if len(longest) == 1:
        return np.stack([window.samples for window in windows])
    return _joined(longest, plan)[None]


def _longest_run(windows: Sequence[Window], plan: WindowPlan) -> list[Window]:
    """Return the most windows that follow each other without a gap."""
    hop_ns = plan.hop / plan.fs_hz * NS_PER_S
    runs = [[windows[0]]]
    for before, window in pairwise(windows):
        if abs(window.t0_ns - before.t0_ns - hop_ns) < hop_ns / 2:
            runs[-1].append(window)
        else:
            runs.append([window])
    return max(runs, key=len)


def _joined(windows: Sequence[Window], plan: WindowPlan) -> NDArray[np.float32]:
    first, *others = (window.samples for window in windows)
    return np.concatenate([first, *(samples[-plan.hop :] for samples in others)])


def _measured_rpm(window: Window) -> float | None:
    return window.state.speed_rpm if window.state else None


def _speed_rpm(window: Window, plan: PointPlan) -> float | None:
    own_rpm = _measured_rpm(window)
    return own_rpm if own_rpm is not None else plan.spec.nominal_speed_rpm


def _alike(own_rpm: float | None, speed_rpm: float, share: float) -> bool:
    return own_rpm is not None and abs(own_rpm / speed_rpm - 1) <= share
