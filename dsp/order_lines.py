"""Amplitude and phase of the shaft's orders at points that share a clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.dsp import fourier as sf
from auscult.dsp.shaft_speed import shaft_speed

Complex = NDArray[np.complex128]
Float64 = NDArray[np.float64]

ORDERS: Final = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0)
"""What shaft faults move: half orders and harmonics."""
SPEED_TOLERANCE: Final = 0.03
"""Search of 1× around the stated speed, less than half of the distance to the next half order."""
SPEED_COST_DB: Final = 3.0
"""A speed at the edge of the tolerance must explain this much more than the stated one."""
LINE_HZ: Final = (100.0, 120.0)
"""Twice the mains frequency, which may lie beside 2× of a two-pole motor."""
LOBE: Final = 2.5
"""Half width of a Hann line, in lines."""
FLOOR: Final = 12
"""Lines on each side whose median is the floor."""
STANDS_OUT: Final = 10.0
"""A line counts if its power is so many times the floor: noise reaches that once in 200 lines, for
the median of 18 lines varies."""
LEAST_TURNS: Final = 6.0
"""Shorter records do not separate half orders: a Hann line is four lines wide."""


@dataclass(frozen=True)
class OrderLines:
    """Lines of one shaft in the signals of several points.

    Parameters
    ----------
    shaft_hz : float
        Found shaft frequency.
    speed_known : bool
        Whether it is sure (`shaft_speed`), not only the best guess.
    lines : np.ndarray [shape=(c, orders), dtype=complex128]
        Amplitude (peak) in the unit of the signal and phase of each of `ORDERS`. Only differences
        of phase between points have a meaning, unless `referenced`. 0 where no line stands out, or
        where twice the mains frequency covers it.
    speed_known : bool
    referenced : bool
        Phases refer to a mark on the shaft: those of whole orders compare between recordings.
    """

    shaft_hz: float
    lines: Complex
    speed_known: bool = False
    referenced: bool = False

    @property
    def velocity(self) -> Float64:
        """Return amplitudes over their order, [shape=(c, orders)]: of acceleration, the velocity.

        Orders of one force then compare with each other, as on the spectra people know.
        """
        return np.asarray(np.abs(self.lines) / np.array(ORDERS))

    def phase_deg(self, a: int, b: int) -> float:
        """Return the phase of point a over point b at the shaft's turn, −180..180."""
        at = ORDERS.index(1.0)
        return float(np.degrees(np.angle(self.lines[a, at] * np.conj(self.lines[b, at]))))


def order_lines(
    channels: Sequence[tuple[NDArray[np.float32], float]],
    speed_rpm: float,
    angles: Sequence[Float64] | None = None,
) -> OrderLines | None:
    """Measure the orders of one shaft at all points.

    Parameters
    ----------
    channels : sequence of (np.ndarray [shape=(n,) or (1, n)], fs_hz)
        Of the same seconds, on one clock.
    speed_rpm : float
        Stated speed. The true one may differ by 10 % where its lines leave no doubt
        (`shaft_speed`), else the best within 3 % is taken.
    angles : sequence of np.ndarray [shape=(n,)], optional
        Angle of the shaft at each sample of each channel in turns since a mark, by a tachometer;
        NaN outside its pulses. Speed and phase are then measured.

    Returns
    -------
    OrderLines or None
        None for records of fewer than six turns, or in bursts.

    Examples
    --------
    >>> t = np.arange(20_000) / 5000
    >>> a, b = (np.cos(2 * np.pi * 25 * t + p).astype(np.float32) for p in (0, -np.pi / 2))
    >>> found = order_lines([(a, 5000), (b, 5000)], speed_rpm=1500)
    >>> round(found.phase_deg(0, 1)), abs(found.lines[0]).round(1)[:2].tolist()
    (90, [0.0, 1.0])
    """
    rows = [(np.atleast_2d(x), fs_hz) for x, fs_hz in channels]
    if any(len(x) > 1 for x, _ in rows):
        return None
    signals = [(x[0] - x[0].mean(), fs_hz) for x, fs_hz in rows]
    stated_hz = speed_rpm / 60
    if min(x.size / fs_hz for x, fs_hz in signals) * stated_hz < LEAST_TURNS:
        return None
    if angles is not None and (found := _referenced(signals, angles)) is not None:
        return found
    known = shaft_speed(signals, stated_hz)
    shaft_hz = _shaft_hz(signals, stated_hz) if known is None else known.hz
    lines = np.array([_lines(x, fs_hz, shaft_hz) for x, fs_hz in signals])
    return OrderLines(shaft_hz, lines, known is not None)


