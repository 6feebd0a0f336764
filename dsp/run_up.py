"""Run-ups and coast-downs: 1× over the speed, and the critical speeds that it passes.

1× is a vector. With a mark of the shaft (a tachometer of one pulse a turn) it has a phase; without,
its amplitude alone is known. A critical speed is a peak of the amplitude of displacement whose
amplification factor, the speed over the width at half its power, is at least 2.5 (API 684, API
617; ISO 10814 calls it modal sensitivity), and whose phase turns by about 90° over that width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.dsp import fourier as sf
from auscult.dsp.spectrum import hann
from auscult.dsp.tacho import angle_at, turns_of
from auscult.dsp.units import ACCELERATION_M_S2, VELOCITY_MM_S

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Complex128 = NDArray[np.complex128]

TURNS: Final = 4
"""Whole turns of a value with phase: other harmonics cancel, and a start has enough values."""
AROUND: Final = 0.1
"""Without a mark 1× is the power within ± 10 % of the speed, which changes within a window."""
LEAST_WINDOW_TURNS: Final = 8
"""With fewer, the lines of a window do not separate 1× from what is beside it."""
LEAST_OVER_NOISE: Final = 4.0
LEAST_HZ: Final = 5.0
"""Slower, the displacement of an accelerometer is mostly noise."""
ROWS: Final = 240
"""Equal steps of speed that values are averaged in; a half-power width has several."""
LEAST_SPAN: Final = 1.5
"""A sweep's highest speed over its lowest: a change of load or of set point is smaller."""
LEAST_VALUES: Final = 12
"""Of a sweep; fewer show no peak with its width."""
JUMP: Final = 1.5
"""Neighbouring speeds of one sweep differ by a smaller factor."""
REVERSAL: Final = 0.05
STEADY: Final = 0.01
"""So near to its lowest and highest speed a sweep begins and ends."""
LEAST_AMPLIFICATION: Final = 2.5
"""API 684: below this the response is critically damped, and no critical speed."""
LEAST_TURN_DEG: Final = 45.0
"""Half of what a single mode turns over its half-power width: modes and runout add to it."""
LEAST_PROMINENCE: Final = 0.2
"""A peak rises over the higher of its valleys by so much of its height …"""
LEAST_OVER_SCATTER: Final = 6.0
"""… and by so many times the scatter of the values around it, the median of …"""
SCATTER_ROWS: Final = 41


@dataclass(frozen=True, slots=True)
class FirstOrder:
    """1× over a stretch of a signal.

    Parameters
    ----------
    rpm : np.ndarray [shape=(n,)]
    value : np.ndarray [shape=(n,), dtype=complex128]
        Peak amplitude in the signal's unit and phase, a lag being negative; without phase, real.
    """

    rpm: Float64
    value: Complex128


@dataclass(frozen=True, slots=True)
class CriticalSpeed:
    """A critical speed of a run-up or coast-down.

    Parameters
    ----------
    rpm : float
        Speed of the largest amplitude.
    amplitude : float
    amplification : float
        Speed over the width at half the power.
    turn_deg : float or None
        Turn of the phase over that width, ideally 90; None without a phase.
    """

    rpm: float
    amplitude: float
    amplification: float
    turn_deg: float | None


@dataclass(frozen=True, slots=True)
class RunUp:
    """A run-up or coast-down: what a Bode or polar plot shows.

    Attributes
    ----------
    rising : bool
        A run-up, else a coast-down.
    start_s, end_s : float
        From the first sample.
    speed_rpm, amplitude : np.ndarray [shape=(n,)]
        Slowest first; peak amplitude of 1× in µm for g, m/s2 and mm/s, else in the signal's unit.
    phase_deg : np.ndarray [shape=(n,)] or None
        Of 1× from the mark, a lag being negative, unwrapped; None without marks.
    critical_speeds : tuple of CriticalSpeed
        Slowest first. Without marks a peak of the amplitude counts alone: it may be a resonance of
        the frame.
    """

    rising: bool
    start_s: float
    end_s: float
    speed_rpm: Float64
    amplitude: Float64
    phase_deg: Float64 | None
    critical_speeds: tuple[CriticalSpeed, ...]


