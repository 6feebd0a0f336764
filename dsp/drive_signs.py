"""What drives, flow and friction leave in a machine's signals, beside the orders of its shaft.

Lines of blades, belts and the mains, and the noise between lines: below the shaft's speed it comes
from flow, above 1 kHz from rolling contacts and bubbles. Lines and noise are separate signs: the
noise is a low quantile of narrow lines, which tones do not move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.dsp import fourier as sf
from auscult.dsp.welch import welch

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Complex = NDArray[np.complex64]

MAINS_HZ: Final = (50.0, 60.0)
MAINS_TOLERANCE: Final = 0.002
"""Large grids hold their frequency within 0.1 % nearly always."""
BLADE_TOLERANCE: Final = 0.002
"""Blades turn with the shaft, whose speed is found as exactly as this."""
BELT_TOLERANCE: Final = 0.02
"""Belts creep by up to 2 %."""
BLADE_HARMONICS: Final = (1, 2)
BELT_HARMONICS: Final = (1, 2, 3, 4)
LOBE: Final = 2.5
"""Lines nearer than this, in lines of the spectrum, are one."""
FLOOR: Final = 16
"""Lines on each side whose median is the local floor."""
STANDS_OUT: Final = 10.0
"""A line counts if its power is so many times the floor: noise reaches that once in 1,000 lines."""
NOISE_FROM_HZ: Final = 1000.0
"""Above most lines of shafts, blades and gears of slow machines."""
NOISE_LINE_HZ: Final = 10.0
NOISE_SHARE: Final = 0.45
"""Top of the noise bands, as a share of the rate."""
QUANTILE: Final = 0.25
SLOW_ORDERS: Final = (0.2, 0.9)
"""Turbulence of flow lies below the shaft's speed."""
LEAST_LINES: Final = 12
"""Lines that a band of noise needs."""
SHAFT_ORDERS: Final = 6
KURTOSIS_PARTS: Final = 8


@dataclass(frozen=True)
class DriveSigns:
    """Signs at each of c points; NaN where a point can't carry one, or another line covers it.

    Parameters
    ----------
    blades, belts, mains : np.ndarray [shape=(c,)]
        R.m.s. sum of the lines of all wheels, of all belts, and of twice the mains frequency:
        amplitude over order, which compares with `OrderLines.velocity`. Negative where no line
        stands out: its size is the level at which one would.
    belt_lines : np.ndarray [shape=(c,)]
        How many multiples of a belt stand out.
    slow_db : np.ndarray [shape=(c,)]
        Noise between 0.2 and 0.9 of the shaft's speed.
    noise_db : tuple of np.ndarray [shape=(octaves,)]
        Noise in the octaves from 1 kHz on, for each point.
    level_db : np.ndarray [shape=(c,)]
        All above 1 kHz.
    kurtosis : np.ndarray [shape=(c,)]
        Of the same, median of eight parts; Gaussian noise has 3.
    turn_depth, blade_depth : np.ndarray [shape=(c,)]
        Modulation depth of the noise above 1 kHz at the first orders of the shaft, and at the blade
        pass; 0 where no line stands out.
    """

    blades: Float64
    belts: Float64
    mains: Float64
    belt_lines: Float64
    slow_db: Float64
    noise_db: tuple[Float64, ...]
    level_db: Float64
    kurtosis: Float64
    turn_depth: Float64
    blade_depth: Float64


def drive_signs(
    channels: Sequence[tuple[Float32, float]],
    shaft_hz: float,
    *,
    blades: Sequence[float] = (),
    belts: Sequence[float] = (),
    line_hz: float | None = None,
) -> DriveSigns:
    """Measure all signs.

    Parameters
    ----------
    channels : sequence of (np.ndarray [shape=(n,)], fs_hz)
    shaft_hz : float
        True speed of the shaft, within 0.2 %.
    blades, belts : sequence of float
        Orders of blade passes and of belts.
    line_hz : float or None
        Mains frequency; None tries 50 and 60 Hz.

    Examples
    --------
    >>> fs, t = 10_000, np.arange(40_000) / 10_000
    >>> x = np.sin(2 * np.pi * 100 * t) + 0.01 * np.random.default_rng(0).standard_normal(t.size)
    >>> signs = drive_signs([(x.astype(np.float32), fs)], shaft_hz=24.6, blades=[7.0])
    >>> (signs.mains * 100 / 24.6).round(2).tolist(), (signs.blades < 0).tolist()
    ([1.0], [True])
    """
    rows = [_signs(x, fs, shaft_hz, blades, belts, line_hz) for x, fs in channels]
    return DriveSigns(
        noise_db=tuple(noise_db for _, noise_db in rows),
        **{name: np.array([values[name] for values, _ in rows]) for name in rows[0][0]},
    )


