"""Bearing faults in a squared-envelope spectrum: combs of harmonics over the local noise floor.

All fault frequencies of a shaft share one unknown speed error, so one common scale is searched
(± the speed tolerance); each fault may slip by 1 % more. Each line is measured in dB over the floor
of its surroundings, so that the results compare between machines, bands and loads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from auscult.dsp.bearing import FAULTS, Bearing
from auscult.dsp.envelope import RANDALL
from auscult.dsp.feature import Feature
from auscult.dsp.parameters import Parameters
from auscult.dsp.settings import ENVELOPE_LOWEST_LINE, HARMONICS, SLIP
from auscult.dsp.shaft import Shaft

_FAULT_WORDS: Final = {
    "bpfo": "outer-race defect",
    "bpfi": "inner-race defect",
    "bsf": "ball or roller defect",
    "ftf": "cage defect",
}

FIRST_LINE: Final = int(np.ceil(ENVELOPE_LOWEST_LINE))

FLOOR_BLOCK: Final = 17
"""The local floor is the mean of three such blocks of lines around a line: wide against one lobe
(± 3 lines), narrow against the structure of the spectrum."""

SCALE_LINES: Final = 1.5
"""Step of the searched scales, in lines of the highest harmonic; a lobe is 2.8 lines wide."""

DOUBT_DB: Final = 0.5
"""A speed at the edge of the tolerance must explain this much more than the stated one."""

LINE_CAP_DB: Final = 20.0
"""A line counts at most this much, so that a single harmonic is not taken for a whole comb."""

WEIGHTS: Final = {
    "bpfo": (1.0, 1 / 2, 1 / 3, 1 / 4),
    "bpfi": (1.0, 1 / 2, 1 / 3, 1 / 4),
    "bsf": (1 / 2, 1.0, 1 / 3, 1 / 2),
    "ftf": (1.0, 1 / 2, 1 / 3, 1 / 4),
}
"""Weights of harmonics 1–4: the first separates faults (3 × BPFO and 2 × BPFI lie within 1 % for
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
    blocks, mean = _floor_plan(squares.shape[1])
    logs = squares + np.float32(1e-36)
    logs[:, :FIRST_LINE] = logs[:, FIRST_LINE : 2 * FIRST_LINE]
    np.log2(logs, out=logs)
    floor = np.add.reduceat(logs, blocks, axis=1) @ mean
    floor -= np.float32(expected_log2(averages))
    logs -= floor.repeat(FLOOR_BLOCK, axis=1)[:, : logs.shape[1]]
    logs *= np.float32(10 * np.log10(2))
    logs[:, :FIRST_LINE] = 0.0
    np.maximum(logs, np.float32(0.0), out=logs)
    np.minimum(logs, np.float32(cap_db), out=logs)
    return logs


@lru_cache(maxsize=32)
def _floor_plan(lines: int) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """First line of each block, and the matrix from block sums to the mean of three blocks."""
    blocks = np.arange(0, lines, FLOOR_BLOCK)
    size = np.minimum(FLOOR_BLOCK, lines - blocks)
    near = np.abs(np.subtract.outer(blocks, blocks)) <= FLOOR_BLOCK
    return blocks, (near / (near * size[:, None]).sum(axis=0)).astype(np.float32)


@lru_cache(maxsize=256)
def expected_log2(averages: float) -> float:
    """Return E log₂ of a noise line's power over its mean, when that many spectra were averaged."""
    return float((digamma(averages) - np.log(averages)) / np.log(2))


def sideband_orders(bearing: Bearing, fault: str, order: float) -> NDArray[np.float64]:
    """Return orders of the first two sidebands of the first two harmonics: ± shaft, or ± cage."""
    cage = bearing.ftf if bearing.ftf is not None else DEFAULT_CAGE
    spacing = 1.0 if fault in ("bpfo", "bpfi") else cage
    offsets = np.array([-2.0, -1.0, 1.0, 2.0]) * spacing
    return np.concatenate([order + offsets, 2 * order + offsets])


@dataclass(frozen=True)
class SearchPlan:
    """Lines of all combs of one bearing at one stated speed, for each scale of the search.

    Parameters
    ----------
    faults : tuple of str
    doubt : np.ndarray [shape=(scales,), dtype=float32]
        What a scale must be better by, in dB, to be preferred to the stated speed.
    far : np.ndarray [shape=(scales, scales), dtype=float32]
        0 where a fault may slip from one scale to the other, −∞ elsewhere.
    lines : np.ndarray [shape=(faults, scales, harmonics), dtype=intp]
        0 where the spectrum ends before.
    weights : np.ndarray [shape=(faults, scales, harmonics), dtype=float32]
        Sum 1 over the harmonics that the spectrum holds.
    sides : np.ndarray [shape=(faults, scales, 8), dtype=intp]
    """

    faults: tuple[str, ...]
    doubt: NDArray[np.float32]
    far: NDArray[np.float32]
    lines: NDArray[np.intp]
    weights: NDArray[np.float32]
    sides: NDArray[np.intp]


@lru_cache(maxsize=256)
def search_plan(
    bearing: Bearing, faults: tuple[str, ...], shaft_lines: float, tolerance: float, top: int
) -> SearchPlan:
    """Plan the search for `faults` in a spectrum of `top` + 1 lines, the shaft at `shaft_lines`."""
    orders = {f: o for f in faults if (o := bearing.order(f)) is not None}
    highest = min(float(top), max(orders.values()) * HARMONICS * shaft_lines)
    step = SCALE_LINES / max(highest, 1.0)
    reach = int(np.ceil((tolerance + SLIP) / step))
    steps = np.arange(-reach, reach + 1)
    scales = shaft_lines * (1.0 + step * steps)
    harmonics = np.arange(1, HARMONICS + 1)
    lines = np.stack([_lines(scales, o * harmonics, top) for o in orders.values()])
    weights = np.stack([np.array(WEIGHTS[f]) * (k > 0) for f, k in zip(orders, lines, strict=True)])
    least = np.array([max(WEIGHTS[f]) for f in orders])[:, None, None]
    weights /= np.maximum(weights.sum(axis=2, keepdims=True), least)
    apart = np.abs(np.subtract.outer(steps, steps))
    sides = [_lines(scales, sideband_orders(bearing, f, o), top) for f, o in orders.items()]
    return SearchPlan(
        faults=tuple(orders),
        doubt=(DOUBT_DB * np.abs(steps) / reach).astype(np.float32),
        far=np.where(apart <= int(np.ceil(SLIP / step)), 0.0, -np.inf).astype(np.float32),
        lines=lines,
        weights=weights.astype(np.float32),
        sides=np.stack(sides),
    )


def _lines(scales: NDArray[Any], orders: NDArray[Any], top: int) -> NDArray[np.intp]:
    """Nearest line of each order at each scale, (scales, orders); 0 = not in the spectrum."""
    k = np.rint(scales[:, None] * orders).astype(np.intp)
    return np.where((k >= FIRST_LINE) & (k <= top), k, 0)


class FaultLevels:
    """Level, prominence and sidebands of each fault kind of the bearings at a point."""

    def __init__(self, bearings: tuple[Bearing, ...], faults: tuple[str, ...], top: int) -> None:
        self._faults, self._top = faults, top
        self._bearings: list[tuple[Bearing, tuple[str, ...], list[int]]] = []
        for bearing in bearings:
            known = tuple(f for f in faults if bearing.order(f) is not None)
            if known:
                self._bearings.append((bearing, known, [faults.index(f) for f in known]))

    def finish(
        self,
        squares: NDArray[np.float32],
        shafts: tuple[Shaft, ...],
        out: NDArray[np.float32],
    ) -> None:
        """Write group ``bearing``: level, prominence, sidebands of each fault kind.

        Parameters
        ----------
        squares : np.ndarray [shape=(c, lines)]
            Squared amplitudes of the squared-envelope lines; 0 at line 0.
        shafts : tuple of Shaft
        out : np.ndarray [shape=(c, 3 · faults)]
            Bearings of one point share the columns: the most prominent one counts.
        """
        decibel = whiten_db(squares)
        columns = out.reshape(len(out), len(self._faults), 3)
        columns[:] = 0.0
        for shaft in shafts:
            rows = shaft.rows
            for bearing, faults, at in self._bearings:
                plan = search_plan(bearing, faults, shaft.lines, shaft.tolerance, self._top)
                found = _search(squares[rows], decibel[rows], plan)
                if len(self._bearings) == 1:
                    columns[rows] = found
                    continue
                best = columns[rows]
                before = best[:, at]
                best[:, at] = np.where(found[:, :, 1:2] > before[:, :, 1:2], found, before)
                columns[rows] = best


def _search(
    squares: NDArray[np.float32], decibel: NDArray[np.float32], plan: SearchPlan
) -> NDArray[np.float32]:
    """Return the level, prominence and sidebands at the best common scale, (c, faults, 3)."""
    c, n_faults = len(decibel), len(plan.faults)
    heights = np.einsum("cfsh,fsh->cfs", decibel.take(plan.lines, axis=1), plan.weights)
    ranked = heights - plan.doubt
    best = ranked.max(axis=1).argmax(axis=1)
    ranked += plan.far[best][:, None, :]
    at = ranked.argmax(axis=2)
    rows, faults = np.arange(c)[:, None], np.arange(n_faults)
    found = np.empty((c, n_faults, 3), np.float32)
    found[:, :, 1] = heights[rows, faults, at]
    each = rows[:, :, None]
    sides = decibel[each, plan.sides[faults, at]]
    found[:, :, 2] = np.add.reduce(sides, axis=2) / sides.shape[2]
    found[:, :, 1:] = 10 ** (found[:, :, 1:] / 20)
    power = squares[each, plan.lines[faults, at]].sum(axis=2)
    np.sqrt(np.sqrt(0.5 * power), out=found[:, :, 0])
    return found


def known_faults(bearing: Bearing) -> tuple[str, ...]:
    """Return the fault kinds whose order the bearing states."""
    return tuple(f for f in FAULTS if bearing.order(f) is not None)


def bearing_features(spec: Parameters) -> Iterator[Feature]:
    """Declare the lines of the point's bearings."""
    for fault in FAULTS:
        if fault not in spec.faults_carried():
            continue
        up, words = fault.upper(), _FAULT_WORDS[fault]
        yield Feature(
            f"{fault}_level",
            spec.value_unit,
            "bearing",
            "log",
            f"⁴√(½ Σ A²) of the squared envelope's lines at {up} and up to {HARMONICS} harmonics; "
            "the largest of the point's bearings",
            RANDALL,
            words,
        )
        yield Feature(
            f"{fault}_prominence",
            "1",
            "bearing",
            "log",
            f"height of the lines at {up} and its harmonics over the local noise floor of the "
            "envelope spectrum, as an amplitude ratio; 1 = at the floor",
            f"{RANDALL}; common speed error searched",
            f"{words}; comparable between machines",
        )
        yield Feature(
            f"{fault}_sidebands",
            "1",
            "bearing",
            "log",
            f"the same for the sidebands of {up}: ± shaft speed (bpfo, bpfi), ± cage (bsf, ftf)",
            RANDALL,
            f"{words} that passes through the load zone",
        )
