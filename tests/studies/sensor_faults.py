"""Sensors that lie: twelve injected faults on recordings, beside the machines' true faults.

Run ``python -m tests.studies.sensor_faults [FOLDER …]``. For each point the baseline is the first
60 % of each healthy recording of one operating state, the rest gets the fault. *Reported* counts
points that are reported as a sensor fault; *blamed* those that depart from the baseline and are not
reported (the median distance of their windows is beyond each healthy window of the rest); the
others are *harmless*: they do not depart. The last line holds the true faults of the machines; none
may be reported as a sensor fault.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from auscult.dsp.health import SensorHealth
from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.simulation import sensors as lies
from auscult.gateway.evaluate.features import spec_of, window_samples
from auscult.gateway.sources.dataset import DataSet, Recording, RecordingLabel, read_manifest
from auscult.models.decision.feature_names import feature_band_hz
from auscult.models.decision.sensor_checks import FAULTS
from tests.studies.sensor_signature import looks_like, signature

DATA = Path("../shared/data")
SETS = ("gearbox_gfd", "bldc_audio", "hit_sm", "cwru", "uestc")
WINDOW_S = 0.4
SHARE = 0.6
MIN_WINDOWS = 4
DB = 20 / np.log(10)
LONGEST_S = 30.0
VERBOSE = False


def with_fault(name: str, level: float) -> Callable[[np.ndarray, float], np.ndarray]:
    """Return what makes a sensor lie; `level` is the healthy r.m.s."""
    made: dict[str, lies.SensorFault] = {
        "loose mount": lies.LooseMount(hz=1200.0),
        "cable break": lies.CableBreak(pickup=0.02 * level),
        "intermittent contact": lies.Dropout(0.1, 0.05),
        "wrong unit": lies.WrongGain(9.80665),
        "saturation": lies.Clipping(1.0 * level),
        "hum": lies.Hum(1.0 * level),
        "aliasing": lies.Aliasing(4),
        "drifting gain": lies.WrongGain(1.6, 2.0),
        "stuck value": lies.Stuck(),
        "dead battery": lies.DeadBattery(0.5),
        "clock drift": lies.ClockDrift(0.05),
    }
    fault = made[name]
    rng = np.random.default_rng(0)
    return lambda x, fs_hz: fault.applied(x.astype(np.float64), fs_hz, rng).astype(np.float32)


ALONE = ("loose mount", "cable break", "intermittent contact", "wrong unit", "saturation", "hum",
         "aliasing", "drifting gain", "stuck value", "dead battery", "clock drift")  # fmt: skip
PAIRS = ("wrong axis", "swapped channels")


class Point:
    """One point in one operating state: its baseline, and the healthy rest."""

    def __init__(self, recordings: list[Recording], row: int) -> None:
        channel = recordings[0].channels[row]
        self.name = channel.point.point
        self.fs_hz = recordings[0].fs_hz
        n = window_samples(recordings[0], self.fs_hz, WINDOW_S)
        self.spec = spec_of(channel, self.fs_hz, n, recordings[0].state.speed_rpm)
        self._pipeline = FeaturePipeline(self.spec)
        self._speed = recordings[0].state.speed_rpm or np.nan
        named = [f for f in self.spec.names if f.startswith(("band_", "mel_"))]
        self._at = [self.spec.index[f] for f in named]
        self.edges_hz = np.array([feature_band_hz(self.spec, f) for f in named], float)
        self.rest: list[np.ndarray] = []
        baseline = []
        for recording in recordings:
            x = recording.read(0, round(min(recording.duration_s, LONGEST_S) * self.fs_hz))[row]
            cut = int(x.size * SHARE)
            baseline.append(self.levels(x[:cut])[0])
            self.rest.append(x[cut:])
        table = np.concatenate(baseline)
        self.windows = len(table)
        self.own_db = np.median(table, axis=0)
        self.scatter_db = np.maximum(1.4826 * np.median(np.abs(table - self.own_db), axis=0), 0.1)
        healthy = [self.distance(self.levels(x)[0]) for x in self.rest]
        self.limit = max(float(d.max(initial=0)) for d in healthy)
        self.rms = float(np.std(np.concatenate(self.rest)))

    def levels(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Levels of the bands of each window, dB, and its health."""
        n = self.spec.n_samples
        starts = range(0, x.size - n + 1, n // 2)
        windows = np.array([x[s : s + n] for s in starts], np.float32).reshape(-1, n)
        if not len(windows):
            return np.empty((0, len(self._at))), np.empty(0, int)
        block = self._pipeline.extract(windows, np.full(len(windows), self._speed))
        values = np.maximum(block.values[:, self._at].astype(float), 1e-12)
        return DB * np.log(values), block.health.astype(int)

    def distance(self, levels_db: np.ndarray) -> np.ndarray:
        """Distance of windows from the baseline."""
        return np.sqrt((((levels_db - self.own_db) / self.scatter_db) ** 2).mean(axis=1))

    def verdict(self, x: np.ndarray, others: list[Point], new: bool) -> str:
        """Reported, blamed or harmless."""
        levels, health = self.levels(x)
        if len(levels) < MIN_WINDOWS:
            return "short"
        flagged = (health & int(FAULTS)) > 0
        if flagged.mean() > 0.25:
            return "reported"
        well = levels[~flagged]
        if new and self.signature(well, health, others) is not None:
            return "reported"
        return "blamed" if np.median(self.distance(well)) > self.limit else "harmless"

    def signature(self, levels: np.ndarray, health: np.ndarray, others: list[Point]) -> str | None:
        """What the new checks say."""
        now = np.median(levels, axis=0)
        change = now - self.own_db
        clipped = (health & int(SensorHealth.CLIPPING)) > 0
        if clipped.mean() > 0.5 and float(np.median(change)) < 3.0:
            return "saturation"
        found = signature(now, self.own_db, self.edges_hz, self.scatter_db)
        if found is not None:
            return found
        alike = {
            o.name: o.own_db for o in others
            if o is not self and o.own_db.shape == self.own_db.shape
            and o.spec.unit == self.spec.unit
        }  # fmt: skip
        return looks_like(now, self.own_db, alike, self.scatter_db)


def states(data: DataSet, label: RecordingLabel) -> dict[tuple, list[Recording]]:
    """Recordings of one machine and operating state."""
    found: dict[tuple, list[Recording]] = defaultdict(list)
    for one in data.recordings:
        if one.label is label:
            tags = tuple(sorted(one.state.tags.items()))
            key = (one.machine, one.fs_hz, one.state.speed_rpm, one.state.load, tags)
            found[key].append(one)
    return found


def cases(folders: list[Path]) -> Iterator[tuple[str, str, str, str]]:
    """Yield set, fault, verdict by the checks before, verdict with the new ones."""
    for folder in folders:
        data = read_manifest(folder)
        faulty = states(data, RecordingLabel.FAULTY)
        for key, recordings in states(data, RecordingLabel.HEALTHY).items():
            points = [Point(recordings, row) for row in range(len(recordings[0].channels))]
            points = [p for p in points if p.windows >= 10]
            for p in points:
                for name in ALONE:
                    lie = with_fault(name, p.rms)
                    x = lie(np.concatenate(p.rest), p.fs_hz)
                    yield folder.name, name, p.verdict(x, points, False), p.verdict(x, points, True)
                healthy = np.concatenate(p.rest)
                yield (folder.name, "none", p.verdict(healthy, points, False),
                       p.verdict(healthy, points, True))  # fmt: skip
            for a, b in pairwise(points):
                for name, p, other in ((PAIRS[0], a, b), (PAIRS[1], a, b), (PAIRS[1], b, a)):
                    x = np.concatenate(other.rest)
                    yield folder.name, name, p.verdict(x, points, False), p.verdict(x, points, True)
            for recording in faulty.get(key, []):
                for row, p in enumerate(points):
                    x = recording.read(0, round(LONGEST_S * p.fs_hz))[row]
                    yield (folder.name, "machine fault", p.verdict(x, points, False),
                           p.verdict(x, points, True))  # fmt: skip


def main(folders: list[Path]) -> None:
    """Print the table of docs/sensors/sensor-faults.md."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for data_set, fault, before, after in cases(folders):
        if VERBOSE:
            print(data_set, fault, before, after, file=sys.stderr)
        if after == "short":
            continue
        counts[fault]["points"] += 1
        counts[fault][f"before {before}"] += 1
        counts[fault][f"now {after}"] += 1
    print("| fault | points | reported before | reported | blamed before | blamed | harmless |")
    print("|---|---|---|---|---|---|---|")
    for fault in (*ALONE, *PAIRS, "none", "machine fault"):
        c = counts[fault]
        print(
            f"| {fault} | {c['points']} | {c['before reported']} | {c['now reported']} "
            f"| {c['before blamed']} | {c['now blamed']} | {c['now harmless']} |"
        )


if __name__ == "__main__":
    main([Path(one) for one in sys.argv[1:]] or [DATA / one for one in SETS])
