"""Which of several points a bearing fault is named at: ``python -m lab.studies.nearest``.

    python -m lab.studies.nearest simulated
    python -m lab.studies.nearest cwru12k/manifest.csv --at drive_end

Counts named faults by point. Simulated pumps have one sensor at each of four bearings, whose noise
differs by up to a factor of 100; one bearing is damaged. A set of recordings has its faults at the
point that is stated.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Literal

import numpy as np

from auscult.dsp.bearing import Bearing
from auscult.dsp.diagnosis import diagnose_bearing
from auscult.dsp.simulation.bearings import BearingDefect
from auscult.dsp.simulation.machine import healthy_pump
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.sensors import Sensor
from auscult.dsp.simulation.source import SensorPlace
from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.models.decision.bearing_diagnosis import bearing_diagnosis
from auscult.models.decision.diagnosis import UNCLEAR

BEARING = Bearing.from_geometry(9, 7.94, 39.04, name="6205")
PLACES = (1, 2, 3, 4)
PARTS: tuple[Literal["bpfo", "bpfi"], ...] = ("bpfo", "bpfi")
AMPLITUDES_G = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
NOISES_G = (0.002, 0.02)
RPM, FS_HZ, SECONDS = 1500.0, 12_800.0, 5.0


def simulated() -> None:
    """Print right and named faults by noise and amplitude."""
    print("| noise, g | amplitude, g | at the damaged bearing | named |\n|---|---|--:|--:|")
    for noise_g in NOISES_G:
        for amplitude_g in AMPLITUDES_G:
            found = [
                (at, _named_at(noise_g, amplitude_g, part, at, seed))
                for part in PARTS
                for at in PLACES
                for seed in (1, 2)
            ]
            right = sum(point == str(at) for at, point in found)
            named = sum(point is not None for _, point in found)
            print(f"| {noise_g} | {amplitude_g} | {right} | {named} |", flush=True)


def _named_at(
    noise_g: float, amplitude_g: float, part: Literal["bpfo", "bpfi"], at: int, seed: int
) -> str | None:
    """Return the point that a simulated fault is named at, None where it is not named."""
    rng = np.random.default_rng(seed)
    sensors = [Sensor(SensorPlace(k, "vertical"), noise_g * rng.uniform(0.1, 10)) for k in PLACES]
    defect = BearingDefect(BEARING, part, amplitude_g, at=at, ring_hz=2500)
    machine = healthy_pump(sensors, seed=seed, more=[defect])
    samples = machine.record(Rotation.steady(RPM, fs_hz=FS_HZ, seconds=SECONDS)).samples
    found = diagnose_bearing([(x, FS_HZ) for x in samples], BEARING, RPM)
    diagnosis = bearing_diagnosis(found, BEARING, RPM, [str(k) for k in PLACES])
    return None if diagnosis.fault == UNCLEAR else diagnosis.point


def recorded(manifest: Path, at: str) -> None:
    """Print at which points the faults of a set are named, and where the best match is else."""
    named, best = Counter[str](), Counter[str]()
    for recording in read_manifest(manifest).recordings:
        bearing = recording.channels[0].bearing
        speed_rpm = recording.state.speed_rpm
        healthy = recording.label is RecordingLabel.HEALTHY
        if healthy or bearing is None or not speed_rpm or len(recording.channels) < 2:
            continue
        rows = recording.read()
        points = [channel.point.point for channel in recording.channels]
        found = diagnose_bearing([(row, recording.fs_hz) for row in rows], bearing, speed_rpm)
        diagnosis = bearing_diagnosis(found, bearing, speed_rpm, points)
        if diagnosis.fault != UNCLEAR and diagnosis.point:
            named[diagnosis.point] += 1
        elif found.matches:
            best[points[found.matches[0].channel]] += 1
    print(f"named: {named[at]} of {named.total()} at {at}; not named: {best[at]} of {best.total()}")


def main() -> None:
    """Run one of the two."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", help="`simulated`, or a manifest")
    parser.add_argument("--at", default="drive_end", help="point of the faults")
    asked = parser.parse_args()
    if asked.what == "simulated":
        simulated()
    else:
        recorded(Path(asked.what), asked.at)


if __name__ == "__main__":
    main()
