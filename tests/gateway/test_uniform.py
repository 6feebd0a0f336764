"""p-values of healthy windows that the baseline has not seen are uniform (Kolmogorov–Smirnov).

On real recordings that the demo ships and on simulated ones: the first 60 % of each is learned, of
the rest every second window counts, so that none shares a sample with another.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.special import kolmogorov
from scipy.stats import kstest

from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.gateway.evaluate.detection import default_split, fitted_detector, score_recordings
from auscult.gateway.evaluate.features import machine_data
from tests.gateway.recorded import shaft_noise, write_data_set

DEMO = Path(__file__).parents[2] / "app" / "demo"
LEVEL = 0.01
"""Chance, over all points together, that a right detector fails; the recordings are fixed, so
nothing here is left to luck."""


def healthy_p_values(
    manifest: Path, points: tuple[str, ...]
) -> tuple[dict[str | None, np.ndarray], int]:
    """p-values of these points and of the machine made of them (None); windows of the baseline."""
    data = read_manifest(manifest)
    (name,) = data.machines
    machine = machine_data(data, name, 0.4, lambda: None)
    only = tuple(replace(s, features={p: s.features[p] for p in points}) for s in machine.stretches)
    specs = {p: machine.specs[p] for p in points}
    machine = replace(machine, stretches=only, specs=specs)
    split = default_split(machine)
    unseen = [(s, n) for s, n in split.evaluated if s.recording.label is RecordingLabel.HEALTHY]
    scores, _ = score_recordings(fitted_detector(machine, split), machine, unseen)
    found = {
        point: np.exp(-np.concatenate([s[::2] for s in stretches]))
        for point, stretches in scores.healthy.items()
    }
    return found, sum(n for _, n in split.baseline)


def all_uniform(found: dict[str | None, np.ndarray], baseline: int) -> bool:
    """Kolmogorov–Smirnov for a distribution that itself was estimated, from baseline/2 windows."""
    level = LEVEL / len(found)
    for p in found.values():
        size = 1 / (1 / len(p) + 2 / baseline)
        if kolmogorov(np.sqrt(size) * kstest(p, "uniform").statistic) < level:
            return False
    return True


@pytest.mark.nightly
def test_on_real_healthy_recordings() -> None:
    found, baseline = healthy_p_values(DEMO / "gearbox", ("a2", "a4"))
    assert len(found[None]) >= 100
    assert all_uniform(found, baseline)


@pytest.mark.nightly
def test_on_simulated_ones(tmp_path) -> None:
    recordings = {f"healthy{i}": shaft_noise(50, seed=i) for i in range(4)}
    found, baseline = healthy_p_values(write_data_set(tmp_path / "made", recordings), ("de", "nde"))
    assert len(found[None]) >= 100
    assert all_uniform(found, baseline)
