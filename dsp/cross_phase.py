"""Phase, coherence and orbit of two points that one clock samples."""

from __future__ import annotations

from dataclasses import dataclass
from math import degrees

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.units import ACCELERATION_M_S2, VELOCITY_MM_S

Float64 = NDArray[np.float64]

SEARCHED_SHARE = 0.03
"""A line is looked for this far on each side of the stated frequency: slip of a loaded motor."""
LEAST_SEGMENTS = 4
"""Segments without overlap: below them coherence says nothing (of one segment it is always 1)."""
PASSED_SHARE = 0.3
"""An orbit holds what lies within this share of the shaft frequency on each side of its order."""
FLANK_SHARE = 0.5
"""Share of the pass band on each side that its cosine flank takes, against ringing."""
INTEGRATED_FROM_HZ = 5.0
"""Lowest frequency of displacement: below it, integration raises drift above the vibration."""


@dataclass(frozen=True, slots=True)
class LinePhase:
    """Phase and coherence of two signals at one line.

    Parameters
    ----------
    hz : float
        The line, at the centre of its bin.
    phase_deg : float
        Phase of y against x, -180 to 180; positive: y leads.
    phase_error_deg : float
        Its standard error, 0 to 180.
    coherence : float
        0 to 1.
    x_amplitude, y_amplitude : float
        Peak amplitudes, in the unit of the signals.
    """

    hz: float
    phase_deg: float
    phase_error_deg: float
    coherence: float
    x_amplitude: float
    y_amplitude: float


class CrossSpectrum:
    """Averaged cross-spectrum of two signals (Welch, Hann, 50 % overlap).

    Parameters
    ----------
    x, y : np.ndarray [shape=(n,)]
        Samples of the same span of time.
    fs_hz : float
    apart_s : float
        How much later the samples of y were taken than those of x, within one sample.
    resolution_hz : float
        Greatest distance of two lines. The segments are as long as this needs.

    Raises
    ------
    ValueError
        If the signals differ in length, or hold fewer than `LEAST_SEGMENTS` segments.

    References
    ----------
    Bendat, Piersol: Random Data, 4th ed., 9.2.4: standard error of the phase.
    """

    def __init__(
        self, x: Float64, y: Float64, fs_hz: float, resolution_hz: float, apart_s: float = 0.0
    ) -> None:
        import scipy.signal as ss  # who asks for no phase does without

        if x.shape != y.shape:
            raise ValueError(f"signals of {x.size} and {y.size} samples")
        n = int(np.ceil(fs_hz / resolution_hz))
        self.segments = x.size // n
        if self.segments < LEAST_SEGMENTS:
            raise ValueError(f"{x.size} samples hold {self.segments} segments of {n}")
        self.df_hz = fs_hz / n
        self._f, cross = ss.csd(x, y, fs_hz, "hann", n, scaling="spectrum")
        self._xx, self._yy = (
            ss.welch(one, fs_hz, "hann", n, scaling="spectrum")[1] for one in (x, y)
        )
        self._cross = cross * np.exp(-2j * np.pi * self._f * apart_s)

    def strongest(self, hz: float) -> float:
        """Return the strongest line within `SEARCHED_SHARE` of a frequency, Hz."""
        reach = max(SEARCHED_SHARE * hz, self.df_hz)
        near = np.flatnonzero(np.abs(self._f - hz) <= reach)
        power = self._xx / self._xx.max() + self._yy / self._yy.max()
        return float(self._f[near[np.argmax(power[near])]])

    def line(self, hz: float) -> LinePhase:
        """Return the phase and coherence at the line nearest to a frequency."""
        i = round(hz / self.df_hz)
        power = self._xx[i] * self._yy[i]
        coherence = float(min(np.abs(self._cross[i]) ** 2 / power, 1.0)) if power > 0 else 0.0
        error = 180.0
        if coherence > 0:
            spread = np.sqrt((1 - coherence) / (2 * self.segments * coherence))
            error = min(degrees(float(spread)), 180.0)
        return LinePhase(
            hz=float(self._f[i]),
            phase_deg=degrees(float(np.angle(self._cross[i]))),
            phase_error_deg=error,
            coherence=coherence,
            x_amplitude=float(np.sqrt(2 * self._xx[i])),
            y_amplitude=float(np.sqrt(2 * self._yy[i])),
        )


def displacement_um(unit: str) -> tuple[int, float] | None:
    """Integrations and factor that make µm of a unit; None for a unit that has no displacement."""
    if unit in ACCELERATION_M_S2:
        return 2, ACCELERATION_M_S2[unit] * 1e6
    if unit in VELOCITY_MM_S:
        return 1, VELOCITY_MM_S[unit] * 1e3
    return None


def orbit(
    signal: Float64, fs_hz: float, shaft_hz: float, order: int, unit: str, apart_s: float = 0.0
) -> Float64:
    """One axis of an orbit: the signal near one order of the shaft, without a shift of phase.

    Parameters
    ----------
    signal : np.ndarray [shape=(n,)]
    fs_hz, shaft_hz : float
    order : int
        Order of the shaft frequency that passes.
    unit : str
        Acceleration and velocity become displacement in µm from `INTEGRATED_FROM_HZ` on; another
        unit stays.
    apart_s : float
        How much later than at the other axis the samples were taken; made up for.

    Returns
    -------
    np.ndarray [shape=(m,)]
        The middle part, without the ends that the filter has not settled on.
    """
    n = signal.size
    f = np.fft.rfftfreq(n, 1 / fs_hz)
    half = PASSED_SHARE * shaft_hz
    away = np.abs(f - order * shaft_hz)
    flank = half * FLANK_SHARE
    gain = np.clip((half - away) / flank, 0, 1)
    passed = np.fft.rfft(signal - signal.mean()) * 0.5 * (1 - np.cos(np.pi * gain))
    passed *= np.exp(-2j * np.pi * f * apart_s)
    if made := displacement_um(unit):
        integrations, factor = made
        turn = 2j * np.pi * np.maximum(f, INTEGRATED_FROM_HZ)
        passed *= factor / turn**integrations * (f >= INTEGRATED_FROM_HZ)
    settled = min(round(fs_hz / half), n // 4)
    filtered: Float64 = np.fft.irfft(passed, n)[settled : n - settled]
    return filtered
