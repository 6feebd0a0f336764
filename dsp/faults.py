"""Bearing faults in a squared-envelope spectrum: combs of harmonics over the local noise floor.

All fault frequencies of a shaft share one unknown speed error, so one common scale is searched
(± the speed tolerance); each fault may slip by 1 % more. Each line is measured in dB over the floor
of its surroundings, so that the results compare between machines, bands and loads.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from dsp.bearing import FAULTS, Bearing
from dsp.design import ENVELOPE_LOWEST_LINE, HARMONICS, SLIP

FIRST_LINE: Final = int(np.ceil(ENVELOPE_LOWEST_LINE))

FLOOR_REACH: Final = 25
"""Lines on each side that make the local floor: wide against one lobe (± 3 lines), narrow against
the structure of the spectrum."""

LINE_CAP_DB: Final = 20.0
"""A line counts at most this much, so that no single harmonic speaks for a whole comb."""

WEIGHTS: Final = {
    "bpfo": (1.0, 1 / 2, 1 / 3, 1 / 4),
    "bpfi": (1.0, 1 / 2, 1 / 3, 1 / 4),
    "bsf": (1 / 2, 1.0, 1 / 3, 1 / 2),
    "ftf": (1.0, 1 / 2, 1 / 3, 1 / 4),
}
"""Weights of harmonics 1–4: the first tells faults apart (3 × BPFO and 2 × BPFI lie within 1 % for
many bearings); a ball's defect strikes both races, so its even harmonics lead."""

DEFAULT_CAGE: Final = 0.4
"""Cage order of almost every bearing, where its own is unknown."""


def whiten_db(
    squares: NDArray[np.float32], averages: float = 1.0, cap_db: float = LINE_CAP_DB
) -> NDArray[np.float32]:
    """Return the height of each line over its local noise floor in dB, within 0..`cap_db`.

    The floor is the geometric mean of the surroundings: unlike the arithmetic mean it barely sees
    the few lines that stand out. For noise averaged N times, E ln P = ln σ² + ψ(N) − ln N.

    Parameters
    ----------
    squares : np.ndarray [shape=(c, lines), dtype=float32]
        Squared amplitudes.
    averages : float
        Independent spectra averaged in each row, ≥ 1.
    cap_db : float

    Returns
    -------
    np.ndarray [shape=(c, lines), dtype=float32]
        0 below the lowest line that is clear of DC.
    """
    logs = np.log2(np.maximum(squares[:, FIRST_LINE:], np.float32(1e-36)))
    start, stop, inverse = _reach(logs.shape[1])
    total = np.zeros((len(logs), logs.shape[1] + 1))
    np.cumsum(logs, axis=1, out=total[:, 1:])
    floor = (total[:, stop] - total[:, start]) * inverse
    floor -= float(digamma(averages) - np.log(averages)) / np.log(2)
    decibel = np.zeros(squares.shape, np.float32)
    over = np.subtract(logs, floor, out=decibel[:, FIRST_LINE:], casting="same_kind")
    over *= np.float32(10 * np.log10(2))
    np.clip(over, 0.0, np.float32(cap_db), out=over)
    return decibel


@lru_cache(maxsize=32)
def _reach(lines: int) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """First and last line of each line's surroundings, and one over their number."""
    k = np.arange(lines)
    start = np.maximum(k - FLOOR_REACH, 0)
    stop = np.minimum(k + FLOOR_REACH + 1, lines)
    return start, stop, 1.0 / (stop - start)


def comb_db(
    decibel: NDArray[np.float32], base: NDArray[np.float64], weights: tuple[float, ...]
) -> NDArray[np.float32]:
    """Return the weighted mean height of combs of harmonics.

    Parameters
    ----------
    decibel : np.ndarray [shape=(c, lines)]
        From `whiten_db`.
    base : np.ndarray [shape=(c, s)]
        Fundamental of each comb, in lines (fractional).
    weights : tuple of float
        Of harmonics 1, 2, …; harmonics beyond the spectrum don't count.

    Returns
    -------
    np.ndarray [shape=(c, s), dtype=float32]
    """
    rows = np.arange(len(decibel))[:, None]
    top = decibel.shape[1]
    total = np.zeros(base.shape, np.float32)
    weight = np.zeros(base.shape, np.float32)
    for harmonic, w in enumerate(weights, start=1):
        line = np.rint(base * harmonic).astype(np.intp)
        seen = (line >= FIRST_LINE) & (line < top)
        total += np.float32(w) * decibel[rows, np.where(seen, line, 0)]
        weight += np.float32(w) * seen.astype(np.float32)
    total /= np.maximum(weight, np.float32(max(weights)))
    return total


