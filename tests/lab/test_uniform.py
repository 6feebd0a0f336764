"""The distance of p-values from uniform, and the number of windows that count as one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from auscult.gateway.datasets.dataset import read_manifest
from auscult.gateway.evaluate.features import machine_data
from lab.studies.uniform import Uniformity, in_turn
from tests.gateway.recorded import shaft_noise, write_data_set


def test_independent_p_values_count_each_as_one() -> None:
    rng = np.random.default_rng(0)
    found = Uniformity.of([rng.uniform(size=24) for _ in range(40)])
    assert found.count_as_one < 1.5
    assert found.chance > 0.05
    assert abs(found.mean - 0.5) < 0.03


def test_p_values_that_wander_from_block_to_block_count_as_fewer() -> None:
    rng = np.random.default_rng(0)
    centres = rng.uniform(size=20)
    found = Uniformity.of([np.clip(c + 0.1 * rng.uniform(-1, 1, 24), 0, 1) for c in centres])
    assert found.count_as_one > 10
    assert found.chance_of_blocks > 0.01 > found.chance


@pytest.mark.slow
def test_alternate_blocks_are_baseline_and_evaluated(tmp_path: Path) -> None:
    recordings = {f"healthy{i}": shaft_noise(20, seed=i) for i in range(2)}
    data = read_manifest(write_data_set(tmp_path / "made", recordings))
    machine = machine_data(data, data.machines[0], 0.4, lambda: None)
    for order in ("time", "random"):
        found = in_turn(machine, 12, 0, order)
        assert set(found) == {"(machine)", *machine.specs}
        assert all(0.2 < one.mean < 0.8 for one in found.values())
