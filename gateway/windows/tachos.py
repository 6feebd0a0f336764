"""Tachometers: speed of each machine at each time, and the angle of its shaft."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import isfinite
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.contract.machines import MachineSettings
from auscult.contract.message import NS_PER_S
from auscult.contract.said import Rejection
from auscult.contract.tacho import TachoSettings
from auscult.dsp.tacho import PulseFinder, angle_at, turns_of
from auscult.gateway.records import PointId, SampleBlock
from auscult.gateway.windows.assembler import TIME_TOLERANCE_NS

Float64 = NDArray[np.float64]

STOPPED_TURNS: Final = 3.0
"""Turns without a pulse after which the shaft is at rest …"""
STOPPED_S: Final = (1.0, 10.0)
"""… but no sooner and no later than after these times."""
KEPT_S: Final = 60.0
"""Pulses that are kept: for the seconds that a search of shaft orders uses, and late blocks."""
ONE_CLOCK_NS: Final = 500_000
"""Blocks of one card have one stamp; 0.5 ms are 5 degrees at 1,750 r/min."""
KEPT_STARTS: Final = 64


@dataclass
class _Tacho:
    settings: TachoSettings
    ratio: float
    finder: PulseFinder
    next_sequence: int = -1
    begun_ns: int | None = None
    """Time of the first sample since the last gap, None before any."""
    end_ns: float = 0.0
    count: int = 0
    last_ns: float | None = None
    starts: deque[int] = field(default_factory=lambda: deque(maxlen=KEPT_STARTS))
    marks: Float64 = field(default_factory=lambda: np.empty(0))
    """Every pulse of one mark: one a turn, ns."""

    def add(self, block: SampleBlock) -> None:
        """Add the pulses of a block; a gap ends the count of turns."""
        late_ns = block.t0_ns - self.end_ns
        if block.gap or block.sequence != self.next_sequence or abs(late_ns) > TIME_TOLERANCE_NS:
            self.finder.restart()
            self.marks, self.count, self.last_ns = np.empty(0), 0, None
            self.starts.clear()
            self.begun_ns = block.t0_ns
        self.next_sequence = block.sequence + 1
        self.starts.append(block.t0_ns)
        period_ns = NS_PER_S / block.fs_hz
        self.end_ns = block.t0_ns + block.samples.size * period_ns
        before = self.finder.seen
        pulses = block.t0_ns + (self.finder.add(block.samples) - before) * period_ns
        if pulses.size:
            self.last_ns = float(pulses[-1])
            each = self.settings.pulses_per_rev
            turned = pulses[(-self.count) % each :: each]
            self.count += pulses.size
            kept = self.marks > self.end_ns - KEPT_S * NS_PER_S
            self.marks = np.concatenate([self.marks[kept], turned])

    def speed_rpm(self, t0_ns: float, t1_ns: float) -> float | None:
        """Mean speed of the measured shaft in a time, 0 at rest, None where it is not known."""
        if self.begun_ns is None:
            return None
        turns = turns_of(self.marks, 1)
        known = np.isfinite(turns)
        earlier = turns[known & (self.marks <= t1_ns)]
        turn_s = float(earlier[-1]) / NS_PER_S if earlier.size else np.inf
        least_s, most_s = STOPPED_S
        wait_ns = min(max(STOPPED_TURNS * turn_s, least_s), most_s) * NS_PER_S
        before = np.concatenate([[max(self.begun_ns, self.end_ns - KEPT_S * NS_PER_S)], self.marks])
        lengths = self.marks - before[:-1]
        inside_ns = np.clip(np.minimum(self.marks, t1_ns) - np.maximum(before[:-1], t0_ns), 0, None)
        turned = float((inside_ns[known] / turns[known]).sum())
        pulses = self.marks[self.marks <= t1_ns][-1:].tolist()
        if self.last_ns is not None and self.last_ns <= t1_ns:
            pulses.append(self.last_ns)
        since_ns = max(pulses, default=self.begun_ns)
        at_rest = t1_ns - since_ns >= wait_ns
        if turned:
            rest_ns = float(inside_ns[~known & (lengths >= wait_ns)].sum())
            if at_rest and not (self.marks > t1_ns).any():
                rest_ns += t1_ns - max(since_ns, t0_ns)
            return 60 * NS_PER_S * turned / (float(inside_ns[known].sum()) + rest_ns) / self.ratio
        if at_rest:
            return 0.0
        # Its present turn is longer than this time.
        return 60 / turn_s / self.ratio if earlier.size else None


class Tachos:
    """The tachometers of all machines."""

    def __init__(self, machines: Iterable[MachineSettings] = ()) -> None:
        self._tachos = {
            machine.id: _Tacho(
                machine.tacho,
                machine.shaft_ratios[machine.tacho.shaft],
                PulseFinder(machine.tacho.level, falling=machine.tacho.falling),
            )
            for machine in machines
            if machine.tacho is not None
        }
        self._shared: dict[PointId, bool] = {}

    def __bool__(self) -> bool:
        return bool(self._tachos)

    def settings_at(self, point: PointId) -> TachoSettings | None:
        """Return the settings of the tachometer at this channel, None for a measuring point."""
        tacho = self._tachos.get(point.machine)
        return tacho.settings if tacho is not None and tacho.settings.id == point.point else None

    def add(self, block: SampleBlock) -> None:
        """Find the pulses of a block.

        Raises
        ------
        Rejection
            If its rate or unit is not the configured one, or a sample is not finite.
        """
        tacho = self._tachos[block.point.machine]
        settings = tacho.settings
        if abs(block.fs_hz - settings.fs_hz) > 1e-6 * settings.fs_hz:
            raise Rejection("wrong_rate", fs_hz=block.fs_hz, configured_hz=settings.fs_hz)
        if block.unit != settings.unit:
            raise Rejection("wrong_unit", unit=block.unit, configured=settings.unit)
        if not isfinite(float(block.samples.sum())):
            raise Rejection("not_a_number", value="NaN")
        tacho.add(block)

    def speed_rpm(self, machine: str, t0_ns: int, t1_ns: int) -> float | None:
        """Speed of a machine's measured shaft in a time, r/min; 0 at rest, None if not known."""
        tacho = self._tachos.get(machine)
        return None if tacho is None else tacho.speed_rpm(t0_ns, t1_ns)

    def newest_rpm(self, machine: str) -> float | None:
        """Return the speed of a machine's measured shaft in its last second."""
        tacho = self._tachos.get(machine)
        if tacho is None:
            return None
        return tacho.speed_rpm(tacho.end_ns - NS_PER_S, tacho.end_ns)

    def check_clock(self, block: SampleBlock) -> None:
        """Note whether a point's blocks have the stamps of its machine's tachometer."""
        tacho = self._tachos.get(block.point.machine)
        if tacho is not None and tacho.starts:
            self._shared[block.point] = any(
                abs(block.t0_ns - start_ns) <= ONE_CLOCK_NS for start_ns in tacho.starts
            )

    def passages(self, points: Iterable[PointId]) -> Float64 | None:
        """Return when the mark passed in the last minute, ns since 1970 [shape=(n,)].

        Marks may be missing or doubled. None without a tachometer of one pulse a turn on the
        measured shaft and on the points' clock.
        """
        points = tuple(points)
        tacho = self._tachos.get(points[0].machine) if points else None
        if tacho is None or tacho.settings.pulses_per_rev != 1 or tacho.ratio != 1:
            return None
        return tacho.marks if all(self._shared.get(point) for point in points) else None

    def marks(self, points: Iterable[PointId]) -> Float64 | None:
        """Return `passages` for phases of these points, None where a pulse is missing."""
        marks = self.passages(points)
        regular = (
            marks is not None and marks.size >= 3 and not np.isnan(turns_of(marks, 1)[1:]).any()
        )
        return marks if regular else None


def angles_of(marks: Float64, t0_ns: float, n: int, fs_hz: float) -> Float64:
    """Return the shaft's angle at each of `n` samples in turns since a mark, NaN where unknown."""
    times = (t0_ns - marks[0]) / NS_PER_S + np.arange(n) / fs_hz
    return angle_at(times, (marks - marks[0]) / NS_PER_S)
