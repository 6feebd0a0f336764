"""Shafts and gears in the worker: measured while normal, compared in an event."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from auscult.dsp.simulation.gears import GearPair
from auscult.dsp.simulation.machine import healthy_pump, triaxial
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.shaft import BentShaft
from auscult.gateway.machines.fault_search import FaultSearches
from auscult.gateway.machines.healthy_references import from_bytes, to_bytes
from auscult.gateway.records import PointId, Window
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.storage.store import Store
from auscult.gateway.windows.points import plan_points, train_of
from auscult.gateway.windows.tachos import Tachos

FS, SECONDS = 2560, 4
DIRECTIONS = {"a": "axial", "h": "horizontal", "v": "vertical"}
POINTS = [f"{bearing}{d}" for bearing in (1, 2) for d in DIRECTIONS]
SETTINGS = GatewaySettings.model_validate(
    {
        "machines": [
            {
                "id": "pump", "speed_rpm": 1480,
                "gears": [{"driving_teeth": 21, "driven_teeth": 37}],
                "points": [
                    {"id": p, "kind": "vibration", "unit": "g", "fs_hz": FS,
                     "direction": DIRECTIONS[p[1]]}
                    for p in POINTS
                ],
            }
        ]
    }
)  # fmt: skip


class RecentWindows:
    """Stands for the pipeline: the newest windows of the simulated machine."""

    def __init__(self, plans):
        self.plans, self.windows = plans, {}

    def record(self, *faults):
        machine = healthy_pump(triaxial(1, 2), seed=4, more=[GearPair(at=2)]).with_faults(*faults)
        samples = machine.record(Rotation.steady(1480, FS, SECONDS)).samples
        for row, point in zip(samples, POINTS, strict=True):
            plan = self.plans[PointId("pump", point)].window
            starts = range(0, row.size - plan.n_samples + 1, plan.hop)
            self.windows[point] = [
                SimpleNamespace(
                    window=Window(
                        PointId("pump", point), FS, "g", round(i / FS * 1e9),
                        (row[i : i + plan.n_samples],), None,
                    )
                )
                for i in starts
            ]  # fmt: skip

    tachos = Tachos()

    def recent(self, point):
        return self.windows[point.point]


@pytest.fixture
def recent():
    return RecentWindows(plan_points(SETTINGS, {}))


def test_a_bent_shaft_is_named_against_the_healthy_machine(recent):
    trains = {m.id: train_of(m) for m in SETTINGS.machines}
    searches = FaultSearches(recent.plans, recent, trains)
    recent.record(BentShaft(0.4))
    assert searches.begin("pump")
    ((_, unknown),) = searches.collect(wait=True)
    assert [one.fault for one in unknown if one.fault == "bent"] == []  # no reference yet
    recent.record()
    searches.measure_healthy("pump")
    assert searches.collect(wait=True) == []
    recent.record(BentShaft(0.4))
    searches.begin("pump")
    ((_, found),) = searches.collect(wait=True)
    searches.stop()
    assert [one.prescription for one in found if one.fault == "bent"] == ["bent_shaft"]
    assert all(np.isfinite(one.confidence) for one in found)


def test_the_healthy_machine_is_known_after_a_restart_until_a_new_baseline(recent, tmp_path):
    trains = {m.id: train_of(m) for m in SETTINGS.machines}
    store = Store(tmp_path)
    searches = FaultSearches(recent.plans, recent, trains, store)
    recent.record()
    searches.measure_healthy("pump", "first")
    searches.collect(wait=True)
    searches.stop()
    store.close()
    store = Store(tmp_path)
    searches = FaultSearches(recent.plans, recent, trains, store)
    recent.record(BentShaft(0.4))
    found = {}
    for baseline_id in ("first", "second"):
        searches.begin("pump", baseline_id)
        ((_, said),) = searches.collect(wait=True)
        found[baseline_id] = [one.prescription for one in said if one.fault == "bent"]
    [(state,)] = store.read("SELECT state FROM healthy_references")
    searches.stop()
    store.close()
    assert found == {"first": ["bent_shaft"], "second": []}
    assert len(state) < 10_000
    assert to_bytes(from_bytes(state)) == state
