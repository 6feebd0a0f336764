"""The detector of one machine: windows in, verdicts with reasons out.

It learns a baseline (`Baseline` → `TrainingJob` → `MachineModel`), then turns each hop's windows
into p-values, accumulates them as evidence, and says what it means (`Decider`). ISO zones and
fixed limits judge beside it from the first minute.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.health import SensorHealth
from auscult.dsp.spec import FeatureSpec
from auscult.models.baseline.calibration import normal_scores
from auscult.models.baseline.collection import Baseline
from auscult.models.baseline.container import StateError, pack, unpack
from auscult.models.baseline.fit import TrainingJob
from auscult.models.baseline.machine_model import Head, MachineModel
from auscult.models.baseline.model_state import model_from_arrays, model_to_arrays
from auscult.models.baseline.states import state_name
from auscult.models.decision.decider import Decider, JudgedKind, Learned
from auscult.models.decision.drift import Drift
from auscult.models.decision.evidence import Evidence
from auscult.models.decision.evidence_levels import evidence_for
from auscult.models.decision.forecasts import Forecasts
from auscult.models.decision.iso20816 import severity_or_refusal
from auscult.models.decision.limits import Limit, LimitBoard, LimitError
from auscult.models.decision.point_rows import PointRows, end_to_end
from auscult.models.decision.sensor_checks import Sensors
from auscult.models.profile import MachineProfile
from auscult.models.records import Coverage, MachineDecision, Observation, Reason, ScoredWindow
from auscult.models.settings import SHIPPED, DetectorSettings

Float32 = NDArray[np.float32]

_FUSED = np.zeros(1)
"""Place of the machine's own p-value behind those of its points."""
LINEUPS = 8
"""Sets of points that came together which are remembered."""


