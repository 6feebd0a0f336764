"""Sensor health, apart from machine health: whether a window is a measurement at all."""

from __future__ import annotations

from enum import IntFlag
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray


class SensorHealth(IntFlag):
    """What is wrong with the sensor or its cable; 0 = nothing. Stored as uint16."""

    OK = 0
    NOT_FINITE = 1
    """NaN, infinity, or values beyond any sensor (> 1e8)."""
    FLAT_LINE = 2
    """Constant, zero or denormal: the line is dead."""
    CLIPPING = 4
    """Samples pile up at a rail: the converter or the sensor is at full scale."""
    BIAS = 8
    """Mean beyond half of full scale: IEPE cable open or shorted, amplifier saturated."""
    DROPOUT = 16
    """A stretch of identical samples inside a living signal: link or converter stalled."""
    SPIKES = 32
    """Lone samples that no structure can follow: electrical disturbance."""
    NOISE_FLOOR = 64
    """Signal within about one step of the converter: nothing but its own noise."""


UNUSABLE: Final = np.uint16(SensorHealth.NOT_FINITE | SensorHealth.FLAT_LINE)
"""Windows with these flags carry no signal; their features are those of silence."""

LARGEST: Final = 1e8
"""Beyond this, fourth powers leave float32; no sensor delivers it in any unit."""

SMALLEST: Final = 1e-9
"""A peak-to-peak below this is a dead line, and its fourth powers would be denormal."""

SMALLEST_SHARE: Final = 1e-6
"""A span below this share of the extreme is float32 rounding."""

RAIL_WIDTH: Final = 2.0**-13
"""Samples within this share of the peak count as at the rail: a few steps of 16 bits."""

RAIL_SAMPLES: Final = 4
"""Fewer samples at the rail are a peak, not clipping."""

RAIL_EXCESS: Final = 6
"""Clipping piles up this many times more samples at the rail than just below it. The round top of
a sine gives 1/(√2 − 1) = 2.4."""

FULL_SCALE_NEAR: Final = 0.99
"""A converter of known range can clip from here on only."""

BIAS_LIMIT: Final = 0.5
"""Share of full scale: an IEPE sensor rests near mid-range, an open or shorted one at a rail."""

LOOKS: Final = 400
SHORTEST_STRIDE: Final = 8
"""Drop-outs over two strides (1/200 of the window, at least 16 samples) are found by looking at
every so many samples only."""

SPIKE_CREST: Final = 10.0
"""Gaussian noise reaches 4.5 in 25,600 samples; only above this are peaks looked at closely."""

SPIKE_REACH: Final = 16
"""Samples on each side in which an impact's ringing must show, were it mechanical."""

SPIKE_RATIO: Final = 8.0
"""A lone sample exceeds its surroundings by this; even a well damped impact rings above 1/8."""

STEPS_16BIT: Final = 32768

NOISE_STEPS: Final = 0.5
"""R.m.s. in steps of 16 bits below which only the converter's own noise (0.3 steps) is left."""


def look_stride(n: int) -> int:
    """Distance of the samples that are looked at in a window of `n`."""
    return max(SHORTEST_STRIDE, n // LOOKS)


def all_usable(high: NDArray[np.float32], low: NDArray[np.float32]) -> bool:
    """Whether `unusable` would flag none of these rows, at a fraction of its cost."""
    peak = max(float(high.max()), -float(low.min()))
    if not peak <= LARGEST:  # also True for NaN
        return False
    return float((high - low).min()) > max(SMALLEST, SMALLEST_SHARE * peak)


def unusable(high: NDArray[np.float32], low: NDArray[np.float32]) -> NDArray[np.uint16]:
    """`UNUSABLE` flags of rows with these extremes: what float32 can't take or isn't a signal.

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
    looks: NDArray[np.float32],
    unusable: NDArray[np.uint16],
    extreme: NDArray[np.float32],
    mean: NDArray[np.float32],
    rms: NDArray[np.float32],
    full_scale: float | None,
) -> NDArray[np.uint16]:
    """Find the flags of each row; what costs time is done only where something is suspicious.

    Parameters
    ----------
    samples : np.ndarray [shape=(c, n), dtype=float32 or int16]
        As they came; only their shape in time is looked at, so any scale will do.
    looks : np.ndarray [shape=(c, n / look_stride), dtype=float32]
        Every so many of them.
    unusable : np.ndarray [shape=(c,), dtype=uint16]
        From `unusable`.
    extreme, mean, rms : np.ndarray [shape=(c,), dtype=float32]
        Largest magnitude, mean, and r.m.s. about it, in the signal's unit.
    full_scale : float or None
        Range of the converter in that unit; None = unknown.

    Returns
    -------
    np.ndarray [shape=(c,), dtype=uint16]
        `SensorHealth` bits.
    """
    flags = unusable.copy()
    alive = unusable == 0
    suspects = alive
    if full_scale is not None:
        flags[alive & (np.abs(mean) > BIAS_LIMIT * full_scale)] |= np.uint16(SensorHealth.BIAS)
        quiet = alive & (rms < NOISE_STEPS * full_scale / STEPS_16BIT)
        flags[quiet] |= np.uint16(SensorHealth.NOISE_FLOOR)
        suspects = alive & (extreme >= FULL_SCALE_NEAR * full_scale)
    for i in np.flatnonzero(suspects):
        if _is_clipped(samples[i]):
            flags[i] |= np.uint16(SensorHealth.CLIPPING)
    equal = looks[:, 1:] == looks[:, :-1]
    for i in np.flatnonzero((equal[:, 1:] & equal[:, :-1]).any(axis=1) & alive):
        if _drops_out(samples[i], equal[i], look_stride(samples.shape[1])):
            flags[i] |= np.uint16(SensorHealth.DROPOUT)
    for i in np.flatnonzero(alive & (extreme > SPIKE_CREST * rms)):
        if _is_spiky(samples[i]):
            flags[i] |= np.uint16(SensorHealth.SPIKES)
    return flags


def _is_clipped(x: NDArray[Any]) -> bool:
    """Whether samples pile up at the highest or the lowest value of the row."""
    a = np.asarray(x, np.float32)
    return _piles_up(a) or _piles_up(-a)


def _piles_up(x: NDArray[np.float32]) -> bool:
    """Whether far more samples are at the highest level than at the next one below."""
    high = x.max()
    width = RAIL_WIDTH * (high - x.min())
    at_rail = x >= high - width
    top = int(np.count_nonzero(at_rail))
    if top < RAIL_SAMPLES:
        return False
    # where the steps are coarse, the next level is further down
    step = max(float(high - x.max(where=~at_rail, initial=-np.inf)), float(width))
    below = int(np.count_nonzero(x >= high - step - width)) - top
    return top > RAIL_EXCESS * below


def _drops_out(x: NDArray[Any], equal: NDArray[np.bool_], stride: int) -> bool:
    """Whether two neighbouring strides between equal coarse samples are constant throughout."""
    for k in np.flatnonzero(equal[1:] & equal[:-1]):
        stretch = x[k * stride : (k + 2) * stride + 1]
        if (stretch == stretch[0]).all():
            return True
    return False


def _is_spiky(x: NDArray[Any]) -> bool:
    """Whether the highest peak is one or two lone samples without ringing around it."""
    a = np.abs(x - x.mean())
    k = int(a.argmax())
    before, after = a[max(0, k - SPIKE_REACH) : max(0, k - 1)], a[k + 2 : k + SPIKE_REACH]
    around = max(before.max(initial=0.0), after.max(initial=0.0))
    return bool(a[k] > SPIKE_RATIO * around)
