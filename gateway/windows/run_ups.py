"""Run-ups and coast-downs, recognised by the speed while windows pass, in bounded memory.

Of each point whose speed changes, 1× and a spectrum in orders are kept of each window, not its
samples. When there are too many, neighbours in time are averaged.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from auscult.contract.message import NS_PER_S
from auscult.dsp.run_up import (
    TURNS,
    FirstOrder,
    RunUp,
    first_order_in,
    first_orders,
    joined,
    reversals,
    run_ups_of,
    spectrum_of,
)
from auscult.gateway.records import PointId, Window
from auscult.gateway.windows.tachos import Tachos

STEADY_S: Final = 20.0
"""A speed that stays within `MOVES` for so long is steady, and ends what was before. A pause of
so long ends it too."""
MOVES: Final = 0.02
"""More than a load changes the slip of a motor; a run-up of 40 minutes still moves so fast."""
ORDER_STEP: Final = 0.025
LINES: Final = 400
"""Of a spectrum, up to 10 orders: a window of 1 s has as many at 2,400 r/min."""
MOST_SPECTRA: Final = 128
"""Of a course, as many in memory (200 kB a point); a cascade has half of them."""
MOST_VALUES: Final = 1024
"""Of 1×; a half-power width has several, when they are later averaged by speed."""


@dataclass(frozen=True, slots=True)
class PointRunUp:
    """A run-up or coast-down of a point.

    Parameters
    ----------
    point : PointId
    start_ns, end_ns : int
    unit : str
        Of the signal.
    passed : RunUp
    cascade_rpm : np.ndarray [shape=(rows,)]
        Slowest first.
    cascade : np.ndarray [shape=(rows, LINES), dtype=float32]
        R.m.s. amplitude in `unit` in steps of `ORDER_STEP` from 0 on; the
        largest line of a step.
    """

    point: PointId
    start_ns: int
    end_ns: int
    unit: str
    passed: RunUp
    cascade_rpm: NDArray[np.float64]
    cascade: NDArray[np.float32]


@dataclass(slots=True)
class _Course:
    """What is known of a point since its speed was last steady or unknown."""

    begun_ns: int
    """When its speed became known."""
    unit: str
    with_phase: bool = False
    speeds: deque[tuple[int, float]] = field(default_factory=deque)
    """Of the last `STEADY_S`: end of a window, and its speed then."""
    values: list[tuple[float, float, complex]] = field(default_factory=list)
    """Of 1×: time since `begun_ns`, speed, value."""
    spectra: list[tuple[float, float, NDArray[np.float32]]] = field(default_factory=list)
    turned_ns: float = 0.0
    """End of the last turn that was measured."""

    def add_speed(self, end_ns: int, speed_rpm: float) -> bool:
        """Add the speed at the end of a window; return whether it is steady."""
        self.speeds.append((end_ns, speed_rpm))
        while end_ns - self.speeds[0][0] > STEADY_S * NS_PER_S:
            self.speeds.popleft()
        known = [rpm for _, rpm in self.speeds]
        return max(known) < (1 + MOVES) * min(known)

    def speed_at(self, t_ns: int) -> float:
        """Return the speed at a time, between the ends of two windows."""
        ends, known = zip(*self.speeds, strict=True)
        return float(np.interp(t_ns - self.begun_ns, np.array(ends) - self.begun_ns, known))

    def measure(
        self, window: Window, middle_ns: int, speed_rpm: float, marks: NDArray[np.float64] | None
    ) -> None:
        """Add 1× and the spectrum of a window."""
        samples = window.samples
        if not np.isfinite(samples).all():
            return
        spectrum, n = spectrum_of(samples), samples.size
        if not self.with_phase:
            at_s, parts = [0.0], [first_order_in(spectrum, n, window.fs_hz, speed_rpm)]
            begin_ns: float = middle_ns
        else:
            # of turns that no window before has had
            begin_ns = window.t0_ns
            end_ns = begin_ns + n / window.fs_hz * NS_PER_S
            own = np.empty(0) if marks is None else marks
            own = own[(own >= max(begin_ns, self.turned_ns)) & (own <= end_ns)]
            whole = own[: (own.size - 1) // TURNS * TURNS + 1]
            at_s, parts = first_orders(samples, window.fs_hz, (whole - begin_ns) / NS_PER_S)
            if parts:
                self.turned_ns = whole[-1]
        at, one = joined(at_s, parts)
        at += (begin_ns - self.begun_ns) / NS_PER_S
        self.values += zip(at.tolist(), one.rpm.tolist(), one.value.tolist(), strict=True)
        row = in_orders(spectrum, n, speed_rpm / 60 * n / window.fs_hz)
        self.spectra.append(((middle_ns - self.begun_ns) / NS_PER_S, speed_rpm, row))
        if len(self.values) >= MOST_VALUES:
            self.values = _halved(self.values)
        if len(self.spectra) >= MOST_SPECTRA:
            self.spectra = _halved(self.spectra)

    def found(self, point: PointId) -> list[PointRunUp]:
        """Return the run-ups and coast-downs since the course began."""
        if not self.values:
            return []
        at, rpm, value = (np.array(column) for column in zip(*self.values, strict=True))
        run_ups = run_ups_of(
            at, FirstOrder(rpm, value.astype(np.complex128)), self.unit, with_phase=self.with_phase
        )
        return [self._of_point(point, one) for one in run_ups if one.speed_rpm.size]

    def _of_point(self, point: PointId, passed: RunUp) -> PointRunUp:
        own = [one for one in self.spectra if passed.start_s <= one[0] <= passed.end_s]
        own.sort(key=lambda one: one[1])
        if len(own) > MOST_SPECTRA // 2:
            own = _halved(own)
        return PointRunUp(
            point,
            self.begun_ns + round(passed.start_s * NS_PER_S),
            self.begun_ns + round(passed.end_s * NS_PER_S),
            self.unit,
            passed,
            np.array([rpm for _, rpm, _ in own], np.float64),
            np.array([row for *_, row in own], np.float32).reshape(len(own), LINES),
        )


class RunUps:
    """Follows the windows of all points; not thread-safe.

    Parameters
    ----------
    tachos : Tachos
        Give the phase, and the exact speed of a window; without one the stated speed counts.
    """

    def __init__(self, tachos: Tachos) -> None:
        self._tachos = tachos
        self._courses: dict[PointId, _Course] = {}
        self.done: deque[PointRunUp] = deque()
        """Complete ones; the caller takes them."""

    def follow(self, window: Window) -> None:
        """Follow the speed of a window's point, and measure the window while it changes."""
        point = window.point
        end_ns = window.t0_ns + round(sum(map(len, window.parts)) / window.fs_hz * NS_PER_S)
        course = self._courses.get(point)
        if course is not None:
            since_ns = end_ns - course.speeds[-1][0]
            if not 0 <= since_ns <= STEADY_S * NS_PER_S:
                self._end(point)
                course = None
        speed_rpm = window.state.speed_rpm if window.state is not None else None
        if not speed_rpm or speed_rpm < 0:
            if speed_rpm is not None:
                self._end(point)
            return
        marks = self._tachos.passages([point])
        if course is None:
            course = _Course(window.t0_ns, window.unit)
            self._courses[point] = course
        if course.add_speed(end_ns, speed_rpm):
            self._restart(point)
            return
        middle_ns = (window.t0_ns + end_ns) // 2
        speed_rpm = (
            self._tachos.speed_rpm(point.machine, window.t0_ns, end_ns)
            or course.speed_at(middle_ns)
        )  # fmt: skip
        if not course.spectra:
            course.with_phase = marks is not None
        course.measure(window, middle_ns, speed_rpm, marks)
        if len(reversals([rpm for _, rpm, _ in course.spectra])) > 2:
            self._restart(point)

    def finish(self) -> None:
        """End all courses: the gateway stops."""
        for point in list(self._courses):
            self._end(point)

    def _end(self, point: PointId) -> None:
        if (course := self._courses.pop(point, None)) is not None:
            self.done.extend(course.found(point))

    def _restart(self, point: PointId) -> None:
        """End a course; the speeds are known on."""
        course = self._courses[point]
        if course.spectra:
            self._end(point)
            self._courses[point] = _Course(
                course.begun_ns, course.unit, speeds=course.speeds, turned_ns=course.turned_ns
            )


