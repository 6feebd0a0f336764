"""Sensor health, separate from machine health: whether a window holds a valid measurement."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntFlag
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray


class SensorHealth(IntFlag):
    """Faults of a sensor or its cable as bits of a uint16; 0 = none."""

    OK = 0
    NOT_FINITE = 1
    """NaN, infinity, or values beyond any sensor (> 1e8)."""
    FLAT_LINE = 2
    """Constant, zero or denormal: no signal arrives."""
    CLIPPING = 4
    """Samples accumulate at a rail: the converter or the sensor is at full scale."""
    BIAS = 8
    """Mean beyond half of full scale: IEPE cable open or shorted, amplifier saturated."""
    DROPOUT = 16
    """A run of identical samples inside a changing signal: link or converter stalled."""
    SPIKES = 32
    """Single samples, too short for a mechanical vibration: electrical disturbance."""
    NOISE_FLOOR = 64
    """Signal of about one converter step: only the converter's noise."""
    UNCERTAIN = 128
    """The source marks an overall value as uncertain, for example by its OPC UA quality."""
    HELD = 256
    """Each value comes several times: the converter is slower than the stated rate, so that higher
    frequencies are images and aliases."""
    MAINS_50 = 512
    """The strongest low line lies at 50 Hz (`dsp.mains`): hum, if it is new. No fault by itself: a
    healthy sensor may have it."""
    MAINS_60 = 1024
    """The same at 60 Hz."""
    MAINS_ODD = 2048
    """With it a line at its third multiple, and none as strong at the second and fourth."""


UNUSABLE: Final = np.uint16(SensorHealth.NOT_FINITE | SensorHealth.FLAT_LINE)
"""Windows with these flags have no signal; their features are those of silence."""

MAINS: Final = SensorHealth.MAINS_50 | SensorHealth.MAINS_60 | SensorHealth.MAINS_ODD
DOUBTS: Final = 0xFFFF ^ int(MAINS)
"""Flags that make a window doubtful."""

LARGEST: Final = 1e8
"""Fourth powers of larger values overflow float32; no sensor delivers them in any unit."""

SMALLEST: Final = 1e-9
"""A smaller peak-to-peak value is no signal, and its fourth powers would be denormal."""

SMALLEST_SHARE: Final = 1e-6
"""A peak-to-peak value below this share of the extreme is float32 rounding."""

RAIL_WIDTH: Final = 2.0**-13
"""Samples within this share of the peak count as at the rail: a few steps of 16 bits."""

RAIL_EXCESS: Final = 6
"""With clipping, the rail has this many times more samples than the level just below it. The round
top of a sine gives 1/(√2 − 1) = 2.4."""

RAIL_NEAR: Final = 0.05
"""Share of the span within which a clipped signal has other samples beside those at its rail."""

FULL_SCALE_NEAR: Final = 0.99
"""Share of full scale below which a converter of known range does not clip."""

BIAS_LIMIT: Final = 0.5
"""Share of full scale: an IEPE sensor rests near mid-range, an open or shorted one at a rail."""

COARSE_SAMPLES: Final = 400
SHORTEST_STRIDE: Final = 8
"""The search for drop-outs tests every n-th sample: about 400 a window, n at least 8. It finds
drop-outs over two strides (1/200 of the window, at least 16 samples)."""

SPIKE_CREST: Final = 10.0
"""Peaks above this share of the r.m.s. are examined; Gaussian noise reaches 4.5 in 25,600
samples."""

SPIKE_REACH: Final = 16
"""Samples on each side of a peak in which a mechanical impact would ring."""

SPIKE_RATIO: Final = 8.0
"""A spike exceeds its surroundings by this factor; even a well damped impact rings above 1/8."""

HELD_SAMPLES: Final = 512
"""First samples of a window that are searched for a pattern of repeated values."""
HELD_CHANGES: Final = 16
"""Fewer changes of value make no pattern: a quiet signal on coarse steps."""
HELD_SHARE: Final = 0.4
"""Equal neighbours from which a window is searched: values that come twice give a half."""

STEPS_16BIT: Final = 32768

NOISE_STEPS: Final = 0.5
"""R.m.s. in steps of 16 bits below which only the converter's noise (0.3 steps) remains."""


