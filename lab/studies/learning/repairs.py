"""Whether the check after planned work is right: healthy, faulty, healthy again.

A faulty recording is the event before the work; the blocks after it are healthy windows of the same
condition, later windows of the same recording, or windows of another fault. The windows take the
path of the gateway: `MachineLearning.offer`, ``begin_repair_check`` and ``follow_repair``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from auscult.gateway.datasets.dataset import RecordingLabel
from auscult.gateway.evaluate.detection import Split, default_split, fitted_detector
from auscult.gateway.evaluate.features import MachineData, Stretch
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.models.detector import MachineDetector
from auscult.models.learning.repair import WINDOWS, RepairResult

EVENT_WINDOWS = 30
"""Windows of the faulty recording before the work."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """A block after the work: ``after`` is "healthy", "same fault" or "other fault"."""

    before: str
    after: str
    result: RepairResult | None


def repairs(data: MachineData, detector: MachineDetector | None = None) -> Iterator[Repaired]:
    """Check each faulty recording against the blocks of its condition."""
    split = default_split(data)
    detector = detector or fitted_detector(data, split)
    faulty = data.with_label(RecordingLabel.FAULTY)
    with tempfile.TemporaryDirectory() as folder:
        learning = MachineLearning(Path(folder), data.machine)
        assert detector.model is not None
        learning.begin(detector.model)
        for number, stretch in enumerate(faulty):
            event = f"E{number}"
            detector.adopt(detector.model)
            stop = min(EVENT_WINDOWS, len(stretch) // 2)
            for hop in stretch.hops(0, stop):
                decision = detector.observe(hop)
                learning.offer(detector.scored_windows(), decision.points, event)
            for after, block in _blocks(split, stretch, faulty, stop):
                result = _check(detector, learning, event, block)
                yield Repaired(stretch.recording.path.stem, after, result)


def _blocks(
    split: Split, stretch: Stretch, faulty: tuple[Stretch, ...], stop: int
) -> Iterator[tuple[str, tuple[Stretch, int]]]:
    """Return the blocks of `WINDOWS` in the same condition."""
    state = stretch.recording.state
    for other, start in split.evaluated:
        healthy = other.recording.label is RecordingLabel.HEALTHY
        if healthy and other.recording.state == state:
            yield from (("healthy", (other, at)) for at in _starts(other, start))
    yield from (("same fault", (stretch, at)) for at in _starts(stretch, stop))
    for other in faulty:
        same = other.recording.fault == stretch.recording.fault
        if not same and other.recording.state == state and len(other) >= WINDOWS:
            yield "other fault", (other, 0)


def _starts(stretch: Stretch, start: int) -> range:
    return range(start, len(stretch) - WINDOWS + 1, WINDOWS)


def _check(
    detector: MachineDetector,
    learning: MachineLearning,
    event: str,
    block: tuple[Stretch, int],
) -> RepairResult | None:
    stretch, start = block
    assert detector.model is not None
    detector.adopt(detector.model)  # Each check begins with the same drift and no evidence.
    learning.begin_repair_check(event, int(stretch.t_ns[start]))
    assert learning.repair is not None
    for hop in stretch.hops(start, start + WINDOWS):
        decision = detector.observe(hop)
        learning.follow_repair(decision.machine, detector.scored_windows())
    return learning.repair.result