def in_orders(spectrum: NDArray[np.complex64], n: int, turns: float) -> NDArray[np.float32]:
    """Return the r.m.s. amplitudes of a window in `LINES` steps of orders: the largest of each.

    Parameters
    ----------
    spectrum : np.ndarray [shape=(n // 2 + 1,), dtype=complex64]
        See `spectrum_of`.
    n : int
    turns : float
        Turns of the shaft in the window.

    Examples
    --------
    >>> t = np.arange(1000) / 1000
    >>> spectrum = spectrum_of(np.sin(2 * np.pi * 50 * t).astype(np.float32))
    >>> row = in_orders(spectrum, 1000, 25.0)
    >>> int(row.argmax()) * ORDER_STEP, round(float(row.max()), 3)
    (2.0, 0.707)
    """
    lines = np.arange(LINES) * ORDER_STEP * turns
    half = lines[1] / 2
    # the sum of the window is half its length
    values = np.append(np.abs(spectrum[: int(lines[-1] + half) + 2]), 0) * np.sqrt(8) / n
    cuts = np.ceil(np.append(lines - half, lines[-1] + half)).clip(0, values.size - 1).astype(int)
    nearest = values[np.rint(lines).clip(0, values.size - 1).astype(int)]
    # a step without a line of its own has the nearest; beyond half the rate there is nothing
    largest = np.maximum.reduceat(values, cuts)[:-1]
    return np.where(np.diff(cuts) > 0, largest, nearest).astype(np.float32)


def _halved(rows: list[Any]) -> list[Any]:
    """Average neighbours."""
    pairs = zip(rows[::2], rows[1::2], strict=False)
    halved = [tuple((x + y) / 2 for x, y in zip(a, b, strict=True)) for a, b in pairs]
    return halved + rows[2 * len(halved) :]
