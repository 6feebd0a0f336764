"""The cage's comb: a line that is much higher than those before it is another part's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kurtosis

from auscult.dsp.cage_lines import _cage, _kurtosis

PER_ORDER, CAGE = 100.0, 0.4


def evidence(heights_db: dict[int, float]) -> tuple[float, float]:
    """Evidence of a spectrum with lines of these heights at multiples of the cage."""
    peaks = np.zeros((1, 700), np.float32)
    for n, height_db in heights_db.items():
        peaks[0, round(n * CAGE * PER_ORDER)] = height_db
    return _cage(peaks, PER_ORDER, CAGE)


def test_a_comb_is_worth_its_lines_less_3_db_for_each():
    found_db, order = evidence({1: 10, 2: 9, 3: 8, 4: 7})
    assert found_db == pytest.approx(10 + 9 + 8 + 7 - 4 * 3)
    assert order == pytest.approx(CAGE)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_line_counts_6_db_above_those_before_it_at_most(n):
    alone_db, _ = evidence({n: 40})
    assert alone_db == pytest.approx(6 - 4 * 3)
    behind_db, _ = evidence({1: 10, n: 40})
    assert behind_db == pytest.approx(10 + 16 - 4 * 3)


def test_a_line_of_the_shaft_does_not_count():
    peaks = np.zeros((1, 700), np.float32)
    peaks[0, [50, 100, 150, 200]] = 10  # a cage at half the shaft: orders 1 and 2 are the shaft's
    found_db, _ = _cage(peaks, PER_ORDER, 0.5)
    assert found_db == pytest.approx(2 * 10 - 4 * 3)


@pytest.mark.parametrize("rows", [1, 2, 8, 12])
def test_the_kurtosis_is_the_median_of_at_least_eight_parts(rows):
    signals = np.random.default_rng(rows).laplace(size=(rows, 800)).astype(np.float32)
    parts = signals.reshape(max(rows, 8), -1)
    expected = np.median(kurtosis(parts, axis=1, fisher=False))
    assert _kurtosis(list(signals)) == pytest.approx(expected, rel=1e-5)
