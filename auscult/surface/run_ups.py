"""Run-ups and coast-downs of a recording: 1× over the speed, and the critical speeds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auscult.dsp import run_up
from auscult.dsp.run_up import CriticalSpeed, FirstOrder
from auscult.errors import InputError

WINDOW_S = 1.0
"""Without marks, 1× is measured in windows so long."""


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
    speed_rpm: NDArray[np.float64]
    amplitude: NDArray[np.float64]
    phase_deg: NDArray[np.float64] | None
    critical_speeds: tuple[CriticalSpeed, ...]


def run_ups(
    samples: ArrayLike,
    fs_hz: float,
    *,
    unit: str = "g",
    marks_s: ArrayLike | None = None,
    speed_rpm: ArrayLike | None = None,
) -> list[RunUp]:
    """Return the run-ups and coast-downs of a recording.

    Parameters
    ----------
    samples : array_like [shape=(n,)]
    fs_hz : float
    unit : str
    marks_s : array_like [shape=(turns,)], optional
        When the mark of the shaft passed, once a turn, from the first sample. Turns with a missing
        or doubled mark are left out.
    speed_rpm : array_like [shape=(n,)], optional
        Speed at each sample, where there is no mark; then there is no phase.

    Raises
    ------
    InputError
        If samples or marks are not finite, marks do not increase, sizes do not fit together, or
        not exactly one of marks and speed is given.
    """
    x = np.asarray(samples, np.float32)
    if x.ndim != 1 or not np.isfinite(x).all():
        raise InputError("samples: give finite numbers of one channel, shape (n,)")
    if (marks_s is None) == (speed_rpm is None):
        raise InputError("give either marks_s or speed_rpm: the speed comes from one of them")
    parts = (
        _by_marks(x, fs_hz, np.asarray(marks_s, np.float64))
        if marks_s is not None
        else _by_speed(x, fs_hz, np.asarray(speed_rpm, np.float64))
    )
    at_s = np.array([at for at, _ in parts])
    course = np.array([one.rpm.mean() if one.rpm.size else np.nan for _, one in parts])
    found = []
    for first, end in run_up.sweeps(course):
        one = run_up.by_speed(run_up.displacement(_joined(parts[first:end]), unit))
        with_phase = marks_s is not None
        found.append(
            RunUp(
                rising=bool(course[end - 1] > course[first]),
                start_s=float(at_s[first]),
                end_s=float(at_s[end - 1]),
                speed_rpm=one.rpm,
                amplitude=np.abs(one.value),
                phase_deg=np.rad2deg(np.unwrap(np.angle(one.value))) if with_phase else None,
                critical_speeds=tuple(run_up.critical_speeds(one, with_phase=with_phase)),
            )
        )
    return found


_Parts = list[tuple[float, FirstOrder]]
"""Stretches with the time of each."""


def _by_marks(x: NDArray[np.float32], fs_hz: float, marks: NDArray[np.float64]) -> _Parts:
    if not np.isfinite(marks).all() or (np.diff(marks) <= 0).any():
        raise InputError("marks_s: give increasing times in seconds")
    angle = run_up.angles_between(np.arange(x.size) / fs_hz, marks)
    parts: _Parts = []
    for first in range(0, marks.size - run_up.TURNS, run_up.TURNS):
        start_s, end_s = marks[first], marks[first + run_up.TURNS]
        # one sample more on each side: the whole turns lie between
        own = slice(max(0, int(start_s * fs_hz)), int(end_s * fs_hz) + 2)
        parts.append((float(start_s), run_up.first_order(x[own], fs_hz, angle[own])))
    return parts


def _by_speed(x: NDArray[np.float32], fs_hz: float, rpm: NDArray[np.float64]) -> _Parts:
    if rpm.shape != x.shape:
        raise InputError(f"speed_rpm has {rpm.size} values for {x.size} samples: give one each")
    n = max(2, round(WINDOW_S * fs_hz))
    parts: _Parts = []
    for first in range(0, x.size - n + 1, n):
        mean = float(rpm[first : first + n].mean())
        one = (
            run_up.first_order_at(x[first : first + n], fs_hz, mean)
            if np.isfinite(mean) and mean > 0
            else FirstOrder(np.empty(0), np.empty(0, np.complex128))
        )
        parts.append((first / fs_hz, one))
    return parts


def _joined(parts: _Parts) -> FirstOrder:
    return FirstOrder(
        np.concatenate([one.rpm for _, one in parts]),
        np.concatenate([one.value for _, one in parts]),
    )
