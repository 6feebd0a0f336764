"""Whether a machine of overall values runs, from the two levels of its own values.

Vibration, current, power, flow and speed are one level while a machine runs and another, far below,
while it rests. Both levels are learned from the values; the limit lies in the empty valley between
them and is then fixed. A machine that always runs has one level, or levels nearer to each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from auscult.contract.times import NS_PER_S
from auscult.dsp.spec import FeatureSpec

BINS_PER_DECADE: Final = 20
LOWEST, BINS = 1e-5, 12 * BINS_PER_DECADE
"""Logarithmic bins of 12 % from 10 µ-units to 10 M-units."""
LEAST_VALUES: Final = 8
"""Fewest values on each level."""
LEAST_SHARE: Final = 0.01
"""Smallest share of the values on each level: rarer ones are outliers."""
FLOOR: Final = 0.01
"""Share of the usual high value below which all values count as the same rest."""
GAP: Final = 3
"""Bins of an empty valley: a factor of 1.4."""
EMPTY: Final = 0.1
"""Values of a bin in the valley, as a share of those in the fullest bin of the smaller level."""
FALLS: Final = 0.8
"""Share of the limit below which a running machine has come to rest."""
STALE: Final = 3.0
"""Intervals after which a value says nothing more."""
LONG_REST: Final = 4.0
"""Multiple of the longest rest so far, after which a run is no longer expected …"""
LONGEST_REST_S: Final = 14 * 86_400
"""… and shortest time until then."""
STUCK: Final = 3
"""Runs by the levels without a change of the run bit, after which the bit is stuck."""


@dataclass(frozen=True, slots=True)
class RestRule:
    """How the rest of a quantity shows.

    Parameters
    ----------
    factor : float
        Least ratio of the medians of both levels.
    at_rest : float
        Highest value that a machine at rest can have, in the unit of the feature.
    stops : int
        Falls from the upper to the lower level that are needed: a fault that raises a level once
        is no start.
    """

    factor: float
    at_rest: float = np.inf
    stops: int = 1


REST_RULES: Final[Mapping[str, RestRule]] = {
    # The lowest value that ISO 10816-1, Annex B, grades; a rest in a hall has up to a fifth.
    "velocity_rms_mm_s": RestRule(5.0, 0.28),
    "velocity_peak_mm_s": RestRule(5.0, 0.4),
    # Their size at rest depends on the bandwidth, so only by a factor that no two speeds have.
    "acceleration_rms_m_s2": RestRule(10.0, stops=3),
    "acceleration_peak_m_s2": RestRule(10.0, stops=3),
    "displacement_rms_um": RestRule(10.0, stops=3),
    # A motor without load takes a fifth of its current at the least.
    "current": RestRule(10.0),
    "power": RestRule(10.0, stops=3),
    "flow": RestRule(10.0, stops=3),
    "speed": RestRule(10.0),
}
"""By feature; other quantities, temperatures first, show no rest."""


def _bin(value: float) -> int:
    place = np.log10(max(value, LOWEST) / LOWEST) * BINS_PER_DECADE
    return min(int(place), BINS - 1)


class Valley(NamedTuple):
    """The limit between rest and running, and how far apart the medians of both are, a factor."""

    limit: float
    apart: float


def valley(counts: NDArray[np.int64], rule: RestRule) -> Valley | None:
    """Return the limit between the rest and the running of a value, None without two levels.

    Parameters
    ----------
    counts : np.ndarray [shape=(BINS,), dtype=int64]
        Values in each logarithmic bin.
    rule : RestRule

    Examples
    --------
    >>> counts = np.zeros(BINS, np.int64)
    >>> counts[_bin(0.06)], counts[_bin(1.2)] = 300, 20
    >>> found = valley(counts, REST_RULES["velocity_rms_mm_s"])
    >>> 0.2 < found.limit < 0.35, round(found.apart)
    (True, 20)
    >>> valley(counts, RestRule(30.0)) is None
    True
    """
    total = int(counts.sum())
    if total < 2 * LEAST_VALUES:
        return None
    cumulated = np.cumsum(counts)
    usual = int(np.searchsorted(cumulated, (1 - LEAST_SHARE / 2) * total))
    floor = max(0, usual + round(np.log10(FLOOR) * BINS_PER_DECADE))
    own = counts.copy()
    own[floor] += own[:floor].sum()
    own[:floor] = 0
    least = max(LEAST_VALUES, LEAST_SHARE * total)
    cumulated = np.cumsum(own)
    for first in range(floor + 1, usual):
        below = int(cumulated[first - 1])
        if below < least or total - below < least:
            continue
        low = int(np.searchsorted(cumulated, below / 2))
        high = int(np.searchsorted(cumulated, (below + total) / 2))
        if high - low < np.log10(rule.factor) * BINS_PER_DECADE:
            continue
        few = EMPTY * min(own[:first].max(), own[first:].max())
        end = first
        while end < high and own[end] <= few:
            end += 1
        if end - first >= GAP:
            at_rest = LOWEST * 10 ** ((low + 0.5) / BINS_PER_DECADE)
            limit = LOWEST * 10 ** ((first + end) / 2 / BINS_PER_DECADE)
            apart = 10 ** ((high - low) / BINS_PER_DECADE)
            return Valley(float(limit), apart) if at_rest <= rule.at_rest else None
    return None


@dataclass
class ValueLevels:
    """The two levels of one value, learned while it arrives."""

    rule: RestRule
    limit: float | None = None
    """Between rest and running; fixed once it is known."""
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(BINS, np.int64))
    apart: float = 1.0
    """Factor between the medians of both levels, when the limit was found."""
    candidate: float | None = None
    stops: int = 0
    above: bool = False

    def add(self, value: float) -> bool:
        """Add a value; return whether the limit was found with it."""
        limit = self.limit or self.candidate
        if limit is not None:
            stopped = self.above and value < FALLS * limit
            self.above = value > limit or (self.above and not stopped)
            self.stops += stopped
        if self.limit is not None:
            return False
        self.counts[_bin(value)] += 1
        total = int(self.counts.sum())
        if total % max(1, total // 50):
            return False
        found = valley(self.counts, self.rule)
        if found is None:
            self.candidate, self.stops, self.above = None, 0, False
            return False
        if self.candidate is None:
            self.above = value > found.limit
        self.candidate = found.limit
        if self.stops < self.rule.stops:
            return False
        self.limit, self.apart = found
        return True

    @property
    def shows_rest(self) -> bool:
        """Return whether a single value can be too high for a rest."""
        return self.rule.at_rest < np.inf

    @property
    def may_be_rest(self) -> bool:
        """Return whether fewer values are too high for a rest than show a level."""
        total, above = self.counts.sum(), self.counts[_bin(self.rule.at_rest) + 1 :].sum()
        return bool(total > 0 and above < 2 * max(LEAST_VALUES, LEAST_SHARE * total))


class Standstill(NamedTuple):
    """A rest that is longer than any before, or a run bit that no longer follows the values."""

    code: str
    """``run_not_recognised`` or ``run_bit_stuck``."""
    since_ns: int
    """UTC time of the last run; of the last change of the bit."""


class RunLevels:
    """Whether a machine runs, from the levels of all its values.

    Values with a known limit vote: a sensor that is loose is quiet alone, and one that feels the
    machine beside it is loud alone. In a tie, the values whose levels lie farthest apart decide.

    Parameters
    ----------
    specs : mapping of point to FeatureSpec
        All points of the machine.
    """

    def __init__(self, specs: Mapping[str, FeatureSpec]) -> None:
        self._stale_ns = {p: round(STALE * NS_PER_S / spec.fs_hz) for p, spec in specs.items()}
        self._rules = {
            point: REST_RULES[spec.names[0]]
            for point, spec in specs.items()
            if spec.kind == "value" and not spec.is_run_bit and spec.names[0] in REST_RULES
        }
        self._values: dict[str, ValueLevels] = {}
        self._heard_ns: dict[str, int] = {}
        self._bit: bool | None = None
        self._bit_ns = 0
        self._runs_of_bit = 0
        self.relearn()

    def relearn(self) -> None:
        """Learn all levels again."""
        self._values = {p: ValueLevels(rule) for p, rule in self._rules.items()}
        self._heard_ns.clear()
        self._runs = False
        self._since_ns = self._last_run_ns = 0
        self._longest_rest_ns = 0

    @property
    def known(self) -> bool:
        """Return whether the levels of any value are known."""
        return any(one.limit is not None for one in self._values.values())

    def limit(self, point: str) -> float | None:
        """Return the limit between rest and running of a point, in the unit of its feature."""
        one = self._values.get(point)
        return None if one is None else one.limit

    @property
    def limits(self) -> Mapping[str, float]:
        """Return all limits between rest and running, in the unit of the feature of each point."""
        return {p: one.limit for p, one in self._values.items() if one.limit is not None}

    def add(self, point: str, t_ns: int, value: float) -> bool:
        """Add a value; return whether the first limit of the machine was found with it."""
        one = self._values.get(point)
        if one is None or not np.isfinite(value):
            return False
        before = self.known
        found = one.add(value)
        self._heard_ns[point] = t_ns
        if not (before or found):
            return False
        self._follow(t_ns, self.running(t_ns))
        return not before

    def _follow(self, t_ns: int, runs: bool | None) -> None:
        if runs:
            if not self._runs:
                self._runs_of_bit += 1
                if self._last_run_ns:
                    self._longest_rest_ns = max(self._longest_rest_ns, t_ns - self._last_run_ns)
            self._last_run_ns = t_ns
        if runs is not None:
            self._runs = runs

    def running(self, t_ns: int) -> bool | None:
        """Return whether the machine runs, None before any limit is known.

        Without a fresh value the last answer holds: sensors may rest with the machine.
        """
        if not self.known:
            return None
        fresh = [
            one
            for point, heard_ns in self._heard_ns.items()
            if (one := self._values[point]).limit is not None
            and abs(t_ns - heard_ns) <= self._stale_ns[point]
        ]
        if not fresh:
            return self._runs
        above = sum(one.above for one in fresh)
        if 2 * above != len(fresh):
            return 2 * above > len(fresh)
        farthest = max(one.apart for one in fresh)
        return any(one.above for one in fresh if one.apart == farthest)

    @property
    def undecided(self) -> bool:
        """Return whether values so far may be those of a rest, or of a rest and its first run."""
        if self.known:
            return False
        able = [one for one in self._values.values() if one.shows_rest]
        resting = bool(able) and all(one.may_be_rest for one in able)
        return resting or any(one.candidate is not None for one in self._values.values())

    def note_bit(self, t_ns: int, runs: bool) -> None:
        """Note what a run bit says."""
        if runs is not self._bit:
            self._bit, self._bit_ns, self._runs_of_bit = runs, t_ns, 0

    @property
    def has_bit(self) -> bool:
        """Return whether a run bit was ever noted."""
        return self._bit is not None

    @property
    def bit_is_stuck(self) -> bool:
        """Return whether the machine ran several times while its run bit stayed the same."""
        return self._bit is not None and self._runs_of_bit >= STUCK

    def standstill(self, t_ns: int) -> Standstill | None:
        """Return why a run may no longer be recognised, None where all is as before."""
        if self.bit_is_stuck:
            return Standstill("run_bit_stuck", self._bit_ns)
        rest_ns = t_ns - self._last_run_ns
        longest_ns = max(LONG_REST * self._longest_rest_ns, LONGEST_REST_S * NS_PER_S)
        if self.known and not self._runs and self._longest_rest_ns and rest_ns > longest_ns:
            return Standstill("run_not_recognised", self._last_run_ns)
        return None

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Convert to named arrays."""
        arrays: dict[str, NDArray[Any]] = {
            "machine": np.array(
                [self._runs, self._last_run_ns, self._longest_rest_ns,
                 -1 if self._bit is None else self._bit, self._bit_ns, self._runs_of_bit],
                np.int64,
            )
        }  # fmt: skip
        for point, one in self._values.items():
            known = [np.nan if v is None else v for v in (one.limit, one.candidate, one.apart)]
            heard_ns = self._heard_ns.get(point, 0)
            arrays[f"{point}/limits"] = np.array(known)
            arrays[f"{point}/stops"] = np.array([one.stops, one.above, heard_ns], np.int64)
            if one.limit is None:
                arrays[f"{point}/counts"] = one.counts.astype(np.int32)
        return arrays

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Resume from `to_arrays`, for points that still exist."""
        self.relearn()
        if "machine" not in arrays:
            return
        runs, self._last_run_ns, self._longest_rest_ns, bit, self._bit_ns, self._runs_of_bit = (
            arrays["machine"].tolist()
        )
        self._runs, self._bit = bool(runs), None if bit < 0 else bool(bit)
        for point, one in self._values.items():
            if f"{point}/limits" not in arrays:
                continue
            one.limit, one.candidate, *apart = (
                None if np.isnan(v) else float(v) for v in arrays[f"{point}/limits"]
            )
            one.apart = (apart[0] if apart else None) or 1.0  # older versions have none
            one.stops, above, heard_ns = arrays[f"{point}/stops"].tolist()
            one.above = bool(above)
            if heard_ns:
                self._heard_ns[point] = heard_ns
            if f"{point}/counts" in arrays:
                one.counts = arrays[f"{point}/counts"].astype(np.int64)
