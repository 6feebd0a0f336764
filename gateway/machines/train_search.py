"""Faults of shafts and gears: recent signals against those of the healthy machine.

The reference is measured when the machine is normal, once for each speed, and kept in memory: after
a restart the next normal time gives a new one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.gear_average import GearSigns, gear_signs
from auscult.dsp.order_lines import OrderLines, order_lines
from auscult.gateway.records import Window
from auscult.gateway.windows.assembler import WindowPlan
from auscult.models.decision.diagnosis import UNCLEAR, Diagnosis
from auscult.models.decision.gear_diagnosis import gear_diagnosis
from auscult.models.decision.shaft_diagnosis import ShaftPoints, shaft_diagnosis
from auscult.models.name_plate import Train

NS_PER_S: Final = 1_000_000_000
SAME_CLOCK_S: Final = 0.0005
"""Points whose last windows end within this time share a clock: 5 degrees at 1,750 r/min."""

Signal = tuple[NDArray[np.float32], float]


@dataclass(frozen=True)
class TrainSignals:
    """The same last seconds of a machine's points.

    Parameters
    ----------
    channels : mapping of point to (np.ndarray [shape=(n,)], fs_hz)
    speed_rpm : float
        Of the measured shaft.
    one_clock : bool
        Whether phases between points have a meaning.
    train : Train
    """

    channels: Mapping[str, Signal]
    speed_rpm: float
    one_clock: bool
    train: Train

    def measured(self) -> TrainState:
        """Measure shaft orders at all points, and the mean turns of all gears at each point."""
        gears = {}
        for number, gear in enumerate(self.train.gears):
            driving_hz = self.speed_rpm / 60 * gear.ratio
            driven_hz = driving_hz * gear.driving_teeth / gear.driven_teeth
            for teeth, hz in ((gear.driving_teeth, driving_hz), (gear.driven_teeth, driven_hz)):
                for point, (samples, fs_hz) in self.channels.items():
                    signs = gear_signs(samples, fs_hz, teeth, hz)
                    if signs is not None:
                        gears[point, number, teeth] = signs
        lines = order_lines(list(self.channels.values()), self.speed_rpm)
        return TrainState(tuple(self.channels), self.speed_rpm, lines, gears)


@dataclass(frozen=True)
class TrainState:
    """Shaft orders and gears of a machine at one speed.

    ``gears`` is keyed by point, number of the pair, and teeth.
    """

    points: tuple[str, ...]
    speed_rpm: float
    lines: OrderLines | None
    gears: Mapping[tuple[str, int, int], GearSigns]


def compared(now: TrainState, healthy: TrainState, signals: TrainSignals) -> list[Diagnosis]:
    """Name faults of shafts and gears; empty where nothing stands out."""
    found = []
    if now.lines is not None and healthy.lines is not None:
        train = signals.train
        points = ShaftPoints(
            now.points,
            train.directions,
            train.shafts,
            one_clock=signals.one_clock,
        )
        shaft = shaft_diagnosis(now.lines, healthy.lines, points)
        if shaft.fault != UNCLEAR:
            found.append(shaft)
    gears = [
        gear_diagnosis(signs, healthy.gears[key], key[2], key[0])
        for key, signs in now.gears.items()
        if key in healthy.gears
    ]
    best = max(gears, key=lambda d: d.confidence, default=None)
    if best is not None and best.fault != UNCLEAR:
        found.append(best)
    return found


def train_signals(
    windows: Mapping[str, tuple[Sequence[Window], WindowPlan]], speed_rpm: float, train: Train
) -> TrainSignals | None:
    """Cut the newest signals of all points to the same seconds; None for bursts.

    Parameters
    ----------
    windows : mapping of point to (sequence of Window, WindowPlan)
        Of one speed, in order of time, at least one each.
    speed_rpm : float
    train : Train
    """
    if not windows or any(plan.burst_s is not None for _, plan in windows.values()):
        return None
    stretches = {point: _newest(own, plan) for point, (own, plan) in windows.items()}
    fs_of = {point: plan.fs_hz for point, (_, plan) in windows.items()}
    seconds = min(x.size / fs_of[point] for point, (x, _) in stretches.items())
    ends = [end_ns for _, end_ns in stretches.values()]
    return TrainSignals(
        {p: (x[-int(seconds * fs_of[p]) :], fs_of[p]) for p, (x, _) in stretches.items()},
        speed_rpm,
        max(ends) - min(ends) <= SAME_CLOCK_S * NS_PER_S,
        train,
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
