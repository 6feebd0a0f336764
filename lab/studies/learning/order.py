"""Labels that it takes until a fifth of the false-alarm windows is left, by the order of events.

Half of the conditions are new. The first half of each recording is a piece; the pieces in which an
event arises without labels are asked about in some order, and the truth answers. A piece in which
no event arises any more is not asked about. Orders: the highest mean normal score first without
those that resemble an asked one, nearest to the limit first (`models.learning.questions`), and
random (`DRAWS` draws).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auscult.gateway.datasets.dataset import RecordingLabel
from auscult.gateway.evaluate.detection import MACHINE, Split, score_recordings
from auscult.gateway.evaluate.features import MachineData
from auscult.gateway.evaluate.labels import fpr_where
from auscult.gateway.evaluate.technician import Piece, event_in, is_found, label_event
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.models.detector import MachineDetector
from auscult.models.learning.questions import ALIKE, LIMIT_SIGMA, normal_score
from auscult.models.learning.recognition import cosine
from lab.studies.learning.trials import Fitted

MOST, DRAWS, LEFT = 20, 4, 0.2


class Candidate(NamedTuple):
    """A piece with an event, the mean normal score of its windows, and their mean positions."""

    piece: Piece
    sigma: float
    centres: Mapping[str, NDArray[np.float32]]


def labels_needed(data: MachineData, fitted: Fitted) -> Iterator[tuple[str, list[int]]]:
    """Yield each order with the labels needed by half; `MOST` + 1 = more."""
    for split, detector in fitted:
        found = _candidates(detector, split)
        orders: dict[str, list[list[Candidate]]] = {
            "highest score": [_unlike(sorted(found, key=lambda one: -one.sigma))],
            "nearest to the limit": [sorted(found, key=lambda one: abs(one.sigma - LIMIT_SIGMA))],
            "random": [_shuffled(found, seed) for seed in range(DRAWS)],
        }
        for name, some in orders.items():
            yield name, [_needed(data, split, detector, order) for order in some]


def _candidates(detector: MachineDetector, split: Split) -> list[Candidate]:
    assert detector.model is not None
    detector.adopt(detector.model)
    detector.set_heads({})
    found = []
    for stretch, start in split.evaluated:
        piece = stretch, start, (start + len(stretch)) // 2
        if not is_found(detector, piece):
            continue
        detector.reset_evidence()
        sigma, positions = [], dict[str, list[NDArray[np.float32]]]()
        for hop in stretch.hops(*piece[1:]):
            sigma.append(normal_score(detector.observe(hop).machine))
            for window in detector.scored_windows():
                positions.setdefault(window.point, []).append(window.position)
        centres = {point: np.mean(own, axis=0) for point, own in positions.items()}
        found.append(Candidate(piece, float(np.mean(sigma)), centres))
    return found


def _unlike(found: Sequence[Candidate]) -> list[Candidate]:
    asked: list[Candidate] = []
    for one in found:
        if all(cosine(one.centres, other.centres) < ALIKE for other in asked):
            asked.append(one)
    return asked


def _shuffled(found: Sequence[Candidate], seed: int) -> list[Candidate]:
    return [found[i] for i in np.random.default_rng(seed).permutation(len(found))]


def _needed(
    data: MachineData, split: Split, detector: MachineDetector, order: Sequence[Candidate]
) -> int:
    model = detector.model
    assert model is not None
    healthy = [
        (s, start) for s, start in split.evaluated if s.recording.label is RecordingLabel.HEALTHY
    ]
    halves = [(s, (start + len(s)) // 2) for s, start in healthy]
    is_new = [start == 0 for _, start in healthy]
    with tempfile.TemporaryDirectory() as folder:
        learning = MachineLearning(Path(folder), data.machine)
        updater = learning.begin(model)

        def left() -> float:
            detector.adopt(model)
            detector.set_heads(updater.heads)
            return fpr_where(score_recordings(detector, data, halves)[0], MACHINE, is_new) or 0.0

        before = left()
        labels = 0
        for one in order:
            detector.adopt(model)
            detector.set_heads(updater.heads)
            event = event_in(detector, learning, one.piece)
            if event is None:
                continue
            label_event(detector, updater, one.piece, event)
            labels += 1
            if left() <= LEFT * before:
                return labels
            if labels == MOST:
                break
    return MOST + 1
