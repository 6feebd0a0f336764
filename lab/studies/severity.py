"""Stage and growth of a bearing fault with truth: ``python -m lab.studies.severity [FEMTO]``.

Simulated machines age: a race's damage grows exponentially, and at the end of life its impacts give
way to noise in a loose bearing. Stage and growth at each share of life are printed beside the
truth. On run-to-failure recordings (0.1 s each 10 s, too short for any fault order) only growth is
measured.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from rich.console import Console
from rich.table import Table

from auscult.contract.records import Condition
from auscult.dsp.bearing import Bearing
from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.simulation.ageing import AgeingFault
from auscult.dsp.simulation.bearings import BearingDefect, Friction
from auscult.dsp.simulation.machine import healthy_pump, triaxial
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.shaft import Looseness
from auscult.dsp.simulation.source import VibrationSource
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.gateway.machines.fault_search import FaultSearch
from auscult.gateway.machines.found_faults import FoundFaults
from auscult.gateway.machines.train_search import TrainSignals
from auscult.models.decision.forecasts import ForecastHistory
from auscult.models.decision.growth import FaultGrowth, growth_of
from auscult.models.name_plate import PlacedBearing, Train
from auscult.models.records import Decision

BEARING = Bearing("6205", bpfo=3.585, bpfi=5.415, bsf=2.357, ftf=0.398)
FS, RPM, SECONDS = 12_800, 1480, 4
BROAD_HZ = (800.0, 40_000.0)
LIFE = AgeingFault(onset=0.3, growth_db=40.0)
AT = np.round(np.arange(0.0, 0.96, 0.05), 2)
WORN_FROM = 0.9
END_G = 2.0
SEEDS = range(3)
HOUR_NS = 3600 * 10**9
Race = Literal["bpfo", "bpfi"]
RACES: tuple[Race, ...] = ("bpfo", "bpfi")


def _record(part: Race, at: float, seed: int) -> TrainSignals:
    machine = healthy_pump(triaxial(2), seed=seed, more=[Friction(0.02, band_hz=BROAD_HZ)])
    more: tuple[VibrationSource, ...] = ()
    if at >= WORN_FROM:
        more = (Friction(0.02, 20, band_hz=BROAD_HZ), Looseness(0.3, bearing=2))
    elif LIFE.severity(at):
        more = (LIFE.aged(BearingDefect(BEARING, part, END_G), at),)
    rotation = Rotation.wandering(RPM, FS, SECONDS, share=0.001, seed=seed * 100 + int(at * 100))
    rows = machine.with_faults(*more).record(rotation).samples
    return TrainSignals({f"p{i}": (x, FS) for i, x in enumerate(rows)}, RPM, True, Train())


def stages(part: Race, seed: int) -> list[str]:
    """Stage that is reported at each share of life; empty where nothing is named."""
    healthy = _record(part, 0.0, seed + 50).measured()
    found = FoundFaults(FaultGrowth({}))
    reported = []
    for at in AT:
        now = _record(part, at, seed)
        rows = tuple((x[None], fs) for x, fs in now.channels.values())
        placed = ((PlacedBearing(BEARING), tuple(range(len(rows)))),)
        search = FaultSearch(tuple(now.channels), rows, placed, RPM, now, healthy)
        found.add(search.run_all(), None)
        reasons = found.added_to(Decision(None, 0, Condition.ALARM, ())).reasons
        keys = [r.prescription for r in reasons if (r.prescription or "").startswith("bearing")]
        reported.append(keys[0].removeprefix("bearing.") if keys and keys[0] else "")
    return reported


def growths(part: Race, seed: int) -> tuple[float, float, float, float]:
    """Growth of the part's level while its damage grows, and the truth: factor, low, high, true."""
    spec = FeatureSpec.vibration(FS, FS, "g", nominal_speed_rpm=RPM, bearings=(BEARING,))
    pipeline, at = FeaturePipeline(spec), np.linspace(0.6, 0.85, 20)
    levels = []
    for share in at:
        signals = _record(part, float(share), seed)
        x, _ = signals.channels["p0"]
        windows = x[: x.size // FS * FS].reshape(-1, FS)
        level = pipeline.extract(windows).values[:, spec.index[f"{part}_level"]]
        levels.append(float(np.median(level)))
    grown = growth_of((at * 1000 * HOUR_NS).astype(np.int64), np.array(levels))
    if grown is None:
        return (float("nan"),) * 4
    return grown.factor, grown.low, grown.high, LIFE.severity(at[-1]) / LIFE.severity(at[0])


def run_to_failure(folder: Path) -> Table:
    """Growth of the overall level in four parts of each life, from a history of values a minute."""
    table = Table("recording", "20 to 50 %", "50 to 80 %", "80 to 95 %", "last 5 %",
                  title="Growth of the overall level, factor (90 %)")  # fmt: skip
    for recording in read_manifest(folder).recordings:
        if recording.label is not RecordingLabel.RUN_TO_FAILURE:
            continue
        burst = round((recording.burst_s or 0.1) * recording.fs_hz)
        interval_s = recording.interval_s or 10.0
        x = recording.read()[0]
        rms = np.sqrt((x[: x.size // burst * burst].reshape(-1, burst) ** 2).mean(axis=1))
        cells = []
        for start, end in ((0.2, 0.5), (0.5, 0.8), (0.8, 0.95), (0.95, 1.0)):
            own, history = rms[int(start * rms.size) : int(end * rms.size)], ForecastHistory()
            for i, part in enumerate(np.array_split(own, max(own.size // 6, 10))):
                history.add(round(i * 6 * interval_s * 1e9), float(part.mean()))
            longest = max(s for s in range(5) if len(history.held(s)[0]) >= 10)
            grown = growth_of(*history.held(longest))
            words = "grows" if grown and grown.grows else "falls" if grown and grown.falls else "no"
            cells.append(
                f"{words} {grown.factor:.2f} ({grown.low:.2f}–{grown.high:.2f})" if grown else ""
            )
        table.add_row(recording.path.stem, *cells)
    return table


def main(arguments: Sequence[str]) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("femto", nargs="?", type=Path)
    options = parser.parse_args(arguments)
    console = Console(width=140)
    if options.femto is not None:
        console.print(run_to_failure(options.femto))
    table = Table("share of life", "true amplitude", "outer race", "inner race", title="Stage")
    each = {part: [stages(part, seed) for seed in SEEDS] for part in RACES}
    for i, at in enumerate(AT):
        true = "noise, loose" if at >= WORN_FROM else f"{LIFE.severity(at) * END_G:.3f} g"
        cells = [
            ", ".join(f"{key or 'unclear'} {n}" for key, n in Counter(r[i] for r in runs).items())
            for runs in each.values()
        ]
        table.add_row(f"{at:.2f}", true, *cells)
    console.print(table)
    for part in RACES:
        for seed in SEEDS:
            factor, low, high, grown = growths(part, seed)
            console.print(
                f"{part}, {seed}: grew by {factor:.1f} ({low:.1f} to {high:.1f}), true {grown:.1f}"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