def coarse_stride(n: int) -> int:
    """Return the distance of the samples that the search for drop-outs tests in a window of `n`."""
    return max(SHORTEST_STRIDE, n // COARSE_SAMPLES)


def all_usable(high: NDArray[np.float32], low: NDArray[np.float32]) -> bool:
    """Return whether `unusable` would flag none of these rows, at a fraction of the cost."""
    peak = max(float(high.max()), -float(low.min()))
    if not peak <= LARGEST:  # also True for NaN
        return False
    return float((high - low).min()) > max(SMALLEST, SMALLEST_SHARE * peak)


def unusable(high: NDArray[np.float32], low: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Return `UNUSABLE` flags of rows with these extremes: beyond float32, or without signal.

    Parameters
    ----------
    high, low : np.ndarray [shape=(c,), dtype=float32]
        Largest and smallest sample of each row.

    Returns
    -------
    np.ndarray [shape=(c,), dtype=uint16]
    """
    with np.errstate(invalid="ignore", over="ignore"):
        extreme = np.maximum(high, -low)
        finite = extreme <= LARGEST  # False for NaN
        span = high - low
        moving = (span > SMALLEST) & (span > SMALLEST_SHARE * extreme)
    flags = np.where(moving, 0, SensorHealth.FLAT_LINE)
    return np.where(finite, flags, SensorHealth.NOT_FINITE).astype(np.uint16)


def check(
    samples: NDArray[np.float32 | np.int16],
    coarse: NDArray[np.float32],
    unusable: NDArray[np.uint16],
    extreme: NDArray[np.float32],
    mean: NDArray[np.float32],
    rms: NDArray[np.float32],
    full_scale: float | None,
) -> NDArray[np.uint16]:
    """Find the flags of each row; costly checks run only on suspicious rows.

    Parameters
    ----------
    samples : np.ndarray [shape=(c, n), dtype=float32 or int16]
        As received; the checks depend on the shape in time only, so any scale will do.
    coarse : np.ndarray [shape=(c, n / coarse_stride), dtype=float32]
        Every n-th of them (`coarse_stride`).
    unusable : np.ndarray [shape=(c,), dtype=uint16]
        From `unusable`.
    extreme, mean, rms : np.ndarray [shape=(c,), dtype=float32]
        Largest magnitude, mean, and r.m.s. about it, in the signal's unit.
    full_scale : float or None
        Range of the converter in the signal's unit; None = unknown.

    Returns
    -------
    np.ndarray [shape=(c,), dtype=uint16]
        `SensorHealth` bits.
    """
    flags = unusable.copy()
    alive = unusable == 0
    suspects = alive
    if full_scale is not None:
        _flag(flags, alive & (np.abs(mean) > BIAS_LIMIT * full_scale), SensorHealth.BIAS)
        quiet = alive & (rms < NOISE_STEPS * full_scale / STEPS_16BIT)
        _flag(flags, quiet, SensorHealth.NOISE_FLOOR)
        suspects = alive & (extreme >= FULL_SCALE_NEAR * full_scale)
    _flag(flags, suspects, SensorHealth.CLIPPING, lambda i: _is_clipped(samples[i]))
    # Most batches have no row to examine; a count over the whole batch shows it in one call.
    equal = coarse[:, 1:] == coarse[:, :-1]
    twice = equal[:, 1:] & equal[:, :-1]
    if np.count_nonzero(twice):
        stride = coarse_stride(samples.shape[1])
        rows = alive & twice.any(axis=1)
        _flag(flags, rows, SensorHealth.DROPOUT, lambda i: _drops_out(samples[i], equal[i], stride))
    first = samples[:, :HELD_SAMPLES]
    repeats = first[:, 1:] == first[:, :-1]
    least = HELD_SHARE * repeats.shape[1]
    if np.count_nonzero(repeats) >= least:
        rows = alive & (np.count_nonzero(repeats, axis=1) >= least)
        _flag(flags, rows, SensorHealth.HELD, lambda i: _is_held(first[i]))
    spiky = alive & (extreme > SPIKE_CREST * rms)
    _flag(flags, spiky, SensorHealth.SPIKES, lambda i: _is_spiky(samples[i]))
    return flags


def _flag(
    flags: NDArray[np.uint16],
    rows: NDArray[np.bool_],
    flag: SensorHealth,
    examine: Callable[[int], bool] | None = None,
) -> None:
    """Set a flag of these rows, where given only if `examine` confirms it."""
    for i in rows.nonzero()[0]:
        if examine is None or examine(int(i)):
            flags[i] |= np.uint16(flag)


def _is_clipped(x: NDArray[Any]) -> bool:
    """Return whether samples accumulate at the highest or the lowest value of the row."""
    a = np.asarray(x, np.float32)
    return _at_rail(a) or _at_rail(-a)


def _at_rail(x: NDArray[np.float32]) -> bool:
    """Return whether far more samples are at the highest level than at the next level below."""
    high = x.max()
    width = RAIL_WIDTH * (high - x.min())
    at_rail = x >= high - width
    top = int(np.count_nonzero(at_rail))
    if top <= RAIL_EXCESS:  # the next level has at least one
        return False
    # With coarse steps the next level is further down.
    step = max(float(high - x.max(where=~at_rail, initial=-np.inf)), float(width))
    below = int(np.count_nonzero(x >= high - step - width)) - top
    return top > RAIL_EXCESS * below


def _drops_out(x: NDArray[Any], equal: NDArray[np.bool_], stride: int) -> bool:
    """Return whether two adjacent strides between equal coarse samples are constant throughout."""
    for k in np.flatnonzero(equal[1:] & equal[:-1]):
        stretch = x[k * stride : (k + 2) * stride + 1]
        if (stretch == stretch[0]).all() and not _is_rail(x, stretch[0]):
            return True
    return False


def _is_rail(x: NDArray[Any], level: float) -> bool:
    """Whether this level limits the signal: it is an extreme, and other samples come near it.

    A stalled or open link jumps to its level instead.
    """
    low, high = float(x.min()), float(x.max())
    if level not in (low, high):
        return False
    others = x[x != level].astype(np.float32)
    return float(np.abs(others - level).min(initial=np.inf)) <= RAIL_NEAR * (high - low)


def _is_held(x: NDArray[Any]) -> bool:
    """Return whether the value changes at every k-th sample only, for one k > 1."""
    changes = np.flatnonzero(x[1:] != x[:-1])
    return changes.size >= HELD_CHANGES and int(np.gcd.reduce(np.diff(changes))) > 1


def _is_spiky(x: NDArray[Any]) -> bool:
    """Return whether the highest peak is one or two samples without ringing around it."""
    a = np.abs(x - x.mean())
    k = int(a.argmax())
    before, after = a[max(0, k - SPIKE_REACH) : max(0, k - 1)], a[k + 2 : k + SPIKE_REACH]
    around = max(before.max(initial=0.0), after.max(initial=0.0))
    return bool(a[k] > SPIKE_RATIO * around)
