"""Bearing faults on real rigs: never wrong, and unclear where the recording does not say."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.signal import butter, sosfilt

from auscult.dsp.bearing import Bearing
from auscult.dsp.diagnosis import diagnose_bearing
from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.gateway.evaluate.diagnosis import _search, _signals
from auscult.models.decision.bearing_diagnosis import COMB_CONFIDENCE, bearing_diagnosis
from tests.dsp.signals import DATA, SKF_6205, faulty_bearing

FS, SHAFT = 12_800, 25.0
LARGE = Bearing.from_geometry(13, 8.5, 60.0, name="5.58 and 7.42")
MIDDLE = Bearing.from_geometry(10, 12.7, 60.0, name="3.94 and 6.06")
RACES = ("inner", "outer")
CLASSES = (*RACES, "ball")


@pytest.mark.parametrize(
    ("dataset", "races_named", "races"),
    [("uestc", 39, 40), ("adi_mfs", 18, 20), ("cwru12k", 18, 22), ("cwru", 8, 10),
     ("hit_sm", 18, 18)],
)  # fmt: skip
def test_no_fault_is_named_wrong_and_nothing_healthy_is_accused(dataset, races_named, races):
    if not (DATA / dataset).exists():
        pytest.skip(f"{dataset} is not at hand")
    named: Counter[str] = Counter()
    for recording in read_manifest(DATA / dataset).recordings:
        signals = _signals(recording)
        assert signals is not None
        found = _search(recording, signals, None, None).run()
        truth = recording.fault_class if recording.label is RecordingLabel.FAULTY else "healthy"
        allowed = {truth, "unclear"} | ({"bearing"} if truth in CLASSES else set())
        assert found.fault in allowed, (recording.path.name, found)
        if found.fault != "unclear":
            assert found.point in {c.point.point for c in recording.channels}
        named["races"] += truth in RACES
        named["races right"] += truth in RACES and found.fault == truth
    assert named["races"] == races
    assert named["races right"] >= races_named


def diagnosed(x, bearing):
    found = diagnose_bearing([(x, FS)], bearing, 60 * SHAFT)
    return bearing_diagnosis(found, bearing, 60 * SHAFT, ("de",))


@pytest.mark.parametrize(
    ("order", "zone", "other"), [(SKF_6205.bpfo, 0.0, LARGE), (SKF_6205.bpfi, 1.0, MIDDLE)]
)
def test_another_bearing_is_recognised_by_its_comb(order, zone, other):
    x = faulty_bearing(5 * FS, FS, SHAFT, order, modulation=zone, snr_db=0)
    for stated in (other, Bearing("")):
        found = diagnosed(x, stated)
        assert (found.fault, found.point, found.prescription) == (
            "bearing", "de", "bearing.unclear"
        )  # fmt: skip
        assert found.confidence <= COMB_CONFIDENCE
        assert found.said.values["order"] == pytest.approx(order, rel=0.005)
    balls = found.said.values["inner_balls" if zone else "outer_balls"]
    assert balls == 9


def test_an_outer_race_is_no_sure_inner_race_of_a_smaller_bearing():
    """12 balls have their outer race at 4.96 orders, 8 balls their inner race at 4.95."""
    twelve = Bearing("12 balls", bpfo=4.96, bpfi=7.04, bsf=2.81, ftf=0.413)
    eight = Bearing("8 balls", bpfo=3.05, bpfi=4.95, bsf=1.99, ftf=0.381)
    x = faulty_bearing(5 * FS, FS, SHAFT, twelve.bpfo, snr_db=0)
    right, wrong = diagnosed(x, twelve), diagnosed(x, eight)
    assert right.fault == "outer"
    assert right.confidence >= 0.8
    assert wrong.confidence < 0.8


def test_impacts_that_swing_with_the_cage_name_the_bearing():
    rng, t = np.random.default_rng(3), np.arange(5 * FS) / FS
    ring = np.exp(-np.arange(300) / 25) * np.sin(2 * np.pi * 0.2 * np.arange(300))
    # A ball that turns about changing axes strikes without a rate.
    strikes = (rng.random(t.size) < 60 / FS) * np.maximum(
        0, np.cos(2 * np.pi * SKF_6205.ftf * SHAFT * t)
    )
    x = np.convolve(strikes, ring)[: t.size] + 0.05 * rng.standard_normal(t.size)
    found = diagnosed(x.astype(np.float32), SKF_6205)
    assert (found.fault, found.said.code) == ("bearing", "bearing_cage")
    assert 0.6 <= found.confidence <= 0.75
    random = np.convolve((rng.random(t.size) < 30 / FS), ring)[: t.size]
    noise = 0.05 * rng.standard_normal(t.size)
    assert diagnosed((random + noise).astype(np.float32), SKF_6205).fault == "unclear"


def test_the_stage_follows_from_where_the_lines_are():
    x = faulty_bearing(5 * FS, FS, SHAFT, SKF_6205.bpfo, snr_db=0)
    x = sosfilt(butter(6, 1000, "high", fs=FS, output="sos"), x)  # the ringing alone
    x += 0.2 * np.random.default_rng(1).standard_normal(x.size)
    t = np.arange(x.size) / FS
    tones = sum(np.sin(2 * np.pi * n * SKF_6205.bpfo * SHAFT * t) for n in (1, 2, 3))
    early, late = (
        diagnosed(signal.astype(np.float32), SKF_6205) for signal in (x, x + 0.3 * x.std() * tones)
    )
    assert early.prescription == "bearing.outer.stage2"
    assert late.prescription == "bearing.outer.stage3"
