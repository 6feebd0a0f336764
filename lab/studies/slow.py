"""Bearings of slow shafts, with truth: ``python -m lab.studies.slow``.

Simulated races at 30, 60 and 120 r/min, with and without peak-hold of the envelope
(`dsp/envelope_lines.py`); machines without a bearing fault beside them; time of a search.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict

import numpy as np
from rich.console import Console
from rich.table import Table

from auscult.dsp import envelope_lines
from auscult.dsp.bearing import Bearing
from auscult.dsp.diagnosis import diagnose_bearing
from auscult.dsp.simulation.bearings import BearingDefect, Friction
from auscult.dsp.simulation.gears import GearPair
from auscult.dsp.simulation.machine import healthy_pump
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.shaft import Imbalance, Looseness, Rub
from auscult.dsp.simulation.source import VibrationSource
from auscult.models.decision.bearing_diagnosis import bearing_diagnosis

BEARING = Bearing("6205", bpfo=3.585, bpfi=5.415, bsf=2.357, ftf=0.398)
FS_HZ, REVOLUTIONS, SEEDS = 10_000.0, 40, range(10, 14)
SPEEDS_RPM = (30.0, 60.0, 120.0)
AMPLITUDES_G = (0.05, 0.1, 0.15, 0.2, 0.3)


def sources() -> dict[tuple[str, float], tuple[VibrationSource, ...]]:
    """Truth and amplitude of each machine."""
    found: dict[tuple[str, float], tuple[VibrationSource, ...]] = {
        ("none", 0.0): (),
        ("none", 1.0): (Imbalance(0.2, shaft=2),),
        ("none", 2.0): (Looseness(0.2, bearing=2),),
        ("none", 3.0): (Rub(0.2),),
        ("none", 4.0): (GearPair(tooth=0.8, amplitude_g=0.2, at=2),),
    }
    for part, truth in (("bpfo", "outer"), ("bpfi", "inner")):
        for g in AMPLITUDES_G:
            found[truth, g] = (BearingDefect(BEARING, part, g),)  # type: ignore[arg-type]
    return found


def main() -> None:
    """Print what is named of each amplitude, and the cost."""
    shipped = envelope_lines.SLOW_HZ
    counts: dict[tuple[float, str, str, float], Counter[str]] = defaultdict(Counter)
    seconds: dict[tuple[float, str], list[float]] = defaultdict(list)
    for rpm in SPEEDS_RPM:
        for seed in SEEDS:
            rotation = Rotation.wandering(
                rpm, FS_HZ, REVOLUTIONS * 60 / rpm, share=0.001, seed=seed
            )
            for (truth, g), more in sources().items():
                quiet = Friction(0.01, band_hz=(500.0, 40_000.0))
                machine = healthy_pump(seed=seed, more=[quiet]).with_faults(*more)
                x = machine.record(rotation).samples[0].astype(np.float32)
                for way, slow_hz in (("mean", 0.0), ("peaks held", shipped)):
                    envelope_lines.SLOW_HZ = slow_hz  # type: ignore[misc]
                    start = time.process_time()
                    lines = diagnose_bearing([(x, FS_HZ)], BEARING, rpm * 1.002)
                    seconds[rpm, way].append(time.process_time() - start)
                    named = bearing_diagnosis(lines, BEARING, rpm).fault
                    kept = named if named in ("unclear", "bearing") else (
                        "right" if named == truth else "wrong")  # fmt: skip
                    counts[rpm, way, truth, g if truth != "none" else 0.0][kept] += 1
    envelope_lines.SLOW_HZ = shipped  # type: ignore[misc]
    table = Table("r/min", "truth", "g", "mean", "peaks held", title="Named of slow shafts")
    for rpm in SPEEDS_RPM:
        for truth, g in dict.fromkeys((t, a if t != "none" else 0.0) for t, a in sources()):
            cells = [
                ", ".join(f"{k} {n}" for k, n in sorted(counts[rpm, way, truth, g].items()))
                for way in ("mean", "peaks held")
            ]
            table.add_row(f"{rpm:g}", truth, f"{g:g}" if g else "", *cells)
    console = Console(width=120)
    console.print(table)
    for (rpm, way), each in seconds.items():
        console.print(f"{rpm:g} r/min, {way}: {1000 * float(np.median(each)):.0f} ms a search")


if __name__ == "__main__":
    main()
