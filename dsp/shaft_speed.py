"""The speed of a shaft from its lines, without a tachometer; None where it is not known.

What turns with the shaft repeats each turn, so its lines lie one order apart: the shaft's
harmonics, and the sidebands of any carrier (a race, a mesh, a resonance). The distances between
pairs of lines therefore vote for the speed, whatever the carriers are. Places of lines alone
mislead: on real rigs, harmonics of a drive's frequency pass for those of a shaft that slips behind
it by 0.5 %, and a race's comb at 3.05 orders for a shaft that turns 1.7 % faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.dsp import fourier as sf

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

TOLERANCE: Final = 0.1
"""Largest error of the stated speed: a motor below 0.5 kW slips by up to 10 % behind its field."""
TOP_ORDER: Final = 20.0
"""Lines up to here are paired: sidebands of races of most bearings and of their second harmonic."""
MOST_LINES: Final = 120
"""Highest lines of a spectrum that are paired."""
SPACINGS: Final = 8
"""Pairs up to so many orders apart: the further apart, the more exact and the rarer."""
WITHOUT_MULTIPLES: Final = (2, 3, 4, 5, 6, 7, 8)
"""Spacings that are no multiples of each of these must say the same: a race's comb at 3.05 orders
has pairs 3, 6 … orders apart alone, one at 3.58 orders 7 apart."""
LINE: Final = 0.2
"""Standard error of a line's place, in lines: Hann lines are interpolated to a tenth, and a steady
shaft wanders by about as much within a window."""
FINE: Final = 16
"""Steps of a distance in each line."""
FLOOR_ORDERS: Final = 0.5
LEAST_FLOOR: Final = 15
"""Lines whose median is the local floor."""
LEAST_DB: Final = 6.0
"""Lower maxima are noise …"""
MOST_DB: Final = 30.0
"""… and higher ones count no more."""
BAND: Final = (0.01, 0.45)
"""Band whose envelope is searched too, as shares of the rate."""
SIGMA: Final = 8.0
"""Least excess of pairs over what chance gives, in standard deviations: noise reached 1.4, a
simulated race whose harmonics fold at half the rate 6.8."""
WITNESSED: Final = 4.0
"""Least excess where the highest line near 1× lies at the found speed: neither a race's comb nor
noise has such a line."""
OTHERS: Final = 0.8
"""Any speed that differs by more than `KNOWN` may have so much of it."""
FIRST_DB: Final = 25.0
FIRST: Final = 0.3
"""A line so high near 1× is the shaft's own: it lies within so many lines of the found speed."""
NEAR_FIRST: Final = 0.75
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
        Half width of the interval of speeds that explain the distances nearly as well, as a share;
        at most 0.002.
    sigma : float
        Excess of pairs over what chance gives, in standard deviations.
    witnessed : bool
        The highest line near 1× lies at this speed.
    """

    hz: float
    error: float
    sigma: float
    witnessed: bool


def shaft_speed(
    channels: Sequence[tuple[Float32, float]], stated_hz: float, tolerance: float = TOLERANCE
) -> ShaftSpeed | None:
    """Find the speed near the stated one that explains the distances between lines.

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
    Equal distances of lines are what a cepstrum shows: Randall, "A history of cepstrum analysis and
    its application to mechanical problems", MSSP 97 (2017).

    Examples
    --------
    >>> t, rng = np.arange(40_000) / 10_000, np.random.default_rng(0)
    >>> x = sum(np.sin(2 * np.pi * 24.37 * k * t) for k in range(1, 8)) + rng.normal(size=t.size)
    >>> found = shaft_speed([(x.astype(np.float32), 10_000)], stated_hz=25)
    >>> abs(found.hz / 24.37 - 1) < found.error < 0.002
    True
    """
    seconds = min(x.size / fs_hz for x, fs_hz in channels)
    per_order = seconds * stated_hz
    if per_order < LEAST_TURNS:
        return None
    top = int(TOP_ORDER * (1 + tolerance) * per_order)
    floor = max(LEAST_FLOOR, int(FLOOR_ORDERS * per_order)) | 1
    spectra = [_heights(x[: int(seconds * fs_hz)], top, floor) for x, fs_hz in channels]
    plain, envelope = (_maxima(np.mean([pair[i] for pair in spectra], axis=0)) for i in (0, 1))
    step = LINE / SPACINGS / per_order
    reach = int(tolerance / step)
    speeds = np.asarray(1 + step * np.arange(-reach, reach + 1), np.float64)
    excess = np.sum([_excess(*lines, per_order, speeds) for lines in (plain, envelope)], axis=0)
    sigma = _least(excess)
    best = int(sigma.argmax())
    if sigma[best] < WITNESSED:
        return None
    near = np.flatnonzero(sigma >= OTHERS * sigma[best])
    low, high = speeds[near[0]], speeds[near[-1]]
    hz = float((low + high) / 2)
    error = float((high - low) / 2 + step) / hz
    at_edge = near[0] == 0 or near[-1] == speeds.size - 1
    if error > KNOWN or at_edge or _contradicted(*plain, hz * per_order):
        return None
    span = tolerance * per_order + NEAR_FIRST
    witnessed = _witnessed(*plain, hz * per_order, (per_order - span, per_order + span))
    if sigma[best] < SIGMA and not witnessed:
        return None
    return ShaftSpeed(hz * stated_hz, error, float(sigma[best]), witnessed)


def _excess(places: Float64, heights: Float64, per_order: float, speeds: Float64) -> Float64:
    """Excess of pairs of lines at 1..8 times each speed, in standard deviations, [shape=(8, s)].

    A pair counts with the lower of both heights. Chance is the mean of all distances near by.
    """
    from scipy.ndimage import gaussian_filter1d  # a gateway that never searches does without

    found = np.zeros((SPACINGS, speeds.size))
    if not places.size:
        return found
    strongest = np.argsort(-heights)[:MOST_LINES]
    places, heights = places[strongest], np.minimum(heights[strongest], MOST_DB)
    # The line at 0 Hz belongs to the shaft's own harmonics.
    places, heights = np.append(places, 0.0), np.append(heights, heights.max())
    most = speeds[-1] * SPACINGS * per_order + 2
    apart = places[None, :] - places[:, None]
    pairs = (apart > 0) & (apart < most)
    apart, weight = apart[pairs], np.minimum(heights[None, :], heights[:, None])[pairs]
    bins, size = np.rint(apart * FINE).astype(np.intp), int(most * FINE) + 2
    counts = np.bincount(bins, weight, size)
    squares = np.bincount(bins, weight**2, size)
    width = np.sqrt(2) * LINE * FINE
    smooth = gaussian_filter1d(counts, width, mode="constant") * np.sqrt(2 * np.pi) * width
    reach = max(speeds[-1] - 1, 0.02)
    for k in range(1, SPACINGS + 1):
        around = slice(
            max(0, int((k - reach * k - 0.05) * per_order * FINE)),
            int((k + reach * k + 0.05) * per_order * FINE),
        )
        chance = counts[around].mean() * np.sqrt(2 * np.pi) * width
        spread = squares[around].mean() * np.sqrt(np.pi) * width
        at = k * speeds * per_order * FINE
        excess = np.interp(at, np.arange(size), smooth) - chance
        # Some of the variance of one pair: where pairs are few, a single one is no excess.
        found[k - 1] = excess / np.sqrt(spread + 0.3 * MOST_DB**2)
    return np.maximum(found, -1)


def _least(excess: Float64) -> Float64:
    """Return excess at each speed, of the spacings that are no multiples of the worst divisor."""
    k = np.arange(1, SPACINGS + 1)
    sums = [
        excess[k % m != 0].sum(axis=0) / np.sqrt(2 * np.count_nonzero(k % m))
        for m in WITHOUT_MULTIPLES
    ]
    return np.asarray(np.min(sums, axis=0), np.float64)


def _contradicted(places: Float64, heights: Float64, first: float) -> bool:
    """Return whether the signal's own line at 1× lies elsewhere."""
    off = np.abs(places - first)
    own = (off < NEAR_FIRST) & (heights >= FIRST_DB)
    return bool(own.any() and off[own].min() > FIRST)


def _witnessed(places: Float64, heights: Float64, first: float, span: tuple[float, float]) -> bool:
    """Return whether the highest line of all that could be the shaft's 1× lies at the found one."""
    near = (places > span[0]) & (places < span[1]) & (heights >= FIRST_DB)
    if not near.any():
        return False
    return bool(abs(places[near][heights[near].argmax()] - first) <= FIRST)


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
    """Return the places of local maxima in lines, and their heights in dB."""
    inner = height[1:-1]
    at = 1 + np.flatnonzero((inner > LEAST_DB) & (inner >= height[:-2]) & (inner > height[2:]))
    before, own, after = height[at - 1], height[at], height[at + 1]
    offset = (before - after) / (2 * np.minimum(before - 2 * own + after, -1e-3))
    return at + np.clip(offset, -0.5, 0.5), own
