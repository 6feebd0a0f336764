"""From baseline windows to a machine's model: scaling, autoencoder, distance, calibration.

The calibration uses held-out scores (`auscult.models.baseline.held_out`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from auscult.contract.said import Said
from auscult.dsp.spec import FeatureSpec
from auscult.dsp.units import KINDS, PointKind
from auscult.errors import InputError
from auscult.models.baseline.calibration import (
    PREDICTED_PRIOR,
    Calibration,
    Persistence,
    capped_normal_scores,
)
from auscult.models.baseline.collection import PointWindows, measured
from auscult.models.baseline.doubts import doubts
from auscult.models.baseline.fusion import Fusion
from auscult.models.baseline.held_out import (
    MIN_WINDOWS,
    BaselineRows,
    fitted_distance,
    folds_of,
    held_out_scores,
    parts_of,
    represent,
    without_outliers,
)
from auscult.models.baseline.kind_model import KindModel, PointModel
from auscult.models.baseline.knots import KnotShifts
from auscult.models.baseline.kriging import MIN_STATES, between_states, can_predict
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.baseline.rounds import JointRows
from auscult.models.baseline.score import DistanceStack
from auscult.models.baseline.states import StateMap
from auscult.models.baseline.window_states import operating_states, without_rare_states
from auscult.models.network.autoencoder import Autoencoder, soft_clip
from auscult.models.network.input_slots import Slots
from auscult.models.network.passthrough import Network, shipped_network
from auscult.models.network.training import Schedule
from auscult.models.records import ScoredWindow
from auscult.models.settings import DetectorSettings

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Progress = Callable[[float], None]

SCHEDULE = Schedule(noise=1.0)
"""Noise of one robust σ, the healthy scatter itself: the net then reproduces only what features
have in common, and a departure that resembles healthy scatter stays in the residual."""
LONGEST_HOP_S = 3600.0
"""A pause in the baseline counts at most this much in the mean time between windows."""
HEALTHY_WINDOWS = 96
"""Windows of each point of the healthy period that learning from labels gets: half of its room for
healthy ones."""
LEFT_OUT_WINDOWS = 50
"""Windows of each state that calibrate unseen states: enough for the bulk of the distribution."""


class BaselineError(InputError):
    """A baseline that is too short to fit; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class _FittedPoint:
    """A fitted point with log scores of its windows, NaN where a window has none.

    ``held_out`` lacks outliers; ``left_out``, the scores without the window's own state in the
    baseline, has at most `LEFT_OUT_WINDOWS` a state.
    """

    model: PointModel
    rows: BaselineRows
    held_out: Float64
    left_out: Float64


@dataclass
class FitJob:
    """The fit of a complete healthy period, for a worker thread.

    It shares nothing with the detector; pass the result to `MachineDetector.adopt`.
    """

    specs: Mapping[str, FeatureSpec]
    windows: Mapping[str, PointWindows]
    settings: DetectorSettings
    seed: int
    result: MachineModel | None = None
    doubts: tuple[Said, ...] = ()
    """Doubts about the healthy period; known after `run`."""

    def run(self, progress: Progress | None = None) -> MachineModel:
        """Fit as `fit_baseline` does, without rare operating states, and keep the result."""
        windows, rare = without_rare_states(self.windows, self.settings)
        result = fit_baseline(self.specs, windows, self.settings, self.seed, progress)
        self.doubts = (*doubts(self.specs, windows, result.states), *rare)
        self.result = result
        return result


