"""Slow change widens what counts as normal; what comes at once does not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from auscult.contract.records import DEPARTED
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation
from lab.studies.vibration_months import BURST, DENSE_S, POINT, SPEC, START_S, Simulated

HOURS = 4 * 24
DB = 0.115
DIRECTION = np.random.default_rng(7).normal(size=len(SPEC))
"""What a warm day does to each level."""


def windows(db_at: dict[int, float], n: int) -> Iterator[Observation]:
    """Yield a burst of windows for each hour, at a size of the change in dB."""
    source = Simulated(1)
    for hour, db in db_at.items():
        for k in range(n):
            (x,) = source.draw(later=False, faulty=False).values()
            moved = (x * np.exp(db * DB * DIRECTION)).astype(np.float32)
            t_ns = round((START_S + hour * 3600 + k * DENSE_S) * 1e9)
            yield Observation(POINT, t_ns, moved)


@pytest.fixture(scope="module")
def fitted() -> bytes:
    detector = MachineDetector(NamePlate("pump"), {POINT: SPEC})
    for one in windows({0: 0.0}, 400):
        detector.observe([one])
    detector.adopt(detector.fit_now().run())
    return detector.state()


def departs(state: bytes, db_at: dict[int, float]) -> tuple[bool, bytes]:
    """Return whether a detector resumed from the state ends in an event, and its new state."""
    detector = MachineDetector(NamePlate("pump"), {POINT: SPEC})
    detector.restore(state)
    ends = False
    for one in windows(db_at, BURST):
        ends = detector.observe([one]).machine.condition in DEPARTED
    return ends, detector.state()


def test_a_warm_day_is_no_event_once_it_came_slowly_but_is_one_at_once(fitted: bytes) -> None:
    warm = 1.0
    slowly = {hour: warm * hour / HOURS for hour in range(1, HOURS)}
    assert departs(fitted, {1: warm, 2: warm, 3: warm})[0]
    ended, seen = departs(fitted, slowly)
    assert not ended
    assert not departs(seen, {HOURS + 1: warm, HOURS + 2: -warm})[0], "seen, also after a restart"
    assert departs(seen, {HOURS + 1: 4 * warm, HOURS + 2: 4 * warm})[0], "far beyond what was seen"
