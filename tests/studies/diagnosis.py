"""How far bearing diagnosis can be trusted: ``python -m tests.studies.diagnosis DATA_FOLDER...``.

Each folder is one data set. Prints what is named by class and grade, how often a stated confidence
is right, what constants chosen without a rig do on that rig, and what stress does.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from auscult.dsp.bearing import Bearing
from auscult.dsp.diagnosis import BearingLines, diagnose_bearing
from auscult.gateway.sources.dataset import Recording, RecordingLabel, read_manifest
from auscult.models.decision import bearing_diagnosis as rule
from auscult.models.decision.diagnosis import FAULT_CLASS, Diagnosis

CLASSES = ("inner", "outer", "ball")
BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.01)
AHEAD_DB = (5.0, 10.0, 15.0, 20.0, 25.0)
DEPTHS = (0.3, 0.4, 0.5, 0.6, 0.7)
OTHER_BEARING = Bearing.from_geometry(13, 8.5, 60.0, name="another")


@dataclass(frozen=True, slots=True)
class Case:
    """One recording with its truth and what was found in it."""

    rig: str
    truth: str
    """Class of the bearing's fault, else ``none``."""
    grade: str
    found: BearingLines
    said: Diagnosis

    def named(self) -> tuple[str | None, float]:
        """Part that the rule names, with its confidence; None where it is not clear."""
        if not self.found.matches:
            return None, 0.0
        confidence = rule.confidence_of(self.found)
        part = FAULT_CLASS[self.found.matches[0].fault]
        return (None, 0.0) if confidence is None else (part, confidence)

    @property
    def part_unclear(self) -> bool:
        """Whether the bearing is named without its part."""
        return self.said.fault == rule.BEARING


Change = Callable[
    [list[tuple[NDArray[np.float32], float]], Bearing, float],
    tuple[list[tuple[NDArray[np.float32], float]], Bearing, float],
]


def cases(folders: Sequence[Path], change: Change | None = None, step: int = 1) -> Iterator[Case]:
    """Search all recordings whose bearing and speed are known, changed if asked."""
    for folder in folders:
        data = read_manifest(folder)
        for recording in data.recordings[::step]:
            case = _case(folder.name, recording, change)
            if case is not None:
                yield case


def _case(rig: str, recording: Recording, change: Change | None) -> Case | None:
    bearing = next((c.bearing for c in recording.channels if c.bearing is not None), None)
    speed_rpm = recording.state.speed_rpm
    if bearing is None or not speed_rpm:
        return None
    vibration = np.array([c.kind == "vibration" for c in recording.channels])
    channels = [(row, recording.fs_hz) for row in recording.read()[vibration]]
    if change is not None:
        channels, bearing, speed_rpm = change(channels, bearing, speed_rpm)
    healthy = recording.label is RecordingLabel.HEALTHY
    known = recording.fault_class in CLASSES and not healthy
    words = recording.fault.split()
    grade = words[-1] if known and words[-1] in ("Y1", "Y2", "P1", "P2", "N1", "N2") else ""
    truth = recording.fault_class if known else "none"
    found = diagnose_bearing(channels, bearing, speed_rpm)
    return Case(rig, truth, grade, found, rule.bearing_diagnosis(found, bearing, speed_rpm))


def by_class(found: Sequence[Case]) -> Table:
    """Right, wrong and unclear of each rig, class and grade."""
    table = Table("rig", "truth", "grade", "right", "wrong", "unclear", title="Named")
    for key, group in groupby(
        sorted(found, key=lambda c: (c.rig, c.truth, c.grade)),
        key=lambda c: (c.rig, c.truth, c.grade),
    ):
        counts = outcome(list(group))
        table.add_row(*key, *(str(counts[k]) for k in ("right", "wrong", "unclear")))
    return table


def outcome(found: Sequence[Case]) -> Counter[str]:
    """Count right, wrong (of healthy machines too) and unclear."""
    counts: Counter[str] = Counter()
    for case in found:
        named, _ = case.named()
        counts["unclear" if named is None else "right" if named == case.truth else "wrong"] += 1
    return counts


