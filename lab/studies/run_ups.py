"""How exact critical speeds of run-ups are: ``python -m lab.studies.run_ups``.

Simulated flexible rotors of known critical speeds and damping, run up and down at several rates,
with noise, seen with and without a mark of the shaft. The truth is the speed of the largest steady
response, 1/√(1 − 2ζ²) of the undamped critical speed, and the amplification factor 1/(2ζ).
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from itertools import product

import numpy as np
from rich.console import Console
from rich.table import Table

from auscult.dsp.simulation.housing import Housing
from auscult.dsp.simulation.machine import SimulatedMachine
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.rotor import CriticalMode, FlexibleRotor
from auscult.dsp.simulation.sensors import Sensor
from auscult.surface.run_ups import run_ups

FS_HZ = 2560.0
LOW_RPM, TOP_RPM = 300.0, 3600.0
NEAR = 0.1
"""A found critical speed belongs to a true one within 10 %."""
CHOSEN = {"damping": (0.02, 0.05, 0.1), "noise_g": (0.002, 0.02), "rpm": (900, 1700, 2700)}
"""On these the numbers of `run_up` were chosen …"""
REST = {"damping": (0.04, 0.08, 0.12), "noise_g": (0.008, 0.04), "rpm": (1250, 1950, 2850, 8000)}
"""… and on these they are measured. A rotor of 8000 r/min has none in the range."""


def main() -> None:
    """Print what is found, by mark, time of the sweep and direction."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--chosen", action="store_true", help="the ones of the choice instead")
    args = parser.parse_args()
    grid = CHOSEN if args.chosen else REST
    errors: dict[tuple[str, int, str], list[tuple[float, float]]] = defaultdict(list)
    tried: dict[tuple[str, int, str], int] = defaultdict(int)
    false: dict[tuple[str, int, str], int] = defaultdict(int)
    cases = list(product(grid["damping"], grid["noise_g"], grid["rpm"]))
    for seconds, up, seed in product((20, 60, 180), (True, False), range(args.seeds)):
        ends = (LOW_RPM, TOP_RPM) if up else (TOP_RPM, LOW_RPM)
        rotation = Rotation.ramp(*ends, FS_HZ, seconds)
        for damping, noise_g, critical in cases:
            rotor = FlexibleRotor([CriticalMode(critical, damping)])
            sensors = [Sensor(noise_g=noise_g)]
            machine = SimulatedMachine([rotor], sensors, housing=Housing(), seed=seed)
            samples = machine.record(rotation).samples[0]
            true = critical / np.sqrt(1 - 2 * damping**2)
            for mark, runs in (
                ("yes", run_ups(samples, FS_HZ, marks_s=rotation.tacho_s())),
                ("no", run_ups(samples, FS_HZ, speed_rpm=60 * rotation.hz)),
            ):
                key = (mark, seconds, "up" if up else "down")
                tried[key] += critical < TOP_RPM
                for found in (one for run in runs for one in run.critical_speeds):
                    error = found.rpm / true - 1
                    if abs(error) > NEAR:
                        false[key] += 1
                    else:
                        errors[key].append((error, found.amplification * 2 * damping))
    table = Table("mark", "s", "direction", "found", "false", "speed: median error", "largest",
                  "amplification: median share of the true")  # fmt: skip
    for key, count in tried.items():
        speed, share = np.array(errors[key]).reshape(-1, 2).T
        table.add_row(
            *map(str, key), f"{speed.size} of {count}", str(false[key]),
            f"{np.median(speed):+.1%}", f"{np.abs(speed).max():.1%}", f"{np.median(share):.2f}",
        )  # fmt: skip
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
