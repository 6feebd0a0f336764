"""Sensors that lie: twelve injected faults on recordings, beside the machines' true faults.

Run ``python -m lab.studies.sensor_faults [--without] [FOLDER …]``. The shipped detector learns
the first 60 % of each healthy recording of a machine. In the rest one point gets a fault after a
quarter of the time, within a window. *Reported*: the sensor fault is named, alone or beside a
warning or an alarm of the machine. *Blamed*: the machine had one, and no sensor fault is named.
*Harmless*: neither. The last line holds the true faults of the machines; a sensor fault is named
beside none. ``--without`` leaves the signatures out, for comparison. What the rules take from the
departures found, `lab.studies.sensor_rules` measures.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from auscult.contract.records import DEPARTED, ReasonKind
from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.simulation import sensors as lies
from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.gateway.evaluate.detection import default_split, fitted_detector
from auscult.gateway.evaluate.features import MachineData, Stretch, at_rate, cut, machine_data
from auscult.gateway.windows.rate_check import RateCheck
from auscult.models.detector import MachineDetector
from auscult.models.records import Observation

DATA = Path("../shared/data")
SETS = ("gearbox_gfd", "bldc_audio", "hit_sm", "cwru", "uestc")
WINDOW_S = 0.4
ONSET = 0.27
"""Share of the rest before the fault."""
MIN_WINDOWS = 6
BLOCK_S = 0.1
Signal = np.ndarray


def with_fault(name: str, level: float) -> Callable[[Signal, float], Signal]:
    """Return what makes a sensor lie; `level` is the healthy r.m.s."""
    made: dict[str, lies.SimulatedSensorFault] = {
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
COUNTS = ("points", "reported", "blamed", "harmless")


class Rest:
    """What follows the baseline in one recording, as samples and as hops."""

    def __init__(self, data: MachineData, stretch: Stretch, first: int) -> None:
        self.data, self.stretch, self.first = data, stretch, first
        raw = stretch.recording.read()
        self.samples: dict[str, Signal] = {}
        for channel, x in zip(stretch.recording.channels, raw, strict=True):
            point = channel.point.point
            spec = data.specs[point]
            own = at_rate(x, stretch.recording.fs_hz, spec.fs_hz)
            hop = max(1, round(spec.n_samples * 0.5))
            self.samples[point] = own[first * hop :]

    def hops(self, changed: dict[str, Signal]) -> list[list[Observation]]:
        """Return the windows of all points, with these points' samples replaced."""
        hops = list(self.stretch.hops(self.first))
        for point, x in changed.items():
            spec = self.data.specs[point]
            windows, _ = cut(x, self.stretch.recording, spec)
            block = FeaturePipeline(spec).extract(
                np.ascontiguousarray(windows), self.stretch.recording.state.speed_rpm
            )
            hops = hops[: len(windows)]
            for i, hop in enumerate(hops):
                hops[i] = [
                    one._replace(features=block.values[i], health=int(block.health[i]))
                    if one.point == point else one for one in hop
                ]  # fmt: skip
        return hops


def outcomes(
    detector: MachineDetector, hops: list[list[Observation]], points: list[str],
    reported: frozenset[str] = frozenset(),
) -> dict[str, str]:  # fmt: skip
    """Reported, blamed or harmless, for each of these points."""
    detector.reset_evidence()
    faulty, blamed = set(reported), False
    for hop in hops:
        decision = detector.observe([one for one in hop if one.point not in reported])
        blamed |= decision.machine.condition in DEPARTED
        for point, own in decision.points.items():
            if any(reason.kind is ReasonKind.SENSOR for reason in own.reasons):
                faulty.add(point)
    alike = {True: "blamed", False: "harmless"}[blamed]
    return {p: "reported" if p in faulty else alike for p in points}


def by_times(point: str, fs_hz: float, seconds: float) -> frozenset[str]:
    """Return the point, if the times of its blocks show that its clock is off by a twentieth."""
    check, length = RateCheck(fs_hz), round(BLOCK_S * fs_hz)
    found = None
    for n in range(int(seconds / BLOCK_S)):
        found = check.add_block(length, round(n * length / (1.05 * fs_hz) * 1e9)) or found
    return frozenset({point} if found else ())


def cases(folder: Path, without: bool) -> Iterator[tuple[str, str]]:
    """Yield fault and outcome."""
    manifest = read_manifest(folder)
    for machine in manifest.machines:
        data = machine_data(manifest, machine, WINDOW_S, lambda: None)
        if not data.with_label(RecordingLabel.HEALTHY):
            continue
        split = default_split(data)
        detector = fitted_detector(data, split)
        if without:
            detector._scorer.signatures.follow = lambda scores: set()  # type: ignore[union-attr, method-assign]
        for stretch, first in split.baseline:
            if len(stretch) - first < MIN_WINDOWS:
                continue
            rest = Rest(data, stretch, first)
            points = list(rest.samples)
            yield "none", max(outcomes(detector, rest.hops({}), points).values())
            yield from _injected(detector, rest, without)
        for stretch in data.with_label(RecordingLabel.FAULTY):
            if len(stretch) >= MIN_WINDOWS:
                hops = list(stretch.hops())
                found = outcomes(detector, hops, list(stretch.features)).values()
                yield "machine fault", "reported" if "reported" in found else max(found)


def _injected(detector: MachineDetector, rest: Rest, without: bool) -> Iterator[tuple[str, str]]:
    points = list(rest.samples)
    for point in points:
        x, fs_hz = rest.samples[point], rest.data.specs[point].fs_hz
        onset = int(ONSET * x.size)
        for name in ALONE:
            reported: frozenset[str] = frozenset()
            if name == "clock drift" and not without:
                reported = by_times(point, fs_hz, (1 - ONSET) * x.size / fs_hz)
            lie = with_fault(name, float(np.std(x)))(x[onset:], fs_hz)
            hops = rest.hops({point: np.concatenate([x[:onset], lie])})
            yield name, outcomes(detector, hops, [point], reported)[point]
    for a, b in pairwise(points):
        if rest.data.specs[a].n_samples != rest.data.specs[b].n_samples:
            continue
        x, y = rest.samples[a], rest.samples[b]
        onset = int(ONSET * x.size)
        a_as_b = np.concatenate([x[:onset], y[onset:]])
        b_as_a = np.concatenate([y[:onset], x[onset:]])
        yield PAIRS[0], outcomes(detector, rest.hops({a: a_as_b}), [a])[a]
        both = outcomes(detector, rest.hops({a: a_as_b, b: b_as_a}), [a, b])
        yield from ((PAIRS[1], one) for one in both.values())


def main(arguments: list[str]) -> None:
    """Print the table of docs/sensors/sensor-faults.md."""
    without = "--without" in arguments
    folders = [Path(one) for one in arguments if one != "--without"] or [DATA / s for s in SETS]
    total: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for folder in folders:
        counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for fault, outcome in cases(folder, without):
            for one in (counts, total):
                one[fault]["points"] += 1
                one[fault][outcome] += 1
        table(folder.name, counts)
    table("all", total)


def table(title: str, counts: dict[str, dict[str, int]]) -> None:
    """Print the counts of one rig."""
    print(f"\n| {title} | {' | '.join(COUNTS)} |\n|---|---|---|---|---|")
    for fault in (*ALONE, *PAIRS, "none", "machine fault"):
        if fault in counts:
            print(f"| {fault} | {' | '.join(str(counts[fault][one]) for one in COUNTS)} |")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