def run_ups_of(at_s: Float64, parts: FirstOrder, unit: str, *, with_phase: bool) -> list[RunUp]:
    """Return the run-ups and coast-downs in a course of 1×.

    Parameters
    ----------
    at_s : np.ndarray [shape=(n,)]
        Increasing times of the values.
    parts : FirstOrder
        In `unit`.
    unit : str
    with_phase : bool
        The values have a phase.
    """
    found = []
    for first, end in sweeps(parts.rpm):
        own = FirstOrder(parts.rpm[first:end], parts.value[first:end])
        one = by_speed(displacement(own, unit))
        found.append(
            RunUp(
                rising=bool(own.rpm[-1] > own.rpm[0]),
                start_s=float(at_s[first]),
                end_s=float(at_s[end - 1]),
                speed_rpm=one.rpm,
                amplitude=np.abs(one.value),
                phase_deg=np.rad2deg(np.unwrap(np.angle(one.value))) if with_phase else None,
                critical_speeds=tuple(critical_speeds(one, with_phase=with_phase)),
            )
        )
    return found


def angles_between(times: Float64, marks: Float64) -> Float64:
    """Return the shaft's angle in turns at times, NaN in a turn with a missing or doubled mark."""
    if marks.size < 2:
        return np.full(times.size, np.nan)
    angle = angle_at(times, marks)
    # the turn that ends at each mark, compared with the one before: the first with the second
    irregular = np.isnan(turns_of(marks, 1)[1:])
    irregular[0] = irregular.size > 1 and irregular[1]
    turn = np.clip(np.nan_to_num(angle).astype(int), 0, irregular.size - 1)
    angle[irregular[turn]] = np.nan
    return angle


def sweeps(rpm: Float64) -> list[tuple[int, int]]:
    """Return the run-ups and coast-downs in a course of speed, as ranges of its values.

    Parameters
    ----------
    rpm : np.ndarray [shape=(n,)]
        At increasing times; NaN where unknown, which is left out.

    Returns
    -------
    list of (first, end)
        The speed rises or falls from the first to the last value, by `LEAST_SPAN` in all. A jump
        and a reversal end a sweep; standing still before and after is left out.

    Examples
    --------
    >>> up = np.linspace(500, 3000, 50)
    >>> sweeps(np.concatenate([np.full(9, 500.0), up, np.full(9, 3000.0), up[::-1]]))
    [(9, 59), (68, 118)]
    """
    found: list[tuple[int, int]] = []
    known = np.flatnonzero(np.isfinite(rpm) & (rpm > 0))
    apart = np.abs(np.diff(np.log(rpm[known]))) > np.log(JUMP)
    for piece in np.split(known, np.flatnonzero(apart) + 1):
        pivots = reversals(rpm[piece]) if piece.size else []
        for start, end in pairwise(pivots):
            own = rpm[piece[start : end + 1]]
            low, high = sorted((own[0], own[-1]))
            if high < LEAST_SPAN * low:
                continue
            moving = np.flatnonzero((own > low * (1 + STEADY)) & (own < high * (1 - STEADY)))
            if moving.size < LEAST_VALUES:
                continue
            first, last = start + int(moving[0]) - 1, start + int(moving[-1]) + 1
            found.append((int(piece[first]), int(piece[last]) + 1))
    return found


def reversals(rpm: Sequence[float] | Float64) -> list[int]:
    """Return the ends and the turning points of a course, smaller movements left out.

    Examples
    --------
    >>> reversals([500.0, 900.0, 880.0, 1500.0, 700.0])
    [0, 3, 4]
    """
    pivots, extreme, rising = [0], 0, None
    for i, value in enumerate(rpm):
        if rising is None and max(value, rpm[0]) > (1 + REVERSAL) * min(value, rpm[0]):
            rising, extreme = bool(value > rpm[0]), i
        elif rising is not None and (value >= rpm[extreme]) == rising:
            extreme = i
        elif rising is not None and max(value, rpm[extreme]) > (1 + REVERSAL) * min(
            value, rpm[extreme]
        ):
            pivots.append(extreme)
            rising, extreme = not rising, i
    return [*pivots, extreme] if rising is not None else pivots


