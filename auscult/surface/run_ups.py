"""Run-ups and coast-downs of a recording: 1× over the speed, and the critical speeds."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auscult.dsp.run_up import (
    FirstOrder,
    RunUp,
    first_order_at,
    first_orders,
    joined,
    run_ups_of,
)
from auscult.errors import InputError

WINDOW_S = 1.0
"""Without marks, 1× is measured in windows so long."""


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
    at_s, one = joined(
        *(
            _by_marks(x, fs_hz, np.asarray(marks_s, np.float64))
            if marks_s is not None
            else _by_speed(x, fs_hz, np.asarray(speed_rpm, np.float64))
        )
    )
    return run_ups_of(at_s, one, unit, with_phase=marks_s is not None)


_Parts = tuple[list[float], list[FirstOrder]]
"""The time of each stretch, and its values."""


def _by_marks(x: NDArray[np.float32], fs_hz: float, marks: NDArray[np.float64]) -> _Parts:
    if not np.isfinite(marks).all() or (np.diff(marks) <= 0).any():
        raise InputError("marks_s: give increasing times in seconds")
    return first_orders(x, fs_hz, marks)


def _by_speed(x: NDArray[np.float32], fs_hz: float, rpm: NDArray[np.float64]) -> _Parts:
    if rpm.shape != x.shape:
        raise InputError(f"speed_rpm has {rpm.size} values for {x.size} samples: give one each")
    n = max(2, round(WINDOW_S * fs_hz))
    at_s: list[float] = []
    parts: list[FirstOrder] = []
    for first in range(0, x.size - n + 1, n):
        mean = float(rpm[first : first + n].mean())
        if np.isfinite(mean) and mean > 0:
            at_s.append(first / fs_hz)
            parts.append(first_order_at(x[first : first + n], fs_hz, mean))
    return at_s, parts
