"""A machine's own budget of false events, beside that of the gateway."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.gateway.machines.restore import restored_machine
from auscult.gateway.records import PointId
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.storage.store import Store
from auscult.gateway.windows.points import plan_points
from auscult.models.baseline.fit import fit_baseline
from auscult.models.records import Observation

POINT = {"id": "de", "kind": "vibration", "unit": "g", "fs_hz": 2000}


@pytest.mark.parametrize(("own", "promised"), [({}, 2.0), ({"false_alarms_per_year": 0.1}, 0.1)])
def test_the_promise_of_a_machine_is_its_own_budget_or_that_of_the_gateway(tmp_path, own, promised):
    settings = GatewaySettings.model_validate({
        "gateway": {"data_dir": tmp_path},
        "detector": {"false_alarms_per_year": 2.0, "baseline_windows": 60},
        "machines": [{"id": "pump", "points": [POINT], **own}],
    })  # fmt: skip
    store, plans = Store(tmp_path), plan_points(settings, {})
    machine = restored_machine(
        settings.machines[0], settings, plans, {PointId("pump", "de"): 0.5}, store
    )
    rng = np.random.default_rng(4)
    size = len(machine.detector.specs["de"])
    for second in range(80):
        features = np.exp(0.05 * rng.standard_normal(size)).astype(np.float32)
        machine.detector.observe((Observation("de", second * 10**9, features),))
    job = machine.detector.fit_now()
    machine.adopt(fit_baseline(job.specs, job.windows, job.settings, train=False))
    store.close()
    assert machine.detector.warranty.false_alarms_per_year == promised