def sideband_orders(bearing: Bearing, fault: str, order: float) -> NDArray[np.float64]:
    """Orders of the first two sidebands of the first two harmonics: ± shaft, or ± cage."""
    cage = bearing.ftf if bearing.ftf is not None else DEFAULT_CAGE
    spacing = 1.0 if fault in ("bpfo", "bpfi") else cage
    offsets = np.array([-2.0, -1.0, 1.0, 2.0]) * spacing
    return np.concatenate([order + offsets, 2 * order + offsets])


def mean_db(decibel: NDArray[np.float32], lines: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the mean height of given lines (c, k) of each row, (c,)."""
    k = np.rint(lines).astype(np.intp)
    seen = (k >= FIRST_LINE) & (k < decibel.shape[1])
    found = decibel[np.arange(len(decibel))[:, None], np.where(seen, k, 0)] * seen
    mean: NDArray[np.float32] = found.sum(axis=1) / np.maximum(seen.sum(axis=1), 1)
    return mean


def speed_scales(tolerance: float, top: int) -> NDArray[np.float64]:
    """Return the common speed scales to search, one line of the top harmonic apart, (s,)."""
    step = 1.0 / max(top, 1)
    reach = int(np.ceil((tolerance + SLIP) / step))
    scales: NDArray[np.float64] = 1.0 + step * np.arange(-reach, reach + 1, dtype=np.float64)
    return scales


class FaultLevels:
    """Level, prominence and sidebands of each fault kind of the bearings at a point."""

    def __init__(self, bearings: tuple[Bearing, ...], faults: tuple[str, ...], top: int) -> None:
        self._bearings, self._faults, self._top = bearings, faults, top

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
        decibel = whiten_db(squares)
        scales = speed_scales(tolerance, self._top)
        slip = int(np.ceil(SLIP * self._top))
        out[:] = 0.0
        for bearing in self._bearings:
            orders = [(f, o) for f in self._faults if (o := bearing.order(f)) is not None]
            if not orders:
                continue
            base = lines_per_order[:, None] * scales
            heights = [comb_db(decibel, base * o, WEIGHTS[f]) for f, o in orders]
            best = np.max(heights, axis=0).argmax(axis=1)
            near = np.clip(best[:, None] + np.arange(-slip, slip + 1), 0, len(scales) - 1)
            for (fault, order), height in zip(orders, heights, strict=True):
                local = np.take_along_axis(height, near, axis=1)
                at = np.take_along_axis(near, local.argmax(axis=1)[:, None], axis=1)[:, 0]
                lines = lines_per_order * scales[at]
                sides = lines[:, None] * sideband_orders(bearing, fault, order)
                column = 3 * self._faults.index(fault)
                prominence = 10 ** (local.max(axis=1) / 20)
                stronger = prominence > out[:, column + 1]
                found = np.stack(
                    [
                        self._level(squares, lines * order),
                        prominence,
                        10 ** (mean_db(decibel, sides) / 20),
                    ],
                    axis=1,
                )
                out[stronger, column : column + 3] = found[stronger]

    def _level(
        self, squares: NDArray[np.float32], base: NDArray[np.float64]
    ) -> NDArray[np.float32]:
        """Return ⁴√(½ Σ A²) over the harmonics, (c,)."""
        lines = np.rint(base[:, None] * np.arange(1, HARMONICS + 1)).astype(np.intp)
        seen = lines <= self._top
        found = squares[np.arange(len(squares))[:, None], np.where(seen, lines, 0)] * seen
        level: NDArray[np.float32] = np.sqrt(np.sqrt(np.float32(0.5) * found.sum(axis=1)))
        return level


def known_faults(bearing: Bearing) -> tuple[str, ...]:
    """Fault kinds whose order the bearing states."""
    return tuple(f for f in FAULTS if bearing.order(f) is not None)
