"""The cost of a decision beside that of its features, and beside an isolation forest.

A hop of a machine with 1, 4 and 16 points at 25.6 kHz: the detector's `observe` over the feature
pipeline of the same windows, in one run; then commissioning of 1,000 windows.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import IsolationForest

from auscult.contract.records import OperatingState
from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.spec import FeatureSpec
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation
from lab.bench.timing import Case, Figure, against, interleave, pin, times

FS_HZ = 25_600
POINTS = (1, 4, 16)
BLOCK = 16
COMMISSIONING_WINDOWS = 1000
SPEC = FeatureSpec.vibration(FS_HZ, FS_HZ, "g", nominal_speed_rpm=1500)
STATE = OperatingState(1500.0)
HOP_NS = 500_000_000


def run() -> list[Figure]:
    """Measure everything; takes about a minute."""
    pin()
    rng = np.random.default_rng(0)
    samples = rng.standard_normal((BLOCK, FS_HZ)).astype(np.float32)
    pipeline = FeaturePipeline(SPEC)
    cases: dict[str, Case] = {}
    for points in POINTS:
        window = samples[:points]
        cases[f"dsp_{points}"] = Case(lambda w=window: pipeline.extract(w, 1500.0), points)  # type: ignore[misc]
        cases[f"detector_{points}"] = Case(_Hops(points, rng), points)
    forest = IsolationForest(n_estimators=100, random_state=0).fit(_features(rng, 300))
    block = _features(rng, BLOCK)
    cases["isolation_forest_16"] = Case(lambda: forest.score_samples(block), BLOCK)
    timings = interleave(cases)
    figures = [
        against(timings, f"detector_us_per_window_{n}_points", f"detector_{n}", f"dsp_{n}")
        for n in POINTS
    ]
    figures.append(
        times("detector_over_dsp", timings.ratio(f"detector_{BLOCK}", f"dsp_{BLOCK}"), "dsp_16")
    )
    figures.append(
        times(
            "isolation_forest_over_detector",
            timings.ratio("isolation_forest_16", f"detector_{BLOCK}"),
            "detector_16",
        )
    )
    return [*figures, _commissioning(rng)]


class _Hops:
    """A machine with a baseline, which decides hop by hop."""

    def __init__(self, points: int, rng: np.random.Generator) -> None:
        names = [f"p{i}" for i in range(points)]
        self._detector = MachineDetector(NamePlate("bench"), dict.fromkeys(names, SPEC))
        for i in range(220):
            self._detector.observe(_hop(names, _features(rng, points), i))
        self._detector.adopt(self._detector.fit_now().run())
        self._hops = [_hop(names, _features(rng, points), 300 + i) for i in range(64)]
        self._next = 0

    def __call__(self) -> None:
        self._detector.observe(self._hops[self._next % len(self._hops)])
        self._next += 1


def _features(rng: np.random.Generator, n: int) -> NDArray[np.float32]:
    return np.exp(0.1 * rng.standard_normal((n, len(SPEC)))).astype(np.float32)


def _hop(names: list[str], features: NDArray[np.float32], i: int) -> list[Observation]:
    return [
        Observation(name, i * HOP_NS, x, STATE) for name, x in zip(names, features, strict=True)
    ]


def _commissioning(rng: np.random.Generator) -> Figure:
    """CPU seconds to fit a baseline of 1,000 windows of one point."""
    detector = MachineDetector(NamePlate("bench"), {"p0": SPEC})
    for i in range(COMMISSIONING_WINDOWS):
        detector.observe(_hop(["p0"], _features(rng, 1), i))
    job = detector.fit_now()
    start = time.process_time()
    job.run()
    return Figure("commissioning_1000_windows_s", time.process_time() - start, "s")