def fit_baseline(
    specs: Mapping[str, FeatureSpec],
    windows: Mapping[str, PointWindows],
    settings: DetectorSettings,
    seed: int = 0,
    progress: Progress | None = None,
    train: bool = True,
    infer: bool = True,
) -> MachineModel:
    """Fit the model of a machine to its healthy windows.

    Parameters
    ----------
    specs : mapping of point to FeatureSpec
    windows : mapping of point to PointWindows
        Healthy windows of each point, in order of time. Points without windows are left out.
    settings : DetectorSettings
    seed : int
        The same windows and seed give the same model.
    progress : callable, optional
        Called with 0..1.
    train : bool
        Train the autoencoder; False leaves it as shipped, for the ablation.
    infer : bool
        Infer operating states from the features where no state is given; False for the ablation.

    Raises
    ------
    BaselineError
        If a point has fewer than `MIN_WINDOWS` windows.
    """
    progress = progress or (lambda _: None)
    for point, w in windows.items():
        if len(w.features) < MIN_WINDOWS:
            raise BaselineError(
                f"point {point} has {len(w.features)} baseline windows, needs {MIN_WINDOWS}; "
                f"collect more"
            )
    states, state_of = operating_states(specs, windows, settings, infer)
    shifts = KnotShifts(states) if states.are_knots else None
    present = [kind for kind in KINDS if any(specs[point].kind == kind for point in windows)]
    kinds: list[KindModel] = []
    healthy: list[ScoredWindow] = []
    fitted: list[_FittedPoint] = []
    for number, kind in enumerate(present):
        own = {point: specs[point] for point in windows if specs[point].kind == kind}
        known = measured(own, {point: windows[point].features for point in own})
        slots = Slots.assign(own, shipped_network(kind).width, known)
        rows = [
            BaselineRows(
                slots.model_units_of(windows[p].features, i),
                state_of[p],
                windows[p].t_ns,
                None if shifts is None else shifts.all(windows[p].states, state_of[p]),
            )
            for i, p in enumerate(own)
        ]

        def part(share: float, number: int = number) -> None:
            progress((number + share) / len(present))

        model, held_out = _fit_kind(kind, slots, rows, states, settings, seed, part, train)
        model = _with_predictions(model, rows, settings)
        left_out = [_leave_states_out(model, i, row) for i, row in enumerate(rows)]
        model = _with_unseen(model, rows, left_out)
        model = _with_hops(model, [windows[point] for point in own])
        healthy += _healthy_windows(model, rows, held_out)
        kinds.append(model)
        fitted += map(_FittedPoint, model.points, rows, held_out, left_out)
    return replace(_fit_machine(tuple(kinds), states, fitted, settings), healthy=healthy)


def _fit_kind(
    kind: PointKind,
    slots: Slots,
    rows: list[BaselineRows],
    states: StateMap,
    settings: DetectorSettings,
    seed: int,
    progress: Progress,
    train: bool,
) -> tuple[KindModel, list[Float64]]:
    """Fit all points of one kind; also return the held-out log scores of each point's windows.

    The shipped weights find the outliers, before anything is trained on them. With fewer rows than
    slots in use in any part, the net keeps the shipped linear weights. The shrunk distance then is
    a Mahalanobis distance, the best that so few windows support.
    """
    everything = [np.ones(len(row.x), bool) for row in rows]
    enough = min(settings.baseline_windows, settings.state_windows * len(states))
    fold = [
        folds_of(row.state, settings.folds, staggered=kind != "value" and len(row.x) < enough)
        for row in rows
    ]
    shipped = shipped_network(kind)
    parts = parts_of(rows, fold, everything, settings.folds)
    held_out = held_out_scores(lambda _: shipped, slots, rows, parts, len(states))
    clean = [without_outliers(scores, settings) for scores in held_out]
    parts = parts_of(rows, fold, clean, settings.folds)
    fewest = min(sum(int(use.sum()) for use in part.use) for part in parts)
    trainings = iter(range(settings.folds + 1))

    def trained(use: list[NDArray[np.bool_]]) -> Network:
        one = shipped_network(kind)
        done = next(trainings)
        # Where one part has too few rows, none is trained: their scores calibrate the whole.
        if train and isinstance(one, Autoencoder) and fewest >= len(slots.names):
            _train(one, slots, rows, use, len(states), seed,
               lambda share: progress((done + share) / (settings.folds + 1)))  # fmt: skip
        return one

    held_out = held_out_scores(trained, slots, rows, parts, len(states))
    autoencoder = trained(clean)
    points, distances = [], []
    for i, row in enumerate(rows):
        kept = row.where(clean[i])
        scaling = kept.scaling(len(states), slots.least_size)
        v, _ = represent(autoencoder, slots.mask[i], scaling, kept)
        distances.append(fitted_distance(autoencoder, slots.mask[i], v))
        scores = held_out[i][clean[i]]
        persistence = _persistence(scores, kept.state, settings)
        seen = Calibration.fit(scores, persistence.inflation)
        points.append(PointModel(scaling, seen, None, persistence, len(scores)))
        held_out[i] = np.where(clean[i], held_out[i], np.nan)
    distance = DistanceStack.stack(distances, len(slots.names), autoencoder.width)
    return KindModel(kind, slots, autoencoder, tuple(points), distance, states), held_out


