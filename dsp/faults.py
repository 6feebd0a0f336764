"""Bearing faults in a squared-envelope spectrum: combs of harmonics over the local noise floor.

All fault frequencies of a shaft share one unknown speed error, so one common scale is searched
(± the speed tolerance); each fault may slip by 1 % more. Each line is measured against the local
floor of its surroundings, so that the results compare between machines, bands and loads.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dsp.bearing import FAULTS, Bearing
from dsp.design import ENVELOPE_LOWEST_LINE, HARMONICS, SLIP

EULER_GAMMA = 0.5772156649015329
FLOOR_REACH = 25
"""Lines on each side that make the local floor: wide against one lobe (± 3 lines), narrow against
the structure of the spectrum."""

LINE_CAP_DB = 30.0
"""A line counts at most this much, so that no single harmonic speaks for a whole comb."""

SIDEBANDS = 2


def noise_floor(squares: NDArray[np.float32]) -> NDArray[np.float64]:
    """Local noise power of each line: geometric mean of its surroundings, corrected for noise.

    For noise, a line's power is exponential, E ln P = ln σ² − γ; the geometric mean barely sees
    the few lines that stand out (unlike the arithmetic mean).

    Parameters
    ----------
    squares : np.ndarray [shape=(c, lines)]
        Squared amplitudes.

    Returns
    -------
    np.ndarray [shape=(c, lines), dtype=float64]
    """
    first = int(ENVELOPE_LOWEST_LINE)
    power = np.maximum(squares[:, first:], np.float32(1e-36))
    logs = np.log(power).astype(np.float64)
    lines = logs.shape[1]
    total = np.concatenate([np.zeros((len(logs), 1)), logs.cumsum(axis=1)], axis=1)
    k = np.arange(lines)
    start, stop = np.maximum(k - FLOOR_REACH, 0), np.minimum(k + FLOOR_REACH + 1, lines)
    mean = (total[:, stop] - total[:, start]) / (stop - start)
    floor: NDArray[np.float64] = np.exp(mean + EULER_GAMMA)
    padded: NDArray[np.float64] = np.pad(floor, ((0, 0), (first, 0)), mode="edge")
    return padded


@dataclass(frozen=True)
class Comb:
    """Lines of one fault: harmonics 1..H with weights 1/h, and their sidebands."""

    order: float
    side_order: float

    def harmonics(self) -> NDArray[np.float64]:
        """Orders of the harmonics, [shape=(H,)]."""
        return np.float64(self.order) * np.arange(1, HARMONICS + 1)

    def sidebands(self) -> NDArray[np.float64]:
        """Orders of the sidebands of the first two harmonics, [shape=(8,)]."""
        offsets = np.array([-2, -1, 1, 2]) * self.side_order
        return (self.order * np.arange(1, SIDEBANDS + 1)[:, None] + offsets).ravel()


def combs(bearing: Bearing) -> dict[str, Comb]:
    """Comb of each known fault of a bearing; the ball's is that of 2 × BSF (both races struck)."""
    found = {}
    for fault in FAULTS:
        order = bearing.order(fault)
        if order is not None:
            cage = bearing.ftf if bearing.ftf is not None else 0.4
            found[fault] = Comb(order, 1.0 if fault in ("bpfo", "bpfi") else cage)
    return found


@lru_cache(maxsize=64)
def scales(tolerance: float, top_line: int) -> NDArray[np.float64]:
    """Return the common speed scales to search, one line of the top harmonic apart."""
    step = 1.0 / max(top_line, 1)
    reach = int(np.ceil(tolerance / step))
    return np.float64(1.0) + step * np.arange(-reach, reach + 1)


