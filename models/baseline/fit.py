"""From baseline windows to a machine's model: scaling, autoencoder, distance, calibration.

Scores for the calibration are held out (`auscult.models.baseline.held_out`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.spec import FeatureSpec
from auscult.models.baseline.calibration import Calibration, Persistence, capped_normal_scores
from auscult.models.baseline.collection import PointWindows
from auscult.models.baseline.fusion import Fusion
from auscult.models.baseline.held_out import (
    MIN_WINDOWS,
    Rows,
    folds_of,
    held_out_scores,
    represent,
    without_outliers,
)
from auscult.models.baseline.machine_model import KindModel, MachineModel, PointModel
from auscult.models.baseline.scaling import StateScaling
from auscult.models.baseline.score import DistanceStack, ShrunkDistance
from auscult.models.baseline.state_inference import infer_states
from auscult.models.baseline.states import UNKNOWN_STATE, StateMap
from auscult.models.network.artefact import KINDS
from auscult.models.network.autoencoder import Autoencoder, soft_clip
from auscult.models.network.input_slots import Slots
from auscult.models.network.training import Schedule
from auscult.models.settings import DetectorSettings

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Progress = Callable[[float], None]
Base = Literal["trained", "shipped", "int8"]

SCHEDULE = Schedule(noise=1.0)
"""Noise of one robust σ, the healthy scatter itself: what the net then reproduces is what features
have in common, and a departure that resembles healthy scatter is left in the residual."""
LONGEST_HOP_S = 3600.0
"""A pause in the baseline counts no longer than this in the mean time between windows."""
LEFT_OUT_WINDOWS = 50
"""Windows of each state that calibrate unseen states: enough for its bulk."""


class BaselineError(ValueError):
    """A baseline that no model can be made of; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class _Scored:
    """A fitted point with the held-out log scores of its windows (NaN = outlier)."""

    model: PointModel
    rows: Rows
    held_out: Float64
    left_out: tuple[Float64, NDArray[np.intp]] | None


