"""What months bring to a vibration baseline: ``python -m lab.studies.vibration_months [FOLDER …]``.

A burst of windows each three hours for 60 days. Features are simulated, or with folders drawn
from recordings: the baseline from the first 60 % of each healthy one, later windows from the rest,
a fault from the faulty ones. On top comes what months bring: temperature, drift of the gain, an
operating state that is not stated and comes later, an overhaul. The detector learns an hour or a
month and decides from then on; on day 50 a fault begins. Printed: events, with what was reported as
added to an open one before the fault, share of the time in an event, and the time until the fault
is found ("added" to an event that was open, "hidden" in it).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from auscult.contract.event import ADDED
from auscult.contract.records import DEPARTED
from auscult.dsp.scales import DB_PER_NEPER
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.datasets.dataset import RecordingLabel
from auscult.gateway.evaluate.detection import condition_of, default_split
from auscult.gateway.evaluate.features import MachineData
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation
from lab.studies.learning.sets import machines_of, quantity_of

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Windows = dict[str, Float32]

SPEC = FeatureSpec.vibration(8000, 3200, "g", nominal_speed_rpm=1500)
POINT = "de"
DAY_S, HOUR_S, DENSE_S = 86_400.0, 3600.0, 1.8
BURST, BURST_HOURS = 10, 3
"""Windows of a burst, and hours between bursts."""
DAYS, LEARNED_DAYS, FAULT_DAY, LATER_DAY, OVERHAUL_DAY = 60, 30, 50, 32, 36
START_S = 1.7e9
DB = 1 / DB_PER_NEPER
"""A decibel as a difference of logarithms."""
DAILY_DB, SLOW_DB, GAIN_DB, OVERHAUL_DB, STATE_DB, FAULT_DB = 0.3, 0.8, 1.0, 2.0, 3.0, 2.0
TILTS = 3
"""Periods over all bands of what a temperature does to their levels, at most: resonances move."""
KINDS = ("still", "temperature", "gain drift", "a later state", "overhaul")


class Source(Protocol):
    """Where windows of a machine come from: features by point."""

    specs: dict[str, FeatureSpec]

    def first(self, n: int) -> list[Windows]:
        """Return n windows of the healthy period, all if there are fewer."""

    def draw(self, *, later: bool, faulty: bool) -> Windows:
        """Return a later window, in the state of the baseline or in another one."""


class Simulated:
    """Logarithms of features around a level, correlated over the bands."""

    def __init__(self, seed: int) -> None:
        self.specs = {POINT: SPEC}
        rng = self._rng = np.random.default_rng(seed)
        d = len(SPEC)
        self._mixing = rng.normal(size=(4, d)) * 0.1
        self._level = rng.uniform(-3, 0, d)
        self._state = STATE_DB * DB * rng.normal(size=d)
        self._fault = FAULT_DB * DB * (rng.uniform(size=d) < 0.1)

    def first(self, n: int) -> list[Windows]:
        return [self.draw(later=False, faulty=False) for _ in range(n)]

    def draw(self, *, later: bool, faulty: bool) -> Windows:
        x = self._level + self._rng.normal(size=4) @ self._mixing
        x = x + 0.1 * self._rng.normal(size=len(x)) + later * self._state + faulty * self._fault
        return {POINT: np.exp(x).astype(np.float32)}


@dataclass
class Recorded:
    """Windows of recordings; the last healthy condition is the one that comes later."""

    data: MachineData
    fault: str
    seed: int
    specs: dict[str, FeatureSpec] = field(init=False)

    def __post_init__(self) -> None:
        self.specs = self.data.specs
        self._rng = np.random.default_rng(self.seed)
        quantity = quantity_of(self.data)
        cuts = [
            cut
            for cut in default_split(self.data).baseline
            if len(cut[0].features) == len(self.specs)
        ]
        conditions = [condition_of(s, quantity) if quantity else None for s, _ in cuts]
        new = conditions[-1] if quantity else object()
        known = [cut for cut, own in zip(cuts, conditions, strict=True) if own != new]
        self._base = [one for s, n in known for one in _rows(s.features, 0, n)]
        self._after = [one for s, n in known for one in _rows(s.features, n, len(s))]
        self._later = [
            one for (s, _), own in zip(cuts, conditions, strict=True) if own == new
            for one in _rows(s.features, 0, len(s))
        ]  # fmt: skip
        self._faulty = [
            one for s in self.data.with_label(RecordingLabel.FAULTY)
            if s.recording.fault == self.fault and len(s.features) == len(self.specs)
            and (quantity is None or condition_of(s, quantity) != new)
            for one in _rows(s.features, 0, len(s))
        ]  # fmt: skip

    def first(self, n: int) -> list[Windows]:
        return self._base[:: max(1, len(self._base) // n)]

    def draw(self, *, later: bool, faulty: bool) -> Windows:
        pool = self._faulty if faulty else self._later if later else self._after
        return pool[int(self._rng.integers(len(pool)))]


def _rows(features: Windows, start: int, stop: int) -> Iterator[Windows]:
    for i in range(start, stop):
        yield {point: x[i] for point, x in features.items()}


class Months:
    """What months bring, on top of a source."""

    def __init__(self, kind: str, source: Source, seed: int) -> None:
        self.kind, self.source = kind, source
        rng = np.random.default_rng((seed, KINDS.index(kind)))
        self._tilt = {p: _tilt(spec, rng) for p, spec in source.specs.items()}
        self._level = {p: _levels(spec) for p, spec in source.specs.items()}
        self._phase = rng.uniform(0, 2 * np.pi)

    def changed(self, windows: Windows, day: float) -> Windows:
        """Return windows as they are on a day."""
        slow = np.sin(2 * np.pi * day / 20 + self._phase)
        db = {
            "temperature": DAILY_DB * np.sin(2 * np.pi * day) + SLOW_DB * slow,
            "gain drift": GAIN_DB * day / DAYS,
            "overhaul": -OVERHAUL_DB * (day > OVERHAUL_DAY),
        }.get(self.kind, 0.0)
        shapes = self._level if self.kind == "gain drift" else self._tilt
        return {p: (x * np.exp(db * DB * shapes[p])).astype(np.float32) for p, x in windows.items()}

    def at(self, day: float, *, faulty: bool) -> Windows:
        """Return a window of each point at a time in days."""
        later = self.kind == "a later state" and day > LATER_DAY and (day * 8) % 5 < 1
        return self.changed(self.source.draw(later=later, faulty=faulty), day)


def _levels(spec: FeatureSpec) -> Float64:
    """Return 1 for the features that follow the gain, 0 for the others."""
    own = [one.scale == "log" and one.unit not in ("1", "Hz", "s") for one in spec.features]
    return np.array(own, np.float64)


def _tilt(spec: FeatureSpec, rng: np.random.Generator) -> Float64:
    """Return what a temperature does to each level: smooth over the bands, in units of its size."""
    at, shape = np.linspace(0, 1, len(spec)), np.zeros(len(spec))
    for periods in range(TILTS + 1):
        shape += rng.normal() * np.cos(2 * np.pi * periods * at + rng.uniform(0, 2 * np.pi))
    return np.asarray(shape / shape.std() * _levels(spec))


@dataclass(frozen=True, slots=True)
class Played:
    """Events, share of the time in an event, and what became of the fault."""

    events: int
    added: int
    share: float
    fault: str


def played(months: Months, *, an_hour: bool) -> Played:
    """Play 60 days after a baseline of an hour or of a month."""
    detector = MachineDetector(NamePlate("m"), months.source.specs)
    healthy = months.source.first(round(HOUR_S / DENSE_S))
    step_s = DENSE_S if an_hour else LEARNED_DAYS * DAY_S / len(healthy)
    for number, windows in enumerate(healthy):
        t_s = number * step_s
        detector.observe(_hop(months.changed(windows, t_s / DAY_S), t_s))
    detector.adopt(detector.fit_now().run())
    events, added, inside, windows_seen, before, hides = 0, 0, 0, 0, False, False
    first_hour = 1 if an_hour else LEARNED_DAYS * 24
    for hour in range(first_hour, DAYS * 24, BURST_HOURS):
        day = hour / 24
        for k in range(BURST):
            t_s = hour * HOUR_S + k * DENSE_S
            hop = _hop(months.at(day, faulty=day >= FAULT_DAY), t_s)
            decision = detector.observe(hop).machine
            departs = decision.condition in DEPARTED
            adds = any(one.said.code in ADDED for one in decision.reasons)
            hides |= day >= FAULT_DAY and before
            if day >= FAULT_DAY and (adds if hides else departs):
                found = f"{(t_s - FAULT_DAY * DAY_S) / HOUR_S:.1f} h" + hides * ", added"
                return Played(events, added, inside / windows_seen, found)
            added += adds
            events += departs and not before
            inside, windows_seen = inside + departs, windows_seen + 1
            before = departs
    return Played(events, added, inside / windows_seen, "hidden" if hides else "not found")


def _hop(windows: Windows, t_s: float) -> list[Observation]:
    t_ns = round((START_S + t_s) * 1e9)
    return [Observation(point, t_ns, features) for point, features in windows.items()]


def sources(folders: Sequence[Path], seeds: int) -> Iterator[tuple[str, Source, int]]:
    """Yield the simulated machines, or a machine of each set and kind of fault."""
    if not folders:
        for seed in range(seeds):
            yield "simulated", Simulated(seed), seed
    for data in machines_of([folder / "manifest.csv" for folder in folders]):
        faults = dict.fromkeys(s.recording.fault for s in data.with_label(RecordingLabel.FAULTY))
        for seed, fault in enumerate(list(faults)[:seeds]):
            yield data.machine, Recorded(data, fault, seed), seed


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--seeds", type=int, default=2, help="machines, or faults of a set")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    asked = parser.parse_args()
    found: dict[tuple[str, str, str], list[Played]] = {}
    for machine, source, seed in sources(asked.folders, asked.seeds):
        for kind in asked.kinds:
            for name in ("an hour", "a month"):
                one = played(Months(kind, source, seed), an_hour=name == "an hour")
                found.setdefault((machine, kind, name), []).append(one)
    table = Table(
        "machine", "what months bring", "baseline", "events", "in an event", "fault found"
    )
    for key, each in found.items():
        table.add_row(
            *key, ", ".join(f"{one.events} + {one.added}" for one in each),
            ", ".join(f"{one.share:.2f}" for one in each), ", ".join(one.fault for one in each),
        )  # fmt: skip
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
