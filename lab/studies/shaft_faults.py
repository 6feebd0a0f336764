"""Faults of shafts by orders, directions and phases: ``python -m lab.studies.shaft_faults``.

    python -m lab.studies.shaft_faults simulated
    python -m lab.studies.shaft_faults adi_mfs/manifest.csv

Prints a confusion table in Markdown. Simulated machines have motor and pump, six or twelve sensors,
housings whose resonances vary, and residual imbalance and misalignment. On recordings the healthy
one of the same speed is the reference; the set states no direction of its axes.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from auscult.dsp.bearing import Bearing
from auscult.dsp.order_lines import OrderLines, order_lines
from auscult.dsp.simulation.bearings import BearingDefect
from auscult.dsp.simulation.drive import Magnetic
from auscult.dsp.simulation.flow import BladePass, Cavitation
from auscult.dsp.simulation.housing import Housing, Mode
from auscult.dsp.simulation.machine import SimulatedMachine, healthy_pump, triaxial
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.shaft import (
    AngularMisalignment,
    BentShaft,
    Imbalance,
    Looseness,
    ParallelMisalignment,
)
from auscult.dsp.simulation.source import VibrationSource
from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.models.decision.diagnosis import UNCLEAR
from auscult.models.decision.shaft_diagnosis import ShaftPoints, shaft_diagnosis

FS_HZ, SECONDS = 6400.0, 4.0
SPEEDS_RPM = (600.0, 1480.0, 2970.0)
BEARING = Bearing("6205", bpfo=3.585, bpfi=5.415, bsf=2.357, ftf=0.398)
SURE = 0.8
MACHINES = range(2, 8)
"""Machines 0 and 1 served to find mistakes of the rules; they are not counted."""


@dataclass(frozen=True)
class Verdict:
    """One machine or recording: what it has, what was named, and how sure."""

    truth: str
    named: str
    confidence: float


def housing_of(seed: int) -> Housing:
    """Return the resonances of a machine: softer horizontally, each machine different."""
    rng = np.random.default_rng((seed, 4))

    def modes(low: float, high: float) -> tuple[Mode, ...]:
        return (
            Mode(rng.uniform(low, high), rng.uniform(0.03, 0.08), rng.uniform(0.2, 0.6)),
            Mode(rng.uniform(1200, 2500), 0.04, 0.2),
        )

    return Housing(
        {"axial": modes(60, 160), "horizontal": modes(30, 90), "vertical": modes(60, 160)}
    )


def faults_of(g: float, rpm: float) -> dict[str, tuple[VibrationSource, ...]]:
    """Return the sources of each fault at an amplitude in g."""
    return {
        "none": (),
        "imbalance": (Imbalance(g, at_rpm=rpm, shaft=2),),
        "imbalance, couple": (Imbalance(g, at_rpm=rpm, shaft=2, couple=True),),
        "imbalance, overhung": (Imbalance(g, at_rpm=rpm, shaft=2, overhung=True),),
        "misalignment.parallel": (ParallelMisalignment(g),),
        "misalignment.angular": (AngularMisalignment(g),),
        "bent_shaft": (BentShaft(g, shaft=2),),
        "looseness": (Looseness(g, bearing=2),),
        "outer race": (BearingDefect(BEARING, "bpfo", 10 * g),),
        "cavitation": (Cavitation(g),),
        "blade pass": (BladePass(6, g, at_rpm=rpm),),
        "electrical": (Magnetic(g),),
    }


def simulated(bearings: tuple[int, ...], machines: range = MACHINES) -> Iterator[Verdict]:
    """Diagnose simulated machines with each fault at two severities and three speeds."""
    sensors = triaxial(*bearings)
    names = tuple(f"{s.place.bearing}{s.place.direction[0]}" for s in sensors)
    points = ShaftPoints(
        names,
        {n: s.place.direction for n, s in zip(names, sensors, strict=True)},
        {n: "1" if s.place.bearing <= 2 else "2" for n, s in zip(names, sensors, strict=True)},
    )
    for seed in machines:
        base = replace(healthy_pump(sensors, seed=seed), housing=housing_of(seed))
        for rpm in SPEEDS_RPM:
            rotation = Rotation.wandering(rpm, FS_HZ, SECONDS, share=0.002, seed=seed)
            healthy = lines_of(base, rotation, rpm)
            for severity in (0.1, 0.4):
                for truth, sources in faults_of(severity, rpm).items():
                    changed = replace(base.with_faults(*sources), seed=seed)
                    now = lines_of(changed, rotation, rpm * 1.004)
                    found = shaft_diagnosis(now, healthy, points)
                    yield Verdict(truth, found.prescription or found.fault, found.confidence)


def lines_of(machine: SimulatedMachine, rotation: Rotation, rpm: float) -> OrderLines:
    record = machine.record(rotation)
    lines = order_lines([(x, FS_HZ) for x in record.samples], rpm)
    assert lines is not None
    return lines


def recorded(manifest: str) -> Iterator[Verdict]:
    """Diagnose recordings against the healthy one of their speed."""
    data = read_manifest(manifest)
    healthy = {r.state.speed_rpm: r for r in data.recordings if r.label is RecordingLabel.HEALTHY}
    for recording in data.recordings:
        reference = healthy.get(recording.state.speed_rpm)
        if reference is None or reference is recording:
            continue
        before, now = (
            order_lines([(x, r.fs_hz) for x in r.read()], r.state.speed_rpm or 0.0)
            for r in (reference, recording)
        )
        assert before is not None
        assert now is not None
        points = ShaftPoints(tuple(c.point.point for c in recording.channels), {}, {})
        found = shaft_diagnosis(now, before, points)
        yield Verdict(recording.fault, found.prescription or found.fault, found.confidence)


def is_right(verdict: Verdict) -> bool:
    """Return whether the name is that of the fault, or a wider one of it."""
    truth = verdict.truth.split(",")[0]
    bend = {"bent shaft": "bent_shaft"}.get(truth, truth.split(" ")[0])
    return verdict.named == bend or bend.startswith(verdict.named + ".")


def report(verdicts: list[Verdict]) -> str:
    """Confusion table in Markdown, with what is wrong and sure."""
    named = [*sorted({v.named for v in verdicts} - {UNCLEAR}), UNCLEAR]
    lines = [
        "| fault | " + " | ".join(named) + " | wrong | wrong and sure |",
        "|---" * (len(named) + 3) + "|",
    ]
    for truth in dict.fromkeys(v.truth for v in verdicts):
        own = [v for v in verdicts if v.truth == truth]
        counts = Counter(v.named for v in own)
        wrong = [v for v in own if v.named != UNCLEAR and not is_right(v)]
        sure = sum(v.confidence >= SURE for v in wrong)
        cells = " | ".join(str(counts[n] or "") for n in named)
        lines.append(f"| {truth} | {cells} | {len(wrong)} | {sure} |")
    return "\n".join(lines)


if __name__ == "__main__":
    what = sys.argv[1]
    if what == "simulated":
        for bearings in ((2,), (1, 2), (1, 2, 3, 4)):
            sys.stdout.write(f"\nbearings {bearings}\n\n{report(list(simulated(bearings)))}\n")
    else:
        sys.stdout.write(report(list(recorded(what))) + "\n")
