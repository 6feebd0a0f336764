"""Faults of shafts, gears, drives and flow: recent signals against those of the healthy machine.

The reference is measured when the machine is normal, once for each speed and load
(`healthy_references.py` keeps it).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.contract.message import NS_PER_S
from auscult.contract.records import SAME_STATE_LOAD, SAME_STATE_SPEED
from auscult.dsp.current_lines import CurrentLines, current_lines
from auscult.dsp.drive_signs import DriveSigns, drive_signs
from auscult.dsp.gear_average import GearSigns, gear_signs
from auscult.dsp.order_lines import OrderLines, order_lines
from auscult.dsp.units import CURRENT_UNIT
from auscult.gateway.records import Window
from auscult.gateway.windows.assembler import WindowPlan
from auscult.gateway.windows.tachos import angles_of
from auscult.models.decision.bearing_stage import floor_rose
from auscult.models.decision.diagnosis import UNCLEAR, Diagnosis
from auscult.models.decision.drive_diagnosis import (
    DriveState,
    current_diagnosis,
    drive_diagnosis,
    noise_rise_db,
)
from auscult.models.decision.gear_diagnosis import gear_diagnosis
from auscult.models.decision.shaft_diagnosis import ShaftPoints, shaft_diagnosis
from auscult.models.name_plate import Train

LIKE_A_RUB: Final = ("looseness",)
NOTHING_FOUND: Final = (
    "no_shaft_fault", "shaft_speeds_differ", "no_gear_fault", "no_drive_fault",
)  # fmt: skip
SAME_CLOCK_S: Final = 0.0005
"""Points whose last windows end within this time share a clock: 5 degrees at 1,750 r/min."""

Signal = tuple[NDArray[np.float32], float]


@dataclass(frozen=True)
class TrainSignals:
    """The same last seconds of a machine's points.

    Parameters
    ----------
    channels : mapping of point to (np.ndarray [shape=(n,)], fs_hz)
        Vibration.
    speed_rpm : float
        Of the measured shaft.
    one_clock : bool
        Whether phases between points have a meaning.
    train : Train
    load : float or None
    currents : mapping of point to (np.ndarray [shape=(n,)], fs_hz)
        Currents of the motor.
    angles : sequence of np.ndarray [shape=(n,)], optional
        Angle of the shaft by a tachometer at each sample of each channel, turns.
    """

    channels: Mapping[str, Signal]
    speed_rpm: float
    one_clock: bool
    train: Train
    load: float | None = None
    currents: Mapping[str, Signal] = field(default_factory=dict)
    angles: Sequence[NDArray[np.float64]] | None = None

    @property
    def key(self) -> TrainKey:
        """Return what a measurement must share with these signals to be compared."""
        return TrainKey(tuple(self.channels), self.speed_rpm, self.load)

    def measured(self) -> TrainState:
        """Measure shaft orders, drives and flow, the mean turns of all gears, and currents."""
        gears = {}
        for number, gear in enumerate(self.train.gears):
            driving_hz = self.speed_rpm / 60 * gear.ratio
            driven_hz = driving_hz * gear.driving_teeth / gear.driven_teeth
            for teeth, hz in ((gear.driving_teeth, driving_hz), (gear.driven_teeth, driven_hz)):
                for point, (samples, fs_hz) in self.channels.items():
                    signs = gear_signs(samples, fs_hz, teeth, hz)
                    if signs is not None:
                        gears[point, number, teeth] = signs
        signals, train = list(self.channels.values()), self.train
        lines = order_lines(signals, self.speed_rpm, self.angles) if signals else None
        shaft_hz = self.speed_rpm / 60 if lines is None else lines.shaft_hz
        drives = None
        if lines is not None:
            drives = drive_signs(
                signals, shaft_hz, blades=train.blades, belts=train.belts, line_hz=train.line_hz
            )
        return TrainState(
            tuple(self.channels), self.speed_rpm, lines, gears, drives, self._currents(shaft_hz),
            self.load,
        )  # fmt: skip

    def _currents(self, shaft_hz: float) -> dict[str, CurrentLines]:
        line_hz, pole_pairs = self.train.line_hz, self.train.pole_pairs
        if line_hz is None or pole_pairs is None:
            return {}
        found = {
            point: current_lines(samples, fs_hz, shaft_hz, line_hz, pole_pairs)
            for point, (samples, fs_hz) in self.currents.items()
        }
        return {point: lines for point, lines in found.items() if lines is not None}


@dataclass(frozen=True)
class TrainState:
    """Shaft orders, gears, drives and currents of a machine at one speed and load.

    ``gears`` is keyed by point, number of the pair, and teeth.
    """

    points: tuple[str, ...]
    speed_rpm: float
    lines: OrderLines | None
    gears: Mapping[tuple[str, int, int], GearSigns]
    signs: DriveSigns | None = None
    currents: Mapping[str, CurrentLines] = field(default_factory=dict)
    load: float | None = None

    @property
    def drive(self) -> DriveState | None:
        """Return the orders and signs together, None where one is not known."""
        if self.lines is None or self.signs is None:
            return None
        return DriveState(self.lines, self.signs)

    def alike(self, key: TrainKey) -> bool:
        """Return whether it measured these points at about this speed and load."""
        if self.points != key.points or abs(self.speed_rpm / key.speed_rpm - 1) > SAME_STATE_SPEED:
            return False
        if self.load is None or key.load is None:
            return self.load is key.load
        larger = max(abs(self.load), abs(key.load))
        return abs(self.load - key.load) <= SAME_STATE_LOAD * larger


@dataclass(frozen=True, slots=True)
class TrainKey:
    """What two measurements must share to be compared: points of vibration, speed and load."""

    points: tuple[str, ...]
    speed_rpm: float
    load: float | None


def train_key(
    windows: Mapping[str, tuple[Sequence[Window], WindowPlan]], speed_rpm: float
) -> TrainKey:
    """Return what the newest windows would measure; see `train_signals`."""
    newest = {point: own[-1] for point, (own, _) in windows.items()}
    load = next((w.state.load for w in newest.values() if w.state is not None), None)
    return TrainKey(
        tuple(point for point, w in newest.items() if w.unit != CURRENT_UNIT), speed_rpm, load
    )


def compared(now: TrainState, healthy: TrainState, signals: TrainSignals) -> list[Diagnosis]:
    """Name faults of shafts, gears, drives and flow; empty where nothing stands out.

    Drives and flow are compared where no shaft and no gear is named.
    """
    found = []
    train = signals.train
    if now.lines is not None and healthy.lines is not None:
        points = ShaftPoints(
            now.points,
            train.directions,
            train.shafts,
            one_clock=signals.one_clock,
        )
        noise_db = 0.0
        if now.signs is not None and healthy.signs is not None:
            rise_db = noise_rise_db(now.signs, healthy.signs)
            noise_db = float(np.nan_to_num(rise_db).max(initial=0.0))
        found.append(shaft_diagnosis(now.lines, healthy.lines, points, noise_db))
    gears = [
        gear_diagnosis(signs, healthy.gears[key], key[2], key[0])
        for key, signs in now.gears.items()
        if key in healthy.gears
    ]
    found += sorted(gears, key=lambda d: d.confidence)[-1:]
    if all(one.fault in (UNCLEAR, *LIKE_A_RUB) for one in found):
        drive = _drive(now, healthy, train)
        if drive is not None and drive.fault != UNCLEAR:
            # A contact shakes the shaft as a loose foot does, and rings besides.
            found = [one for one in found if one.fault not in LIKE_A_RUB]
        found += [] if drive is None else [drive]
    found += [
        current_diagnosis(lines, healthy.currents.get(point), point)
        for point, lines in now.currents.items()
    ]
    return [one for one in found if one.said.code not in NOTHING_FOUND]


def _drive(now: TrainState, healthy: TrainState, train: Train) -> Diagnosis | None:
    states = now.drive, healthy.drive
    if states[0] is None or states[1] is None:
        return None
    return drive_diagnosis(
        states[0],
        states[1],
        now.points,
        has_blades=bool(train.blades),
        mains_stated=train.line_hz is not None,
    )


def last_stage_signs(now: TrainState, healthy: TrainState) -> list[Diagnosis]:
    """Report noise in place of impacts in a loose bearing; see `bearing_stage.floor_rose`."""
    states = now.drive, healthy.drive
    if states[0] is None or states[1] is None:
        return []
    signs = floor_rose(states[0], states[1], now.points)
    return [] if signs is None else [signs]


def train_signals(
    windows: Mapping[str, tuple[Sequence[Window], WindowPlan]],
    speed_rpm: float,
    train: Train,
    marks: NDArray[np.float64] | None = None,
) -> TrainSignals | None:
    """Cut the newest signals of all points to the same seconds; None for bursts.

    Parameters
    ----------
    windows : mapping of point to (sequence of Window, WindowPlan)
        Of one speed, in order of time, at least one each.
    speed_rpm : float
    train : Train
    marks : np.ndarray [shape=(m,)], optional
        Times at which the mark of a tachometer passed, ns since 1970.
    """
    if not windows or any(plan.burst_s is not None for _, plan in windows.values()):
        return None
    key = train_key(windows, speed_rpm)
    vibration = {point: windows[point] for point in key.points}
    stretches = {point: _newest(own, plan) for point, (own, plan) in vibration.items()}
    fs_of = {point: plan.fs_hz for point, (_, plan) in windows.items()}
    seconds = min((x.size / fs_of[p] for p, (x, _) in stretches.items()), default=0.0)
    ends = [end_ns for _, end_ns in stretches.values()]
    currents = {
        point: (_newest(own, plan)[0], plan.fs_hz)
        for point, (own, plan) in windows.items()
        if point not in vibration
    }
    channels = {p: (x[-int(seconds * fs_of[p]) :], fs_of[p]) for p, (x, _) in stretches.items()}
    angles = None
    if marks is not None:
        angles = [
            angles_of(marks, stretches[p][1] - x.size / fs_hz * NS_PER_S, x.size, fs_hz)
            for p, (x, fs_hz) in channels.items()
        ]
    return TrainSignals(
        channels,
        speed_rpm,
        bool(ends) and max(ends) - min(ends) <= SAME_CLOCK_S * NS_PER_S,
        train,
        key.load,
        currents,
        angles,
    )


def _newest(windows: Sequence[Window], plan: WindowPlan) -> tuple[NDArray[np.float32], int]:
    """Join the newest windows without a gap; also the time of their end."""
    hop_ns = plan.hop / plan.fs_hz * NS_PER_S
    run = [windows[-1]]
    for window, before in pairwise(reversed(windows)):
        if abs(window.t0_ns - before.t0_ns - hop_ns) >= hop_ns / 2:
            break
        run.append(before)
    first, *others = (window.samples for window in reversed(run))
    joined = np.concatenate([first, *(samples[-plan.hop :] for samples in others)])
    end_ns = windows[-1].t0_ns + round(plan.n_samples / plan.fs_hz * NS_PER_S)
    return joined, end_ns
