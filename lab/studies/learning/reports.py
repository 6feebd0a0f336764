"""What one faulty recording changes, with known operating states.

It is reported as a missed fault: ``MachineLearning`` has its windows in the ring of the last hours,
and the healthy windows of the stream in its replay. Or it is an event that is confirmed as a fault.
All other recordings are scored before and after, after a confirmed event those of other faults and
of its own condition left out; known conditions apart from those that the baseline does not hold.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from auscult.contract.label import REPORTED, Label, Verdict
from auscult.contract.message import millis
from auscult.contract.records import DEPARTED
from auscult.gateway.datasets.dataset import RecordingLabel
from auscult.gateway.evaluate.detection import (
    MACHINE,
    Split,
    default_split,
    fitted_detector,
    held_out_splits,
)
from auscult.gateway.evaluate.features import MachineData, Stretch
from auscult.gateway.evaluate.metrics import auc, share
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.models.detector import MachineDetector
from auscult.models.learning.head_updater import HeadUpdater
from auscult.models.learning.settings import SETTINGS, LearningSettings
from auscult.models.learning.window_ring import EVERY_NS
from auscult.models.settings import SHIPPED
from lab.studies.learning.sets import quantity_of

Float64 = NDArray[np.float64]
REPORT_WINDOWS = 51
"""Windows of the reported stretch, from the start of the recording."""


@dataclass(frozen=True, slots=True)
class Scored:
    """−ln p of each window of a recording by point, and whether an event opened."""

    scores: dict[str | None, Float64]
    alerted: bool


@dataclass(frozen=True, slots=True)
class ReportFigures:
    """Figures of a point (None = the machine) before and after a report; None where none apply.

    ``left_out`` is the condition that the baseline lacks, ``reported`` the recording.
    """

    left_out: str
    reported: str
    wrong: bool
    accepted: bool
    point: str | None
    known: bool
    auc: tuple[float | None, float | None]
    fpr: tuple[float | None, float | None]
    tpr: tuple[float | None, float | None]
    tpr_equal: float | None
    """TPR after, at a limit that leaves as many healthy windows beyond it as before."""
    false_events: tuple[float | None, float | None]
    """Share of the healthy recordings in which the machine's evidence opens an event."""
    found: tuple[float | None, float | None]
    """The same of the faulty ones."""


def report_figures(
    data: MachineData,
    *,
    leave_out: bool = False,
    confirmed: bool = False,
    settings: LearningSettings = SETTINGS,
    fitted: dict[str, MachineDetector] | None = None,
) -> Iterator[ReportFigures]:
    """Report each faulty recording once, and each healthy one as a wrong report.

    Parameters
    ----------
    leave_out : bool
        Leave out one condition of the baseline at a time, instead of none.
    confirmed : bool
        Confirm the fault of an event, instead of a report.
    fitted : dict, optional
        Detectors by condition left out, to use again with other settings; filled here.
    """
    fitted = {} if fitted is None else fitted
    splits: dict[str, Split] = {"": default_split(data)}
    quantity = quantity_of(data)
    if leave_out and quantity is not None:
        splits = {str(value): split for value, split in held_out_splits(data, quantity)}
    for left_out, split in splits.items():
        if left_out not in fitted:
            fitted[left_out] = fitted_detector(data, split)
        yield from _of_split(data, left_out, split, fitted[left_out], settings, confirmed=confirmed)