def first_order(samples: Float32, fs_hz: float, angle_rev: Float64) -> FirstOrder:
    """Return 1× of each `TURNS` whole turns of a stretch.

    Parameters
    ----------
    samples : np.ndarray [shape=(n,), dtype=float32]
    fs_hz : float
    angle_rev : np.ndarray [shape=(n,)]
        Turns since the mark, increasing; NaN where unknown: such turns are left out.

    Examples
    --------
    >>> angle = np.arange(2000) / 2000 * 20
    >>> one = first_order(np.cos(2 * np.pi * angle - 0.5).astype(np.float32), 1000.0, angle)
    >>> one.rpm.round(1).tolist(), np.abs(one.value).round(2).tolist()
    ([600.0, 600.0, 600.0, 600.0], [1.0, 1.0, 1.0, 1.0])
    """
    known = np.isfinite(angle_rev)
    if np.count_nonzero(known) < 2:
        return FirstOrder(np.empty(0), np.empty(0, np.complex128))
    # the signal's integral over the angle, at any angle
    angle = angle_rev[known]
    times = np.flatnonzero(known) / fs_hz
    unbroken = np.diff(times) < 1.5 / fs_hz
    part = np.diff(angle) * unbroken
    turning = samples[known] * np.exp(-2j * np.pi * angle)
    sums = np.concatenate([[0], np.cumsum((turning[1:] + turning[:-1]) / 2 * part)])
    whole = np.arange(np.ceil(angle[0]), np.floor(angle[-1]) + 1)
    group = max(1, min(TURNS, whole.size - 1))
    marks = whole[::group]
    at_s = np.interp(marks, angle, times)
    value = 2 * np.diff(np.interp(marks, angle, sums)) / group
    gaps = np.concatenate([[0], np.cumsum(~unbroken)])
    complete = np.diff(np.interp(marks, angle, gaps)) == 0
    return FirstOrder((60 * group / np.diff(at_s))[complete], value[complete])


def first_orders(
    samples: Float32, fs_hz: float, marks_s: Float64
) -> tuple[list[float], list[FirstOrder]]:
    """Return 1× of each `TURNS` turns between marks, with the time of the first of them.

    Parameters
    ----------
    samples : np.ndarray [shape=(n,), dtype=float32]
    fs_hz : float
    marks_s : np.ndarray [shape=(turns,)]
        Increasing times from the first sample; turns with a missing or doubled mark are left out.
    """
    at_s, parts = [], []
    for start_s, end_s in pairwise(marks_s[::TURNS].tolist()):
        # one sample more on each side: the whole turns lie between
        own = np.arange(max(0, int(start_s * fs_hz)), min(samples.size, int(end_s * fs_hz) + 2))
        at_s.append(start_s)
        angle = angles_between(own / fs_hz, marks_s)
        parts.append(first_order(samples[own], fs_hz, angle))
    return at_s, parts


def joined(at_s: Sequence[float], parts: Sequence[FirstOrder]) -> tuple[Float64, FirstOrder]:
    """Join stretches, and give each value the time of its own."""
    sizes = np.array([one.rpm.size for one in parts], int)
    at = np.repeat(np.asarray(at_s, np.float64), sizes)
    return at, FirstOrder(
        np.concatenate([np.empty(0), *(one.rpm for one in parts)]),
        np.concatenate([np.empty(0, np.complex128), *(one.value for one in parts)]),
    )


def first_order_at(samples: Float32, fs_hz: float, rpm: float) -> FirstOrder:
    """Return 1× of a window without phase: the power around its mean speed.

    Nothing where the shaft turns less than `LEAST_WINDOW_TURNS` times, or where that power hardly
    exceeds the noise beside it.
    """
    return first_order_in(spectrum_of(samples), samples.size, fs_hz, rpm)


@lru_cache(maxsize=8)
def _hann(n: int) -> Float32:
    return hann(n).astype(np.float32)


def spectrum_of(samples: Float32) -> NDArray[np.complex64]:
    """Return the transform of a window under Hann."""
    return np.asarray(sf.rfft((samples - samples.mean()) * _hann(samples.size)), np.complex64)


def first_order_in(spectrum: NDArray[np.complex64], n: int, fs_hz: float, rpm: float) -> FirstOrder:
    """Return `first_order_at` of the transform of a window of `n` samples."""
    turns = rpm / 60 * n / fs_hz
    half = max(AROUND * turns, 2.0)
    last = int(turns + 2 * half) + 1
    power = np.abs(spectrum[:last].astype(np.complex128)) ** 2
    apart = np.abs(np.arange(power.size) - turns)
    own, beside = power[apart <= half], power[(apart > half) & (apart <= 2 * half)]
    if turns < LEAST_WINDOW_TURNS or own.mean() < LEAST_OVER_NOISE * beside.mean():
        return FirstOrder(np.empty(0), np.empty(0, np.complex128))
    # the sum of the squares of the window is 3 / 8 of its length
    amplitude = 2 * np.sqrt(own.sum() / (0.375 * n**2))
    return FirstOrder(np.array([rpm]), np.array([amplitude], np.complex128))


