"""Protocol `diagnosis`: whether each fault is named right, without any healthy recording."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from auscult.dsp.diagnosis import diagnose_bearing
from auscult.gateway.evaluate.detection import MACHINE, OURS
from auscult.gateway.evaluate.records import Naming, Result
from auscult.gateway.sources.dataset import DataSet, Recording, RecordingLabel
from auscult.models.decision.bearing_diagnosis import BEARING, bearing_diagnosis
from auscult.models.decision.diagnosis import UNCLEAR, Diagnosis

CLASSES = ("inner", "outer", "ball")
HIGH_CONFIDENCE = 0.8


def diagnosis_results(data: DataSet, machine: str) -> list[Result]:
    """One row for a machine whose bearing orders are given, none for others.

    Each recording gets one diagnosis, from all its channels together. The manifest's speed counts
    as a name-plate speed, so the search allows for its error.
    """
    each = [
        (recording, found)
        for recording in data.of_machine(machine)
        if recording.label is not RecordingLabel.RUN_TO_FAILURE
        and (found := named_fault(recording)) is not None
    ]
    if not any(recording.fault_class in CLASSES for recording, _ in each):
        return []
    healthy = [found for r, found in each if r.label is RecordingLabel.HEALTHY]
    wrong = [
        found
        for recording, found in each
        if part_of(found) not in (UNCLEAR, recording.fault_class)
        or (recording.label is RecordingLabel.HEALTHY and found.fault != UNCLEAR)
    ]
    figures = {
        **{truth: asdict(_naming(truth, each)) for truth in CLASSES},
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
    """Fault that is named; a bearing whose part is not clear is ``unclear``."""
    return UNCLEAR if found.fault == BEARING else found.fault


def _naming(truth: str, each: list[tuple[Recording, Diagnosis]]) -> Naming:
    named = [
        part_of(found)
        for recording, found in each
        if recording.label is RecordingLabel.FAULTY and recording.fault_class == truth
    ]
    right, unclear = named.count(truth), named.count(UNCLEAR)
    return Naming(len(named), right, len(named) - right - unclear, unclear)


def named_fault(recording: Recording) -> Diagnosis | None:
    """Diagnose a recording; None where its speed or bearing is unknown."""
    bearing = next((c.bearing for c in recording.channels if c.bearing is not None), None)
    speed_rpm = recording.state.speed_rpm
    vibration = [channel.kind == "vibration" for channel in recording.channels]
    if bearing is None or not speed_rpm or not any(vibration):
        return None
    channels = [(samples, recording.fs_hz) for samples in recording.read()[np.array(vibration)]]
    points = [c.point.point for c in recording.channels if c.kind == "vibration"]
    found = diagnose_bearing(channels, bearing, speed_rpm)
    return bearing_diagnosis(found, bearing, speed_rpm, points)
