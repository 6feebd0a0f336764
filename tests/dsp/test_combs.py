"""Fundamentals of combs: also of those whose own line is absent."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from auscult.dsp.combs import CANDIDATES, LEAST_ORDER, MOST_ORDER, _candidates

PER_ORDER = 50.0


def search(orders: list[float]):
    """A spectrum that has lines of 10 dB at these orders only."""
    lines = np.array(orders)

    def height(asked: np.ndarray) -> np.ndarray:
        near = np.abs(asked[..., None] - lines).min(axis=-1) * PER_ORDER < 0.5
        return np.where(near, 10.0, 0.0)

    return SimpleNamespace(
        lines=SimpleNamespace(maxima=lambda _: lines, per_order=PER_ORDER),
        peaks=None,
        height=height,
    )


def test_the_best_fundamental_explains_most_lines_though_its_own_is_absent():
    for missing in (set(), {1}, {1, 2}):
        comb = [3.57 * n for n in range(1, 6) if n not in missing]
        found = _candidates(search(comb))
        assert abs(found[0] - 3.57) < 1e-9, missing


def test_candidates_are_few_apart_and_within_the_orders_of_bearings():
    rng = np.random.default_rng(3)
    found = _candidates(search(sorted(rng.uniform(0.5, 30, 60))))
    assert found.size == CANDIDATES
    assert found.min() > LEAST_ORDER
    assert found.max() < MOST_ORDER
    assert np.diff(np.sort(found)).min() * PER_ORDER > 2
