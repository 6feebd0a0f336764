"""Departures that a sensor fault would explain: statements beside the machine's condition."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.contract.said import Said
from auscult.dsp.health import SensorHealth
from auscult.dsp.scales import DB_PER_NEPER
from auscult.dsp.sensor_signature import REPEATABILITY_DB, Signature, explain
from auscult.dsp.spec import FeatureSpec
from auscult.dsp.units import CURRENT_UNIT
from auscult.models.baseline.kind_model import KindModel, KindScores
from auscult.models.decision.departures import DEPARTS
from auscult.models.decision.feature_names import feature_band_hz
from auscult.models.records import Observation

Float64 = NDArray[np.float64]

MEDIAN_WINDOWS: Final = 4
"""The median of this many windows is examined where the last one alone shows no sensor fault."""
COMMON: Final = 0.5
"""Share of the other points that move by at least this share of a point's change: then the cause is
common, and no single sensor."""
_BAND: Final = re.compile(r"(band|mel)_\d+")
_SAID: Final = {
    "sensitivity": "sensor_sensitivity",
    "loose_mount": "sensor_loose_mount",
    "other_point": "sensor_other_point",
    "open_cable": "sensor_open_cable",
    "hum": "sensor_hum",
}


@dataclass(frozen=True)
class _Bands:
    """The bands of the points of a kind in their model."""

    kind: KindModel
    specs: Mapping[str, FeatureSpec]

    @cached_property
    def slots(self) -> NDArray[np.intp]:
        """Return the slots of the spectrum's bands."""
        names = self.kind.slots.names
        return np.array([i for i, name in enumerate(names) if _BAND.fullmatch(name)], np.intp)

    @cached_property
    def peak(self) -> int | None:
        """Return the slot of the peak value."""
        names = self.kind.slots.names
        return names.index("peak") if "peak" in names else None

    @cached_property
    def edges_hz(self) -> dict[str, Float64]:
        """Return the edges of the bands of each point that has all of them, but of currents.

        The mains is what a current consists of, and its load moves all bands alike.
        """
        names = [self.kind.slots.names[i] for i in self.slots]
        found = {}
        for point in self.kind.row:
            edges = [feature_band_hz(self.specs[point], name) for name in names]
            current = self.specs[point].unit == CURRENT_UNIT
            if edges and None not in edges and not current:
                found[point] = np.array(edges, np.float64)
        return found

    @cached_property
    def alike(self) -> dict[str, tuple[str, ...]]:
        """Return the other points with the same bands and unit."""
        specs, edges = self.specs, self.edges_hz
        return {
            one: tuple(
                other
                for other in edges
                if other != one
                and specs[other].unit == specs[one].unit
                and np.array_equal(edges[other], edges[one])
            )
            for one in edges
        }


@dataclass
class _Watch:
    """What was seen of a point that departs."""

    levels_db: deque[Float64] = field(default_factory=lambda: deque(maxlen=MEDIAN_WINDOWS))
    hits: int = 0
    misses: int = 0
    said: Said | None = None