def _of_split(
    data: MachineData,
    left_out: str,
    split: Split,
    detector: MachineDetector,
    settings: LearningSettings,
    *,
    confirmed: bool,
) -> Iterator[ReportFigures]:
    model = detector.model
    assert model is not None
    halves = [
        (s, (start + len(s)) // 2 if s.recording.label is RecordingLabel.HEALTHY else 0)
        for s, start in split.evaluated
    ]
    before = {id(s): _scored(detector, s, start) for s, start in halves}
    known = {id(s): _is_known(detector, s) for s, _ in halves}
    for reported, start in split.evaluated:
        if not known[id(reported)] or len(reported) - start < REPORT_WINDOWS // 2:
            continue
        with tempfile.TemporaryDirectory() as folder:
            learning = MachineLearning(Path(folder), data.machine, settings)
            updater = learning.begin(model)
            accepted = _learn(
                detector, learning, updater, split, reported, start, confirmed=confirmed
            )
            others = [
                (s, at)
                for s, at in halves
                if s is not reported and (not confirmed or _is_apart(s, reported))
            ]
            detector.adopt(model)
            detector.set_heads(updater.heads)
            after = {id(s): _scored(detector, s, at) for s, at in others}
        detector.adopt(model)
        detector.set_heads({})
        for point in (MACHINE, *data.specs):
            for seen in (True, False):
                some = [s for s, _ in others if known[id(s)] is seen]
                if some:
                    yield _figures(left_out, reported, point, seen, some, before, after, accepted)


def _learn(
    detector: MachineDetector,
    learning: MachineLearning,
    updater: HeadUpdater,
    split: Split,
    reported: Stretch,
    start: int,
    *,
    confirmed: bool,
) -> bool:
    """Process the healthy first halves and the faulty windows; report or confirm them."""
    model = detector.model
    assert model is not None
    detector.adopt(model)
    detector.set_heads({})
    for stretch, first in split.evaluated:
        if stretch.recording.label is RecordingLabel.HEALTHY and stretch is not reported:
            detector.reset_evidence()
            for hop in stretch.hops(first, (first + len(stretch)) // 2):
                decision = detector.observe(hop)
                learning.offer(detector.scored_windows(), decision.points, None)
    detector.reset_evidence()
    stop = min(start + REPORT_WINDOWS, len(reported))
    since = until = int(reported.t_ns[start])
    event = "event-1" if confirmed else f"{REPORTED}1"
    for hop in reported.hops(start, stop):
        detector.observe(hop)
        if confirmed:
            updater.remember(detector.scored_windows(), event)
            continue
        # The ring keeps a window each few seconds: the recording stands for a longer stretch.
        until += EVERY_NS
        updater.reports.keep([w._replace(t_ns=until) for w in detector.scored_windows()])
    if not confirmed:
        updater.reports.store(event, since, until)
    machine = detector.name_plate.machine
    label = Label(
        label_id=event,
        event_id=event,
        machine=machine,
        verdict=Verdict.CONFIRMED_FAULT,
        actor="truth",
        created_ms=millis(until),
    )
    return updater.learn(label).accepted


def _is_apart(one: Stretch, confirmed: Stretch) -> bool:
    """Return whether a recording is healthy, or of the same fault at another condition."""
    healthy = one.recording.label is RecordingLabel.HEALTHY
    same = one.recording.fault_class == confirmed.recording.fault_class
    return healthy or (same and one.recording.state != confirmed.recording.state)


def _scored(detector: MachineDetector, stretch: Stretch, start: int) -> Scored:
    """Score a recording from a window on."""
    detector.reset_evidence()
    found: dict[str | None, list[float]] = {}
    alerted = False
    for hop in stretch.hops(start):
        decision = detector.observe(hop)
        for point, own in ((MACHINE, decision.machine), *decision.points.items()):
            if own.p_value is not None:
                found.setdefault(point, []).append(-float(np.log(own.p_value)))
        alerted |= decision.machine.condition in DEPARTED
    return Scored({point: np.array(values) for point, values in found.items()}, alerted)


def _is_known(detector: MachineDetector, stretch: Stretch) -> bool:
    model = detector.model
    assert model is not None
    return model.states.match(stretch.recording.state) is not None


def _figures(
    left_out: str,
    reported: Stretch,
    point: str | None,
    seen: bool,
    some: list[Stretch],
    before: dict[int, Scored],
    after: dict[int, Scored],
    accepted: bool,
) -> ReportFigures:
    limit = -np.log(SHIPPED.p_limit)

    def of(scored: dict[int, Scored], label: RecordingLabel) -> tuple[Float64, float | None]:
        own = [scored[id(s)] for s in some if s.recording.label is label]
        scores = [one.scores.get(point, np.empty(0)) for one in own]
        alerted = share(np.array([one.alerted for one in own], bool))
        return np.concatenate([*scores, np.empty(0)]), alerted

    (h0, false0), (h1, false1) = (of(s, RecordingLabel.HEALTHY) for s in (before, after))
    (f0, found0), (f1, found1) = (of(s, RecordingLabel.FAULTY) for s in (before, after))
    beyond = int((h0 > limit).sum())
    equal = max(limit, *np.sort(h1)[::-1][beyond : beyond + 1])
    return ReportFigures(
        left_out,
        reported.recording.path.stem,
        reported.recording.label is RecordingLabel.HEALTHY,
        accepted,
        point,
        seen,
        (auc(h0, f0), auc(h1, f1)),
        (share(h0 > limit), share(h1 > limit)),
        (share(f0 > limit), share(f1 > limit)),
        share(f1 > equal),
        (false0, false1),
        (found0, found1),
    )
