"""Speed by a tachometer where pulses or blocks are missing."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.contract.machines import MachineSettings
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


def pulses(begin_s: float, end_s: float, length_s: float) -> np.ndarray:
    """A signal with 25 pulses a second between two times."""
    t = np.arange(round(1000 * length_s)) / 1000
    return (5.0 * ((t % 0.04 < 0.01) & (t >= begin_s) & (t < end_s))).astype(np.float32)


@pytest.mark.parametrize(
    ("runs", "mean_rpm"),
    [((0, 10), 1500), ((0, 2), 300), ((6, 10), 600), ((3, 7), 600)],
    ids=["all the time", "stops", "starts", "starts and stops"],
)
def test_rest_counts_in_the_mean_speed_of_a_block(tachos, runs, mean_rpm):
    tachos.add(SampleBlock(T, 1000.0, NS, 0, pulses(*runs, 10), "V"))
    assert tachos.speed_rpm("pump", NS, 11 * NS) == pytest.approx(mean_rpm, rel=0.05)


def test_a_stop_between_two_runs_counts_as_rest(tachos):
    signal = np.maximum(pulses(0, 3, 10), pulses(8, 10, 10))
    tachos.add(SampleBlock(T, 1000.0, NS, 0, signal, "V"))
    assert tachos.speed_rpm("pump", NS, 11 * NS) == pytest.approx(750, rel=0.05)
    assert tachos.speed_rpm("pump", 4 * NS, 10 * NS) == pytest.approx(250, rel=0.05)
    assert tachos.speed_rpm("pump", 5 * NS, 8 * NS) == 0.0
