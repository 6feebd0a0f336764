"""Sidebands of the mains frequency in the current of an induction motor.

A broken rotor bar modulates the current at twice the slip frequency; an uneven air gap at the speed
of the shaft. Both need load: without slip the sidebands lie within the line itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.dsp import fourier as sf

LOBE: Final = 4.0
"""Half width of a Blackman–Harris line, in lines: its side lobes lie 92 dB below."""
LEAST_LOBES: Final = 1.5
"""A sideband must lie so many half widths from the line."""
SLIP: Final = 0.08
"""Largest slip of an induction motor under load."""


@dataclass(frozen=True, slots=True)
class CurrentLines:
    """Sidebands of a motor's current, in dB over the line (negative).

    Parameters
    ----------
    line_hz : float
        Found mains frequency.
    slip : float
        Share by which the shaft is slower than the field.
    bars_db : float or None
        The higher of the sidebands at ``line × (1 ± 2 × slip)``; None where the record is too
        short to separate them from the line, or the motor runs without load.
    gap_db : float or None
        The higher of the sidebands at ``line ± shaft``.
    """

    line_hz: float
    slip: float
    bars_db: float | None
    gap_db: float | None


def current_lines(
    samples: NDArray[np.float32], fs_hz: float, shaft_hz: float, line_hz: float, pole_pairs: int
) -> CurrentLines | None:
    """Measure the sidebands of a motor's current.

    Parameters
    ----------
    samples : np.ndarray [shape=(n,), dtype=float32]
        Current of one phase, in any unit.
    fs_hz : float
    shaft_hz : float
        Speed of the motor's shaft.
    line_hz : float
        Stated mains frequency; the true one may differ by 2 %.
    pole_pairs : int

    Returns
    -------
    CurrentLines or None
        None where the signal can't carry the line or the speed fits no slip of 0 to 8 %.

    References
    ----------
    Thomson and Fenger, "Current signature analysis to detect induction motor faults", IEEE
    Industry Applications Magazine 7 (2001); ISO 20958:2013.
    """
    levels = np.abs(sf.rfft((samples - samples.mean()) * _blackman_harris(samples.size)))
    step_hz = fs_hz / samples.size
    low, high = int(0.98 * line_hz / step_hz), int(1.02 * line_hz / step_hz) + 2
    if high + LOBE >= levels.size or low < 2 * LOBE:
        return None
    at = low + int(levels[low:high].argmax())
    before, own, after = np.log(levels[at - 1 : at + 2] + 1e-30)
    found_hz = (at + (before - after) / (2 * (before - 2 * own + after))) * step_hz
    slip = 1 - shaft_hz * pole_pairs / found_hz
    if not 0 <= slip <= SLIP:
        return None

    def sideband_db(offset_hz: float) -> float | None:
        if offset_hz < LEAST_LOBES * LOBE * step_hz:
            return None
        sides = []
        for hz in (found_hz - offset_hz, found_hz + offset_hz):
            near = round(abs(hz) / step_hz)
            sides.append(float(levels[max(near - 1, 1) : near + 2].max()))
        return float(20 * np.log10(max(sides) / levels[at] + 1e-12))

    return CurrentLines(found_hz, slip, sideband_db(2 * slip * found_hz), sideband_db(shaft_hz))


def _blackman_harris(n: int) -> NDArray[np.float64]:
    """Minimum 4-term Blackman-Harris window (Harris, Proc. IEEE 66, 1978): side lobes at −92 dB."""
    turn = 2 * np.pi * np.arange(n) / n
    terms = (0.35875, -0.48829, 0.14128, -0.01168)
    return np.asarray(sum(a * np.cos(k * turn) for k, a in enumerate(terms)))
