"""Copies of labelled windows that sound slightly different: gain, tilt, noise, speed.

Half of the conditions are new (`fitted_halves`). A head is trained on the labelled windows and on
their copies; the gate and the bounds of a replay see the windows alone. Copies are made of the
samples, and pass features and net like any window.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.signal import resample

from auscult.dsp.pipeline import FeatureBlock, FeaturePipeline
from auscult.gateway.datasets.dataset import DataSet, RecordingLabel
from auscult.gateway.evaluate import features
from auscult.gateway.evaluate.detection import MACHINE, Split, score_recordings
from auscult.gateway.evaluate.features import MachineData, machine_data
from auscult.gateway.evaluate.labels import fpr_where
from auscult.gateway.evaluate.run import WINDOW_S
from auscult.gateway.evaluate.technician import event_in, label_event
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.models.detector import MachineDetector
from auscult.models.learning.head import Head
from auscult.models.learning.head_trainer import HeadTrainer
from auscult.models.learning.replay import ReplayArrays, ReplayRows, RowClass
from auscult.models.records import ScoredWindow
from lab.studies.learning.trials import fitted_halves

LABELS, ORDERS = (5, 20), 2
LABELLED = RowClass.FALSE_ALARM, RowClass.CONFIRMED_FAULT

Float32 = NDArray[np.float32]
Copies = Mapping[tuple[str, int], ScoredWindow]
"""One changed copy of each window, by point and time."""


class Change(NamedTuple):
    """What happens to a window's samples; noise in dB relative to the window's own r.m.s."""

    gain_db: float = 0.0
    tilt_db_per_octave: float = 0.0
    speed: float = 1.0
    noise_db: float | None = None

    def applied(self, samples: NDArray[np.float32 | np.int16], fs_hz: float) -> Float32:
        """Change windows [shape=(c, n)]."""
        x = samples.astype(np.float64)
        if self.speed != 1.0:
            more = np.pad(x, ((0, 0), (0, x.shape[1] // 20)), "reflect")
            x = resample(more, round(more.shape[1] / self.speed), axis=1)[:, : x.shape[1]]
        if self.tilt_db_per_octave:
            hz = np.fft.rfftfreq(x.shape[1], 1 / fs_hz)
            octaves = np.log2(np.maximum(hz, hz[1]) / (fs_hz / 20))
            tilted = np.fft.rfft(x, axis=1) * 10 ** (octaves * self.tilt_db_per_octave / 20)
            x = np.fft.irfft(tilted, x.shape[1], axis=1)
        if self.noise_db is not None:
            noise = np.random.default_rng(0).standard_normal(x.shape)
            x = x + noise * x.std(axis=1, keepdims=True) * 10 ** (self.noise_db / 20)
        return np.ascontiguousarray(x * 10 ** (self.gain_db / 20), np.float32)


CHANGES = {
    "none": (),
    "gain ±1 dB": (Change(gain_db=1.0), Change(gain_db=-1.0)),
    "tilt ±0.5 dB/octave": (Change(tilt_db_per_octave=0.5), Change(tilt_db_per_octave=-0.5)),
    "speed ±1 %": (Change(speed=1.01), Change(speed=0.99)),
    "noise −20, −10 dB": (Change(noise_db=-20.0), Change(noise_db=-10.0)),
}


class ChangedPipeline(FeaturePipeline):
    """Features of changed windows; the measured speed changes with them."""

    change = Change()

    def extract(
        self, samples: NDArray[np.float32 | np.int16], speed_rpm: ArrayLike | None = None
    ) -> FeatureBlock:
        """Return the features of a batch of windows after the change."""
        measured = None if speed_rpm is None else np.asarray(speed_rpm, float) * self.change.speed
        return super().extract(self.change.applied(samples, self.spec.fs_hz), measured)


class AugmentationFigures(NamedTuple):
    """Changes by the labels of one trial, learned with some copies of their windows.

    ``before`` and ``new`` are the shares of false-alarm windows at new conditions before and after.
    """

    copies: str
    labels: int
    half: int
    before: float
    auc: float
    tpr: float
    new: float
    elsewhere: float


def augmentation_figures(data: MachineData) -> Iterator[AugmentationFigures]:
    """Learn from the same labels with all kinds of copies, in `ORDERS` orders on both halves."""
    recorded = DataSet(data.dataset, Path(), tuple(s.recording for s in data.stretches))
    changed: dict[Change, MachineData] = {}
    for change in (one for some in CHANGES.values() for one in some):
        pipeline = type("Pipeline", (ChangedPipeline,), {"change": change})
        with patch.object(features, "FeaturePipeline", pipeline):
            changed[change] = machine_data(recorded, data.machine, WINDOW_S, lambda: None)
    for half, (split, detector) in enumerate(fitted_halves(data)):
        before = _figures(detector, data, split, {})
        copies = {change: _copies(detector, split, one) for change, one in changed.items()}
        for name, some in CHANGES.items():
            for seed in range(ORDERS):
                order = np.random.default_rng(1000 + seed).permutation(len(split.evaluated))
                heads = _heads(detector, split, order.tolist(), [copies[one] for one in some])
                for labels, own in heads.items():
                    after = _figures(detector, data, split, own)
                    auc, tpr, _, elsewhere = after - before
                    yield AugmentationFigures(
                        name, labels, half, before[2], auc, tpr, after[2], elsewhere
                    )


def _copies(detector: MachineDetector, split: Split, changed: MachineData) -> Copies:
    """Score the changed windows of the stream."""
    assert detector.model is not None
    detector.adopt(detector.model)
    detector.set_heads({})
    by_path = {s.recording.path: s for s in changed.stretches}
    found: dict[tuple[str, int], ScoredWindow] = {}
    for stretch, start in split.evaluated:
        other = by_path[stretch.recording.path]
        for hop in other.hops(start, (start + len(stretch)) // 2):
            detector.observe(hop)
            found |= {(w.point, w.t_ns): w for w in detector.scored_windows()}
    return found


def _heads(
    detector: MachineDetector, split: Split, order: Sequence[int], copies: Sequence[Copies]
) -> dict[int, Mapping[str, Head]]:
    """Label the events of the stream in this order; return the heads after so many labels."""
    model = detector.model
    assert model is not None
    heads: dict[int, Mapping[str, Head]] = {}
    plain_rows = HeadTrainer._rows

    def rows(trainer: HeadTrainer, point: str, only: str | None) -> ReplayRows:
        return _with_copies(plain_rows(trainer, point, only), point, copies)

    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(HeadTrainer, "_rows", rows),
    ):
        learning = MachineLearning(Path(folder), detector.name_plate.machine)
        updater = learning.begin(model)
        detector.adopt(model)
        detector.set_heads(updater.heads)
        labels = 0
        for stretch, start in (split.evaluated[i] for i in order):
            piece = stretch, start, (start + len(stretch)) // 2
            event = event_in(detector, learning, piece)
            if event is None:
                continue
            label_event(detector, updater, piece, event)
            labels += 1
            if labels in LABELS:
                heads[labels] = dict(updater.heads)
            if labels == max(LABELS):
                break
        return {n: heads.get(n, dict(updater.heads)) for n in LABELS}


def _with_copies(rows: ReplayRows, point: str, copies: Sequence[Copies]) -> ReplayRows:
    """Add the copies of the labelled rows."""
    labelled = rows.select_classes(*LABELLED)
    infos, windows = [rows.info], list[ScoredWindow]()
    for some in copies:
        own = [some.get((point, int(t_ns))) for t_ns in labelled.info["t_ns"]]
        info = labelled.info[[one is not None for one in own]].copy()
        found = [one for one in own if one is not None]
        info["log_score"] = [one.log_score for one in found]
        infos.append(info)
        windows += found
    if not windows:
        return rows
    info = np.concatenate(infos)
    z = np.stack([one.z for one in windows if one.z is not None])
    stored = ReplayArrays(
        np.concatenate([rows.positions, np.stack([one.position for one in windows])]),
        np.concatenate([rows.z, z]),
        np.arange(len(info)),
    )
    return ReplayRows(stored, np.arange(len(info)), info)


def _figures(
    detector: MachineDetector, data: MachineData, split: Split, heads: Mapping[str, Head]
) -> NDArray[np.float64]:
    """AUC, TPR, and FPR at new and at other conditions with these heads."""
    assert detector.model is not None
    detector.adopt(detector.model)
    detector.set_heads(heads)
    halves = [(s, (start + len(s)) // 2) for s, start in split.evaluated]
    scores, _ = score_recordings(detector, data, halves)
    healthy = [at for s, at in split.evaluated if s.recording.label is RecordingLabel.HEALTHY]
    own = scores.detection(MACHINE, 0)
    new, elsewhere = (
        fpr_where(scores, MACHINE, [(at == 0) is is_new for at in healthy])
        for is_new in (True, False)
    )
    return np.array([own.auc, own.tpr, new, elsewhere], float)  # None becomes NaN
