"""Lines of the squared-envelope spectrum over orders of shaft speed, from long segments.

Orders that lie 0.05 apart (BPFO 3.05, 3 × shaft and BPFI − 2 = 2.95 of one bearing) are one line in
a segment of 20 revolutions. So segments are as long as the speed stays steady, and the resolution
follows the shaft: 100 revolutions separate 0.02 orders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from auscult.dsp import fourier as sf

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

BANDS: Final = ((0.01, 1 / 6), (1 / 6, 1 / 3), (1 / 3, 0.48), (0.01, 0.48))
"""Demodulated bands as shares of the rate: thirds of the spectrum, and all of it."""
TOP_SHARE: Final = 0.13
"""Highest modulation frequency as a share of the rate: the narrowest band carries no more."""
TAPER_SHARE: Final = 0.02
"""Part of a segment that is faded in, and out, before it is filtered."""
FLOOR_ORDERS: Final = 0.5
"""The noise floor of a line is the median of three blocks this wide around it."""
FLOOR_LINES: Final = 12
"""Narrowest block in lines."""
HEIGHT_DB: Final = (-3.0, 40.0)
"""A line counts at least and at most so much."""
CLEAR_DB: Final = 10.0
"""The level of such a line is not that of noise, which reaches this once in some 200 lines."""
PEAK_ORDERS: Final = 0.03
"""Only the highest line within this reach counts: the skirts of a strong line are no lines."""
CHANCE: Final = 1.7 / 1.28
"""What local maxima of noise reach: the median and this many times (median − lowest tenth)."""


SLOW_HZ: Final = 2.5
"""Below this shaft speed (150 r/min) an impact lasts a thousandth of the time between two: the mean
of its envelope is lost in noise, so the largest value of each short time is taken (peak-hold)."""
TOGETHER: Final = 4
"""Segments that are transformed at once: a transform of several rows takes half the time of one row
after the other, as long as they stay in the cache."""
HELD: Final = 2.56
"""Values that are held for each line of the spectrum, as analysers sample."""


@dataclass(frozen=True)
class EnvelopeLines:
    """Lines of an envelope spectrum at one resolution.

    Parameters
    ----------
    decibel : np.ndarray [shape=(c, lines), dtype=float32]
        Height of each line over the local floor for each channel, −3..40 dB, mean over bands.
    depth : np.ndarray [shape=(lines,), dtype=float32]
        Largest modulation depth of each line in any band of any channel, 0..2: 1 swings the squared
        envelope by its own mean.
    level : np.ndarray [shape=(c, lines), dtype=float32]
        Amplitude of each line of the squared envelope in each channel, in its unit squared.
    plain : np.ndarray [shape=(c, lines), dtype=float32]
        Height of each line of the spectrum of the signal itself, −3..40 dB over its floor.
    per_order : float
        Lines per order of the stated speed.
    units : tuple of c str
    """

    decibel: Float32
    depth: Float32
    level: Float32
    plain: Float32
    per_order: float
    units: tuple[str, ...]

    def peaks(self) -> Float32:
        """Return the heights of local maxima over what chance reaches, in dB; 0 elsewhere.

        Returns
        -------
        np.ndarray [shape=(lines + 1,), dtype=float32]
            Mean over the channels; each maximum also fills its two neighbours. The last entry is 0:
            an order beyond the spectrum may point there.
        """
        return height_over_chance(self.decibel.mean(axis=0), self.per_order)

    def maxima(self, peaks: Float32) -> Float64:
        """Orders of the local maxima over chance (`peaks`), interpolated between the lines."""
        mean = self.decibel.mean(axis=0)
        height = peaks[:-1]
        inner = slice(1, -1)
        at = 1 + np.flatnonzero(
            (height[inner] > 0) & (mean[inner] >= mean[:-2]) & (mean[inner] > mean[2:])
        )
        before, own, after = mean[at - 1], mean[at], mean[at + 1]
        offset = (before - after) / (2 * np.minimum(before - 2 * own + after, -1e-3))
        return np.asarray((at + np.clip(offset, -0.5, 0.5)) / self.per_order, np.float64)

    def near(self, orders: Float64) -> NDArray[np.intp]:
        """Lines at `orders` and beside them [shape=(3, k)]; those beyond the end are left out."""
        line = np.rint(orders * self.per_order).astype(np.intp)
        line = line[(line > 0) & (line < self.depth.size - 1)]
        return np.stack([line - 1, line, line + 1])

    def deepest(self, orders: Float64) -> float:
        """Return the largest modulation depth of the lines at `orders`, 0..2."""
        return float(self.depth[self.near(orders)].max(initial=0))

    def nearest(self, orders: Float64) -> int:
        """Return the channel nearest to what makes the lines at `orders`.

        Impacts lose strength on their way, so it is the one where clear lines have the highest
        level. Levels of other units do not compare with those of the clearest channel. Clearness
        alone would not do: each channel of a machine shows a strong fault clearly, the one with
        least noise best.
        """
        near = self.near(orders)
        height = self.decibel[:, near].max(axis=1)
        clearest = height.sum(axis=1).argmax()
        alike = np.array([unit == self.units[clearest] for unit in self.units])
        counts = alike[:, None] & (height >= CLEAR_DB)
        level = np.where(counts, self.level[:, near].max(axis=1), 0).sum(axis=1)
        return int(level.argmax() if level.any() else clearest)


def height_over_chance(level: Float32, per_order: float) -> Float32:
    """Return the heights of local maxima over what chance reaches; see `EnvelopeLines.peaks`.

    Parameters
    ----------
    level : np.ndarray [shape=(..., lines)]
    per_order : float

    Returns
    -------
    np.ndarray [shape=(..., lines + 1), dtype=float32]
    """
    from scipy.ndimage import maximum_filter1d  # a gateway that never searches does without

    tenth, median = _quantiles(level, 0.1, 0.5)
    chance = median + CHANCE * (median - tenth)
    radius = max(1, round(PEAK_ORDERS * per_order))
    highest = level >= maximum_filter1d(level, 2 * radius + 1)
    height = np.where(highest, np.maximum(level - chance, 0), 0)
    spread = np.zeros((*level.shape[:-1], level.shape[-1] + 1), np.float32)
    spread[..., :-1] = maximum_filter1d(height, 3)
    spread[..., :2] = 0  # the Hann lobe of the mean
    return spread


def _quantiles(level: Float32, *shares: float) -> list[Float32]:
    """Return the quantiles of the last axis, which is kept; one partition serves them all."""
    last = level.shape[-1] - 1
    places = [share * last for share in shares]
    ends = [(int(at), min(int(at) + 1, last)) for at in places]
    parted = np.partition(level, sorted({end for pair in ends for end in pair}), axis=-1)
    return [
        parted[..., low : low + 1]
        + np.float32(at - low) * (parted[..., high : high + 1] - parted[..., low : low + 1])
        for at, (low, high) in zip(places, ends, strict=True)
    ]


def envelope_lines(
    channels: Sequence[tuple[Float32, float]],
    shaft_hz: float,
    revolutions: float,
    top_order: float,
    units: Sequence[str] = (),
) -> EnvelopeLines:
    """Average the envelope spectra of half-overlapping segments, bands and channels.

    Each segment is demodulated in `BANDS`, plain and with |X| := 1 (cepstral prewhitening). The
    Hann window lies on the envelope, whose main lobe is then 30 % narrower than that of the
    squared envelope of a windowed segment. Below `SLOW_HZ` the envelope's peaks are held.

    Parameters
    ----------
    channels : sequence of (np.ndarray [shape=(w, n)], fs_hz)
        Simultaneous signals of steady speed: w stretches of n samples each.
    shaft_hz : float
        Stated shaft speed.
    revolutions : float
        Length of a segment; a shorter stretch is one segment.
    top_order : float
        Highest order of the result, as far as the rate carries it.
    units : sequence of str
        Of each channel; empty = all alike.

    References
    ----------
    Randall and Antoni, "Rolling element bearing diagnostics – a tutorial", MSSP 25 (2011).
    Robinson, Canada, Piety, "PeakVue analysis", ORBIT/Vibration Institute (2001), for peak-hold.
    """
    stretch_s = min(rows.shape[1] / fs_hz for rows, fs_hz in channels)
    segment_s = min(stretch_s, revolutions / shaft_hz)
    top_hz = min(top_order * shaft_hz, *(TOP_SHARE * fs_hz for _, fs_hz in channels))
    top = int(top_hz * segment_s)
    cut = [(rows, round(segment_s * fs_hz)) for rows, fs_hz in channels]
    squares, level, power = _spectra(cut, top, BANDS, hold=shaft_hz < SLOW_HZ)
    block = max(FLOOR_LINES, int(FLOOR_ORDERS * shaft_hz * segment_s))
    decibel = np.array([_over_floor(channel, block).mean(axis=0) for channel in squares])
    depth = np.sqrt(squares.max(axis=(0, 1)))
    return EnvelopeLines(
        decibel,
        depth,
        np.sqrt(level),
        _over_floor(power, block),
        shaft_hz * segment_s,
        tuple(units) or ("",) * len(channels),
    )


def band_lines(
    channels: Sequence[Float32],
    fs_hz: float,
    shaft_hz: float,
    revolutions: float,
    top_order: float,
    bands: Sequence[tuple[float, float]],
) -> tuple[Float32, float]:
    """Give the lines of the envelope in each band of channels of one rate and length.

    Parameters
    ----------
    channels : sequence of c np.ndarray [shape=(w, n)]
    fs_hz, shaft_hz, revolutions, top_order : float
        As for `envelope_lines`.
    bands : sequence of (low, high)
        Shares of the rate, wider than the highest modulation frequency.

    Returns
    -------
    decibel : np.ndarray [shape=(c, bands, lines), dtype=float32]
        Height of each line over the local floor, −3..40 dB.
    per_order : float
        Lines per order of the stated speed.
    """
    segment_s = min(channels[0].shape[1] / fs_hz, revolutions / shaft_hz)
    narrowest = min(high - low for low, high in bands)
    top = int(min(top_order * shaft_hz, 0.9 * narrowest * fs_hz) * segment_s)
    squares, _, _ = _spectra([(rows, round(segment_s * fs_hz)) for rows in channels], top, bands)
    block = max(FLOOR_LINES, int(FLOOR_ORDERS * shaft_hz * segment_s))
    heights = [_over_floor(own, block).reshape(len(bands), 2, top).mean(axis=1) for own in squares]
    return np.array(heights), shaft_hz * segment_s


def _spectra(
    channels: Sequence[tuple[Float32, int]],
    top: int,
    bands: Sequence[tuple[float, float]],
    *,
    hold: bool = False,
) -> tuple[Float32, Float32, Float32]:
    """Return the mean spectra of the envelopes, their peaks held or not, and of the signal.

    Segments of n samples are transformed `TOGETHER`, whatever their channel.

    Parameters
    ----------
    channels : sequence of c (np.ndarray [shape=(w, samples)], n)

    Returns
    -------
    squared_depth : np.ndarray [shape=(c, 2 · bands, top)]
        Of the envelope in each band, plain and prewhitened.
    squared_level : np.ndarray [shape=(c, top)]
        Of the plain envelope, in the unit to the fourth, sum over the bands.
    power : np.ndarray [shape=(c, top)]
    """
    cut = [
        (channel, row[start : start + n])
        for channel, (rows, n) in enumerate(channels)
        for row in rows
        for start in range(0, row.size - n + 1, max(1, n // 2))
    ]
    squares = np.zeros((len(channels), 2 * len(bands), top), np.float32)
    levels, power = np.zeros((2, len(channels), top), np.float32)
    for _, same in groupby(cut, key=lambda one: one[1].size):
        segments = list(same)
        for at in range(0, len(segments), TOGETHER):
            some = segments[at : at + TOGETHER]
            found = _segment_spectra(np.stack([one for _, one in some]), top, bands, hold)
            for (channel, _), own_squares, own_levels, own_power in zip(some, *found, strict=True):
                squares[channel] += own_squares
                levels[channel] += own_levels
                power[channel] += own_power
    counts = np.bincount([channel for channel, _ in cut]).astype(np.float32)[:, None]
    return squares / counts[..., None], levels / counts, power / counts


def _segment_spectra(
    segments: Float32, top: int, bands: Sequence[tuple[float, float]], hold: bool
) -> tuple[Float32, Float32, Float32]:
    """Return the spectra of k segments [shape=(k, n)]: of the envelopes and of the signal."""
    k, n = segments.shape
    spectrum = sf.rfft((segments - segments.mean(axis=1, keepdims=True)) * _taper(n))
    before = np.concatenate([np.conj(spectrum[:, 1:2]), spectrum[:, : top - 1]], axis=1)
    beside = before + spectrum[:, 1 : top + 1]
    power = _square(spectrum[:, :top] - beside / 2)  # the Hann window, on the spectrum
    squares = np.empty((k, 2 * len(bands), top), np.float32)
    levels = np.zeros((k, top), np.float32)
    for i, (low, high) in enumerate(bands):
        band = spectrum[:, int(low * n) : int(high * n)]
        size = np.sqrt(_square(band))
        floor = np.float32(1e-6) * size.mean(axis=1, keepdims=True) + np.float32(1e-30)
        least = band.shape[1] + top + 2
        block = max(1, int(least / (HELD * top))) if hold else 1
        held = sf.next_fast_len(-(-least // block))
        envelope = _square(sf.ifft(np.stack([band, band / (size + floor)], axis=1), held * block))
        if block > 1:
            envelope = envelope.reshape(k, 2, held, block).max(axis=3)
        mean = envelope.mean(axis=2, keepdims=True)
        envelope *= 1 / np.maximum(mean, np.float32(1e-30))
        envelope -= 1
        envelope *= _hann(held)
        squares[:, 2 * i : 2 * i + 2] = _square(sf.rfft(envelope)[..., :top])
        squares[:, 2 * i : 2 * i + 2] *= np.float32(4 / held) ** 2
        # of the real signal, of which the band is half
        levels += squares[:, 2 * i] * (mean[:, 0] * np.float32(2 * held * block / n) ** 2) ** 2
    return squares, levels, power


def _square(z: NDArray[Any]) -> Float32:
    """Return the squared magnitude, without the root that `abs` takes."""
    return np.asarray(z.real**2 + z.imag**2)


def _over_floor(squares: Float32, block: int) -> Float32:
    """Return the height of each line in dB over the median of its surroundings: three blocks."""
    level = 10 * np.log10(squares + np.float32(1e-30))
    count = max(1, level.shape[1] // block)
    block = min(block, level.shape[1])
    median = np.median(level[:, : count * block].reshape(len(level), count, block), axis=2)
    padded = np.pad(median, ((0, 0), (1, 1)), mode="edge")
    floor = np.median(np.stack([padded[:, :-2], padded[:, 1:-1], padded[:, 2:]]), axis=0)
    centres, lines = (np.arange(count) + 0.5) * block, np.arange(level.shape[1])
    height = np.clip(level - np.stack([np.interp(lines, centres, f) for f in floor]), *HEIGHT_DB)
    height[:, :2] = HEIGHT_DB[0]  # the Hann lobe of the mean
    return np.asarray(height, np.float32)


@lru_cache(maxsize=16)
def _taper(n: int) -> Float32:
    edge = max(8, int(n * TAPER_SHARE))
    taper = np.ones(n, np.float32)
    taper[:edge] = 0.5 - 0.5 * np.cos(np.pi * (np.arange(edge) + 0.5) / edge)
    taper[-edge:] = taper[edge - 1 :: -1]
    return taper


@lru_cache(maxsize=16)
def _hann(n: int) -> Float32:
    return np.hanning(n).astype(np.float32)
