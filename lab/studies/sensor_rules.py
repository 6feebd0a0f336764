"""What the sensor rules take from the departures found: the detector with and without them.

Run ``python -m lab.studies.sensor_rules [FOLDER …]``. The shipped detector learns the first 60 %
of each healthy recording of a machine (20 % of a life that ends in failure). The rest is evaluated
twice by the same baseline: with the rules, and without all of them that a signal of finite, moving
samples can meet. *Found* counts the faulty recordings with a warning or an alarm, *alert* their
windows in one. No rule may take more than 1 in 100 of either. *Stated* counts the faulty recordings
with a sensor statement, *of healthy* the healthy ones; *false* healthy ones with a warning or an
alarm.

Each rig is evaluated as recorded and altered, as measuring chains alter signals:

- each channel of each recording is scaled to the same r.m.s., as by automatic gain;
- the gain doubles or halves after a quarter of what is evaluated;
- the converter's rail is at the highest healthy peak, or at the 99.9 % quantile of the samples;
- the former rail, and then the same r.m.s.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path

import numpy as np

from auscult.contract.records import DEPARTED, ReasonKind
from auscult.dsp.health import SensorHealth
from auscult.gateway.datasets.dataset import DataSet, Recording, RecordingLabel, read_manifest
from auscult.gateway.evaluate.detection import BASELINE_SHARE, Split, fitted_detector
from auscult.gateway.evaluate.features import MachineData, machine_data
from auscult.gateway.evaluate.life import BASELINE_SHARE as LIFE_SHARE
from auscult.models.decision.sensor_checks import DOUBTFUL
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate

DATA = Path("../shared/data")
SETS = ("gearbox_gfd", "bldc_audio", "hit_sm", "cwru", "uestc", "cwru12k", "adi_mfs", "femto")
WINDOW_S = 0.4
MOST_TAKEN = 0.01
"""Share of the departures that the rules may take."""
MOVING = SensorHealth.DROPOUT | SensorHealth.NOISE_FLOOR | SensorHealth.HELD | DOUBTFUL
"""Faults that finite, moving samples may show."""
ONSET = 0.25
QUANTILE = 0.999
Signal = np.ndarray
Alteration = Callable[[Recording, Signal], Signal]


@dataclass(frozen=True)
class Altered(Recording):
    """A recording through another measuring chain."""

    alteration: Alteration = lambda recording, x: x

    def read(self, start: int = 0, frames: int | None = None) -> Signal:
        """Return the altered samples [shape=(c, n)]."""
        x = self.alteration(self, super().read())
        end = x.shape[1] if frames is None else start + frames
        return x[:, start:end].astype(np.float32)


def same_rms(recording: Recording, x: Signal) -> Signal:
    """Scale each channel to an r.m.s. of 1."""
    return np.asarray(x / x.std(axis=1, keepdims=True))


def gain_step(factor: float, recording: Recording, x: Signal) -> Signal:
    """Change the gain after a quarter of what is evaluated."""
    first = share_learned(recording)
    onset = int((first + ONSET * (1 - first)) * x.shape[1])
    return np.concatenate([x[:, :onset], factor * x[:, onset:]], axis=1)


def at_rail(rails: dict[str, float], recording: Recording, x: Signal) -> Signal:
    """Clip each channel at the rail of its point."""
    limits = [rails.get(channel.point.point, np.inf) for channel in recording.channels]
    rail = np.array(limits)[:, None]
    return np.asarray(np.clip(x, -rail, rail))


def share_learned(recording: Recording) -> float:
    """Return the first part of a recording that is baseline."""
    return {
        RecordingLabel.HEALTHY: BASELINE_SHARE,
        RecordingLabel.RUN_TO_FAILURE: LIFE_SHARE,
        RecordingLabel.FAULTY: 0.0,
    }[recording.label]


def alterations(recordings: tuple[Recording, ...]) -> dict[str, Alteration]:
    """Make the measuring chains of one machine."""
    peaks: dict[str, float] = {}
    quantiles: dict[str, float] = {}
    for recording in recordings:
        learned = round(share_learned(recording) * recording.frames)
        if learned:
            size = np.abs(recording.read(0, learned))
            for channel, own in zip(recording.channels, size, strict=True):
                for found, value in ((peaks, own.max()), (quantiles, np.quantile(own, QUANTILE))):
                    point = channel.point.point
                    found[point] = max(found.get(point, 0.0), float(value))
    peak, quantile = partial(at_rail, peaks), partial(at_rail, quantiles)
    return {
        "as recorded": lambda recording, x: x,
        "same r.m.s.": same_rms,
        "gain × 2": partial(gain_step, 2.0),
        "gain × 0.5": partial(gain_step, 0.5),
        "rail at the peak": peak,
        "rail at 99.9 %": quantile,
        "rail, same r.m.s.": lambda recording, x: same_rms(recording, peak(recording, x)),
    }


def altered(data: DataSet, machine: str) -> Iterator[tuple[str, DataSet]]:
    """Yield the data set through each measuring chain."""
    recordings = data.of_machine(machine)
    if not any(share_learned(one) for one in recordings):
        return
    for name, alteration in alterations(recordings).items():
        yield name, replace(data, recordings=tuple(
            Altered(**{one.name: getattr(r, one.name) for one in fields(Recording)},
                    alteration=alteration)
            for r in recordings
        ))  # fmt: skip


def split_of(data: MachineData) -> Split:
    """Split each recording after what is learned of it."""
    cuts = [(s, round(share_learned(s.recording) * len(s))) for s in data.stretches]
    return Split(tuple((s, n) for s, n in cuts if n), tuple(cuts))


def evaluated(state: bytes, data: MachineData, split: Split, *, rules: bool) -> Counter[str]:
    """Count what a fitted detector finds and states, with or without the rules."""
    detector = MachineDetector(NamePlate(data.machine), data.specs)
    detector.restore(state)
    scorer, counts = detector._scorer, Counter[str]()
    assert scorer is not None
    if not rules:
        scorer.signatures.follow = lambda scores: set()  # type: ignore[method-assign]
    suffix = "" if rules else " off"
    for stretch, start in split.evaluated:
        if len(stretch) == start:
            continue
        detector.reset_evidence()
        alerts, stated = 0, set()
        for hop in stretch.hops(start):
            if not rules:
                hop = [one._replace(health=one.health & ~int(MOVING)) for one in hop]
            decision = detector.observe(hop)
            alerts += decision.machine.condition in DEPARTED
            stated |= {
                r.said.code if r.said.code != "sensor_fault" else str(r.said.values["faults"])
                for r in decision.machine.reasons
                if r.kind is ReasonKind.SENSOR
            }
        if stretch.recording.label is RecordingLabel.HEALTHY:
            counts.update(healthy=rules, **{f"false{suffix}": alerts > 0})
            counts["of healthy"] += bool(stated)
            continue
        counts.update(faulty=rules, **{f"found{suffix}": alerts > 0, f"alert{suffix}": alerts})
        counts["stated"] += bool(stated)
        counts.update({f"* {one}": 1 for one in stated})
    return counts


COLUMNS = ("faulty", "found off", "found", "alert off", "alert", "stated", "healthy", "false off",
           "false", "of healthy")  # fmt: skip


def counts_of(folder: Path) -> dict[str, Counter[str]]:
    """Count for each measuring chain, over the machines of a rig."""
    manifest, total = read_manifest(folder), dict[str, Counter[str]]()
    for machine in manifest.machines:
        for name, chain in altered(manifest, machine):
            data = machine_data(chain, machine, WINDOW_S, lambda: None)
            split = split_of(data)
            state, counts = fitted_detector(data, split).state(), total.setdefault(name, Counter())
            for rules in (True, False):
                counts.update(evaluated(state, data, split, rules=rules))
    return total


def main(arguments: list[str]) -> None:
    """Print the table of docs/sensors/sensor-faults.md."""
    worst = 0.0
    print(f"| rig | chain | {' | '.join(COLUMNS)} | what is stated of faulty ones |")
    print("|---" * (len(COLUMNS) + 3) + "|")
    for folder in [Path(one) for one in arguments] or [DATA / one for one in SETS]:
        for name, counts in counts_of(folder).items():
            said = ", ".join(f"{key[2:]} {n}" for key, n in counts.items() if key[0] == "*")
            cells = " | ".join(str(counts[one]) for one in COLUMNS)
            print(f"| {folder.name} | {name} | {cells} | {said} |", flush=True)
            for one in ("found", "alert"):
                if before := counts[f"{one} off"]:
                    worst = max(worst, 1 - counts[one] / before)
    print(f"\nlargest share taken: {worst:.4f} (limit {MOST_TAKEN})")
    sys.exit(worst > MOST_TAKEN)


if __name__ == "__main__":
    main(sys.argv[1:])
