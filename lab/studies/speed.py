"""How exact the speed without a tachometer is: ``python -m lab.studies.speed DATA_FOLDER...``.

At most two stretches of each recording, of `LENGTHS`. What is true:

- ``measured``: the set states a measured speed;
- ``around``: the speed of 6 s around the stretch (or of the whole recording) where that is at least
  twice as long and no other speed explains 60 % as much. It is no independent truth, but has a
  finer resolution;
- ``repeated``: the median known speed of the other recordings of one state (stated speed, load and
  fault; on a rig whose drive holds its speed, stated speed), where at least two are known and these
  agree;
- ``simulated``: pumps whose races, mass or feet are damaged, with orders of a race near those of
  the shaft, are a rig of their own with an exact truth.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from auscult.dsp import shaft_speed as rule
from auscult.dsp.bearing import Bearing
from auscult.dsp.simulation.bearings import BearingDefect
from auscult.dsp.simulation.machine import healthy_pump
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.shaft import Imbalance, Looseness
from auscult.dsp.simulation.source import VibrationSource
from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest

LENGTHS = {"2 s": (2.0, 0.0), "100 revolutions": (0.0, 100.0), "10 s": (10.0, 0.0),
           "whole": (np.inf, 0.0)}  # fmt: skip
"""Seconds and revolutions of a stretch."""
MOST_STRETCHES = 2
"""Of one recording."""
AROUND_S = 6.0
AROUND_OTHERS = 0.6
MEASURED = {"cwru": (1797.0,), "cwru12k": (1797.0,)}
HELD_SPEED = ("adi_mfs",)
"""Rigs whose speed depends on the setting alone."""
SIGMAS = (6.0, 8.0, 10.0, 12.0)
WITNESSED = (3.0, 4.0, 5.0, 6.0, 8.0)
OTHERS = (0.7, 0.75, 0.8, 0.85, 0.9)
SIMULATED_RPM = (800.0, 1000.0, 1200.0, 1480.0, 2950.0)
SIMULATED_FS_HZ = 8000.0
SIMULATED_S = 13.0
BPFO = (3.005, 3.05, 3.58, 4.95)
Limits = tuple[float, float, float]
"""Least sigma, least sigma with a witness, most of any other speed."""
MOST_WRONG = 0.05
"""Of the known ones of a rig."""


@dataclass(slots=True)
class Stretch:
    """A stretch with the speed over the stated one that each limit of `OTHERS` finds in it."""

    rig: str
    recording: int
    stated: float
    state: str
    found: dict[float, tuple[float, float, bool] | None]
    """Speed, sigma, and whether the first line agrees."""
    true: float | None
    truth: str

    def known(self, limits: Limits | None = None) -> float | None:
        """Known speed over the stated one."""
        sigma, witnessed, others = limits or (rule.SIGMA, rule.WITNESSED, rule.OTHERS)
        found = self.found[others]
        if found is None or found[1] < (witnessed if found[2] else sigma):
            return None
        return found[0]

    def outcome(self, limits: Limits | None = None) -> str:
        """``right`` (within 0.2 %), ``wrong``, ``no truth`` or ``not known``."""
        known = self.known(limits)
        if known is None:
            return "not known"
        if self.true is None:
            return "no truth"
        return "right" if abs(known / self.true - 1) <= rule.KNOWN else "wrong"


def stretches(folder: Path, seconds: float, revolutions: float) -> Iterator[Stretch]:
    """Search the stretches of a set."""
    data = read_manifest(folder)
    for number, recording in enumerate(data.recordings):
        stated = recording.state.speed_rpm
        if recording.label is RecordingLabel.RUN_TO_FAILURE or not stated:
            continue
        vibration = np.array([c.kind == "vibration" for c in recording.channels])
        rows, fs_hz = recording.read()[vibration], recording.fs_hz
        if not len(rows):
            continue
        n = int(min((seconds or revolutions * 60 / stated) * fs_hz, rows.shape[1]))
        state = f"{stated:g}"
        if data.name not in HELD_SPEED:
            state += f" {recording.state.load} {recording.fault}"
        for start in list(range(0, rows.shape[1] - n + 1, n))[:MOST_STRETCHES]:
            found = {one: _found(rows[:, start : start + n], fs_hz, stated, one) for one in OTHERS}
            stretch = Stretch(data.name, number, stated, state, found, None, "")
            if stated in MEASURED.get(data.name, ()):
                stretch.true, stretch.truth = 1.0, "measured"
            else:
                stretch.true = _around(rows, start + n // 2, n, fs_hz, stated)
                stretch.truth = "" if stretch.true is None else "around"
            yield stretch


def simulated(seconds: float, revolutions: float) -> Iterator[Stretch]:
    """Search the stretches of simulated pumps, whose stated speed errs by up to 7 %."""
    faults: dict[str, tuple[VibrationSource, ...]] = {
        "none": (), "looseness": (Looseness(0.05, half_orders=False),),
        "imbalance": (Imbalance(0.1),),
        **{f"{race} {bpfo}": (BearingDefect(
            Bearing("", bpfo=bpfo, bpfi=8 - bpfo if bpfo < 4 else 7.05, bsf=1.99, ftf=0.38),
            race, 1.0, slip=0.002),) for race in ("bpfo", "bpfi") for bpfo in BPFO},
    }  # fmt: skip
    for number, (true_rpm, fault) in enumerate(product(SIMULATED_RPM, faults)):
        off = np.random.default_rng(number).uniform(-0.07, 0.07)
        machine = healthy_pump(seed=number).with_faults(*faults[fault])
        rotation = Rotation.wandering(
            true_rpm, SIMULATED_FS_HZ, SIMULATED_S, share=0.0003, seed=number
        )
        rows = machine.record(rotation).samples
        stated = true_rpm * (1 + off)
        n = int(min((seconds or revolutions * 60 / stated) * SIMULATED_FS_HZ, rows.shape[1]))
        for start in list(range(0, rows.shape[1] - n + 1, n))[:MOST_STRETCHES]:
            part = rows[:, start : start + n]
            found = {one: _found(part, SIMULATED_FS_HZ, stated, one) for one in OTHERS}
            true = true_rpm / stated
            yield Stretch("simulated", number, true_rpm, fault, found, true, "simulated")


def _around(
    rows: NDArray[np.float32], middle: int, n: int, fs_hz: float, stated: float
) -> float | None:
    """Speed of a stretch at least twice as long, over the stated one, where it is beyond doubt."""
    half = int(AROUND_S * fs_hz / 2)
    around = rows if n > half else rows[:, max(0, middle - half) : middle + half]
    if around.shape[1] < 2 * n:
        return None
    there = _found(around, fs_hz, stated, AROUND_OTHERS)
    return there[0] if there is not None and there[1] >= max(SIGMAS) else None


def _found(
    rows: NDArray[np.float32], fs_hz: float, stated: float, others: float
) -> tuple[float, float, bool] | None:
    shipped = rule.OTHERS, rule.SIGMA, rule.WITNESSED
    rule.OTHERS, rule.SIGMA, rule.WITNESSED = others, min(SIGMAS), min(WITNESSED)  # type: ignore[misc]
    found = rule.shaft_speed([(row, fs_hz) for row in rows], stated / 60)
    rule.OTHERS, rule.SIGMA, rule.WITNESSED = shipped  # type: ignore[misc]
    return None if found is None else (found.hz * 60 / stated, found.sigma, found.witnessed)


def repeated(found: Sequence[Stretch]) -> None:
    """Take the median of the other recordings of a state as true where recordings are short."""

    def state(stretch: Stretch) -> tuple[str, str]:
        return stretch.rig, stretch.state

    for _, same in groupby(sorted(found, key=state), key=state):
        group = list(same)
        for stretch in group:
            if stretch.truth:
                continue
            others = [one for s in group if s.recording != stretch.recording
                      and (one := s.known()) is not None]  # fmt: skip
            if len(others) >= 2 and np.ptp(others) <= 2 * rule.KNOWN:
                stretch.true, stretch.truth = float(np.median(others)), "repeated"


COLUMNS = ("right", "wrong", "no truth", "not known")


def by_rig(found: Sequence[Stretch], title: str, *, speeds: bool = False) -> Table:
    """Return the outcomes of each set, or of each of its stated speeds."""
    table = Table("set", "stated r/min", "stretches", "known", *COLUMNS, "truth", title=title)
    for (rig, stated), same in groupby(found, key=lambda s: (s.rig, s.stated if speeds else 0.0)):
        group = list(same)
        counts = Counter(s.outcome() for s in group)
        truth = ", ".join(sorted({s.truth for s in group if s.truth and s.known() is not None}))
        known = len(group) - counts["not known"]
        table.add_row(rig, f"{stated:g}" if speeds else "all", str(len(group)), str(known),
                      *(str(counts[column]) for column in COLUMNS), truth)  # fmt: skip
    return table


def leave_one_rig_out(found: Sequence[Stretch]) -> Table:
    """Choose the limits on the other rigs (`MOST_WRONG`, then most known) and apply them to it."""
    table = Table("rig left out", "sigma", "witnessed", "others", *COLUMNS,
                  title="Limits chosen without the rig")  # fmt: skip
    rigs = list(dict.fromkeys(s.rig for s in found))
    grid = [(s, w, o) for s in SIGMAS for w in WITNESSED if w <= s for o in OTHERS]
    counts = {
        (rig, limits): Counter(s.outcome(limits) for s in found if s.rig == rig)
        for rig, limits in product(rigs, grid)
    }
    for rig in rigs:
        choices = []
        for limits in grid:
            rest = [counts[other, limits] for other in rigs if other != rig]
            known = [one["right"] + one["wrong"] for one in rest]
            excess = sum(
                max(0.0, one["wrong"] - MOST_WRONG * n) for one, n in zip(rest, known, strict=True)
            )
            choices.append((-excess, -sum(one["not known"] for one in rest), *limits))
        limits = max(choices)[2:]
        own = counts[rig, limits]
        table.add_row(rig, *(f"{limit:g}" for limit in limits),
                      *(str(own[column]) for column in COLUMNS))  # fmt: skip
    return table


def main() -> None:
    """Print how many stretches have a known speed, and how many of these are right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--speeds", action="store_true", help="one row for each stated speed")
    asked = parser.parse_args()
    console = Console(width=120)
    for title, (seconds, revolutions) in LENGTHS.items():
        found = [s for folder in asked.folders for s in stretches(folder, seconds, revolutions)]
        found += simulated(seconds, revolutions)
        found.sort(key=lambda s: (s.rig, s.stated))
        repeated(found)
        console.print(by_rig(found, title, speeds=asked.speeds))
        console.print(leave_one_rig_out(found))


if __name__ == "__main__":
    main()