def _healthy_windows(
    model: KindModel, rows: list[BaselineRows], held_out: list[Float64]
) -> Iterator[ScoredWindow]:
    """Yield windows of each point, evenly over the healthy period and without its outliers.

    Their scores are those of models that were not fitted to them.
    """
    for i, (point, row) in enumerate(zip(model.slots.points, rows, strict=True)):
        clean = np.flatnonzero(np.isfinite(held_out[i]))
        some = clean[np.linspace(0, len(clean) - 1, min(len(clean), HEALTHY_WINDOWS)).astype(int)]
        own = row.where(some)
        z = model.points[i].scaling.standardise(own.x, own.state, own.shift)
        z = model.used(z * model.slots.mask[i])
        scored = model.rescore(i, z)
        for n, at in enumerate(some):
            yield ScoredWindow(
                point,
                int(own.t_ns[n]),
                scored.position[n],
                float(held_out[i][at]),
                model.state_names[int(own.state[n])],
                seen=True,
                z=z[n],
            )


def _train(
    autoencoder: Autoencoder,
    slots: Slots,
    rows: list[BaselineRows],
    use: list[NDArray[np.bool_]],
    states: int,
    seed: int,
    progress: Progress,
) -> None:
    """Train the autoencoder on these rows of all points, in order of time."""
    z, mask, t_ns = [], [], []
    for i, row in enumerate(rows):
        kept = row.where(use[i])
        scaling = kept.scaling(states, slots.least_size)
        z.append(soft_clip(scaling.standardise(kept.x, kept.state, kept.shift)) * slots.mask[i])
        mask.append(np.tile(slots.mask[i], (len(kept.x), 1)))
        t_ns.append(kept.t_ns)
    order = np.argsort(np.concatenate(t_ns), kind="stable")
    x, masks = np.concatenate(z)[order], np.concatenate(mask)[order]
    autoencoder.fit(x, masks, seed=seed, progress=progress, schedule=SCHEDULE)


def _persistence(
    log_scores: Float64, state: NDArray[np.intp], settings: DetectorSettings
) -> Persistence:
    """Measure the persistence of normal scores within blocks that were held out together."""
    ln_p = Calibration.fit(log_scores).ln_p_of(log_scores)
    scores = capped_normal_scores(np.exp(ln_p), settings.score_cap)
    block = folds_of(state, settings.folds)
    blocks = [
        scores[(block == f) & (state == k)] for k in np.unique(state) for f in np.unique(block)
    ]
    return Persistence.measure(blocks, settings.correlation_max)


def _with_predictions(
    model: KindModel, rows: list[BaselineRows], settings: DetectorSettings
) -> KindModel:
    """Add the variance between states, if unseen states can be predicted from the known ones.

    They are predicted from the states in which each point has enough windows: the location of a
    thin state is too uncertain. A frequency converter that never repeats a speed leaves some.
    """
    states = model.states
    fewest = np.min([np.bincount(row.state, minlength=len(states)) for row in rows], axis=0)
    known = tuple(np.flatnonzero(fewest >= settings.state_windows).tolist())
    if len(known) < MIN_STATES or not can_predict(states):
        return model
    points = []
    for p in model.points:
        between = between_states(states, known, p.scaling.location, p.scaling.spread)
        points.append(replace(p, between=between, known=known))
    return replace(model, points=tuple(points))


