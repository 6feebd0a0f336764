"""A motor's current made of tones whose frequencies and levels are known."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.dsp.current_lines import current_lines

FS_HZ, SECONDS = 2_000.0, 10.0
LINE_HZ, SHAFT_HZ = 50.137, 24.4
SLIP = 1 - 2 * SHAFT_HZ / LINE_HZ


def current(*sides: tuple[float, float]) -> np.ndarray:
    """The line, and tones beside it: frequency in Hz and level in dB over the line."""
    t = np.arange(round(FS_HZ * SECONDS)) / FS_HZ
    x = np.cos(2 * np.pi * LINE_HZ * t)
    for hz, level_db in sides:
        x += 10 ** (level_db / 20) * np.cos(2 * np.pi * hz * t + hz)
    return x.astype(np.float32)


@pytest.mark.parametrize("side", [-1, 1])
def test_line_slip_and_the_higher_sidebands_are_those_of_the_tones(side):
    x = current(
        (LINE_HZ * (1 + 2 * side * SLIP), -40),
        (LINE_HZ * (1 - 2 * side * SLIP), -52),
        (LINE_HZ + side * SHAFT_HZ, -45),
    )
    found = current_lines(x, FS_HZ, SHAFT_HZ, 50.0, pole_pairs=2)
    assert found is not None
    assert found.line_hz == pytest.approx(LINE_HZ, abs=0.002)  # a fiftieth of a line
    assert found.slip == pytest.approx(SLIP, abs=1e-4)
    # a tone between two lines loses up to 0.8 dB (Blackman-Harris), so does the mains line
    assert found.bars_db == pytest.approx(-40, abs=0.9)
    assert found.gap_db == pytest.approx(-45, abs=0.9)


def test_sidebands_within_six_lines_are_the_lines_own():
    """Slip of 0.29 Hz: its sidebands lie 5.7 lines away in 10 s, 8.6 in 15 s."""
    t = np.arange(round(FS_HZ * 15)) / FS_HZ
    x = np.cos(2 * np.pi * LINE_HZ * t).astype(np.float32)
    shaft_hz = (LINE_HZ - 0.286) / 2
    assert current_lines(x[:20_000], FS_HZ, shaft_hz, 50.0, 2).bars_db is None
    assert current_lines(x, FS_HZ, shaft_hz, 50.0, 2).bars_db < -80


@pytest.mark.parametrize(
    ("slip", "fits"), [(-0.001, False), (0.001, True), (0.079, True), (0.081, False)]
)
def test_a_speed_without_a_possible_slip_is_of_no_motor(slip, fits):
    shaft_hz = LINE_HZ * (1 - slip) / 2
    assert (current_lines(current(), FS_HZ, shaft_hz, 50.0, 2) is not None) is fits
