"""The speed of a shaft from its own lines, without a tachometer; None where it is not known.

Harmonics of the shaft vote for a speed by how improbable it is that a line of their height lies
there by chance. A speed counts as known only if its harmonics leave no room for chance and for any
other speed, and if they are no multiples of a higher fundamental: a bearing's comb at 3.05 orders
would pass for a shaft that turns 1.7 % faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.dsp import fourier as sf

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

TOLERANCE: Final = 0.075
"""Largest error of the stated speed: name plates were off by up to 6 % on real rigs."""
HARMONICS: Final = 12
SAME_LINE: Final = 0.4
"""A harmonic and its line differ by no more, in lines of the spectrum: Hann lines are interpolated
to a tenth …"""
WANDER: Final = 0.0003
"""… plus this share, by which a steady shaft wanders within a window."""
FLOOR_ORDERS: Final = 0.5
LEAST_FLOOR: Final = 15
"""Lines whose median is the local floor."""
LEAST_DB: Final = 6.0
"""Lower maxima are noise."""
BAND: Final = (0.01, 0.45)
"""Band whose envelope is searched too, as shares of the rate."""
FALSE: Final = 5.0
"""One wrong speed in 10⁵ by chance is allowed …"""
AHEAD: Final = 4.0
"""… and any other speed must be 10⁴ times less probable: lines of other parts are no chance."""
WITHOUT_MULTIPLES: Final = (2, 3, 4, 5, 6, 7)
LEFT: Final = 3.0
"""Without the multiples of one of these, the rest must still be so improbable (a power of ten)."""
KNOWN: Final = 0.002
"""Half width of the interval of a known speed."""
LEAST_TURNS: Final = 20.0
"""Shorter records do not separate the lines of a shaft from others'."""


@dataclass(frozen=True, slots=True)
class ShaftSpeed:
    """A known speed.

    Parameters
    ----------
    hz : float
    error : float
        Half width of its interval (95 %), as a share; at most 0.002.
    harmonics : tuple of int
        That speak for it.
    """

    hz: float
    error: float
    harmonics: tuple[int, ...]


def shaft_speed(
    channels: Sequence[tuple[Float32, float]], stated_hz: float, tolerance: float = TOLERANCE
) -> ShaftSpeed | None:
    """Find the speed near the stated one that explains the lines of all channels.

    Parameters
    ----------
    channels : sequence of (np.ndarray [shape=(n,)], fs_hz)
        Vibration of the same seconds at steady speed.
    stated_hz : float
    tolerance : float
        Share by which the true speed may differ.

    Returns
    -------
    ShaftSpeed or None
        None where it is not known.

    References
    ----------
    Votes by improbability: Desolneux, Moisan, Morel, "From Gestalt Theory to Image Analysis",
    Springer 2008 (a-contrario detection).

    Examples
    --------
    >>> t, rng = np.arange(40_000) / 10_000, np.random.default_rng(0)
    >>> x = sum(np.sin(2 * np.pi * 24.37 * k * t) for k in range(1, 6)) + rng.normal(size=t.size)
    >>> found = shaft_speed([(x.astype(np.float32), 10_000)], stated_hz=25)
    >>> abs(found.hz / 24.37 - 1) < found.error, found.harmonics[:5]
    (True, (1, 2, 3, 4, 5))
    """
    seconds = min(x.size / fs_hz for x, fs_hz in channels)
    if seconds * stated_hz < LEAST_TURNS:
        return None
    top = int((HARMONICS + 0.5) * (1 + tolerance) * stated_hz * seconds)
    floor = max(LEAST_FLOOR, int(FLOOR_ORDERS * stated_hz * seconds)) | 1
    spectra = [_heights(x[: int(seconds * fs_hz)], top, floor) for x, fs_hz in channels]
    kinds = [np.mean([pair[i] for pair in spectra], axis=0) for i in (0, 1)]
    votes = [_Votes(*_maxima(heights)) for heights in kinds]
    stated = stated_hz * seconds
    step = SAME_LINE / HARMONICS / stated / 2
    tried = stated * (1 + np.arange(-tolerance, tolerance + step, step))
    gains = np.sum([vote.gains(tried) for vote in votes], axis=0)
    total = gains.sum(axis=0)
    best = int(total.argmax())
    other = np.abs(tried / tried[best] - 1) > KNOWN
    least = log10(tried.size) + FALSE
    if total[best] < least or total[best] - total[other].max(initial=0.0) < AHEAD:
        return None
    k = np.arange(1, HARMONICS + 1)
    if any(gains[k % m != 0, best].sum() < LEFT for m in WITHOUT_MULTIPLES):
        return None
    if not gains[:2, best].any():
        return None  # a shaft without 1× and 2× is another comb
    lines, orders, weights = (
        np.concatenate(parts)
        for parts in zip(*(vote.matched(tried[best]) for vote in votes), strict=True)
    )
    if orders.size < 2:
        return None
    speed = float((weights * orders * lines).sum() / (weights * orders**2).sum())
    scatter = float(np.sqrt((weights * (lines - orders * speed) ** 2).sum() / weights.sum()))
    reach = float(np.sqrt((weights * orders**2).sum() / weights.max()))
    error = 2 * max(scatter, 0.1) / reach / speed
    if error > KNOWN:
        return None
    return ShaftSpeed(speed / seconds, error, tuple(int(one) for one in np.unique(orders)))


