"""Peak-hold of slow shafts, against lines that the signal was made with."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.dsp.envelope_lines import envelope_lines

FS_HZ, SECONDS, SHAFT_HZ = 12_800.0, 20.0, 2.0
TOP_ORDER = 50.0


def impacts(order: float, snr: float, seed: int = 0) -> np.ndarray:
    """Impacts `order` times a turn, each a ringing of 0.4 ms at 3.2 kHz, in white noise."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(int(SECONDS * FS_HZ))
    t = np.arange(40) / FS_HZ
    ringing = snr * np.exp(-t / 4e-4) * np.sin(2 * np.pi * 3200 * t)
    for at in np.arange(0.01, SECONDS - 0.01, 1 / (order * SHAFT_HZ)):
        first = round(at * FS_HZ)
        x[first : first + 40] += ringing
    return x.astype(np.float32)


@pytest.mark.parametrize("order", [0.43, 3.07, 21.3, 48.6])
def test_a_held_envelope_has_its_lines_where_the_impacts_are(order: float) -> None:
    found = envelope_lines(
        [(impacts(order, 20.0 if order < 1 else 8.0)[None], FS_HZ)], SHAFT_HZ, 40, TOP_ORDER
    )
    assert found.per_order == 40
    height = found.decibel[0]
    harmonics = np.arange(order, min(TOP_ORDER - 1, 5.5 * order), order)
    for harmonic in harmonics:
        at = round(harmonic * 40)
        line = at - 2 + int(np.argmax(height[at - 2 : at + 3]))
        assert abs(line - harmonic * 40) <= 1
        assert height[line] > 10
    if order > 1:
        beside = np.delete(height, [round(h * 40) + d for h in harmonics for d in range(-3, 4)])
        assert height[round(order * 40) - 1 : round(order * 40) + 2].max() > beside[9:600].max()


def test_peaks_held_show_short_impacts_more_than_the_mean_does(monkeypatch) -> None:
    x = [(impacts(0.43, 20.0, seed)[None], FS_HZ) for seed in range(3)]
    at = round(0.43 * 40)

    def heights() -> list[float]:
        found = [envelope_lines([one], SHAFT_HZ, 40, TOP_ORDER) for one in x]
        return [float(one.decibel[0, at - 1 : at + 2].max()) for one in found]

    held = heights()
    monkeypatch.setattr("auscult.dsp.envelope_lines.SLOW_HZ", 0.0)
    assert np.mean(held) > np.mean(heights()) + 1.5