def _referenced(
    signals: Sequence[tuple[NDArray[np.float32], float]], angles: Sequence[Float64]
) -> OrderLines | None:
    """Measure the orders at equal angles of the shaft; None where too few turns are known."""
    lines, speeds = [], []
    for (x, fs_hz), angle in zip(signals, angles, strict=True):
        known = np.flatnonzero(np.isfinite(angle))
        if not known.size or angle[known[-1]] - angle[known[0]] < LEAST_TURNS:
            return None
        turned = angle[known]
        speeds.append((turned[-1] - turned[0]) / (known.size - 1) * fs_hz)
        # As at its mean speed: the mark is passed at whole turns.
        per_turn = fs_hz / speeds[-1]
        first = np.ceil(turned[0])
        even = first + np.arange(int((turned[-1] - first) * per_turn)) / per_turn
        steady = np.interp(even, turned, x[known])
        lines.append(_lines(steady.astype(np.float32), fs_hz, speeds[-1]))
    return OrderLines(float(np.mean(speeds)), np.array(lines), speed_known=True, referenced=True)


def _shaft_hz(signals: Sequence[tuple[NDArray[np.float32], float]], stated_hz: float) -> float:
    """Return the frequency near the stated one that explains 1× and 2× of all points best."""
    tried = stated_hz * (1 + np.linspace(-SPEED_TOLERANCE, SPEED_TOLERANCE, 241))
    heights = np.zeros(tried.size)
    for x, fs_hz in signals:
        size = sf.next_fast_len(8 * x.size, real=True)
        power = np.abs(sf.rfft(x * np.hanning(x.size), size)) ** 2
        aside = FLOOR * (size // x.size)
        for hz in LINE_HZ:
            # With its side lobes: 75 dB below it so many lines away.
            mains = round(hz * size / fs_hz)
            power[max(0, mains - aside) : mains + aside] = np.median(power)
        for harmonic in (1, 2):
            at = np.minimum(np.rint(harmonic * tried * size / fs_hz).astype(int), power.size - 1)
            # Noise must not vote: where 2× has no line, its maxima outweigh the top of 1×.
            floor = STANDS_OUT * np.median(power[max(0, at[0] - aside) : at[-1] + aside + 1])
            heights += 10 * np.log10(np.maximum(power[at], floor) + 1e-30)
    heights /= len(signals)
    heights -= SPEED_COST_DB * ((tried / stated_hz - 1) / SPEED_TOLERANCE) ** 2
    return float(tried[heights.argmax()])


def _lines(x: NDArray[np.float32], fs_hz: float, shaft_hz: float) -> Complex:
    window = np.hanning(x.size)
    scale = 2 / window.sum()
    step = fs_hz / x.size
    t = np.arange(x.size) / fs_hz
    windowed = x * window
    levels = np.abs(sf.rfft(windowed)) * scale
    found = np.zeros(len(ORDERS), np.complex128)
    for i, order in enumerate(ORDERS):
        hz = order * shaft_hz
        at = round(hz / step)
        covered = any(abs(hz - line) < LOBE * step for line in LINE_HZ)
        if covered or at + FLOOR >= levels.size:
            continue
        around = np.r_[max(at - FLOOR, 1) : max(at - 3, 1), at + 4 : at + FLOOR + 1]
        line = (np.exp(-2j * np.pi * hz * t) * windowed).sum() * scale
        if np.abs(line) ** 2 >= STANDS_OUT * np.median(levels[around]) ** 2:
            found[i] = line
    return found
