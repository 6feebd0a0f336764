"""An independent check of the cage rule: ``python -m lab.studies.cage_rule DATA_FOLDER...``.

The rule (`models/decision/bearing_diagnosis.py`: cage lines and impacts name a bearing without its
part) was set with all rigs in view. Here its two limits are chosen on the other rigs, so that no
machine without a bearing fault is accused there; then they judge the rig left out. Simulated
machines with seeds that served no choice follow, with the shipped limits.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from auscult.dsp.bearing import Bearing
from auscult.dsp.diagnosis import BearingLines, diagnose_bearing
from auscult.dsp.simulation.bearings import BearingDefect, Friction
from auscult.dsp.simulation.flow import Cavitation
from auscult.dsp.simulation.gears import GearPair
from auscult.dsp.simulation.machine import healthy_pump
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.shaft import Imbalance, Looseness, Rub
from auscult.dsp.simulation.source import VibrationSource
from auscult.models.decision import bearing_diagnosis as rule
from lab.studies.diagnosis import cases

LIMITS_DB = (8.0, 10.0, 12.0, 15.0, 20.0)
IMPULSIVE = (3.5, 4.0, 5.0, 7.0)
BEARING = Bearing("6205", bpfo=3.585, bpfi=5.415, bsf=2.357, ftf=0.398)
FS_HZ, SECONDS, SPEEDS_RPM = 20_000.0, 4.0, (1180.0, 2870.0)
SEEDS = range(40, 46)
"""No rule or test used these machines."""


def names(found: BearingLines, least_db: float, impulsive: float) -> bool:
    """Return whether these limits name the bearing."""
    cage = found.cage
    return cage is not None and cage.evidence_db >= least_db and cage.kurtosis >= impulsive


def leave_one_rig_out(found: Sequence[tuple[str, str, BearingLines]]) -> Table:
    """Choose the limits on the other rigs; judge the rig."""
    table = Table(
        "rig left out", "cage dB", "kurtosis", "bearings without a named part", "of them found",
        "without a bearing fault", "accused",
    )  # fmt: skip
    for rig in dict.fromkeys(rig for rig, *_ in found):
        others = [case for case in found if case[0] != rig]
        choices = []
        for least_db in LIMITS_DB:
            for impulsive in IMPULSIVE:
                named = [truth for _, truth, one in others if names(one, least_db, impulsive)]
                accused = named.count("none")
                choices.append((-accused, len(named) - accused, least_db, impulsive))
        _, _, least_db, impulsive = max(choices)
        own = [(truth, names(one, least_db, impulsive)) for r, truth, one in found if r == rig]
        faulty = [hit for truth, hit in own if truth != "none"]
        sound = [hit for truth, hit in own if truth == "none"]
        table.add_row(
            rig, f"{least_db:g}", f"{impulsive:g}", str(len(faulty)), str(sum(faulty)),
            str(len(sound)), str(sum(sound)),
        )  # fmt: skip
    return table


def sources(g: float) -> dict[str, tuple[VibrationSource, ...]]:
    """Return the sources of each fault at an amplitude in g."""
    return {
        "none": (),
        "imbalance": (Imbalance(g, shaft=2),),
        "looseness": (Looseness(g, bearing=2),),
        "rub": (Rub(g),),
        "cavitation": (Cavitation(g),),
        "tooth": (GearPair(tooth=0.8, amplitude_g=g, at=2),),
        "dry": (Friction(0.01, 16),),
        "ball": (BearingDefect(BEARING, "bsf", 3 * g),),
        "cage": (BearingDefect(BEARING, "ftf", 3 * g),),
    }


def simulated() -> Iterator[tuple[str, str]]:
    """Diagnose machines with fresh seeds: truth and what was named."""
    for seed in SEEDS:
        for rpm in SPEEDS_RPM:
            rotation = Rotation.wandering(rpm, FS_HZ, SECONDS, share=0.001, seed=seed)
            for truth, more in sources(0.2).items():
                x = healthy_pump(seed=seed).with_faults(*more).record(rotation).samples
                found = diagnose_bearing([(row, FS_HZ) for row in x], BEARING, rpm * 1.004)
                yield truth, rule.bearing_diagnosis(found, BEARING, rpm).fault


def main(arguments: Sequence[str]) -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    console = Console(width=120)
    found = [
        (case.rig, case.truth, case.found)
        for case in cases(parser.parse_args(arguments).folders)
        if case.named()[0] is None
    ]
    if found:
        console.print(leave_one_rig_out(found))
    verdicts = list(simulated())
    table = Table("truth", "machines", "named", title="Simulated, shipped limits")
    for truth in dict.fromkeys(truth for truth, _ in verdicts):
        named = [fault for own, fault in verdicts if own == truth]
        kinds = ", ".join(f"{kind} {named.count(kind)}" for kind in sorted(set(named)))
        table.add_row(truth, str(len(named)), kinds)
    console.print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