def by_speed(parts: FirstOrder) -> FirstOrder:
    """Average values in equal steps of speed, slowest first; steps without values are left out."""
    if not parts.rpm.size:
        return parts
    low, high = float(parts.rpm.min()), float(parts.rpm.max())
    step = np.minimum(((parts.rpm - low) / ((high - low) or 1.0) * ROWS).astype(int), ROWS - 1)
    count = np.bincount(step, minlength=ROWS)
    used = count > 0
    rpm = np.bincount(step, parts.rpm, ROWS)[used] / count[used]
    value = np.bincount(step, parts.value.real, ROWS) + 1j * np.bincount(
        step, parts.value.imag, ROWS
    )
    return FirstOrder(rpm, np.asarray(value[used] / count[used], np.complex128))


def amplitude_unit(unit: str) -> str:
    """Return the unit of `displacement`."""
    return "µm" if unit in ACCELERATION_M_S2 or unit in VELOCITY_MM_S else unit


def displacement(one: FirstOrder, unit: str) -> FirstOrder:
    """Turn an acceleration or a velocity into a displacement in µm, from `LEAST_HZ` on.

    A signal in another unit stays as it is.
    """
    angular = 2j * np.pi * one.rpm / 60
    if unit in ACCELERATION_M_S2:
        value = 1e6 * ACCELERATION_M_S2[unit] * one.value / angular**2
    elif unit in VELOCITY_MM_S:
        value = 1e3 * VELOCITY_MM_S[unit] * one.value / angular
    else:
        return one
    fast = one.rpm >= 60 * LEAST_HZ
    return FirstOrder(one.rpm[fast], value[fast])


def critical_speeds(one: FirstOrder, *, with_phase: bool) -> list[CriticalSpeed]:
    """Return the critical speeds that a run-up or coast-down passes, slowest first.

    Parameters
    ----------
    one : FirstOrder
        Of a displacement, by speed (see `by_speed`).
    with_phase : bool
        The values have a phase; without one a peak of the amplitude counts alone.
    """
    if one.rpm.size < 5:
        return []
    from scipy.ndimage import median_filter  # a gateway without run-ups does without

    value = one.value
    # three neighbours: a single value that noise raised makes no peak
    smooth = np.convolve(np.pad(value, 1, "edge"), [0.25, 0.5, 0.25], "valid")
    amplitude = np.abs(smooth)
    phase_deg = np.rad2deg(np.unwrap(np.angle(smooth)))
    scatter = median_filter(np.abs(value - smooth), min(SCATTER_ROWS, value.size))
    rises = np.diff(amplitude) > 0
    speeds = []
    for at in np.flatnonzero(rises[:-1] & ~rises[1:]) + 1:
        least = max(LEAST_PROMINENCE * amplitude[at], LEAST_OVER_SCATTER * scatter[at])
        if prominence(amplitude, int(at)) < least:
            continue
        sides = _half_power(one.rpm, amplitude, int(at))
        if sides is None:
            continue
        rpm = _top(one.rpm, amplitude, int(at))
        amplification = rpm / (sides[1] - sides[0])
        turned = np.abs(np.diff(np.interp(sides, one.rpm, phase_deg))).item()
        if amplification < LEAST_AMPLIFICATION or (with_phase and turned < LEAST_TURN_DEG):
            continue
        speeds.append(
            CriticalSpeed(rpm, float(amplitude[at]), amplification, turned if with_phase else None)
        )
    return speeds


def prominence(values: Float64, at: int) -> float:
    """Return how far a peak rises over the higher of its valleys, which end where it is exceeded.

    `scipy.signal` would load 50 MB for it.
    """
    higher = np.flatnonzero(values > values[at])
    before, after = higher[higher < at], higher[higher > at]
    left = values[before[-1] if before.size else 0 : at + 1].min()
    right = values[at : after[0] + 1 if after.size else None].min()
    return float(values[at] - max(left, right))


def _half_power(rpm: Float64, amplitude: Float64, at: int) -> tuple[float, float] | None:
    """Return the speeds on both sides of a peak at which its power is half, None without both."""
    level = amplitude[at] / np.sqrt(2)
    below = np.flatnonzero(amplitude < level)
    left, right = below[below < at], below[below > at]
    if not left.size or not right.size:
        return None
    i, j = int(left[-1]), int(right[0])
    low = np.interp(level, amplitude[i : i + 2], rpm[i : i + 2])
    high = np.interp(-level, -amplitude[j - 1 : j + 1], rpm[j - 1 : j + 1])
    return float(low), float(high)


def _top(rpm: Float64, amplitude: Float64, at: int) -> float:
    """Return the speed of a peak between its neighbours: of the parabola through the three."""
    x, y = rpm[at - 1 : at + 2], amplitude[at - 1 : at + 2]
    a, b, _ = np.polyfit(x - x[1], y, 2)
    return float(x[1] + np.clip(-b / (2 * a), x[0] - x[1], x[2] - x[1])) if a < 0 else float(x[1])
