"""Speed by a tachometer where pulses or blocks are missing."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.gateway.messages.machines import MachineSettings
from auscult.gateway.records import PointId, SampleBlock
from auscult.gateway.windows.tachos import Tachos

T = PointId("pump", "t")
NS = 1_000_000_000


@pytest.fixture
def tachos() -> Tachos:
    point = {"id": "de", "kind": "vibration", "unit": "g", "fs_hz": 1000}
    tacho = {"id": "t", "fs_hz": 1000, "level": 2.5}
    machine = {"id": "pump", "points": [point], "tacho": tacho}
    return Tachos([MachineSettings.model_validate(machine)])


def test_without_a_block_yet_the_speed_is_unknown(tachos):
    assert tachos.newest_rpm("pump") is None
    assert tachos.speed_rpm("pump", 0, NS) is None


@pytest.mark.parametrize("count", [50, 1000])
def test_a_shaft_that_never_turned_is_at_rest_whatever_the_length_of_blocks(tachos, count):
    for number in range(15_000 // count):
        t0_ns = NS + number * count * 1_000_000
        tachos.add(SampleBlock(T, 1000.0, t0_ns, number, np.zeros(count, np.float32), "V"))
    assert tachos.newest_rpm("pump") == 0.0
