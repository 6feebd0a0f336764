"""A short baseline keeps the budget, and healthy windows pay its error back."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from auscult.models.baseline.calibration import Persistence
from auscult.models.baseline.kind_model import PointModel
from auscult.models.decision.evidence import OFFSETS, average_run_length, level_for
from auscult.models.decision.evidence_levels import MachineEvidence
from auscult.models.decision.offsets import ENOUGH_SIGMA, LARGEST_SIGMA, Offsets
from auscult.models.settings import SHIPPED

ROW = np.array([0])
NO, YES = np.array([False]), np.array([True])


def _learned(shift: float, windows: int, healthy: bool = True) -> Offsets:
    """Offsets of a row with an error of 0.4 σ in each of two states, after windows of the first."""
    offsets = Offsets(np.array([1.7]), np.array([0.4]), 2)
    scores = shift + np.random.default_rng(0).standard_normal(windows)
    for score in scores:
        offsets.add(ROW, ROW, np.array([score]))
        offsets.settle(YES if healthy else NO, NO)
    return offsets


def test_the_level_keeps_the_budget_on_average_over_unknown_offsets() -> None:
    """Levels for no offset give these machines fifteen times the false events."""
    sigma, allowance, run_length = 0.36, 0.96, 20_000.0
    weight = np.exp(-(OFFSETS**2) / 2)
    weight /= weight.sum()
    for knows, expected in ((sigma, 1.0), (0.0, 15.0)):
        level = level_for(run_length, allowance, 0.3, knows)
        lengths = average_run_length(level, allowance - sigma * OFFSETS, 0.3)
        rate = run_length * float((weight / np.maximum(lengths, 1)).sum())
        assert rate == pytest.approx(expected, rel=0.05)


def test_an_offset_is_learned_in_its_state_until_it_is_known() -> None:
    offsets = _learned(0.3, 1000)
    assert offsets.estimate(ROW, ROW)[0] == pytest.approx(0.3, abs=3 * ENOUGH_SIGMA)
    assert offsets.estimate(ROW, ROW + 1)[0] == 0
    assert offsets.stage(ROW, ROW)[0] == offsets.stages - 1
    assert offsets.sigma_at(offsets.stages - 1)[0] <= 1.2 * ENOUGH_SIGMA
    known = offsets.windows[0, 0]
    assert known == pytest.approx(offsets.enough[0], abs=1)  # then it ends
    assert offsets.windows_missing()[0] == pytest.approx(offsets.enough[0])  # in the second state


def test_a_fault_is_not_learned_as_an_offset() -> None:
    fault = _learned(3.0, 200, healthy=False)
    assert fault.estimate(ROW, ROW)[0] == 0
    fault.settle(NO, YES)  # It opened an event.
    fault.settle(YES, NO)
    assert fault.windows.sum() == 0
    # A change that never opened one is followed up to a bound.
    assert _learned(3.0, 1000).estimate(ROW, ROW)[0] == pytest.approx(LARGEST_SIGMA * 0.4)


def test_learned_offsets_survive_a_restart() -> None:
    offsets = _learned(0.3, 100)
    again = Offsets(np.array([1.7]), np.array([0.4]), 2)
    again.restore(offsets.to_arrays())
    assert again.estimate(ROW, ROW) == offsets.estimate(ROW, ROW)
    assert again.stage(ROW, ROW) == offsets.stage(ROW, ROW)
    waiting = _learned(0.3, 10, healthy=False)
    again.restore(waiting.to_arrays())
    for one in (waiting, again):
        one.settle(YES, NO)
    assert again.estimate(ROW, ROW) == waiting.estimate(ROW, ROW) != 0


@pytest.mark.parametrize("hop_s", [0.5, 1800.0])
def test_a_short_baseline_finds_a_clear_fault_at_any_rate_of_windows(hop_s) -> None:
    """Against an unknown offset, no level keeps a year's budget of windows of half a second."""
    point = PointModel(None, None, None, Persistence(0.29, 0.0), 42, hop_s=hop_s, mean_hop_s=hop_s)
    kind = SimpleNamespace(points=(point,))
    model = SimpleNamespace(
        kinds=(kind,), persistence=point.persistence, windows=42, states=range(3), hop_s=hop_s,
        mean_hop_s=hop_s,
    )  # fmt: skip
    evidence = MachineEvidence(model, SHIPPED)
    windows = 0
    while not evidence.open:
        evidence.observe(slice(None), np.zeros(2, int), np.full(2, SHIPPED.score_cap))
        windows += 1
        assert windows <= 8