class MachineDetector:
    """Judges one machine; not thread-safe, except that a `TrainingJob` runs apart.

    Parameters
    ----------
    profile : MachineProfile
    specs : mapping of point to FeatureSpec
        All points of the machine.
    settings : DetectorSettings
    seed : int
        Of the training; the same windows and seed give the same model.
    limits : mapping of point to limits, optional
        Fixed limits that people set.

    Raises
    ------
    LimitError
        If a fixed limit names a feature that its point does not have.
    """

    def __init__(
        self,
        profile: MachineProfile,
        specs: Mapping[str, FeatureSpec],
        settings: DetectorSettings = SHIPPED,
        seed: int = 0,
        limits: Mapping[str, Sequence[Limit]] | None = None,
    ) -> None:
        self.profile = profile
        self.specs = dict(specs)
        self.settings = settings
        self.model: MachineModel | None = None
        self._seed = seed
        self._fixed = {point: tuple(own) for point, own in (limits or {}).items()}
        self._sensors = Sensors(settings.sensor_windows)
        self._verdicts = Decider(self.specs, settings)
        self._outlook = Forecasts(self.specs)
        self._severity, self.iso_refusal = severity_or_refusal(profile)
        self._limits = self._limit_board()
        self._baseline: Baseline | None = Baseline(self.specs, settings)
        self._job: TrainingJob | None = None
        self._evidence: Evidence | None = None
        self._drift: tuple[Drift, ...] = ()
        self._heads: tuple[Mapping[int, Head], ...] = ()
        self._hops: tuple[JudgedKind, ...] = ()
        self._lineups: dict[tuple[str, ...], PointRows] = {}

    # ------------------------------------------------------------------ judging

    def observe(self, observations: Sequence[Observation]) -> MachineDecision:
        """Judge the windows of one hop: any subset of the points, at most one window of each.

        Raises
        ------
        KeyError
            If a point is not one of the machine's.
        """
        features = end_to_end(observations)
        # One sum for all: it is finite only if every feature is.
        usable = self._usable(observations, isfinite(float(features.sum())))
        learned = None
        if self.model is not None and self._evidence is not None:
            if len(usable) < len(observations):
                features = end_to_end(usable)
            learned = self._judge(usable, features, self.model, self._evidence)
        return MachineDecision(*self._verdicts.decide(
            observations, learned, self._sensors, self._limits
        ))  # fmt: skip

    def _usable(
        self, observations: Sequence[Observation], all_finite: bool
    ) -> Sequence[Observation]:
        """Leave out what is no measurement; limits and the healthy period take the rest."""
        usable = observations
        if not (all_finite and self._sensors.all_well(observations)):
            usable = []
            for one in observations:
                finite = all_finite or bool(np.isfinite(one.features).all())
                health = one.health if finite else int(SensorHealth.NOT_FINITE)
                if self._sensors.take(one.point, health):
                    usable.append(one)
        if self._limits.points:
            for one in usable:
                self._limits.take(one.point, one.features)
        if self._baseline is not None:
            for one in usable:
                self._baseline.add(one.point, one.t_ns, one.features, one.state)
        return usable

    def _judge(
        self,
        usable: Sequence[Observation],
        features: Float32,
        model: MachineModel,
        evidence: Evidence,
    ) -> Learned:
        """p-values and evidence of a hop's windows, whose features lie end to end."""
        lineup = self._line_up(tuple([one.point for one in usable]), model)
        hops = []
        for own in lineup.kinds:
            mine = [usable[i] for i in own.places]
            judged = own.kind.judge(
                own.rows,
                own.model_units(features),
                [one.state for one in mine],
                self._drift[own.number].offset,
                self._heads[own.number],
            )
            hops.append(JudgedKind(own.kind, mine, own.rows, judged))
        self._hops = tuple(hops)
        if not hops:
            return Learned(model, evidence)
        ln_p = np.concatenate([*(hop.judgement.ln_p for hop in hops), _FUSED])
        all_seen = all(hop.judgement.all_seen for hop in hops)
        ln_p[-1] = model.fuse(ln_p[:-1], lineup.variance, all_seen)
        p = np.exp(ln_p)
        scores = normal_scores(p, self.settings.score_cap)
        unseen: Collection[str] = ()
        if not all_seen:
            seen = np.concatenate([hop.judgement.seen for hop in hops])
            scores -= self.settings.unseen_discount_sigma * np.append(~seen, True)
            unseen = {lineup.points[i] for i in np.flatnonzero(~seen)}
        evidence.update(lineup.rows, scores)
        if all_seen and not evidence.open and not self._limits.any():
            newest_ns = usable[-1].t_ns
            for own, hop in zip(lineup.kinds, hops, strict=True):
                drift = self._drift[own.number]
                if newest_ns >= drift.due_ns or newest_ns < drift.from_ns:
                    t_ns = [one.t_ns for one in hop.observations]
                    drift.follow(own.rows, hop.judgement.z, t_ns)
        *of_points, of_machine = p.tolist()
        p_values = dict(zip(lineup.points, of_points, strict=True))
        return Learned(model, evidence, self._hops, p_values, unseen, of_machine)

    def _line_up(self, heard: tuple[str, ...], model: MachineModel) -> PointRows:
        """Where these points stand; a few sets of points that come together are remembered."""
        lineup = self._lineups.get(heard)
        if lineup is None:
            if len(self._lineups) >= LINEUPS:
                self._lineups.clear()
            lineup = self._lineups[heard] = PointRows.of(model, self.specs, heard)
        return lineup

    def judged(self) -> tuple[ScoredWindow, ...]:
        """Give what learning from labels keeps of the windows of the last hop."""
        return tuple(
            ScoredWindow(
                observation.point,
                observation.t_ns,
                hop.judgement.position[i],
                hop.judgement.hidden[i],
                float(hop.judgement.log_score[i]),
                hop.kind.state_names[int(hop.judgement.state[i])],
                bool(hop.judgement.seen[i]),
            )
            for hop in self._hops
            for i, observation in enumerate(hop.observations)
        )

    def remember(self, point: str, t_ns: int, values: Float32) -> tuple[Reason, ...]:
        """Take a point's mean features [shape=(d,)] over an interval; give what they foretell."""
        limits = self._limits.of(point)
        self._outlook.take(point, t_ns, values, limits)
        return self._outlook.reasons(point, limits)

    # ------------------------------------------------------------------ learning the baseline

    @property
    def coverage(self) -> Coverage:
        """How complete the baseline is, and what is missing."""
        if self._baseline is not None:
            coverage = self._baseline.coverage()
            return replace(coverage, phase="training") if self._job else coverage
        assert self.model is not None  # noqa: S101
        assert self.model.coverage is not None  # noqa: S101
        return self.model.coverage

    def training_due(self) -> TrainingJob | None:
        """Give the job to train, once, when the baseline has enough evidence."""
        if self._baseline is None or self._job is not None or not self._baseline.complete():
            return None
        return self.train_now()

    def train_now(self) -> TrainingJob:
        """Give the job to train with the windows so far, complete or not."""
        assert self._baseline is not None  # noqa: S101
        windows = self._baseline.windows()
        self._job = TrainingJob(self.specs, windows, self.settings, self._seed)
        return self._job

    def adopt(self, model: MachineModel) -> None:
        """Judge by this model from now on; the baseline that made it is complete."""
        coverage = self.coverage
        if coverage.phase != "ready":
            coverage = replace(
                coverage,
                phase="ready",
                fraction=1.0 if not coverage.missing else coverage.fraction,
                outliers=model.outliers,
            )
            if model.states.inferred:
                names = tuple(state_name(state) for state in model.states.states)
                coverage = replace(coverage, states=names)
        self._baseline = self._job = None
        self._take(replace(model, coverage=coverage))

    def _take(self, model: MachineModel) -> None:
        self.model = model
        self._lineups.clear()
        self._evidence = evidence_for(model, self.settings)
        self._drift = tuple(Drift(kind, self.settings) for kind in model.kinds)
        self.set_heads({})
        self._limits = self._limit_board()
        self._verdicts.reset()

    def start_baseline(self, t_ns: int, reason: str) -> None:
        """Begin a new healthy period; the present model judges until the new one is ready."""
        self._baseline = Baseline(self.specs, self.settings, t_ns, reason)
        self._job = None

    def awaits(self, model: MachineModel) -> bool:
        """Tell whether this is what its training made: it may have been given up meanwhile."""
        return self._job is not None and self._job.result is model

    def keep_present(self) -> None:
        """Give up a new healthy period: the present model stays."""
        if self.model is not None:
            self._baseline = self._job = None

    def training_failed(self) -> None:
        """Go on collecting after a training that could not make a model."""
        self._job = None

    # ------------------------------------------------------------------ learning from labels

    def set_heads(self, heads: Mapping[str, Head]) -> None:
        """Let what labels have taught correct the scores of these points from now on."""
        kinds = self.model.kinds if self.model is not None else ()
        self._heads = tuple(
            {kind.row[p]: h for p, h in heads.items() if p in kind.row and not h.is_start}
            for kind in kinds
        )

    def reset_evidence(self) -> None:
        """Forget all evidence, as after maintenance."""
        if self._evidence is not None:
            self._evidence.reset()
        self._verdicts.reset()

    # ------------------------------------------------------------------ resuming

    def state(self) -> bytes:
        """Everything to resume after a power cut, except heads and fixed limits (see `restore`).

        Baseline windows so far, model, followed drift and evidence; some 100 kB and 40 kB a point.
        """
        return self.snapshot()()

    def snapshot(self) -> Callable[[], bytes]:
        """Take now what `state` gives: the result packs it, in any thread, in some 30 ms."""
        meta: dict[str, Any] = {
            "machine": self.profile.machine,
            "specs": {point: spec.spec_id for point, spec in self.specs.items()},
        }
        arrays: dict[str, NDArray[Any]] = {}
        if self._baseline is not None:
            meta["baseline"], arrays = self._baseline.to_arrays()
        remembered = self._outlook.to_arrays()
        arrays |= {f"outlook/{name}": array.copy() for name, array in remembered.items()}
        model = self.model if self._evidence is not None else None
        if self._evidence is not None:
            arrays["evidence/sums"], arrays["evidence/on"] = self._evidence.snapshot()
            for number, drift in enumerate(self._drift):
                arrays[f"drift/{number}"] = drift.offset.copy()

        def packed() -> bytes:
            if model is None:
                return pack(meta, arrays)
            described, own = model_to_arrays(model)
            return pack(
                meta | {"model": described},
                arrays | {f"model/{name}": array for name, array in own.items()},
            )

        return packed

    def restore(self, state: bytes) -> None:
        """Resume from what `state` gave; a training that was under way becomes due again.

        Raises
        ------
        StateError
            If the bytes are damaged or belong to another machine or other feature sets; the
            detector is then as it was.
        """
        meta, arrays = unpack(state)
        specs = {point: spec.spec_id for point, spec in self.specs.items()}
        if meta["machine"] != self.profile.machine or meta["specs"] != specs:
            raise StateError(
                f"the state belongs to machine {meta['machine']!r} with other points, units or "
                f"window lengths; its baseline has to be learned again"
            )
        baseline = model = None
        if "baseline" in meta:
            baseline = Baseline.from_arrays(self.specs, self.settings, meta["baseline"], arrays)
        if "model" in meta:
            own = {n.removeprefix("model/"): a for n, a in arrays.items() if n.startswith("model/")}
            model = model_from_arrays(meta["model"], own, self.specs)
        self._baseline, self._job = baseline, None
        foretold = {n: a for n, a in arrays.items() if n.startswith("outlook/")}
        self._outlook.restore({n.removeprefix("outlook/"): a for n, a in foretold.items()})
        if model is not None:
            self._take(model)
            assert self._evidence is not None  # noqa: S101
            self._evidence.restore(arrays["evidence/sums"], arrays["evidence/on"])
            for number, drift in enumerate(self._drift):
                drift.offset[:] = arrays[f"drift/{number}"]

    # ------------------------------------------------------------------ limits

    def set_limits(self, point: str, limits: Sequence[Limit]) -> None:
        """Judge a point by these fixed limits from now on.

        Raises
        ------
        LimitError
            If a limit names a feature that the point does not have; nothing is changed then.
        """
        before = self._fixed
        self._fixed = {**before, point: tuple(limits)}
        try:
            self._limits = self._limit_board()
        except LimitError:
            self._fixed = before
            raise

    def _limit_board(self) -> LimitBoard:
        """Put up fixed and ISO limits of all points, the latter from the present baseline."""
        limits: dict[str, list[Limit]] = {p: list(own) for p, own in self._fixed.items()}
        if self._severity is not None:
            for point, spec in self.specs.items():
                if "velocity_rms_mm_s" not in spec.index:
                    continue
                velocity, displacement = (
                    self.model.baseline_value(point, name) if self.model else None
                    for name in ("velocity_rms_mm_s", "displacement_rms_um")
                )
                own = self._severity.limits(velocity, displacement)
                limits.setdefault(point, []).extend(own)
        return LimitBoard(limits, self.specs, self.settings.iso_windows)

    @property
    def open(self) -> bool:
        """Whether any learned condition is open."""
        return self._evidence is not None and self._evidence.open