class _Votes:
    """Maxima of one spectrum: places in lines, and heights."""

    def __init__(self, places: Float64, heights: Float64) -> None:
        self._places, self._heights = places, heights
        order = np.sort(heights)
        # How many maxima are at least as high, for each line of the spectrum.
        higher = heights.size - np.searchsorted(order, heights)
        self._share = higher / max(float(places.max(initial=1.0)), 1.0)

    def gains(self, tried: Float64) -> Float64:
        """Improbability (power of ten) of the line at each harmonic, [shape=(12, speeds)]."""
        if not self._places.size:
            return np.zeros((HARMONICS, tried.size))
        at = np.asarray(np.arange(1, HARMONICS + 1)[:, None] * tried, np.float64)
        nearest = _nearest(self._places, at)
        reach = SAME_LINE + WANDER * at
        chance = self._share[nearest] * 2 * reach
        fits = np.abs(self._places[nearest] - at) <= reach
        return np.where(fits, np.maximum(-np.log10(np.maximum(chance, 1e-4)), 0), 0)

    def matched(self, speed: float) -> tuple[Float64, Float64, Float64]:
        """Places, orders and weights of the lines that fit a speed."""
        gains = self.gains(np.array([speed]))[:, 0]
        k = np.flatnonzero(gains > 0)
        if not k.size:
            return np.empty(0), np.empty(0), np.empty(0)
        orders = (k + 1).astype(np.float64)
        return self._places[_nearest(self._places, orders * np.float64(speed))], orders, gains[k]


def _nearest(places: Float64, at: Float64) -> NDArray[np.intp]:
    right = np.clip(np.searchsorted(places, at), 1, max(places.size - 1, 1))
    if places.size == 1:
        return np.zeros_like(right)
    return np.asarray(right - (at - places[right - 1] < places[right] - at))


def _heights(x: Float32, top: int, floor: int) -> tuple[Float64, Float64]:
    """Heights over the local floor in dB: of the signal's spectrum, and of its envelope's."""
    centred = x - x.mean()
    spectrum = sf.rfft(centred)
    low, high = int(BAND[0] * x.size), int(BAND[1] * x.size)
    length = sf.next_fast_len(high - low)
    envelope = np.abs(sf.ifft(spectrum[low:high], length)) ** 2
    envelope = (envelope / max(float(envelope.mean()), 1e-30) - 1) * np.hanning(length)
    plain = np.abs(sf.rfft(centred * np.hanning(x.size)))
    return _over_floor(plain, top, floor), _over_floor(np.abs(sf.rfft(envelope)), top, floor)


def _over_floor(spectrum: Float64, top: int, floor: int) -> Float64:
    from scipy.ndimage import median_filter  # a gateway that never searches does without

    level = np.full(top, -300.0)
    n = min(top, spectrum.size)
    level[:n] = 20 * np.log10(spectrum[:n] + 1e-30)
    height = level - median_filter(level, floor, mode="nearest")
    height[:3] = 0
    height[n:] = 0
    return np.asarray(height, np.float64)


def _maxima(height: Float64) -> tuple[Float64, Float64]:
    inner = height[1:-1]
    at = 1 + np.flatnonzero((inner > LEAST_DB) & (inner >= height[:-2]) & (inner > height[2:]))
    before, own, after = height[at - 1], height[at], height[at + 1]
    offset = (before - after) / (2 * np.minimum(before - 2 * own + after, -1e-3))
    return at + np.clip(offset, -0.5, 0.5), own