def reliability(found: Sequence[Case]) -> Table:
    """Of what is named with a confidence, the share that is right."""
    table = Table("confidence", "named", "right", title="Reliability")
    named = [(c.truth, *c.named()) for c in found]
    for low, high in pairwise(BINS):
        inside = [(t, n) for t, n, confidence in named if n and low <= confidence < high]
        right = sum(t == n for t, n in inside)
        table.add_row(f"{low:.1f} to {min(high, 1):.1f}", str(len(inside)), str(right))
    return table


def leave_one_rig_out(found: Sequence[Case]) -> Table:
    """Choose evidence and depth on the other rigs (most right without a wrong), judge the rig."""
    table = Table("rig left out", "ahead dB", "depth", "right", "wrong", "unclear",
                  title="Constants chosen without the rig")  # fmt: skip
    shipped = rule.AHEAD_DB, dict(rule.LEAST_DEPTH)
    for rig in dict.fromkeys(case.rig for case in found):
        others = [case for case in found if case.rig != rig]
        choices = []
        for ahead_db in AHEAD_DB:
            for depth in DEPTHS:
                _set(ahead_db, depth)
                counts = outcome(others)
                # Among equals the stricter rule: it was not needed here, but it costs nothing.
                choices.append((-counts["wrong"], counts["right"], ahead_db, depth))
        _, _, ahead_db, depth = max(choices)
        _set(ahead_db, depth)
        counts = outcome([case for case in found if case.rig == rig])
        table.add_row(rig, f"{ahead_db:g}", f"{depth:g}",
                      *(str(counts[k]) for k in ("right", "wrong", "unclear")))  # fmt: skip
    rule.AHEAD_DB, rule.LEAST_DEPTH = shipped  # type: ignore[misc]
    return table


def _set(ahead_db: float, depth: float) -> None:
    rule.AHEAD_DB = ahead_db  # type: ignore[misc]
    rule.LEAST_DEPTH = {"bpfo": depth, "bpfi": depth, "bsf": 0.6 * depth}  # type: ignore[misc]


def _cut(channels, bearing, speed_rpm):  # type: ignore[no-untyped-def]
    return [(x[: round(2 * fs_hz)], fs_hz) for x, fs_hz in channels], bearing, speed_rpm


def _modulated(channels, bearing, speed_rpm):  # type: ignore[no-untyped-def]
    def swing(x, fs_hz):  # type: ignore[no-untyped-def]
        turns = np.arange(x.size) / fs_hz * speed_rpm / 60
        return np.asarray(x * np.sqrt(1 + 0.43 * np.cos(2 * np.pi * turns)), np.float32)

    return [(swing(x, fs_hz), fs_hz) for x, fs_hz in channels], bearing, speed_rpm


STRESS: dict[str, tuple[Change, str]] = {
    "cut to 2 s": (_cut, ""),
    "stated speed 4 % high": (lambda x, b, rpm: (x, b, rpm * 1.04), ""),
    "stated speed 4 % low": (lambda x, b, rpm: (x, b, rpm * 0.96), ""),
    "another bearing stated": (lambda x, b, rpm: (x, OTHER_BEARING, rpm), "none"),
    "load zone of depth 0.43 on all": (_modulated, ""),
}


def stress(folders: Sequence[Path]) -> Table:
    """Every other recording, changed; a named fault of another bearing is wrong."""
    table = Table("stress", "right", "wrong", "wrong, ≥ 0.8", "unclear", title="Under stress")
    for name, (change, truth) in STRESS.items():
        found = list(cases(folders, change, step=2))
        if truth:
            found = [replace(case, truth=truth) for case in found]
        sure = sum(
            named not in (None, case.truth) and confidence >= 0.8
            for case in found
            for named, confidence in [case.named()]
        )
        counts = outcome(found)
        table.add_row(name, str(counts["right"]), str(counts["wrong"]), str(sure),
                      str(counts["unclear"]))  # fmt: skip
    return table


def main(arguments: Sequence[str]) -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    folders = parser.parse_args(arguments).folders
    console = Console(width=100)
    found = list(cases(folders))
    for table in (by_class(found), reliability(found), leave_one_rig_out(found), stress(folders)):
        console.print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