class FaultLevels:
    """Level, prominence and sidebands of each fault kind of the bearings at a point."""

    def __init__(self, bearings: tuple[Bearing, ...], faults: tuple[str, ...], top: int) -> None:
        self._bearings = [combs(b) for b in bearings]
        self._faults = faults
        self._top = top

    def finish(
        self,
        squares: NDArray[np.float32],
        lines_per_order: NDArray[np.float64],
        tolerance: float,
        out: NDArray[np.float32],
    ) -> None:
        """Write group ``bearing``: level, prominence, sidebands of each fault kind.

        Parameters
        ----------
        squares : np.ndarray [shape=(c, lines)]
            Squared amplitudes of the squared-envelope lines.
        lines_per_order : np.ndarray [shape=(c,)]
            Shaft speed in lines.
        tolerance : float
            Speed error to search.
        out : np.ndarray [shape=(c, 3 · faults)]
        """
        out[:] = 0.0
        ratio = squares / noise_floor(squares)
        decibel = np.clip(10 * np.log10(ratio + 1e-12), 0.0, LINE_CAP_DB).astype(np.float32)
        for found in self._bearings:
            self._bearing(found, squares, decibel, lines_per_order, tolerance, out)

    def _bearing(
        self,
        found: dict[str, Comb],
        squares: NDArray[np.float32],
        decibel: NDArray[np.float32],
        lines_per_order: NDArray[np.float64],
        tolerance: float,
        out: NDArray[np.float32],
    ) -> None:
        present = [f for f in self._faults if f in found]
        if not present:
            return
        s = scales(tolerance + SLIP, self._top)
        rows = np.arange(len(squares))
        scores = {}
        for fault in present:
            scores[fault] = self._gather(decibel, found[fault].harmonics(), lines_per_order, s)
        best = np.max(np.stack(list(scores.values())), axis=0).argmax(axis=1)
        reach = int(np.ceil(SLIP * self._top))
        window = np.clip(best[:, None] + np.arange(-reach, reach + 1), 0, len(s) - 1)
        for fault in present:
            local = scores[fault][rows[:, None], window]
            at = window[rows, local.argmax(axis=1)]
            lines = lines_per_order * s[at]
            prominence = local.max(axis=1)
            sides = self._gather(decibel, found[fault].sidebands(), lines, np.ones(1), flat=True)
            level = self._level(squares, found[fault].harmonics(), lines)
            j = 3 * self._faults.index(fault)
            better = np.float32(10) ** (prominence / np.float32(20)) > out[:, j + 1]
            out[better, j] = level[better]
            out[better, j + 1] = 10 ** (prominence[better] / 20)
            out[better, j + 2] = 10 ** (sides[better, 0] / 20)

    def _gather(
        self,
        decibel: NDArray[np.float32],
        orders: NDArray[np.float64],
        lines_per_order: NDArray[np.float64],
        s: NDArray[np.float64],
        *,
        flat: bool = False,
    ) -> NDArray[np.float32]:
        """Weighted mean height in dB of a comb at each scale, (c, scales)."""
        weights = np.ones(len(orders)) if flat else 1 / np.arange(1, len(orders) + 1)
        lines = np.rint(lines_per_order[:, None, None] * s[:, None] * orders).astype(np.intp)
        usable = (lines >= ENVELOPE_LOWEST_LINE) & (lines <= self._top)
        lines = np.where(usable, lines, 0)
        weight = np.where(usable, weights, 0.0).astype(np.float32)
        heights = decibel[np.arange(len(decibel))[:, None, None], lines]
        total = np.maximum(weight.sum(axis=2), np.float32(weights[0]))
        height: NDArray[np.float32] = (heights * weight).sum(axis=2) / total
        return height

    def _level(
        self,
        squares: NDArray[np.float32],
        orders: NDArray[np.float64],
        lines_per_order: NDArray[np.float64],
    ) -> NDArray[np.float32]:
        lines = np.rint(lines_per_order[:, None] * orders).astype(np.intp)
        usable = lines <= self._top
        found = squares[np.arange(len(squares))[:, None], np.where(usable, lines, 0)]
        level: NDArray[np.float32] = np.sqrt(np.sqrt(0.5 * (found * usable).sum(axis=1)))
        return level
