"""What the fit of a baseline gets of the machine's last windows, and what it does with them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from auscult.contract.records import Detectable, OperatingState
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.machines import seeded_fit
from auscult.gateway.machines.seeded_fit import SeededFit, healthy_windows
from auscult.gateway.records import PointId, Window
from auscult.gateway.windows.observed import ObservedWindow
from auscult.models.records import RUNNING, Observation

SPECS = {
    "de": FeatureSpec.vibration(1000, 400, "g", nominal_speed_rpm=1500),
    "temp": FeatureSpec.value("temperature", "°C", 60.0),
}
REST = OperatingState(0.0, tags={RUNNING: "no"})


@dataclass
class Model:
    detectable: tuple[Detectable, ...] = ()


@dataclass
class Job:
    specs: dict[str, FeatureSpec] = field(default_factory=lambda: SPECS)
    settings: object = None
    result: object = None

    def run(self, progress):
        self.result = Model()
        return self.result


class Recent:
    """The last windows of a pipeline."""

    def __init__(self, *states: OperatingState | None, health: int = 0) -> None:
        self._states, self._health = states, health

    def recent(self, point: PointId) -> list[ObservedWindow]:
        return [
            ObservedWindow(
                Window(point, 1000.0, "g", i, (np.full(400, i, np.float32),), state),
                Observation(point.point, i, np.zeros(1, np.float32), state, self._health),
            )
            for i, state in enumerate(self._states)
        ]


def test_windows_at_the_last_speed_are_taken_and_values_have_none():
    slow, fast = OperatingState(1000.0), OperatingState(1500.0)
    found = healthy_windows(Recent(slow, fast, OperatingState(1505.0), fast), "pump", Job())
    assert list(found) == ["de"]
    assert found["de"].state == fast
    assert found["de"].samples[:, 0].tolist() == [1, 2, 3]


@pytest.mark.parametrize("recent", [Recent(), Recent(REST), Recent(None, health=1)])
def test_a_machine_at_rest_or_with_a_sensor_fault_has_none(recent):
    assert healthy_windows(recent, "pump", Job()) == {}


def test_the_model_carries_what_it_would_find_and_does_without_if_that_fails(monkeypatch):
    found = (Detectable("de", "outer", "g", "6205", 0.1, 0.1, 0.1),)
    monkeypatch.setattr(seeded_fit, "least_faults", lambda *_: found)
    job = Job()
    model = SeededFit(job, {}).run(lambda _: None)
    assert model.detectable == found
    assert job.result is model

    def fails(*_):
        raise ValueError("no signal")

    monkeypatch.setattr(seeded_fit, "least_faults", fails)
    assert SeededFit(Job(), {}).run(lambda _: None).detectable == ()
