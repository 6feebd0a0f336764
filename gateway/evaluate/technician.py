"""A technician simulated from the truth, who answers the first events of a stream.

The stream passes the very detector and learner of the gateway. An event is a learned warning or
alarm, or `BEYOND_WINDOWS` windows in a row beyond the limit, as `fpr` counts them even while the
condition is unknown. It is answered when its stretch ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from auscult.gateway.evaluate.detection import SPEAKS
from auscult.gateway.evaluate.features import Stretch
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.gateway.sources.dataset import RecordingLabel
from auscult.models.detector import MachineDetector
from auscult.models.records import HeadUpdate, Label, MachineDecision, Verdict
from auscult.models.settings import SHIPPED

BEYOND_WINDOWS = 5
"""Windows beyond the limit in a row that the technician is asked about."""

Piece = tuple[Stretch, int, int]
"""A recording, from which window on, up to which."""


@dataclass(frozen=True, slots=True)
class Technician:
    """Answers so many events; ``wrong`` of the answers (a share, 0..1) are the opposite."""

    labels: int
    wrong: float = 0.0
    seed: int = 0

    def errs(self) -> set[int]:
        """Give the numbers of the answers that are wrong."""
        rng = np.random.default_rng(self.seed)
        some = rng.choice(self.labels, round(self.wrong * self.labels), replace=False)
        return set(some.tolist())


@dataclass(frozen=True, slots=True)
class Answer:
    """An answered event, whether the answer was right, and what it changed."""

    piece: Piece
    verdict: Verdict
    right: bool
    update: HeadUpdate


def answers(
    detector: MachineDetector,
    learning: MachineLearning,
    stream: Iterable[Piece],
    technician: Technician,
) -> Iterator[Answer]:
    """Let the stream pass; answer the first events."""
    errs = technician.errs()
    answered = 0
    for piece in stream:
        event_id = event_in(detector, learning, piece)
        if event_id is None or answered == technician.labels:
            continue
        given = answer(detector, learning, piece, event_id, right=answered not in errs)
        answered += 1
        if given is not None:
            yield given


def answer(
    detector: MachineDetector,
    learning: MachineLearning,
    piece: Piece,
    event_id: str,
    *,
    right: bool = True,
) -> Answer | None:
    """Answer one event, and let the detector use what was learned."""
    stretch = piece[0]
    false_alarm = (stretch.recording.label is RecordingLabel.HEALTHY) == right
    verdict = Verdict.FALSE_ALARM if false_alarm else Verdict.CONFIRMED_FAULT
    kind = None if false_alarm else stretch.recording.fault
    machine = detector.name_plate.machine
    label = Label(event_id, event_id, machine, verdict, kind, "truth", int(stretch.t_ns[-1]))
    update = learning.label(label)
    detector.set_heads(learning.heads)
    return None if update is None else Answer(piece, verdict, right, update)


def is_found(detector: MachineDetector, piece: Piece) -> bool:
    """Tell whether an event arises in this piece, with fresh evidence."""
    stretch, start, stop = piece
    detector.reset_evidence()
    alert = _Alert()
    return any(alert.rises(detector.observe(hop)) for hop in stretch.hops(start, stop))


def event_in(detector: MachineDetector, learning: MachineLearning, piece: Piece) -> str | None:
    """Let a piece pass as the gateway would; returns the id of the event that arose, if any."""
    stretch, start, stop = piece
    detector.reset_evidence()
    alert = _Alert()
    event_id = None
    for hop in stretch.hops(start, stop):
        decision = detector.observe(hop)
        if alert.rises(decision) and event_id is None:
            event_id = f"{stretch.recording.path.stem[-20:]}-{start}"
        learning.show(detector.scored_windows(), decision.points, event_id)
    return event_id


class _Alert:
    """Counts windows beyond the limit."""

    def __init__(self) -> None:
        self._beyond = 0

    def rises(self, decision: MachineDecision) -> bool:
        p_value = decision.machine.p_value
        is_beyond = p_value is not None and p_value < SHIPPED.p_limit
        self._beyond = self._beyond + 1 if is_beyond else 0
        return decision.machine.condition in SPEAKS or self._beyond >= BEYOND_WINDOWS
