"""The plant's budget of false events, divided among its machines."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.gateway.machines.plant_budget import with_budgets
from auscult.gateway.machines.restore import restored_machine
from auscult.gateway.records import PointId
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.storage.store import Store
from auscult.gateway.windows.points import plan_points
from auscult.models.baseline.fit import fit_baseline
from auscult.models.records import Observation
from tests.gateway.plant import Running

AWAY = {"host": "127.0.0.1", "port": 1}
POINT = {"id": "de", "kind": "vibration", "unit": "g", "fs_hz": 2000}


def settings_of(machines, tmp_path=None, **detector) -> GatewaySettings:
    gateway = {} if tmp_path is None else {"gateway": {"data_dir": tmp_path}, "mqtt": AWAY}
    listed = [{"id": name, "points": [POINT], **own} for name, own in machines.items()]
    return GatewaySettings.model_validate({"detector": detector, "machines": listed, **gateway})


def budgets(settings: GatewaySettings) -> dict[str, float | None]:
    return {m.id: m.false_alarms_per_year for m in with_budgets(settings)}


HIGH, LOW = {"consequence_safety": "high", "consequence_cost": "low"}, {"consequence_cost": "low"}


def test_the_budget_is_divided_by_criticality() -> None:
    machines = {"fan": HIGH, "pump": {}, "mill": {"consequence_quality": "medium"}, "lamp": LOW}
    shares = budgets(settings_of(machines, false_events_a_month=3.0))
    assert sum(shares.values()) == pytest.approx(36.0)
    assert shares["fan"] == 2 * shares["pump"] == 2 * shares["mill"] == 4 * shares["lamp"]


def test_a_budget_of_a_machine_is_kept_beside_that_of_the_plant() -> None:
    machines = {"fan": {**HIGH, "false_alarms_per_year": 0.5}, "pump": {}}
    assert budgets(settings_of(machines, false_events_a_month=0.25)) == {"fan": 0.5, "pump": 3.0}
    alone = settings_of({"fan": {"false_alarms_per_year": 0.5}}, false_events_a_month=1.0)
    assert with_budgets(alone) == alone.machines


def test_without_a_budget_of_the_plant_machines_are_unchanged() -> None:
    settings = settings_of({"fan": HIGH, "pump": {}}, false_alarms_per_year=2.0)
    assert with_budgets(settings) == settings.machines


def test_the_budget_is_divided_again_and_running_evidence_is_kept(tmp_path) -> None:
    store = Store(tmp_path)
    rng = np.random.default_rng(4)

    def fan_among(*others: str):
        settings = settings_of(
            {"fan": HIGH, **{name: {} for name in others}}, tmp_path, false_events_a_month=1.0
        )
        return restored_machine(
            with_budgets(settings)[0],
            settings,
            plan_points(settings, {}),
            {PointId("fan", "de"): 0.5},
            store,
        )

    def run(machine, seconds: range, shift: float = 0.0) -> None:
        size = len(machine.detector.specs["de"])
        for second in seconds:
            features = np.exp(0.05 * rng.standard_normal(size) + shift).astype(np.float32)
            machine.detector.observe((Observation("de", second * 10**9, features),))

    alone = fan_among()
    run(alone, range(260))
    job = alone.detector.fit_now()
    alone.adopt(fit_baseline(job.specs, job.windows, job.settings, train=False))
    run(alone, range(260, 264), shift=0.2)
    state = alone.detector.snapshot()
    share = state.arrays["evidence/share"]
    assert (share > 0).any()
    assert alone.detector.warranty.false_alarms_per_year == pytest.approx(12.0)

    joined = fan_among("pump", "mill")
    joined.detector.restore(state.to_bytes())
    assert joined.detector.warranty.false_alarms_per_year == pytest.approx(6.0)
    np.testing.assert_array_equal(joined.detector.snapshot().arrays["evidence/share"], share)
    store.close()


def test_the_detectors_of_a_gateway_have_their_shares(tmp_path) -> None:
    machines = {"fan": HIGH, "pump": {}, "mill": {"false_alarms_per_year": 0.1}}
    with Running(settings_of(machines, tmp_path, false_events_a_month=1.0)) as running:
        found = {
            name: machine.detector.settings.false_alarms_per_year
            for name, machine in running.gateway.machines.items()
        }
    assert found == pytest.approx({"fan": 8.0, "pump": 4.0, "mill": 0.1})