class SensorSignatures:
    """Finds departures that a sensor fault would explain, and names the fault.

    A statement is beside the departure: its windows count as evidence like any others, because
    a machine fault may look alike. Only a level of exactly 0 counts for nothing: no measurement
    arrived. After `windows` windows in a row with a signature the point has the fault, which ends
    after as many windows without one.
    """

    def __init__(
        self, kinds: Sequence[KindModel], specs: Mapping[str, FeatureSpec], windows: int
    ) -> None:
        self._bands = {id(kind): _Bands(kind, specs) for kind in kinds if kind.kind != "value"}
        self._specs = specs
        self._windows = windows
        self._watched: dict[str, _Watch] = {}
        self._moved_db: NDArray[np.floating] | None = None
        """Median change of each window of the hop, once it is asked for."""

    @property
    def faults(self) -> dict[str, Said]:
        """Return the points with a sensor fault, and which."""
        return {p: w.said for p, w in self._watched.items() if w.said and w.hits >= self._windows}

    def reset(self) -> None:
        """Discard what was seen, for example after maintenance."""
        self._watched.clear()

    def to_array(self) -> NDArray[np.uint8]:
        """Copy what was seen of the points that depart, to store it."""
        seen = {
            point: [w.hits, w.misses, [one.tolist() for one in w.levels_db],
                    w.said and [w.said.code, dict(w.said.values)]]
            for point, w in self._watched.items()
        }  # fmt: skip
        return np.frombuffer(json.dumps(seen).encode(), np.uint8)

    def restore(self, stored: NDArray[np.uint8]) -> None:
        """Resume from `to_array`."""
        for point, (hits, misses, levels_db, said) in json.loads(stored.tobytes()).items():
            levels = deque(map(np.array, levels_db), MEDIAN_WINDOWS)
            self._watched[point] = _Watch(levels, hits, misses, Said(*said) if said else None)

    @property
    def suspects(self) -> bool:
        """Return whether the last windows of any point have a signature."""
        return any(watch.hits for watch in self._watched.values())

    def follow(self, scores: Sequence[KindScores]) -> set[str]:
        """Examine the windows of a hop; return the points without a measurement in it."""
        empty: set[str] = set()
        for kind in scores:
            departs = kind.ln_p < DEPARTS
            if not self._watched and not departs.any():
                continue
            self._moved_db = None
            bands = self._bands.get(id(kind.kind))
            for i, observation in enumerate(kind.observations):
                point = observation.point
                if not (departs[i] or point in self._watched):
                    continue
                watch, said = self._watched.setdefault(point, _Watch()), None
                if departs[i] and bands is None:
                    said = self._no_measurement(observation)
                    if said is not None:
                        empty.add(point)
                elif departs[i] and bands is not None and kind.seen[i]:
                    said = self._said(point, bands, kind, i, watch)
                self._count(point, watch, said, departs=bool(departs[i]))
        return empty

    def _count(self, point: str, watch: _Watch, said: Said | None, *, departs: bool) -> None:
        """Count a window with or without a signature."""
        if said is not None:
            watch.hits, watch.misses, watch.said = watch.hits + 1, 0, said
            return
        watch.misses += 1
        if watch.hits >= self._windows > watch.misses:
            return
        if not departs or watch.hits >= self._windows:
            del self._watched[point]
        else:
            watch.hits, watch.said = 0, None

    def _no_measurement(self, observation: Observation) -> Said | None:
        """Tell a level of exactly 0 from a small one: every sensor at work has some noise."""
        level = self._specs[observation.point].features[0].scale == "log"
        return Said("sensor_zero") if level and observation.features[0] == 0.0 else None

    def _said(
        self, point: str, bands: _Bands, scores: KindScores, i: int, watch: _Watch
    ) -> Said | None:
        if point not in bands.edges_hz:
            return None
        row, state = int(scores.rows[i]), int(scores.state[i])
        health = scores.observations[i].health
        location = scores.kind.location[:, state].astype(np.float64)
        scatter = scores.kind.spread[row, state].astype(np.float64) * DB_PER_NEPER
        change = scores.z[i].astype(np.float64) * scatter
        clips = bool(health & SensorHealth.CLIPPING)
        peak_db = 0.0 if bands.peak is None else float(change[bands.peak])
        if clips and peak_db < -REPEATABILITY_DB:
            # The rail is below the healthy peaks: it moved, or the gain before it.
            return Said("sensor_saturated", {"change_db": peak_db})
        slots = bands.slots
        own_db = location[row, slots] * DB_PER_NEPER
        watch.levels_db.append(own_db + change[slots])
        others_db = {
            other: location[scores.kind.row[other], slots] * DB_PER_NEPER
            for other in bands.alike[point]
        }
        edges_hz, shaft_hz = bands.edges_hz[point], self._shaft_hz(point, scores, i)
        tried = [watch.levels_db[-1]]
        if len(watch.levels_db) > 1:
            tried.append(_median(np.array(watch.levels_db)))
        for levels_db in tried:
            found = explain(
                levels_db,
                own_db,
                scatter[slots],
                edges_hz,
                others_db,
                shaft_hz,
                mains=scores.observations[i].health,
            )
            if found is None:
                continue
            if found.kind == "sensitivity" and self._is_common(scores, i, slots, found.value):
                continue
            return _said(found)
        return None

    def _is_common(
        self, scores: KindScores, i: int, slots: NDArray[np.intp], change_db: float
    ) -> bool:
        """Return whether half of the other points moved with this one: sensors fail one by one."""
        others = len(scores.rows) - 1
        if not others:
            return False
        if self._moved_db is None:
            spread = scores.kind.spread[scores.rows, scores.state][:, slots]
            self._moved_db = np.median(scores.z[:, slots] * spread, axis=1) * DB_PER_NEPER
        together = self._moved_db * np.sign(change_db) >= COMMON * abs(change_db)
        return bool((np.count_nonzero(together) - int(together[i])) / others >= COMMON)

    def _shaft_hz(self, point: str, scores: KindScores, i: int) -> float | None:
        state = scores.observations[i].state
        if state is not None and state.speed_rpm:
            return state.speed_rpm / 60
        return self._specs[point].shaft_hz


def _median(rows: Float64) -> Float64:
    """Return the median of each column of a few rows: `np.median` takes five times as long."""
    ordered, half = np.sort(rows, axis=0), len(rows) // 2
    upper = ordered[half]
    return np.asarray(upper if len(rows) % 2 else (ordered[half - 1] + upper) / 2)


def _said(found: Signature) -> Said:
    code = _SAID[found.kind]
    if found.kind == "other_point":
        return Said(code, {"other": found.point})
    if found.kind == "loose_mount":
        return Said(code, {"hz": found.value})
    return Said(code, {"change_db": found.value})
