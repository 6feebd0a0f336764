"""A machine on a frequency converter that never repeats a speed.

    python -m lab.studies.sweep MACHINES [WINDOWS]

Simulated machines whose features follow the speed by trends and resonances of their own. The speed
of each window is drawn at random, or wanders slowly; a stretch of speeds is left out.
Printed: windows until the baseline ends, and figures of windows at speeds like those of the
baseline, in the stretch left out, and beyond the highest. With WINDOWS the baseline has that many.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import OperatingState
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.evaluate.metrics import auc
from auscult.models.baseline.collection import Baseline
from auscult.models.baseline.fit import fit_baseline
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation
from auscult.models.settings import SHIPPED

Float64 = NDArray[np.float64]

SPEC: Final = FeatureSpec.vibration(8000, 3200, "g", nominal_speed_rpm=1500)
LOWEST, HIGHEST = 600.0, 3000.0
LEFT_OUT = (1250.0, 1500.0)
"""Stretch of speeds that the baseline lacks."""
SCATTER, FAULT = 0.1, 0.15
"""Scatter of healthy features, and shift of a third of them by a fault, in neper."""
WHERE: Final = {
    "left out": LEFT_OUT,
    "15 % beyond": (3300.0, 3450.0),
    "50 % beyond": (4300.0, 4500.0),
    "three times": (8500.0, 9000.0),
}
WINDOWS = 200


class Machine:
    """Windows of a simulated machine; features in neper follow the speed.

    Parameters
    ----------
    seed : int
        Of its trends and resonances.
    """

    def __init__(self, seed: int) -> None:
        own = np.random.default_rng(seed)
        d = len(SPEC)
        self._level, self._slope = own.uniform(-3, 0, d), own.normal(1.0, 1.0, d)
        self._at, self._width = own.uniform(-0.6, 1.2, d), own.uniform(0.05, 0.4, d)
        self._height = own.normal(0, 0.5, d) * (own.uniform(size=d) < 0.5)
        self._mixing = own.normal(size=(4, d)) * SCATTER / 4
        self._hit = own.uniform(size=d) < 1 / 3
        self._rng = np.random.default_rng(1000 + seed)
        self._t_ns = 10**18
        self._log = np.array([f.scale == "log" for f in SPEC.features])

    def windows(
        self, low: float, high: float, n: int, fault: float = 0.0, wanders: bool = False
    ) -> Iterator[Observation]:
        """``n`` windows at speeds of this range, without `LEFT_OUT` if it is wider.

        The speed is drawn for each window, or ``wanders``.
        """
        for speed in self._speeds(low, high, n, wanders):
            u = np.log(speed / 1000)
            x = self._level + self._slope * u + fault * self._hit
            x = x + self._height * np.exp(-((u - self._at) ** 2) / (2 * self._width**2))
            x = x + self._rng.normal(size=4) @ self._mixing
            x = x + SCATTER * self._rng.normal(size=len(x))
            self._t_ns += 10**9
            features = np.where(self._log, np.exp(x), x).astype(np.float32)
            yield Observation("de", self._t_ns, features, OperatingState(float(speed)))

    def _speeds(self, low: float, high: float, n: int, wanders: bool) -> Float64:
        if wanders:
            turn = np.cumsum(self._rng.normal(0, 0.05, 20 * n)) + self._rng.uniform(0, 2)
            share = np.abs((turn % 2) - 1)
        else:
            share = self._rng.uniform(size=20 * n)
        speeds = low * (high / low) ** share
        if high / low > LEFT_OUT[1] / LEFT_OUT[0]:
            speeds = speeds[(speeds < LEFT_OUT[0]) | (speeds > LEFT_OUT[1])]
        return np.asarray(speeds[:n])


@dataclass(frozen=True, slots=True)
class Figures:
    """AUC, FPR and TPR of windows at some speeds."""

    auc: float
    fpr: float
    tpr: float


def swept(
    machine: Machine, wanders: bool, fixed: int | None = None
) -> tuple[int, dict[str, Figures]]:
    """Windows until the baseline ends, or a fixed number, and the figures at each of `WHERE`."""
    baseline = Baseline({"de": SPEC}, SHIPPED)
    windows = 0
    speeds = []
    most = 10 * SHIPPED.baseline_windows
    for one in machine.windows(LOWEST, HIGHEST, most, wanders=wanders):
        baseline.add(one.point, one.t_ns, one.features, one.state)
        speeds.append(one.state.speed_rpm if one.state else None)
        windows += 1
        if windows == fixed or (not fixed and windows % 20 == 0 and baseline.complete()):
            break
    detector = MachineDetector(NamePlate("pump"), {"de": SPEC})
    detector.adopt(fit_baseline({"de": SPEC}, baseline.windows(), SHIPPED))
    found = {}
    known = (min(filter(None, speeds)), max(filter(None, speeds)))
    for name, (low, high) in {"like the baseline": known, **WHERE}.items():
        healthy, faulty = (
            np.array([-np.log(detector.observe([one]).machine.p_value or 1.0)
                      for one in machine.windows(low, high, WINDOWS, fault)])
            for fault in (0.0, FAULT)
        )  # fmt: skip
        limit = -np.log(SHIPPED.p_limit)
        found[name] = Figures(
            auc(healthy, faulty) or 0.0, float((healthy > limit).mean()),
            float((faulty > limit).mean()),
        )  # fmt: skip
    return windows, found


def main(machines: int, fixed: int | None = None) -> None:
    """Print the means over some machines, and the worst of them."""
    for wanders in (False, True):
        each = [swept(Machine(seed), wanders, fixed) for seed in range(machines)]
        print(
            f"speed {'wanders' if wanders else 'drawn each time'}: baseline of "
            f"{np.median([n for n, _ in each]):.0f} windows (most {max(n for n, _ in each)})"
        )
        for name in each[0][1]:
            rows = [found[name] for _, found in each]
            print(
                f"  {name:18} AUC {np.mean([r.auc for r in rows]):.4f} "
                f"(worst {min(r.auc for r in rows):.4f})  "
                f"FPR {np.mean([r.fpr for r in rows]):.4f} "
                f"(worst {max(r.fpr for r in rows):.4f})  "
                f"TPR {np.mean([r.tpr for r in rows]):.4f} (worst {min(r.tpr for r in rows):.4f})"
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
