"""Lines of a drive: what stands out beside its floor, and beside lines that are taken."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.dsp.drive_signs import FLOOR, LOBE, STANDS_OUT, _LineAmplitudes

STEP_HZ = 0.5
AT = 200


def lines(levels: np.ndarray) -> _LineAmplitudes:
    found = _LineAmplitudes.__new__(_LineAmplitudes)
    found.levels, found.step_hz = levels, STEP_HZ
    return found


def test_a_sine_has_its_amplitude_within_the_tolerance_only():
    fs_hz = 1000.0
    t = np.arange(4000) / fs_hz
    rng = np.random.default_rng(1)
    x = 2 * np.sin(2 * np.pi * 101.0 * t) + 0.01 * rng.standard_normal(t.size)
    found = _LineAmplitudes(x.astype(np.float32), fs_hz)
    for stated_hz in (100.0, 101.0, 102.0):
        assert found.height(stated_hz, 0.0125) == pytest.approx(2, rel=0.02)
    assert found.height(98.0, 0.0125) < 0
    assert found.height(104.0, 0.0125) < 0


def test_the_floor_is_the_median_of_both_sides():
    least = float(np.sqrt(STANDS_OUT))
    levels = np.ones(400)
    levels[AT + 1 :] = 5.0  # the median of as many ones as fives is 3
    levels[AT - 1 : AT + 3] = 0
    levels[AT] = 2 * least
    height = lines(levels).height(AT * STEP_HZ, 1e-6)
    assert height == pytest.approx(-3 * least)
    levels[AT] = 3.1 * least
    assert lines(levels).height(AT * STEP_HZ, 1e-6) == pytest.approx(3.1 * least)


def test_a_line_beside_one_that_is_taken_is_not_seen():
    levels = np.ones(400)
    levels[AT] = 100.0
    reach_lines = 1 + LOBE
    for apart, seen in ((reach_lines - 0.1, False), (reach_lines + 0.1, True)):
        for side in (-1, 1):
            taken_hz = (AT + side * apart) * STEP_HZ
            height = lines(levels).height(AT * STEP_HZ, 1e-6, [taken_hz])
            assert np.isnan(height) != seen


def test_lines_without_a_floor_on_both_sides_can_not_be_seen():
    levels = np.ones(400)
    for at in (FLOOR - 2, levels.size - FLOOR):
        assert np.isnan(lines(levels).height(at * STEP_HZ, 1e-6))