def _signs(
    x: Float32,
    fs_hz: float,
    shaft_hz: float,
    blades: Sequence[float],
    belts: Sequence[float],
    line_hz: float | None,
) -> tuple[dict[str, float], Float64]:
    lines = _LineAmplitudes(x, fs_hz)
    own = [k * shaft_hz for k in range(1, SHAFT_ORDERS + 1)]
    of_blades = [
        lines.height(n * order * shaft_hz, BLADE_TOLERANCE) / (n * order)
        for order in blades
        for n in BLADE_HARMONICS
    ]
    of_belts = [
        lines.height(n * order * shaft_hz, BELT_TOLERANCE, own) / (n * order)
        for order in belts
        for n in BELT_HARMONICS
    ]
    beside = own + [n * order * shaft_hz for order in belts for n in BELT_HARMONICS]
    mains = [
        lines.height(2 * hz, MAINS_TOLERANCE, beside) * shaft_hz / (2 * hz)
        for hz in ((line_hz,) if line_hz else MAINS_HZ)
    ]
    high = _high(x, fs_hz)
    turn, blade = _depths(high, fs_hz, shaft_hz, blades)
    values = {
        "blades": _sum(of_blades),
        "belts": _sum(of_belts),
        "mains": _sum(mains),
        "belt_lines": float(np.nansum(np.array(of_belts) > 0)),
        "slow_db": lines.noise_db(SLOW_ORDERS[0] * shaft_hz, SLOW_ORDERS[1] * shaft_hz),
        "level_db": _level_db(high),
        "kurtosis": _kurtosis(high),
        "turn_depth": turn,
        "blade_depth": blade,
    }
    return values, _noise_db(x, fs_hz)


class _LineAmplitudes:
    """Amplitudes of the lines of a signal."""

    def __init__(self, x: Float32, fs_hz: float) -> None:
        window = np.hanning(x.size)
        self.levels = np.abs(sf.rfft((x - x.mean()) * window)) * (2 / window.sum())
        self.step_hz = fs_hz / x.size

    def height(self, hz: float, tolerance: float, taken_hz: Sequence[float] = ()) -> float:
        """Return the amplitude of the line near a frequency; NaN where it can't be seen.

        Negative where none stands out: the level at which one would.
        """
        reach = max(tolerance * hz, self.step_hz)
        low, high = int((hz - reach) / self.step_hz), int((hz + reach) / self.step_hz) + 2
        if low - FLOOR < 1 or high + FLOOR >= self.levels.size:
            return np.nan
        if any(abs(hz - other) < reach + LOBE * self.step_hz for other in taken_hz):
            return np.nan
        level = float(self.levels[low:high].max())
        floor = np.median(np.r_[self.levels[low - FLOOR : low], self.levels[high : high + FLOOR]])
        least = float(np.sqrt(STANDS_OUT) * floor)
        return level if level >= least else -least

    def noise_db(self, low_hz: float, high_hz: float) -> float:
        """Return the level of the noise between the lines of a band."""
        low, high = round(low_hz / self.step_hz), round(high_hz / self.step_hz)
        if high - low < LEAST_LINES:
            return np.nan
        level = np.quantile(self.levels[low:high], QUANTILE)
        return float(20 * np.log10(level + 1e-30))


def _sum(lines: Sequence[float]) -> float:
    known = np.array([line for line in lines if not np.isnan(line)])
    there = known[known > 0]
    if there.size:
        return float(np.sqrt((there**2).sum()))
    return float(-np.sqrt((known**2).sum())) if known.size else np.nan


def _noise_db(x: Float32, fs_hz: float) -> Float64:
    n = int(2 ** np.round(np.log2(fs_hz / NOISE_LINE_HZ)))
    hz, power = welch(x, fs_hz, min(n, x.size))
    octaves, low_hz = [], NOISE_FROM_HZ
    while low_hz * np.sqrt(2) < NOISE_SHARE * fs_hz:
        inside = (hz >= low_hz) & (hz < min(2 * low_hz, NOISE_SHARE * fs_hz))
        octaves.append(10 * np.log10(np.quantile(power[inside], QUANTILE) + 1e-30))
        low_hz *= 2
    return np.array(octaves, np.float64)


def _high(x: Float32, fs_hz: float) -> Complex:
    """Return the analytic part above `NOISE_FROM_HZ`, empty where the rate is too low."""
    if np.sqrt(2) * NOISE_FROM_HZ >= NOISE_SHARE * fs_hz:
        return np.empty(0, np.complex64)
    spectrum = sf.rfft(x - x.mean())
    low, high = (int(hz * x.size / fs_hz) for hz in (NOISE_FROM_HZ, NOISE_SHARE * fs_hz))
    both = np.zeros(x.size, np.complex64)
    both[low:high] = 2 * spectrum[low:high]
    return np.asarray(sf.ifft(both), np.complex64)


def _level_db(high: Complex) -> float:
    return float(10 * np.log10(np.mean(np.abs(high) ** 2) / 2 + 1e-30)) if high.size else np.nan


def _depths(
    high: Complex, fs_hz: float, shaft_hz: float, blades: Sequence[float]
) -> tuple[float, float]:
    if not high.size:
        return np.nan, np.nan
    envelope = np.abs(high) ** 2
    lines = _LineAmplitudes((envelope / max(envelope.mean(), 1e-30) - 1).astype(np.float32), fs_hz)
    turn = [lines.height(k * shaft_hz, BLADE_TOLERANCE) for k in range(1, SHAFT_ORDERS + 1)]
    blade = [lines.height(order * shaft_hz, BLADE_TOLERANCE) for order in blades]
    return float(np.nanmax([*turn, 0.0])), float(np.nanmax([*blade, 0.0]))


def _kurtosis(high: Complex) -> float:
    if not high.size:
        return np.nan
    squares = [part.real**2 for part in np.array_split(high, KURTOSIS_PARTS)]
    return float(np.median([(s**2).mean() / max(s.mean() ** 2, 1e-30) for s in squares]))
