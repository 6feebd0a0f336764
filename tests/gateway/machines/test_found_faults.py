"""What searches found in an event, up to the last stage of a bearing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from auscult.contract.records import Condition
from auscult.dsp.bearing import Bearing
from auscult.dsp.simulation.bearings import BearingDefect, Friction
from auscult.dsp.simulation.machine import healthy_pump, triaxial
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.shaft import Looseness
from auscult.gateway.machines.fault_search import FaultSearch
from auscult.gateway.machines.found_faults import FoundFaults
from auscult.gateway.machines.train_search import TrainSignals
from auscult.models.decision.growth import FaultGrowth
from auscult.models.name_plate import PlacedBearing, Train
from auscult.models.records import Decision

BEARING = Bearing("6205", bpfo=3.585, bpfi=5.415, bsf=2.357, ftf=0.398)
FS, RPM = 12_800, 1480
DEFECT = BearingDefect(BEARING, "bpfo", 1.0)
BROAD_HZ = (800.0, 40_000.0)
WORN = (Friction(0.02, 20, band_hz=BROAD_HZ), Looseness(0.3, bearing=2))
"""Noise 20 dB over that of good lubrication, and play."""


def signals(*faults, seed=3):
    record = healthy_pump(
        triaxial(2), seed=seed, more=[Friction(0.02, band_hz=BROAD_HZ)]
    ).with_faults(*faults)
    rows = record.record(Rotation.steady(RPM, FS, 4)).samples
    return TrainSignals({f"p{i}": (x, FS) for i, x in enumerate(rows)}, RPM, True, Train())


@pytest.fixture(scope="module")
def searched():
    healthy = signals().measured()

    def search(*faults):
        now = signals(*faults, seed=4)
        rows = tuple((x[None], fs) for x, fs in now.channels.values())
        placed = ((PlacedBearing(BEARING), (0, 1, 2)),)
        return FaultSearch(tuple(now.channels), rows, placed, RPM, now, healthy).run_all()

    return search(DEFECT), search(*WORN), search(WORN[0])


def keys(found):
    decision = found.added_to(Decision(None, 0, Condition.ALARM, ()))
    return [r.prescription for r in decision.reasons if r.prescription is not None]


def test_a_named_race_that_gives_way_to_noise_in_a_loose_bearing_is_in_its_last_stage(searched):
    race, worn, dry = searched
    found = FoundFaults(FaultGrowth({}))
    found.add(race, None)
    (early,) = keys(found)
    assert early.startswith("bearing.outer.stage")
    assert not early.endswith("4")
    found.add(dry, None)
    assert keys(found) == [early]  # noise alone may be the lubricant
    found.add(worn, None)
    assert "bearing.outer.stage4" in keys(found)


def test_the_signs_of_the_last_stage_name_no_bearing_that_was_never_named(searched):
    _, worn, _ = searched
    found = FoundFaults(FaultGrowth({}))
    found.add(worn, None)
    assert not any(key.startswith("bearing") for key in keys(found))


def test_an_earlier_process_named_the_race(searched):
    race, worn, _ = searched
    found = FoundFaults(FaultGrowth({}))
    found.add(race, None)
    reasons = found.added_to(Decision(None, 0, Condition.ALARM, ())).reasons
    event = type("Event", (), {"reasons": tuple(replace(r) for r in reasons)})()
    restarted = FoundFaults(FaultGrowth({}))
    restarted.add(worn, event)
    assert "bearing.outer.stage4" in keys(restarted)
