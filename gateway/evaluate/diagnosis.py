"""Protocol `diagnosis`: whether the fault is named right, without any healthy recording."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict

from auscult.dsp.diagnosis import diagnose_bearing
from auscult.gateway.evaluate.detection import MACHINE, OURS
from auscult.gateway.evaluate.records import Naming, Result
from auscult.gateway.sources.dataset import DataSet, Recording, RecordingLabel
from auscult.models.decision.diagnosis import UNCLEAR, Diagnosis, bearing_diagnosis

CLASSES = ("inner", "outer", "ball")
HIGH_CONFIDENCE = 0.8


def diagnosis_results(data: DataSet, machine: str) -> list[Result]:
    """One row for a machine whose bearing orders are given, none for others.

    Each faulty recording gets one verdict, from all its channels together; the speed of the
    manifest is taken as a name-plate speed, so the search allows for its error.
    """
    named: Counter[tuple[str, str]] = Counter()
    wrong_and_sure = 0
    for recording in data.of_machine(machine):
        if recording.label is not RecordingLabel.FAULTY or recording.fault_class not in CLASSES:
            continue
        verdict = named_fault(recording)
        if verdict is None:
            continue
        truth = recording.fault_class
        right = "right" if verdict.fault == truth else "wrong"
        named[truth, UNCLEAR if verdict.fault == UNCLEAR else right] += 1
        wrong_and_sure += right == "wrong" and verdict.confidence >= HIGH_CONFIDENCE
    if not named:
        return []
    figures = {
        truth: asdict(
            Naming(
                recordings=sum(n for (fault, _), n in named.items() if fault == truth),
                named_right=named[truth, "right"],
                named_wrong=named[truth, "wrong"],
                unclear=named[truth, UNCLEAR],
            )
        )
        for truth in CLASSES
    }
    return [
        Result(data.name, machine, "diagnosis", OURS, MACHINE,
               {**figures, "wrong_with_high_confidence": wrong_and_sure})
    ]  # fmt: skip


def named_fault(recording: Recording) -> Diagnosis | None:
    """Verdict on a recording; None where speed or bearing are unknown."""
    bearing = next((c.bearing for c in recording.channels if c.bearing is not None), None)
    if bearing is None or recording.state.speed_rpm is None:
        return None
    channels = [
        samples
        for channel, samples in zip(recording.channels, recording.read(), strict=True)
        if channel.kind == "vibration"
    ]
    if not channels:
        return None
    matches = diagnose_bearing(channels, recording.fs_hz, bearing, recording.state.speed_rpm)
    return bearing_diagnosis(matches)
