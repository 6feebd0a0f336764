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


UNUSABLE: Final = SensorHealth.NOT_FINITE | SensorHealth.FLAT_LINE
"""Windows with these flags carry no signal; their features are those of silence."""

LARGEST: Final = 1e8
"""Beyond this, fourth powers leave float32; no sensor delivers it in any unit."""

SMALLEST: Final = 1e-9
"""A peak-to-peak below this is a dead line, and its fourth powers would be denormal."""

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

DROPOUT_STRIDE: Final = 16
"""Runs of twice this many identical samples are found without looking at every sample."""

SPIKE_CREST: Final = 10.0
"""Gaussian noise reaches 4.5 in 25,600 samples; only above this are peaks looked at closely."""

SPIKE_REACH: Final = 16
"""Samples on each side in which an impact's ringing must show, were it mechanical."""

SPIKE_RATIO: Final = 8.0
"""A lone sample exceeds its surroundings by this; even a well damped impact rings above 1/8."""

STEPS_16BIT: Final = 32768


def check(
    raw: NDArray[np.generic],
    high: NDArray[np.float32],
    low: NDArray[np.float32],
    mean: NDArray[np.float32],
    rms: NDArray[np.float32],
    full_scale: float | None,
    scale: float,
) -> NDArray[np.uint16]:
    """Find the flags of each row; they cost next to nothing where nothing is wrong.

    Parameters
    ----------
    raw : np.ndarray [shape=(c, n)]
        Samples as they came, float32 or int16.
    high, low, mean, rms : np.ndarray [shape=(c,), dtype=float32]
        Largest and smallest sample, mean, and r.m.s. about it, in the signal's unit.
    full_scale : float or None
        Range of the converter in that unit; None = unknown.
    scale : float
        Unit per raw step.

    Returns
    -------
    np.ndarray [shape=(c,), dtype=uint16]
        `SensorHealth` bits.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        extreme = np.maximum(np.abs(high), np.abs(low))
        sane = extreme <= LARGEST  # False for NaN
        span = high - low
        flat = sane & ~((span > SMALLEST) & (span > 1e-6 * extreme))
    flags = np.where(sane, 0, int(SensorHealth.NOT_FINITE)).astype(np.uint16)
    flags[flat] |= np.uint16(SensorHealth.FLAT_LINE)
    alive = sane & ~flat
    if full_scale is not None:
        flags[alive & (np.abs(mean) > BIAS_LIMIT * full_scale)] |= np.uint16(SensorHealth.BIAS)
        flags[alive & (rms < 0.5 * full_scale / STEPS_16BIT)] |= np.uint16(SensorHealth.NOISE_FLOOR)
        near_rail = alive & (extreme >= FULL_SCALE_NEAR * full_scale)
    else:
        near_rail = alive
    for i in np.flatnonzero(near_rail):
        if _is_clipped(raw[i], high[i] / scale, low[i] / scale):
            flags[i] |= np.uint16(SensorHealth.CLIPPING)
    coarse = raw[:, ::DROPOUT_STRIDE]
    equal = coarse[:, 1:] == coarse[:, :-1]
    for i in np.flatnonzero(alive & equal.any(axis=1)):
        if _drops_out(raw[i], equal[i]):
            flags[i] |= np.uint16(SensorHealth.DROPOUT)
    for i in np.flatnonzero(alive & (extreme > SPIKE_CREST * rms)):
        if _is_spiky(raw[i], mean[i] / scale, rms[i] / scale):
            flags[i] |= np.uint16(SensorHealth.SPIKES)
    return flags


def _is_clipped(x: NDArray[Any], high: float, low: float) -> bool:
    """Whether samples pile up at the highest or the lowest value of the row."""
    width = RAIL_WIDTH * (high - low)
    for at_rail, below in (
        (x >= high - width, x >= high - 2 * width),
        (x <= low + width, x <= low + 2 * width),
    ):
        top = int(np.count_nonzero(at_rail))
        if top >= RAIL_SAMPLES and top > RAIL_EXCESS * (np.count_nonzero(below) - top):
            return True
    return False


def _drops_out(x: NDArray[np.generic], equal: NDArray[np.bool_]) -> bool:
    """Whether a whole stride between two equal coarse samples is constant, twice in a row."""
    pairs = np.flatnonzero(equal[1:] & equal[:-1])
    for k in pairs[:64]:
        stretch = x[k * DROPOUT_STRIDE : (k + 2) * DROPOUT_STRIDE + 1]
        if (stretch == stretch[0]).all():
            return True
    return False


def _is_spiky(x: NDArray[np.generic], mean: float, rms: float) -> bool:
    """Whether the highest peak is one or two lone samples without ringing around it."""
    a = np.abs(np.asarray(x, np.float32) - np.float32(mean))
    k = int(a.argmax())
    around = np.concatenate(
        [a[max(0, k - SPIKE_REACH) : max(0, k - 1)], a[k + 2 : k + SPIKE_REACH]]
    )
    return bool(
        around.size
        and a[k] > SPIKE_RATIO * max(float(around.max()), 1e-30)
        and a[k] > SPIKE_CREST * rms
    )
