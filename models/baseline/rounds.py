"""Overall values and waveforms side by side: which of them are fused.

Transmitters measure at intervals of their own. A round holds at most one value of each; it ends
when each point has its value, or before the first point repeats. Each value so counts once. A round
is fused with the newest windows of the machine's waveform points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]


def rounds_of(t_ns: Sequence[NDArray[np.int64]]) -> tuple[list[NDArray[np.intp]], list[int]]:
    """Round of each value of each point, and the time at which each round ends.

    >>> rounds, ends = rounds_of([np.array([0, 10, 20]), np.array([5, 25])])
    >>> [one.tolist() for one in rounds], ends
    ([[0, 1, 2], [0, 2]], [5, 10, 25])
    """
    column = np.concatenate([np.full(len(t), i) for i, t in enumerate(t_ns)])
    times = np.concatenate(t_ns)
    rounds = np.zeros(len(times), np.intp)
    ends: list[int] = []
    current: set[int] = set()
    for at in np.argsort(times, kind="stable").tolist():
        point = int(column[at])
        if not ends or point in current or len(current) == len(t_ns):
            current = set()
            ends.append(0)
        current.add(point)
        rounds[at] = len(ends) - 1
        ends[-1] = int(times[at])
    return np.split(rounds, np.cumsum([len(t) for t in t_ns])[:-1]), ends


@dataclass(frozen=True, slots=True)
class JointRows:
    """The windows of a machine's points in one table, a row a time, a column a point.

    ``row`` holds the row of each window of each point; ``is_round`` [shape=(rows,)] marks the rows
    of rounds, ``is_value`` the columns of overall values.
    """

    row: tuple[NDArray[np.intp], ...]
    is_round: NDArray[np.bool_]
    is_value: tuple[bool, ...]

    @classmethod
    def arrange(cls, t_ns: Sequence[NDArray[np.int64]], is_value: Sequence[bool]) -> JointRows:
        """Arrange windows with these times [shape=(n,)] of each point."""
        waves = [t for t, value in zip(t_ns, is_value, strict=True) if not value]
        values = [t for t, value in zip(t_ns, is_value, strict=True) if value]
        times = np.unique(np.concatenate(waves)) if waves else np.zeros(0, np.int64)
        rounds, ends = rounds_of(values) if values else ([], [])
        order = np.argsort(np.concatenate([times, np.array(ends, np.int64)]), kind="stable")
        place = np.empty(len(order), np.intp)
        place[order] = np.arange(len(order))
        of_rounds = iter(rounds)
        row = tuple(
            place[len(times) + next(of_rounds)] if value else place[np.searchsorted(times, t)]
            for t, value in zip(t_ns, is_value, strict=True)
        )
        return cls(row, order >= len(times), tuple(is_value))

    def table(self, values: Sequence[NDArray[np.generic]]) -> Float64:
        """Return the values of all windows [shape=(rows, points)], NaN where a point has none.

        Rounds have the newest values of the waveform points.
        """
        table = np.full((len(self.is_round), len(values)), np.nan)
        for column, (rows, own) in enumerate(zip(self.row, values, strict=True)):
            table[rows, column] = own
            if self.is_value[column] or not self.is_round.any():
                continue
            newest = np.where(np.isfinite(table[:, column]), np.arange(len(table)), -1)
            newest = np.maximum.accumulate(newest)
            known = self.is_round & (newest >= 0)
            table[known, column] = table[newest[known], column]
        return table


class Rounds:
    """Collects the p-values of a round while they arrive.

    Parameters
    ----------
    is_value : sequence of bool
        Of each row of the machine's arrays.
    """

    def __init__(self, is_value: Sequence[bool]) -> None:
        self._is_value = tuple(is_value)
        self._values = sum(self._is_value)
        self.value_rows = np.flatnonzero(self._is_value)
        self._round: dict[int, float] = {}
        self._newest: dict[int, float] = {}

    def add(
        self, rows: Sequence[int], ln_p: Sequence[float]
    ) -> tuple[NDArray[np.intp], Float64] | None:
        """Add the ln p of a hop's points; return rows and ln p of a round that ends."""
        ended = None
        for row, value in zip(rows, ln_p, strict=True):
            if not self._is_value[row]:
                self._newest[row] = value
        for row, value in zip(rows, ln_p, strict=True):
            if self._is_value[row]:
                if row in self._round:
                    ended = self._end()
                self._round[row] = value
        return self._end() if len(self._round) == self._values else ended

    def clear(self) -> None:
        """Discard what was collected, for example after maintenance."""
        self._round, self._newest = {}, {}

    def to_arrays(self) -> dict[str, Float64]:
        """Copy row and ln p of what was collected, in the order of arrival, to store them."""
        collected = {"round": self._round, "newest": self._newest}
        return {name: np.array([*one.items()]).reshape(-1, 2) for name, one in collected.items()}

    def restore(self, arrays: Mapping[str, Float64]) -> None:
        """Resume from `to_arrays`."""
        self._round, self._newest = (
            {int(row): float(ln_p) for row, ln_p in arrays[name]} for name in ("round", "newest")
        )

    def _end(self) -> tuple[NDArray[np.intp], Float64]:
        together = self._newest | self._round
        self._round = {}
        return np.array(list(together), np.intp), np.array(list(together.values()))
