"""Bearing faults on real rigs: never wrong, and unclear where the recording does not say."""

from __future__ import annotations

from collections import Counter

import pytest

from auscult.gateway.evaluate.diagnosis import named_fault
from auscult.gateway.sources.dataset import RecordingLabel, read_manifest
from tests.dsp.signals import DATA

RACES = ("inner", "outer")


@pytest.mark.parametrize(
    ("dataset", "races_named", "races"),
    [("uestc", 37, 40), ("adi_mfs", 18, 20), ("cwru12k", 18, 22), ("cwru", 8, 10),
     ("hit_sm", 18, 18)],
)  # fmt: skip
def test_no_fault_is_named_wrong_and_nothing_healthy_is_accused(dataset, races_named, races):
    if not (DATA / dataset).exists():
        pytest.skip(f"{dataset} is not at hand")
    named: Counter[str] = Counter()
    for recording in read_manifest(DATA / dataset).recordings:
        found = named_fault(recording)
        assert found is not None
        truth = recording.fault_class if recording.label is RecordingLabel.FAULTY else "healthy"
        assert found.fault in (truth, "unclear"), (recording.path.name, found)
        if found.fault != "unclear":
            assert found.point in {c.point.point for c in recording.channels}
        named["races"] += truth in RACES
        named["races right"] += truth in RACES and found.fault == truth
    assert named["races"] == races
    assert named["races right"] >= races_named
