"""A simulated machine that ages for a year, to test how the baseline follows drift."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from auscult.contract.records import Condition
from auscult.dsp.spec import FeatureSpec
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation
from auscult.models.settings import DetectorSettings

SPEC = FeatureSpec.vibration(8000, 3200, "g", nominal_speed_rpm=1500)
HOUR_NS = 3600 * 10**9
YEAR_HOURS = 8766
BASELINE_HOURS = 500
NEPER_PER_DB = np.log(10) / 20


class AgeingMachine:
    """Hourly windows; features with ``scale="log"`` rise by ``db_per_month`` times 0.5 to 1.5.

    If all rose alike, it would be the sensitivity of a sensor.
    """

    def __init__(self) -> None:
        self._rng = np.random.default_rng(0)
        self._log = np.array([f.scale == "log" for f in SPEC.features])
        self._mixing = self._rng.normal(size=(4, len(SPEC))) * 0.05
        self._share = np.random.default_rng(1).uniform(0.5, 1.5, len(SPEC))

    def windows(
        self, hours: int, db_per_month: float = 0.0, start: int = 0
    ) -> Iterator[Observation]:
        """One window an hour, from hour ``start`` on."""
        for hour in range(hours):
            x = self._rng.normal(size=4) @ self._mixing + 0.06 * self._rng.normal(size=len(SPEC))
            risen = db_per_month * NEPER_PER_DB * hour / (YEAR_HOURS / 12)
            features = np.where(self._log, np.exp(x + self._share * risen), x).astype(np.float32)
            yield Observation("de", (start + hour) * HOUR_NS, features)


def conditions_of_ageing(
    settings: DetectorSettings, db_per_month: float, hours: int
) -> list[Condition]:
    """Condition of a machine that ages, hour by hour, after its baseline."""
    detector = MachineDetector(NamePlate("pump"), {"de": SPEC}, settings)
    machine = AgeingMachine()
    for observation in machine.windows(BASELINE_HOURS):
        detector.observe([observation])
    detector.adopt(detector.fit_now().run())
    return [
        detector.observe([observation]).machine.condition
        for observation in machine.windows(hours, db_per_month, BASELINE_HOURS)
    ]
