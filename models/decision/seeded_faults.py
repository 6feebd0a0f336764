"""Which faults of a bearing, a gear or the balance a healthy machine's vibration would show.

A fault of the simulator is added to the machine's own healthy signal, and scored with its own
baseline. A size is found within a time if the mean score then exceeds the allowance of the warning
chart by so much that the evidence reaches its level in that time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from auscult.contract.records import Detectable, OperatingState
from auscult.dsp.bearing import Bearing
from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.simulation.bearings import BearingDefect
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.source import SensorPlace, Tone, bursts
from auscult.dsp.spec import FeatureSpec
from auscult.dsp.units import ACCELERATION_M_S2, UNDECLARED
from auscult.models.baseline.calibration import capped_normal_scores
from auscult.models.baseline.kind_model import KindModel
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.decision.evidence_levels import MachineEvidence
from auscult.models.records import Observation
from auscult.models.settings import DetectorSettings
from auscult.models.values.least_changes import WITHIN_DAYS

Float32 = NDArray[np.float32]
Fault = Literal["outer", "inner", "gear", "imbalance"]
Wave = Callable[[Rotation, float, Generator], NDArray[np.float64]]
"""Signal of a fault of size 1 with a resonance in Hz, [shape=(n,)]."""

RINGS: Final = (0.1, 0.2, 0.35)
"""Resonances that impacts excite, as shares of the sampling rate: where it lies is unknown, so the
size is the middle of those by each."""
TOOTH_DAMPING: Final = 0.08
MOST_WINDOWS: Final = 24
"""Windows of the healthy signal that are scored."""
FEWEST_WINDOWS: Final = 4
RANGE: Final = (0.02, 100.0)
"""Sizes that are looked for, in r.m.s. values of the healthy signal."""
STEPS: Final = 7
"""Of the bisection: 7 %."""
SEED: Final = 0


@dataclass(frozen=True, slots=True)
class HealthyWindows:
    """Healthy windows of a point [shape=(w, n)] in its spec's unit, and their operating state."""

    samples: Float32
    state: OperatingState | None = None


def least_faults(
    model: MachineModel,
    specs: Mapping[str, FeatureSpec],
    healthy: Mapping[str, HealthyWindows],
    settings: DetectorSettings,
    before_each: Callable[[], None] = lambda: None,
) -> tuple[Detectable, ...]:
    """Return the least fault of each kind that would be found at each point.

    Only points with an accelerometer and a known speed have any: without the speed no fault can be
    placed. ``before_each`` is called before each fault, some 0.1 to 1 s of work.
    """
    evidence = MachineEvidence(model, settings)
    found = list[Detectable]()
    for kind in model.kinds:
        for row, point in enumerate(kind.slots.points):
            spec = specs[point]
            if point not in healthy or not _carries_faults(spec):
                continue
            seeded = _Seeded(kind, row, spec, healthy[point], settings)
            allowance, level, hop_s = evidence.sharpest(model.row[point])
            if not seeded.usable or seeded.healthy > allowance:
                continue
            needed = [allowance + level * hop_s / (days * 86_400.0) for days in WITHIN_DAYS]
            for change, name, wave in faults(spec):
                before_each()
                day, week, month = (seeded.least(wave, score) for score in needed)
                unit = spec.unit if spec.unit in ACCELERATION_M_S2 else ""
                found.append(Detectable(point, change, unit, name, day, week, month))
    return tuple(found)


def _carries_faults(spec: FeatureSpec) -> bool:
    return spec.kind == "vibration" and spec.unit in ACCELERATION_M_S2.keys() | UNDECLARED


def faults(spec: FeatureSpec) -> Iterator[tuple[Fault, str, Wave]]:
    """Yield code, bearing's name and signal of each fault that a point could show."""
    for bearing in spec.bearings:
        if bearing.bpfo is not None:
            yield "outer", bearing.name, _defect(bearing, "bpfo")
        if bearing.bpfi is not None:
            yield "inner", bearing.name, _defect(bearing, "bpfi")
    if spec.gear_teeth:
        yield "gear", "", _tooth
    yield "imbalance", "", lambda rotation, _, rng: Tone(1, 1.0, rng.uniform(0, 360)).at(rotation)