def fit_baseline(
    specs: Mapping[str, FeatureSpec],
    windows: Mapping[str, PointWindows],
    settings: DetectorSettings,
    seed: int = 0,
    progress: Progress | None = None,
    base: Base = "trained",
    infer: bool = True,
) -> MachineModel:
    """Learn a machine's healthy behaviour.

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
    base : {"trained", "shipped", "int8"}
        The autoencoder's base: trained on the windows, left as it is shipped, or trained and then
        computed in int8. The last two are for the ablation.
    infer : bool
        Infer operating states where none is told; False for the ablation.

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
                f"go on collecting"
            )
    states, state_of = operating_states(specs, windows, settings, infer)
    present = [kind for kind in KINDS if any(specs[point].kind == kind for point in windows)]
    kinds, scored = [], []
    for number, kind in enumerate(present):
        mine = {point: specs[point] for point in windows if specs[point].kind == kind}
        slots = Slots.of(mine, Autoencoder.shipped(kind).width)
        rows = [
            Rows(slots.model_units_of(windows[p].features, i), state_of[p], windows[p].t_ns)
            for i, p in enumerate(mine)
        ]

        def part(share: float, number: int = number) -> None:
            progress((number + share) / len(present))

        model, held_out = _commission_kind(kind, slots, rows, states, settings, seed, part, base)
        left_out = [_leave_states_out(model, i, row) for i, row in enumerate(rows)]
        model = _with_unseen(model, rows, left_out)
        kinds.append(model)
        for i, row in enumerate(rows):
            scored.append(_Scored(model.points[i], row, held_out[i], left_out[i]))
    return _machine(tuple(kinds), states, scored, settings)


class FitJob:
    """Training of a complete baseline, to be run in a worker thread.

    ``run`` touches nothing that the detector uses meanwhile; give its result to
    `MachineDetector.adopt`.
    """

    def __init__(
        self,
        specs: Mapping[str, FeatureSpec],
        windows: Mapping[str, PointWindows],
        settings: DetectorSettings,
        seed: int,
    ) -> None:
        self._inputs = (dict(specs), dict(windows), settings, seed)
        self.result: MachineModel | None = None

    def run(self, progress: Callable[[float], None] | None = None) -> MachineModel:
        """Train; ``progress`` is called with 0..1. Also kept as ``result``.

        Raises
        ------
        BaselineError
            If the windows are too few to make any model.
        """
        specs, windows, settings, seed = self._inputs
        self.result = fit_baseline(specs, windows, settings, seed, progress)
        return self.result


def operating_states(
    specs: Mapping[str, FeatureSpec],
    windows: Mapping[str, PointWindows],
    settings: DetectorSettings,
    infer: bool = True,
) -> tuple[StateMap, dict[str, NDArray[np.intp]]]:
    """Give the states of a baseline, and that of each window of each point.

    As told, or inferred from the features of all points together where nobody told anything.
    """
    told = [state for w in windows.values() for state in w.states]
    states, index = StateMap.of(told)
    ends = np.cumsum([len(w.features) for w in windows.values()])
    state_of = dict(zip(windows, np.split(index, ends[:-1]), strict=True))
    if not infer or states.states != (UNKNOWN_STATE,):
        return states, state_of
    common = sorted(set.intersection(*(set(w.t_ns.tolist()) for w in windows.values())))
    few = len(common) < settings.baseline_windows
    if few or 2 * len(common) < max(len(w.t_ns) for w in windows.values()):
        return states, state_of
    together = []
    for point, w in windows.items():
        slots = Slots.of({point: specs[point]}, len(specs[point].model_names))
        at = np.searchsorted(w.t_ns, common)
        together.append(slots.model_units_of(w.features[at], 0))
    inferred = infer_states(np.concatenate(together, axis=1), settings.inferred_state_windows)
    if not inferred.any():
        return states, state_of
    times = np.array(common)
    for point, w in windows.items():
        following = np.minimum(np.searchsorted(times, w.t_ns), len(times) - 1)
        state_of[point] = inferred[following]
    return StateMap.inferred_states(int(inferred.max()) + 1), state_of


def _commission_kind(
    kind: Literal["vibration", "sound"],
    slots: Slots,
    rows: list[Rows],
    states: StateMap,
    settings: DetectorSettings,
    seed: int,
    progress: Progress,
    base: Base,
) -> tuple[KindModel, list[Float64]]:
    """Fit all points of one kind; also the held-out log scores of each point's windows.

    Outliers are found with the shipped start, before anything is trained on them.
    """
    everything = [np.ones(len(row.x), bool) for row in rows]
    shipped = Autoencoder.shipped(kind)
    held_out = held_out_scores(
        lambda _: shipped, slots, rows, everything, len(states), settings.folds
    )
    clean = [without_outliers(scores, settings) for scores in held_out]
    trainings = iter(range(settings.folds + 1))

    def trained(use: list[NDArray[np.bool_]]) -> Autoencoder:
        one = Autoencoder.shipped(kind)
        done = next(trainings)
        _fit(one, slots, rows, use, len(states), seed,
             lambda share: progress((done + share) / (settings.folds + 1)), base)  # fmt: skip
        return one

    held_out = held_out_scores(trained, slots, rows, clean, len(states), settings.folds)
    autoencoder = trained(clean)
    points, distances = [], []
    for i, row in enumerate(rows):
        kept = row.where(clean[i])
        scaling = StateScaling.fit(kept.x, kept.state, len(states))
        v, _ = represent(autoencoder, slots.mask[i], scaling, kept)
        scores = held_out[i][clean[i]]
        distances.append(ShrunkDistance.fit(v))
        points.append(_point(scaling, scores, kept.state, settings))
        held_out[i] = np.where(clean[i], held_out[i], np.nan)
    distance = DistanceStack.of(distances, len(slots.names), autoencoder.width)
    return KindModel(kind, slots, autoencoder, tuple(points), distance, states), held_out


def _fit(
    autoencoder: Autoencoder,
    slots: Slots,
    rows: list[Rows],
    use: list[NDArray[np.bool_]],
    states: int,
    seed: int,
    progress: Progress,
    base: Base,
) -> None:
    """Train the autoencoder on these rows of all points, in order of time.

    With fewer rows than slots in use it stays the shipped linear start, which the shrunk distance
    turns into a Mahalanobis distance: the best that so few windows can carry.
    """
    if base == "shipped" or sum(int(u.sum()) for u in use) < len(slots.names):
        return
    z, mask, t_ns = [], [], []
    for i, row in enumerate(rows):
        kept = row.where(use[i])
        scaling = StateScaling.fit(kept.x, kept.state, states)
        z.append(soft_clip(scaling.standardise(kept.x, kept.state)) * slots.mask[i])
        mask.append(np.tile(slots.mask[i], (len(kept.x), 1)))
        t_ns.append(kept.t_ns)
    order = np.argsort(np.concatenate(t_ns), kind="stable")
    x, masks = np.concatenate(z)[order], np.concatenate(mask)[order]
    autoencoder.fit(x, masks, seed=seed, progress=progress, schedule=SCHEDULE)
    if base == "int8":
        autoencoder.quantise(autoencoder.activation_ranges(x, masks))


def _point(
    scaling: StateScaling,
    log_scores: Float64,
    state: NDArray[np.intp],
    settings: DetectorSettings,
) -> PointModel:
    persistence = _persistence(log_scores, state, settings)
    seen = Calibration.fit(log_scores, persistence.inflation)
    return PointModel(scaling, seen, None, persistence, len(log_scores))


def _persistence(
    log_scores: Float64, state: NDArray[np.intp], settings: DetectorSettings
) -> Persistence:
    """Measure the persistence of normal scores over the blocks that were held out together."""
    ln_p = Calibration.fit(log_scores).ln_p_of(log_scores)
    scores = capped_normal_scores(np.exp(ln_p), settings.score_cap)
    block = folds_of(state, settings.folds)
    blocks = [
        scores[(block == f) & (state == k)] for k in np.unique(state) for f in np.unique(block)
    ]
    return Persistence.of(blocks, settings.correlation_max)


def _leave_states_out(
    model: KindModel, row: int, rows: Rows
) -> tuple[Float64, NDArray[np.intp]] | None:
    """Log scores, and rows, of windows of each state had the baseline not held that state."""
    present = np.unique(rows.state)
    if len(present) < 2 or len(model.states) < 2 or model.states.inferred:
        return None
    scores, chosen = [], []
    for k in present:
        mine = np.flatnonzero(rows.state == k)
        mine = mine[:: max(1, len(mine) // LEFT_OUT_WINDOWS)]
        scores.append(model.score_left_out(row, rows.x[mine], int(k)))
        chosen.append(mine)
    return np.concatenate(scores), np.concatenate(chosen)


def _with_unseen(
    model: KindModel,
    rows: list[Rows],
    left_out: list[tuple[Float64, NDArray[np.intp]] | None],
) -> KindModel:
    """Add the calibration for states that the baseline does not hold."""
    points = tuple(
        point
        if left is None
        else replace(point, unseen=Calibration.of_new_state(left[0], row.state[left[1]]))
        for point, row, left in zip(model.points, rows, left_out, strict=True)
    )
    return replace(model, points=points)


def _machine(
    kinds: tuple[KindModel, ...],
    states: StateMap,
    scored: list[_Scored],
    settings: DetectorSettings,
) -> MachineModel:
    """Fuse the points: correlation of their p-values, and calibration of the fused statistic."""
    held = _joint([s.rows.t_ns for s in scored], [s.model.seen.ln_p_of(s.held_out) for s in scored])
    fusion = Fusion.fit(held)
    seen = unseen = None
    persistence = scored[0].model.persistence
    if len(scored) > 1:
        state = _joint([s.rows.t_ns for s in scored], [s.rows.state for s in scored])
        full = np.isfinite(held).any(axis=1)
        fused = np.array([_fused(fusion, row) for row in held[full]])
        known = np.nanmax(state[full], axis=1).astype(np.intp)
        persistence = _persistence(fused, known, settings)
        seen = Calibration.fit(fused, persistence.inflation)
        out = [
            np.full(len(s.held_out), np.nan) if s.left_out is None else _at(s.model, s)
            for s in scored
        ]
        left = _joint([s.rows.t_ns for s in scored], out)
        present = np.isfinite(left).any(axis=1)
        if present.any():
            fused = np.array([_fused(fusion, row) for row in left[present]])
            known = np.nanmax(state[present], axis=1).astype(np.intp)
            unseen = Calibration.of_new_state(fused, known)
    t_ns = np.unique(np.concatenate([s.rows.t_ns for s in scored]))
    hops = np.diff(t_ns) / 1e9
    digest = hashlib.sha256()
    for s in scored:
        digest.update(s.rows.x.tobytes() + s.rows.t_ns.tobytes())
    weights = hashlib.sha256("".join(k.autoencoder.weights_id for k in kinds).encode())
    return MachineModel(
        kinds=kinds,
        states=states,
        fusion=fusion,
        seen=seen,
        unseen=unseen,
        persistence=persistence,
        windows=min(s.model.windows for s in scored),
        outliers=int(sum(np.isnan(s.held_out).sum() for s in scored)),
        hop_s=float(np.median(hops)),
        mean_hop_s=float(np.minimum(hops, LONGEST_HOP_S).mean()),
        baseline_id=digest.hexdigest()[:16],
        model_id=weights.hexdigest()[:16],
    )


def _at(model: PointModel, scored: _Scored) -> Float64:
    """Return ln p of the left-out windows in their rows, NaN elsewhere."""
    ln_p = np.full(len(scored.held_out), np.nan)
    if scored.left_out is not None and model.unseen is not None:
        log_scores, rows = scored.left_out
        ln_p[rows] = model.unseen.ln_p_of(log_scores)
    return ln_p


def _fused(fusion: Fusion, ln_p: Float64) -> float:
    """−ln of the fused p of the points present in a row."""
    rows = np.flatnonzero(np.isfinite(ln_p))
    return -fusion.ln_p(ln_p[rows], rows)


def _joint(t_ns: list[NDArray[np.int64]], values: list[NDArray[np.generic]]) -> Float64:
    """Values of points side by side, a row a time, NaN where a point has none."""
    times = np.unique(np.concatenate(t_ns))
    table = np.full((len(times), len(t_ns)), np.nan)
    for column, (t, v) in enumerate(zip(t_ns, values, strict=True)):
        table[np.searchsorted(times, t), column] = v
    return table
