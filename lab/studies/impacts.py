"""Impacts without lines: ``python -m lab.studies.impacts DATA_FOLDER...``.

A damaged ball often leaves neither its own lines nor those of its cage. Against the healthy machine
it raises noise above 1 kHz and makes it impulsive, and the impacts are not locked to the shaft. The
limits of this rule are chosen on the other rigs, so that no machine without a bearing fault is
accused there; then they judge the rig left out. Simulated machines follow, with the shipped limits.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from auscult.dsp.simulation.machine import healthy_pump
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.source import VibrationSource
from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.gateway.evaluate import diagnosis as evaluated
from auscult.gateway.machines.train_search import TrainSignals, TrainState
from auscult.models.decision import drive_diagnosis as rule
from auscult.models.decision.drive_diagnosis import noise_rise_db
from auscult.models.name_plate import Train
from lab.studies.cage_rule import FS_HZ, SECONDS, SPEEDS_RPM, sources

RISES_DB = (3.0, 6.0, 10.0)
IMPULSIVE = (4.0, 5.0, 6.0, 8.0)
GROWTH = (1.2, 1.5, 2.0)
LOCKED = (0.3, 0.5, 0.7)


@dataclass(frozen=True)
class Signs:
    """The channel whose noise rose most, of one recording against the healthy machine."""

    rig: str
    name: str
    truth: str
    fault: str
    rise_db: float
    kurtosis: float
    healthy_kurtosis: float
    turn_depth: float

    def named(self, rise_db: float, impulsive: float, growth: float, locked: float) -> bool:
        """Return whether these limits name a bearing."""
        return (
            self.rise_db >= rise_db
            and self.kurtosis >= impulsive
            and self.kurtosis >= growth * self.healthy_kurtosis
            and self.turn_depth < locked
        )


def signs_of(
    rig: str, name: str, truth: str, fault: str, now: TrainState, healthy: TrainState
) -> Signs | None:
    """Compare two measurements; None where they can't be."""
    if now.signs is None or healthy.signs is None:
        return None
    rise = noise_rise_db(now.signs, healthy.signs)
    if np.isnan(rise).all():
        return None
    at = int(np.nanargmax(rise))
    return Signs(
        rig, name, truth, fault, float(rise[at]), float(now.signs.kurtosis[at]),
        float(healthy.signs.kurtosis[at]), float(np.nan_to_num(now.signs.turn_depth[at])),
    )  # fmt: skip


def recorded(folder: Path) -> Iterator[Signs]:
    """Return all recordings with a healthy one of the same points and speed."""
    data = read_manifest(folder)
    measured = [(r, s) for r in data.recordings if (s := evaluated._signals(r)) is not None]
    references = evaluated._references([recording for recording, _ in measured])
    for one, signals in measured:
        healthy = one.label is RecordingLabel.HEALTHY
        known = one.fault_class in ("inner", "outer", "ball", "cage") and not healthy
        like = [(r, s) for r, s in references if s.alike(signals.key)]
        like = [pair for pair in like if pair[0] is not one] or like
        if not like:
            continue
        if like[0][0] is one:
            signals = evaluated._signals(one, evaluated.HEALTHY_SHARE, 1.0) or signals
        truth = one.fault_class if known else "none"
        found = signs_of(data.name, one.path.name, truth, one.fault, signals.measured(), like[0][1])
        if found is not None:
            yield found


def simulated(seeds: Sequence[int]) -> Iterator[Signs]:
    """Simulated machines against their healthy state."""
    for seed in seeds:
        for rpm in SPEEDS_RPM:

            def state(*more: VibrationSource, seed: int = seed, rpm: float = rpm) -> TrainState:
                rotation = Rotation.wandering(rpm, FS_HZ, SECONDS, share=0.001, seed=seed)
                x = healthy_pump(seed=seed).with_faults(*more).record(rotation).samples
                channels = {f"p{i}": (row, FS_HZ) for i, row in enumerate(x)}
                return TrainSignals(channels, rpm, True, Train()).measured()

            healthy = state()
            for g in (0.05, 0.2):
                for fault, more in sources(g).items():
                    truth = fault if fault in ("ball", "cage", "dry") else "none"
                    found = signs_of("simulated", f"{seed}", truth, fault, state(*more), healthy)
                    if found is not None:
                        yield found


def shipped(found: Sequence[Signs]) -> Table:
    """Return what the shipped limits name on each rig."""
    limits = rule.ROSE_DB, rule.IMPULSIVE, rule.MORE_IMPULSIVE, rule.UNLOCKED_DEPTH
    table = Table("rig", *(title for title, _ in GROUPS), title="Shipped limits")
    for rig in dict.fromkeys(one.rig for one in found):
        table.add_row(rig, *_counts([one for one in found if one.rig == rig], limits))
    return table


GROUPS = (
    ("balls", ("ball",)),
    ("races, cages", ("inner", "outer", "cage")),
    ("poor lubrication", ("dry",)),
    ("without a bearing fault", ("none",)),
)


def _counts(found: Sequence[Signs], limits: tuple[float, float, float, float]) -> list[str]:
    groups = [[one for one in found if one.truth in truths] for _, truths in GROUPS]
    return [f"{sum(one.named(*limits) for one in own)} of {len(own)}" for own in groups]


def leave_one_rig_out(found: Sequence[Signs]) -> Table:
    """Choose limits on the other rigs (no accusation, then most found); judge the rig."""
    titles = (title for title, _ in GROUPS)
    table = Table("rig left out", "dB", "kurtosis", "growth", "locked", *titles)
    for rig in dict.fromkeys(one.rig for one in found):
        others = [one for one in found if one.rig != rig]
        choices = []
        for rise in RISES_DB:
            for kurtosis in IMPULSIVE:
                for growth in GROWTH:
                    for locked in LOCKED:
                        limits = rise, kurtosis, growth, locked
                        truths = [o.truth for o in others if o.named(*limits)]
                        accused = truths.count("none")
                        strict = (rise, kurtosis, growth, -locked)
                        choices.append((-accused, truths.count("ball"), *strict, limits))
        limits = max(choices)[-1]
        own = [one for one in found if one.rig == rig]
        table.add_row(rig, *(f"{v:g}" for v in limits), *_counts(own, limits))
    return table


def main(arguments: Sequence[str]) -> None:
    """Print the table, and each case as a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--seeds", type=int, nargs="*", default=[40, 41])
    parser.add_argument("--each", type=Path)
    options = parser.parse_args(arguments)
    found = [one for folder in options.folders for one in recorded(folder)]
    found += simulated(options.seeds)
    if options.each:
        options.each.write_text("\n".join(json.dumps(asdict(one)) for one in found))
    for table in (leave_one_rig_out(found), shipped(found)):
        Console(width=140).print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