def _defect(bearing: Bearing, part: Literal["bpfo", "bpfi"]) -> Wave:
    def wave(rotation: Rotation, ring_hz: float, rng: Generator) -> NDArray[np.float64]:
        defect = BearingDefect(bearing, part, 1.0, ring_hz=ring_hz)
        return np.asarray(defect.vibration(rotation, [SensorPlace()], rng)[0])

    return wave


def _tooth(rotation: Rotation, ring_hz: float, rng: Generator) -> NDArray[np.float64]:
    """Strike once a turn, as a damaged tooth does."""
    turns = np.arange(np.ceil(rotation.angle[0]), rotation.angle[-1] + 1)
    times = rotation.crossings_s(turns + rng.uniform())
    peaks = 1 + 0.1 * rng.standard_normal(times.size)
    return bursts(times, peaks, rotation, ring_hz, TOOTH_DAMPING)


class _Seeded:
    """The healthy windows of a point, into which faults are seeded.

    ``usable`` says whether there are enough windows of a known speed.
    """

    def __init__(
        self, kind: KindModel, row: int, spec: FeatureSpec, own: HealthyWindows,
        settings: DetectorSettings,
    ) -> None:  # fmt: skip
        self._kind, self._row, self._spec, self._settings = kind, row, spec, settings
        self._state = own.state
        rpm = own.state.speed_rpm if own.state else None
        rpm = rpm or spec.nominal_speed_rpm
        self._windows = own.samples[-MOST_WINDOWS:].astype(np.float32)
        count, n = len(self._windows), spec.n_samples
        self.healthy = 0.0
        self.usable = bool(rpm) and count >= FEWEST_WINDOWS
        if not rpm or not self.usable:
            return
        self._rotation = Rotation.steady(rpm, spec.fs_hz, count * n / spec.fs_hz)
        self._rpm = rpm
        self._pipeline = FeaturePipeline(spec)
        self._rms = float(np.sqrt(np.square(self._windows - self._windows.mean()).mean()))
        self.healthy = self._score(self._windows)
        self.usable = self._rms > 0

    def _score(self, windows: Float32) -> float:
        """Return the mean normal score of windows."""
        block = self._pipeline.extract(windows, self._rpm)
        rows = np.full(len(windows), self._row, np.intp)
        x = self._kind.slots.model_units_of(block.values, self._row)
        seen = [Observation(self._spec.kind, 0, one, self._state) for one in block.values]
        scores = self._kind.score(rows, x, seen)
        return float(capped_normal_scores(np.exp(scores.ln_p), self._settings.score_cap).mean())

    def least(self, wave: Wave, needed: float) -> float | None:
        """Return the least size whose mean score is above `needed`, None if no size is."""
        sizes = [self._least(wave, share * self._spec.fs_hz, needed) for share in RINGS]
        middle = float(np.median(sizes))
        return float(f"{middle:.2g}") if np.isfinite(middle) else None

    def _least(self, wave: Wave, ring_hz: float, needed: float) -> float:
        fault = wave(self._rotation, ring_hz, np.random.default_rng(SEED))
        added = fault.astype(np.float32).reshape(self._windows.shape)
        low, high = np.log(np.array(RANGE) * self._rms)

        def shows(size: float) -> bool:
            shown = self._score(self._windows + np.float32(np.exp(size)) * added)
            return shown - max(self.healthy, 0.0) > needed

        if not shows(high):
            return np.inf
        for _ in range(STEPS):
            middle = (low + high) / 2
            low, high = (low, middle) if shows(middle) else (middle, high)
        return float(np.exp((low + high) / 2))
