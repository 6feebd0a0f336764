"""A simulated technician, who labels the first events of a stream by the truth.

The stream passes the detector and the learning of the gateway. An event is a warning or alarm of
the detector, or `BEYOND_WINDOWS` windows in a row beyond the limit: `fpr` counts these even while
the condition is unknown. The technician labels it at the end of its recording.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from auscult.contract.label import Label, Verdict
from auscult.contract.message import millis
from auscult.contract.records import HeadUpdate
from auscult.gateway.datasets.dataset import RecordingLabel
from auscult.gateway.evaluate.features import Stretch
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.models.decision.alarm_rule import RULE
from auscult.models.detector import MachineDetector
from auscult.models.learning.head_updater import HeadUpdater
from auscult.models.records import MachineDecision
from auscult.models.settings import SHIPPED

BEYOND_WINDOWS = 5
"""Windows in a row beyond the limit that make an event."""

Piece = tuple[Stretch, int, int]
"""A recording, its first window, and the window after its last."""


@dataclass(frozen=True, slots=True)
class Technician:
    """Labels the first ``labels`` events; the share ``wrong`` of them, 0..1, with the opposite.

    With ``rechecks``, a label that an update asks about is given again, as the page asks for,
    wrong with the same probability whatever it was.
    """

    labels: int
    wrong: float = 0.0
    seed: int = 0
    rechecks: bool = True

    def wrong_labels(self) -> set[int]:
        """Return the numbers of the labels that are wrong."""
        rng = np.random.default_rng(self.seed)
        some = rng.choice(self.labels, round(self.wrong * self.labels), replace=False)
        return set(some.tolist())


@dataclass(frozen=True, slots=True)
class LabelledEvent:
    """A labelled event, whether the label is right, and the update that it made."""

    piece: Piece
    verdict: Verdict
    right: bool
    update: HeadUpdate
    asked_again: bool = False


def label_events(
    detector: MachineDetector,
    learning: MachineLearning,
    updater: HeadUpdater,
    stream: Iterable[Piece],
    technician: Technician,
) -> Iterator[LabelledEvent]:
    """Pass the stream through the detector, and label the first events.

    Yields each label, and each that an update asked about when it is given again.
    """
    wrong = technician.wrong_labels()
    rng = np.random.default_rng([technician.seed, technician.labels])
    of_event: dict[str, Piece] = {}
    asked: set[str] = set()
    labelled = 0
    for piece in stream:
        event_id = event_in(detector, learning, piece)
        if event_id is None or labelled == technician.labels:
            continue
        given = label_event(detector, updater, piece, event_id, right=labelled not in wrong)
        labelled += 1
        of_event[event_id] = piece
        yield given
        if not technician.rechecks or given.verdict is Verdict.FALSE_ALARM:
            continue
        for other in given.update.contradicts if given.update.accepted else ():
            if other in asked or other not in of_event:
                continue
            asked.add(other)
            right = bool(rng.random() >= technician.wrong)
            again = label_event(
                detector, updater, of_event[other], other, right=right, label_id=f"{other}-again"
            )
            yield replace(again, asked_again=True)


def label_event(
    detector: MachineDetector,
    updater: HeadUpdater,
    piece: Piece,
    event_id: str,
    *,
    right: bool = True,
    label_id: str = "",
) -> LabelledEvent:
    """Label an event, and give the new heads to the detector."""
    stretch = piece[0]
    false_alarm = (stretch.recording.label is RecordingLabel.HEALTHY) == right
    verdict = Verdict.FALSE_ALARM if false_alarm else Verdict.CONFIRMED_FAULT
    kind = None if false_alarm else stretch.recording.fault
    machine = detector.name_plate.machine
    label = Label(
        label_id=label_id or event_id,
        event_id=event_id,
        machine=machine,
        verdict=verdict,
        kind=kind,
        actor="truth",
        created_ms=millis(int(stretch.t_ns[-1])),
    )
    update = updater.learn(label)
    detector.set_heads(updater.heads)
    return LabelledEvent(piece, verdict, right, update)


def is_found(detector: MachineDetector, piece: Piece) -> bool:
    """Return whether an event arises in this piece, with evidence from 0."""
    stretch, start, stop = piece
    detector.reset_evidence()
    alert = _Alert()
    return any(alert.rises(detector.observe(hop)) for hop in stretch.hops(start, stop))


def event_in(detector: MachineDetector, learning: MachineLearning, piece: Piece) -> str | None:
    """Process a piece as the gateway does; return the id of its event, if any."""
    stretch, start, stop = piece
    detector.reset_evidence()
    alert = _Alert()
    event_id = None
    for hop in stretch.hops(start, stop):
        decision = detector.observe(hop)
        if alert.rises(decision) and event_id is None:
            event_id = f"{stretch.recording.path.stem[-20:]}-{start}"
        learning.offer(detector.scored_windows(), decision.points, event_id)
    return event_id


class _Alert:
    """Counts windows in a row beyond the limit."""

    def __init__(self) -> None:
        self._beyond = 0

    def rises(self, decision: MachineDecision) -> bool:
        p_value = decision.machine.p_value
        is_beyond = p_value is not None and p_value < SHIPPED.p_limit
        self._beyond = self._beyond + 1 if is_beyond else 0
        return RULE.opens(decision.machine.condition) or self._beyond >= BEYOND_WINDOWS