def _leave_states_out(model: KindModel, row: int, rows: BaselineRows) -> Float64:
    """Log score of windows as if the baseline did not hold their state, NaN for other windows."""
    scores = np.full(len(rows.x), np.nan)
    present = np.unique(rows.state)
    if len(present) < 2 or len(model.states) < 2 or model.states.inferred:
        return scores
    x = model.points[row].scaling.brought(rows.x, rows.shift)
    for k in present:
        own = np.flatnonzero(rows.state == k)
        own = own[:: max(1, len(own) // LEFT_OUT_WINDOWS)]
        scores[own] = model.score_left_out(row, x[own], int(k))
    return scores


def _with_unseen(model: KindModel, rows: list[BaselineRows], left_out: list[Float64]) -> KindModel:
    """Add the calibration for states that the baseline does not hold."""
    points = list(model.points)
    for i, scores in enumerate(left_out):
        has = np.isfinite(scores)
        if has.any():
            prior = None if model.predicted is None else PREDICTED_PRIOR
            unseen = Calibration.fit_new_state(scores[has], rows[i].state[has], prior)
            points[i] = replace(points[i], unseen=unseen)
    return replace(model, points=tuple(points))


def _with_hops(model: KindModel, windows: Sequence[PointWindows]) -> KindModel:
    """Add the time between the windows of each point, also of those that were not kept."""
    points = []
    for point, own in zip(model.points, windows, strict=True):
        gaps_s = np.diff(own.t_ns) / 1e9 / own.stride
        hop_s = float(np.median(gaps_s))
        longest_s = max(LONGEST_HOP_S, 3 * hop_s)
        mean_hop_s = float(np.minimum(gaps_s, longest_s).mean())
        points.append(replace(point, hop_s=hop_s, mean_hop_s=mean_hop_s))
    return replace(model, points=tuple(points))


def _machine_hops(kinds: Sequence[KindModel]) -> tuple[float, float]:
    """Median and mean time between the machine's decisions: waveforms in step, values in rounds."""
    of = {
        is_value: [p for kind in kinds if (kind.kind == "value") == is_value for p in kind.points]
        for is_value in (False, True)
    }
    hop_s = min(p.hop_s or LONGEST_HOP_S for own in of.values() for p in own)
    rate = sum(
        1 / max(min(p.mean_hop_s or LONGEST_HOP_S for p in own), 1e-3) for own in of.values() if own
    )
    return hop_s, 1 / rate


def _fit_machine(
    kinds: tuple[KindModel, ...],
    states: StateMap,
    points: list[_FittedPoint],
    settings: DetectorSettings,
) -> MachineModel:
    """Fuse the points: correlation of their p-values, and calibration of the fused statistic."""
    is_value = [kind.kind == "value" for kind in kinds for _ in kind.points]
    joint = JointRows.arrange([p.rows.t_ns for p in points], is_value)
    held_out = joint.table([p.model.seen.ln_p_of(p.held_out) for p in points])
    fusion = Fusion.fit(held_out)
    seen = unseen = None
    persistence = points[0].model.persistence
    if len(points) > 1:
        state = joint.table([p.rows.state for p in points])
        fused, known = _fused(fusion, held_out, state)
        persistence = _persistence(fused, known, settings)
        seen = Calibration.fit(fused, persistence.inflation)
        left_out = [
            p.left_out if p.model.unseen is None else p.model.unseen.ln_p_of(p.left_out)
            for p in points
        ]
        mixed = np.nanmin(state, axis=1) < np.nanmax(state, axis=1)
        left_out_ln_p = np.where(mixed[:, None], np.nan, joint.table(left_out))
        fused, known = _fused(fusion, left_out_ln_p, state)
        unseen = Calibration.fit_new_state(fused, known)
    hop_s, mean_hop_s = _machine_hops(kinds)
    digest = hashlib.sha256()
    for p in points:
        digest.update(p.rows.x.tobytes() + p.rows.t_ns.tobytes())
    weights = hashlib.sha256("".join(k.autoencoder.weights_id for k in kinds).encode())
    return MachineModel(
        kinds=kinds,
        states=states,
        fusion=fusion,
        seen=seen,
        unseen=unseen,
        persistence=persistence,
        windows=min(p.model.windows for p in points),
        outliers=int(sum(np.isnan(p.held_out).sum() for p in points)),
        hop_s=hop_s,
        mean_hop_s=mean_hop_s,
        baseline_id=digest.hexdigest()[:16],
        model_id=weights.hexdigest()[:16],
    )


def _fused(fusion: Fusion, ln_p: Float64, state: Float64) -> tuple[Float64, NDArray[np.intp]]:
    """Return −ln of the fused p, and the state, of each row in which a point is present."""
    present = np.isfinite(ln_p).any(axis=1)
    fused = []
    for row in ln_p[present]:
        points = np.flatnonzero(np.isfinite(row))
        fused.append(-fusion.ln_p(row[points], points))
    return np.array(fused), np.nanmax(state[present], axis=1).astype(np.intp)
