"""Protocol `diagnosis`: whether each fault is named right, by what the product's search says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from auscult.contract.said import Said
from auscult.gateway.datasets.dataset import DataSet, Recording, RecordingLabel
from auscult.gateway.evaluate.detection import MACHINE, OURS
from auscult.gateway.evaluate.records import Naming, Result
from auscult.gateway.machines.fault_search import UNKNOWN, FaultSearch
from auscult.gateway.machines.train_search import TrainSignals, TrainState
from auscult.models.decision.bearing_diagnosis import BEARING
from auscult.models.decision.diagnosis import UNCLEAR, Diagnosis
from auscult.models.name_plate import PlacedBearing, Train

BEARING_CLASSES = ("inner", "outer", "ball")
HIGH_CONFIDENCE = 0.8
HEALTHY_SHARE = 0.6
"""First part of a healthy recording that is the reference; the rest is diagnosed."""
_NOTHING = Diagnosis(UNCLEAR, 0.0, Said("no_shaft_fault"))


def diagnosis_results(data: DataSet, machine: str) -> list[Result]:
    """Return one row for a machine with vibration recordings of known speed, none for others.

    Each recording gets one diagnosis, from all its channels together, as in an event: bearings are
    searched without any healthy recording; shafts, drives and flow are compared with the healthy
    machine at the same speed and load where no bearing is named. The manifest's speed counts as a
    name-plate speed.
    """
    recordings = [
        one
        for one in data.of_machine(machine)
        if one.label is not RecordingLabel.RUN_TO_FAILURE and _signals(one) is not None
    ]
    references = _references(recordings)
    each = [(recording, diagnosed(recording, references)) for recording in recordings]
    if not each:
        return []
    healthy = [found for r, found in each if r.label is RecordingLabel.HEALTHY]
    wrong = [
        found
        for recording, found in each
        if part_of(found) not in (UNCLEAR, recording.fault_class)
        or (recording.label is RecordingLabel.HEALTHY and found.fault != UNCLEAR)
    ]
    faulty = [r.fault_class for r, _ in each if r.label is RecordingLabel.FAULTY]
    classes = dict.fromkeys(faulty)
    if classes.keys() & set(BEARING_CLASSES):
        classes = dict.fromkeys((*BEARING_CLASSES, *faulty))
    figures = {
        **{truth: asdict(_naming(truth, each)) for truth in classes},
        "healthy": {
            "recordings": len(healthy),
            "accused": sum(found.fault != UNCLEAR for found in healthy),
        },
        "wrong_with_high_confidence": sum(f.confidence >= HIGH_CONFIDENCE for f in wrong),
        "each": [
            {
                "recording": recording.path.name,
                "fault": recording.fault,
                "label": recording.label.value,
                "named": part_of(found),
                "confidence": round(found.confidence, 4) if found.fault != BEARING else 0.0,
                "bearing": round(found.confidence, 4) if found.fault == BEARING else None,
                "prescription": found.prescription,
                "location": found.point,
            }
            for recording, found in each
        ],
    }
    return [Result(data.name, machine, "diagnosis", OURS, MACHINE, figures)]


def part_of(found: Diagnosis) -> str:
    """Return the fault that is named; a bearing whose part is not clear is ``unclear``."""
    return UNCLEAR if found.fault == BEARING else found.fault


def _naming(truth: str, each: Sequence[tuple[Recording, Diagnosis]]) -> Naming:
    named = [
        part_of(found)
        for recording, found in each
        if recording.label is RecordingLabel.FAULTY and recording.fault_class == truth
    ]
    right, unclear = named.count(truth), named.count(UNCLEAR)
    return Naming(len(named), right, len(named) - right - unclear, unclear)


References = list[tuple[Recording, TrainState]]


def _references(recordings: Sequence[Recording]) -> References:
    """Measure the healthy machine in the first part of each healthy recording."""
    found = []
    for recording in recordings:
        if recording.label is RecordingLabel.HEALTHY:
            signals = _signals(recording, 0.0, HEALTHY_SHARE)
            if signals is not None:
                found.append((recording, signals.measured()))
    return found


def diagnosed(recording: Recording, references: References) -> Diagnosis:
    """Diagnose a recording; the most confident fault, else why none is named.

    A healthy recording is compared with another one where there is one, else its last part with its
    first.
    """
    signals = _signals(recording)
    if signals is None:
        raise ValueError(f"{recording.path.name}: no vibration or no speed")
    like = [(other, state) for other, state in references if state.alike(signals.key)]
    like = [one for one in like if one[0] is not recording] or like
    train = signals
    if like and like[0][0] is recording:
        train = _signals(recording, HEALTHY_SHARE, 1.0) or signals
    search = _search(recording, signals, train, like[0][1] if like else None)
    return max(search.run_all(), key=lambda d: (d.fault != UNCLEAR, d.confidence), default=_NOTHING)


def _search(
    recording: Recording,
    signals: TrainSignals,
    train: TrainSignals | None,
    healthy: TrainState | None,
) -> FaultSearch:
    bearing = next((c.bearing for c in recording.channels if c.bearing is not None), None)
    placed = UNKNOWN if bearing is None else PlacedBearing(bearing)
    points = tuple(signals.channels)
    return FaultSearch(
        points,
        tuple((x[None], fs_hz) for x, fs_hz in signals.channels.values()),
        ((placed, tuple(range(len(points)))),),
        signals.speed_rpm,
        train,
        healthy,
        tuple(c.unit for c in recording.channels if c.kind == "vibration"),
    )


def _signals(recording: Recording, start: float = 0.0, end: float = 1.0) -> TrainSignals | None:
    """Vibration of a part of a recording; None where there is none, or its speed is unknown."""
    speed_rpm = recording.state.speed_rpm
    vibration = np.array([channel.kind == "vibration" for channel in recording.channels])
    if not speed_rpm or not vibration.any():
        return None
    rows = recording.read()[vibration]
    cut = slice(int(start * rows.shape[1]), int(end * rows.shape[1]))
    points = [c.point.point for c in recording.channels if c.kind == "vibration"]
    channels = {p: (row[cut], recording.fs_hz) for p, row in zip(points, rows, strict=True)}
    return TrainSignals(channels, speed_rpm, True, Train(), recording.state.load)
