"""The detector of one machine: windows in, decisions with reasons out.

It fits a baseline (`Baseline` → `FitJob` → `MachineModel`). Then it turns the windows of each hop
into p-values, accumulates them as evidence and decides (`Decider`). ISO zones and fixed limits are
checked from the first window.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, isfinite
from traceback import extract_tb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import Coverage, Detectable, Reason, ReasonKind, Warranty
from auscult.contract.said import Said
from auscult.contract.times import NS_PER_MS
from auscult.dsp.health import SensorHealth
from auscult.dsp.spec import FeatureSpec
from auscult.errors import InputError
from auscult.models.baseline.collection import Baseline, all_values, learned_points
from auscult.models.baseline.container import StateError, join, pack, under, unpack
from auscult.models.baseline.fit import FitJob
from auscult.models.baseline.kind_model import HeadCorrection
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.baseline.model_state import model_from_arrays, model_to_arrays
from auscult.models.baseline.states import state_name
from auscult.models.decision.decider import Decider, contributions
from auscult.models.decision.forecasts import Forecasts
from auscult.models.decision.further import ADDED, Added, Further
from auscult.models.decision.growth import FaultGrowth
from auscult.models.decision.hop_scorer import HopScorer, HopScores
from auscult.models.decision.iso20816 import applicable_severity
from auscult.models.decision.limits import Limit, LimitChecks, LimitError
from auscult.models.decision.point_rows import end_to_end
from auscult.models.decision.sensor_checks import SensorChecks, is_doubtful
from auscult.models.decision.value_evidence import CompareValues, ValueEvidence
from auscult.models.name_plate import NamePlate
from auscult.models.records import Decision, MachineDecision, Observation, ScoredWindow
from auscult.models.settings import SHIPPED, DetectorSettings
from auscult.models.values.run_levels import RunLevels

Float32 = NDArray[np.float32]

FIT_AGAIN = 1.5
"""Growth of the healthy period after which a fit that failed is tried again: other windows may
succeed, and the pauses grow."""
RENEW = 1.25
"""Growth of the rows of values after which it is computed again what they would show."""
REST_DAYS = 7
"""Longest time for which a velocity that may be that of a rest keeps the healthy period open."""
FORECASTS, MODEL, LEVELS, RUNS, FURTHER = "outlook/", "model/", "levels/", "runs/", "further/"
"""Prefixes of arrays in a stored state."""


@dataclass(frozen=True, slots=True)
class DetectorCopy:
    """The state of a detector at one moment."""

    meta: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    model: MachineModel | None

    def to_bytes(self) -> bytes:
        """Pack the state, in any thread, in some 30 ms."""
        if self.model is None:
            return pack(self.meta, self.arrays)
        described, own = model_to_arrays(self.model)
        own = {MODEL + name: array for name, array in own.items()}
        return join(pack(self.meta, self.arrays), pack({"model": described}, own))


class MachineDetector:
    """Detects anomalies of one machine; not thread-safe, except that a `FitJob` runs apart.

    Parameters
    ----------
    name_plate : NamePlate
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
        name_plate: NamePlate,
        specs: Mapping[str, FeatureSpec],
        settings: DetectorSettings = SHIPPED,
        seed: int = 0,
        limits: Mapping[str, Sequence[Limit]] | None = None,
    ) -> None:
        self.name_plate = name_plate
        self.specs = dict(specs)
        self._learned = learned_points(specs)
        self.settings = settings
        self._seed = seed
        self._fixed = {point: tuple(own) for point, own in (limits or {}).items()}
        self._sensors = SensorChecks(settings.sensor_windows)
        self._decider = Decider(self.specs, settings)
        self._forecasts = Forecasts(self.specs)
        self.levels = FaultGrowth(self.specs)
        self.run_levels = RunLevels(self.specs)
        """Levels of overall values at rest and running."""
        self._scorer: HopScorer | None = None
        self._further: Further | None = None
        """What is added to an open event; as long as `_scorer`."""
        self._severity = applicable_severity(name_plate)
        self._limits = LimitChecks({}, self.specs, settings.iso_windows)
        self._limits = self._limit_checks()
        self._values: ValueEvidence | None = None
        """What decides on a machine of overall values."""
        self._new_values = self._begin_values()
        """The same while it learns; it decides from the next baseline on."""
        self._of_values: tuple[int, tuple[Detectable, ...]] = 0, ()
        """Rows that the values were followed for, and what they would show."""
        self._baseline: Baseline | None = Baseline(self.specs, settings)
        self._job: FitJob | None = None
        self._of_job: Coverage | None = None
        """Coverage of the windows that the pending job uses."""
        self._fit_from = 0
        """Windows of the healthy period from which a fit is tried again."""
        self.trouble: Said | None = None
        """Why the last fit of the healthy period failed, and when it is tried again."""

    @property
    def model(self) -> MachineModel | None:
        """Return the fitted model in use, None before the first."""
        return None if self._scorer is None else self._scorer.model

    @property
    def warranty(self) -> Warranty | None:
        """Return what the charts promise, None before the first baseline."""
        if self._scorer is None:
            return None
        days = (self._values or self._scorer).days_missing()
        return Warranty(self.settings.false_alarms_per_year, days, self.settings.wider)

    @property
    def detectable(self) -> tuple[Detectable, ...]:
        """Return the least changes and faults that would be found; empty where unknown."""
        of_model = () if self.model is None else self.model.detectable
        return of_model if self._values is None else self._of_values[1]

    def renew_detectable(self) -> bool:
        """Compute `detectable` of values again if they were followed for a quarter longer.

        Returns
        -------
        bool
            Whether it was computed.
        """
        if self._values is None:
            return False
        rows = self._values.monitor.rows
        if rows < RENEW * self._of_values[0]:
            return False
        self._of_values = rows, self._values.detectable()
        return True

    # ------------------------------------------------------------------ deciding

    def observe(self, observations: Sequence[Observation]) -> MachineDecision:
        """Decide on the windows of one hop: any of the points, at most one window of each.

        Raises
        ------
        KeyError
            If a point is not one of the machine's.
        """
        return self._decide(observations, *self._follow(observations))

    def observe_departures(self, observations: Sequence[Observation]) -> MachineDecision | None:
        """Decide as `observe`, but return None where values decide and nothing departs.

        For histories: p-values and followed drift, most of the work, are then left out.
        """
        usable, features = self._follow(observations)
        values, learns = self._values, self._baseline is not None
        doubtful = len(usable) < len(observations) or self._sensors.any()
        if values is None or values.departed or learns or doubtful or self._limits.points:
            return self._decide(observations, usable, features)
        return None

    def _follow(self, observations: Sequence[Observation]) -> tuple[Sequence[Observation], Float32]:
        """Follow sensors, limits and values; return what is usable, and its features."""
        features = end_to_end(observations)
        # One sum checks all windows: it is finite only if every feature is.
        usable = self._usable(observations, isfinite(float(features.sum())))
        if self._scorer is not None:
            if len(self._learned) < len(self.specs):
                usable = [one for one in usable if one.point in self._learned]
            if len(usable) < len(observations):
                features = end_to_end(usable)
            if self._values is not None:
                self._values.add(_certain(usable))
        return usable, features

    def _decide(
        self,
        observations: Sequence[Observation],
        usable: Sequence[Observation],
        features: Float32,
    ) -> MachineDecision:
        scores = None
        steady = not (self._limits.any() or self._sensors.doubtful())
        if self._scorer is not None:
            scores = self._scorer.score(usable, features, steady, self._values)
            self._sensors.explained = self._scorer.signatures.faults
        self._learn_values(usable, older=None if self._values is not None else scores)
        decided = self._decider.decide(observations, scores, self._sensors, self._limits)
        machine, points = decided
        if self._further is not None and scores is not None and self._values is None:
            added = self._further.follow(usable, features, scores, steady=steady)
            if added is not None:
                machine = machine._replace(reasons=(*machine.reasons, self._said(added, machine)))
        return MachineDecision(machine, points)

    def _said(self, added: Added, machine: Decision) -> Reason:
        """Say what was added to the open event, against its own steady values."""
        said = Said(ADDED, {"at_ms": added.t_ns // NS_PER_MS})
        scores, i = added.place
        point = scores.observations[i].point
        moved = contributions(scores, i, self.specs[point])
        return Reason(ReasonKind.LEARNED, machine.condition, said, point=point, contributions=moved)

    def _begin_values(self, healthy: Baseline | None = None) -> ValueEvidence | None:
        """Begin to learn the values of a machine that delivers nothing else, from these on."""
        if not all_values(self.specs):
            return None
        stated = any(spec.states_run for spec in self.specs.values())
        budget = self.settings.false_alarms_per_year
        values = ValueEvidence(self._learned, run_stated=stated, budget=budget)
        values.monitor.factor = self.settings.wider
        windows = healthy.windows() if healthy is not None else {}
        values.add(
            sorted(
                (
                    Observation(point, t_ns, features, state)
                    for point, own in windows.items()
                    for t_ns, features, state in zip(
                        own.t_ns.tolist(), own.features, own.states, strict=True
                    )
                ),
                key=lambda one: one.t_ns,
            )
        )
        return values

    def _learn_values(self, usable: Sequence[Observation], older: HopScores | None) -> None:
        """Learn the values of a machine that delivers nothing else.

        ``older`` are scores of a baseline of an older version: it decides until they are known.
        """
        if self._new_values is None or (older is not None and older.evidence.open):
            return
        self._new_values.add(_certain(usable))
        if older is not None and self._baseline is None and self._new_values.monitor.complete:
            self._use_values()

    def _use_values(self) -> None:
        self._values, self._new_values = self._new_values, None
        self._of_values = 0, ()
        if self._values is not None:
            self._values.decides()

    def widen(self, factor: float) -> None:
        """Multiply the limits of all learned evidence by a factor ≥ 1 from now on.

        Fixed limits, ISO zones and what was learned of confirmed faults are unchanged.
        """
        self.settings = replace(self.settings, wider=factor)
        if self._scorer is not None:
            self._scorer.use(self.settings)
        for values in (self._values, self._new_values):
            if values is not None:
                values.monitor.factor = factor

    @property
    def compare_values(self) -> CompareValues | None:
        """Return what compares overall values with their reference, None where p-values decide."""
        return None if self._values is None else self._values.compare

    def answer_level(self, *, normal: bool) -> None:
        """Take the level of overall values that departs as normal, or as a fault."""
        if self._values is None or self._values.monitor.event is None:
            return
        if normal:
            self._values.monitor.accept()
        else:
            self._values.monitor.confirm()

    def _usable(
        self, observations: Sequence[Observation], all_finite: bool
    ) -> Sequence[Observation]:
        """Drop windows without a measurement; pass the others to limits and healthy period."""
        usable = observations
        if not (all_finite and self._sensors.all_well(observations)):
            usable = []
            for one in observations:
                finite = all_finite or bool(np.isfinite(one.features).all())
                health = one.health if finite else int(SensorHealth.NOT_FINITE)
                if self._sensors.update(one.point, health):
                    usable.append(one)
        if self._limits.points:
            for one in usable:
                self._limits.update(one.point, one.features)
        if self._baseline is not None:
            for one in usable:
                if is_doubtful(one.health):
                    continue
                self._baseline.add(one.point, one.t_ns, one.features, one.state)
        return usable

    def scored_windows(self) -> tuple[ScoredWindow, ...]:
        """Return the windows of the last hop, as learning from labels stores them."""
        return () if self._scorer is None else self._scorer.scored_windows()

    def update_forecasts(self, point: str, t_ns: int, values: Float32) -> tuple[Reason, ...]:
        """Add a point's mean features [shape=(d,)] over an interval; return its forecasts."""
        limits = self._limits.limits_of(point)
        self._forecasts.add(point, t_ns, values, limits)
        return self._forecasts.reasons(point, limits)

    # ------------------------------------------------------------------ fitting the baseline

    @property
    def coverage(self) -> Coverage:
        """Return how complete the baseline is, and what is missing."""
        if self._job is not None and self._of_job is not None:
            return replace(self._of_job, phase="training")
        if self._baseline is not None:
            coverage = self._baseline.coverage()
            if not coverage.lacks and self._may_rest:
                return replace(coverage, lacks=(Said("may_rest", {"days": REST_DAYS}),))
            if self.trouble is None:
                return coverage
            return replace(coverage, lacks=(self.trouble, *coverage.lacks))
        assert self.model is not None  # noqa: S101
        assert self.model.coverage is not None  # noqa: S101
        learned = self.model.coverage
        if self._values is None:
            return learned
        fraction = min(learned.fraction, self._values.fraction)
        lacks = (*learned.lacks, *self._values.lacks())
        return replace(learned, fraction=fraction, lacks=lacks, moved=self._values.moved())

    def fit_due(self) -> FitJob | None:
        """Return the job that fits the baseline, once, when the healthy period is complete.

        After a failure it is due again when there are half as many windows more.
        """
        if self._baseline is None or self._job is not None or not self._baseline.complete():
            return None
        if self._baseline.seen < self._fit_from or self._may_rest:
            return None
        return self.fit_now()

    @property
    def _may_rest(self) -> bool:
        """Return whether the values of the healthy period may all be those of a rest."""
        values = self._new_values
        if values is None or any(spec.states_run for spec in self.specs.values()):
            return False
        return self.run_levels.undecided and values.monitor.days < REST_DAYS

    def fit_now(self) -> FitJob:
        """Return the job that fits the windows so far, complete or not."""
        assert self._baseline is not None  # noqa: S101
        self._of_job = self._baseline.coverage()
        windows = self._baseline.windows()
        self._job = FitJob(self._baseline.specs, windows, self.settings, self._seed)
        return self._job

    def count_start(self) -> None:
        """Count a start of the machine for the healthy period."""
        if self._baseline is not None:
            self._baseline.count_start()
        for values in (self._values, self._new_values):
            if values is not None:
                values.begin_run()

    def discard_between(self, fell_ns: int, rest_ns: int) -> None:
        """Leave the windows of a coast-down out of the healthy period."""
        if self._baseline is not None:
            self._baseline.discard_between(fell_ns, rest_ns)

    def adopt(self, model: MachineModel) -> None:
        """Use this model from now on, and end the healthy period that made it."""
        coverage = self.coverage
        if coverage.phase != "ready":
            coverage = replace(
                coverage,
                phase="ready",
                because=None,
                fraction=1.0 if not coverage.lacks else coverage.fraction,
                outliers=model.outliers,
            )
            if model.states.inferred:
                names = tuple(state_name(state) for state in model.states.states)
                coverage = replace(coverage, states=names)
        if self._job is not None and self._job.result is model:
            coverage = replace(coverage, lacks=(*coverage.lacks, *self._job.doubts))
        self._end_baseline()
        self._use(HopScorer(replace(model, coverage=coverage), self.specs, self.settings))
        if self._new_values is not None:
            self._use_values()

    def _use(self, scorer: HopScorer) -> None:
        self._scorer, self._further = scorer, Further(scorer, self.specs)
        self._limits = self._limit_checks()
        self._sensors.explained = {}
        self._decider.reset()
        self.levels.clear()

    def discard_rest(self) -> None:
        """Leave values below the limits of a rest that was just found out of the healthy period."""
        if self._baseline is not None:
            self._baseline.discard_below(self.run_levels.limits)
            self._new_values = self._begin_values(self._baseline)

    def start_over(self, t_ns: int, reason: str, because: Said) -> None:
        """Discard the model, because rest was learned as health, and start a healthy period."""
        self.start_baseline(t_ns, reason, because)
        self._scorer = self._further = self._values = None
        self._limits = self._limit_checks()
        self._sensors.explained = {}
        self._decider.reset()
        self.levels.clear()

    def start_baseline(self, t_ns: int, reason: str, because: Said | None = None) -> None:
        """Start a new healthy period; the present model stays in use meanwhile."""
        self._end_baseline()
        if self.run_levels.standstill(t_ns) is not None:
            self.run_levels.relearn()
        self._new_values = self._begin_values()
        self._baseline = Baseline(self.specs, self.settings, t_ns, reason, because)

    def awaits(self, model: MachineModel) -> bool:
        """Return whether the pending job made this model; false if it was cancelled meanwhile."""
        return self._job is not None and self._job.result is model

    def cancel_baseline(self) -> None:
        """Cancel a new healthy period: the present model stays in use."""
        if self.model is not None:
            self._end_baseline()
            if self._values is not None:
                self._new_values = None

    def _end_baseline(self) -> None:
        self._baseline = self._job = self.trouble = None
        self._fit_from = 0

    def fit_failed(self, error: Exception) -> None:
        """Continue to collect windows after a job that failed with this error."""
        self._job = None
        if self._baseline is None:
            return
        seen = self._baseline.seen
        self._fit_from = ceil(FIT_AGAIN * seen)
        detail = str(error) if isinstance(error, InputError) else _with_place(error)
        self.trouble = Said("training_failed", {"detail": detail, "count": self._fit_from - seen})

    # ------------------------------------------------------------------ learning from labels

    @property
    def heads(self) -> Mapping[str, HeadCorrection]:
        """Return the heads in use, by point."""
        return {} if self._scorer is None else self._scorer.heads

    def set_heads(self, heads: Mapping[str, HeadCorrection]) -> None:
        """Correct the scores of these points by their heads from now on."""
        if self._scorer is not None:
            self._scorer.set_heads(heads)

    def reset_evidence(self) -> None:
        """Discard all evidence, for example after maintenance."""
        if self._scorer is not None and self._further is not None:
            self._scorer.reset()
            self._further.clear()
            self._sensors.explained = {}
        if self._values is not None:
            self._values.reset()
        self._decider.reset()

    # ------------------------------------------------------------------ resuming

    def state(self) -> bytes:
        """Everything to resume after a power cut, except heads and fixed limits (see `restore`).

        It holds the baseline windows so far, model, followed drift, evidence, forecasts, rounds and
        run levels of overall values, sensor faults and what limits compare: some 100 kB, and 40 kB
        a point.
        """
        return self.snapshot().to_bytes()

    def snapshot(self) -> DetectorCopy:
        """Copy the state now, to pack it later."""
        meta: dict[str, Any] = {
            "machine": self.name_plate.machine,
            "specs": {point: spec.spec_id for point, spec in self.specs.items()},
            "parameters": {point: spec.parameters_id for point, spec in self.specs.items()},
            **self._newest(),
        }
        arrays: dict[str, NDArray[Any]] = {}
        if self._baseline is not None:
            meta["baseline"], arrays = self._baseline.to_arrays()
        for name, array in self._forecasts.to_arrays().items():
            arrays[FORECASTS + name] = array.copy()
        for name, array in self.levels.to_arrays().items():
            arrays[LEVELS + name] = array.copy()
        for name, array in self.run_levels.to_arrays().items():
            arrays[RUNS + name] = array
        if self._scorer is not None:
            arrays |= self._scorer.to_arrays()
        if self._further is not None:
            arrays |= {FURTHER + name: own for name, own in self._further.to_arrays().items()}
        for name, values in (("values", self._values), ("new_values", self._new_values)):
            if values is not None:
                meta[name], own = values.to_arrays()
                arrays |= {f"{name}/{key}": array for key, array in own.items()}
        return DetectorCopy(meta, arrays, self.model)

    def restore(self, state: bytes) -> None:
        """Resume from `state`; a job that was pending becomes due again.

        Raises
        ------
        StateError
            If the bytes are damaged, of a version that stores something else, or belong to another
            machine or to points with other parameters; the detector is then unchanged. Features
            that this version adds, renames or drops do no harm.
        """
        meta, arrays = unpack(state)
        self._of_values = 0, ()
        try:
            self._restore(meta, arrays)
        except StateError:  # a ValueError too
            raise
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise StateError("state_not_one") from error

    def _restore(self, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        stored, own = self._ids(meta)
        if meta["machine"] != self.name_plate.machine or stored != own:
            points = sorted({point for point, _ in own.items() ^ stored.items()})
            raise StateError("state_of_other", machine=meta["machine"], points=tuple(points))
        baseline = scorer = None
        if "baseline" in meta:
            baseline = Baseline.from_arrays(self.specs, self.settings, meta["baseline"], arrays)
        if "model" in meta:
            model = model_from_arrays(meta["model"], under(MODEL, arrays), self.specs)
            scorer = HopScorer(model, self.specs, self.settings)
            scorer.restore(arrays)
            run_bits = [point not in self._learned for point in model.points]
            if scorer.evidence.share[:, :-1][:, run_bits].any():
                scorer.reset()  # of an older version: nothing would ever end the run bit's evidence
        values, new_values = (
            self._values_of(name, meta, arrays) for name in ("values", "new_values")
        )
        if baseline is not None or values is None:
            new_values = new_values or self._begin_values(baseline)
        forecasts = Forecasts(self.specs)
        forecasts.restore(under(FORECASTS, arrays))
        self._end_baseline()
        self._baseline, self._forecasts = baseline, forecasts
        self._values, self._new_values = values, new_values
        if scorer is not None:
            self._use(scorer)
        if self._further is not None:
            self._further.restore(under(FURTHER, arrays))
        self.levels.restore(under(LEVELS, arrays))
        self.run_levels.restore(under(RUNS, arrays))
        self._resume(meta)

    def _values_of(
        self, name: str, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> ValueEvidence | None:
        """Return what a state stores of the values, None of an older version or other points."""
        values = self._begin_values()
        if values is None or name not in meta:
            return None
        return values if values.restore(meta[name], under(f"{name}/", arrays)) else None

    def _ids(self, meta: Mapping[str, Any]) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """Return the ids of all points as stored, and those that a state has to have."""
        if "parameters" in meta:
            own = {point: spec.parameters_id for point, spec in self.specs.items()}
            return meta["parameters"], own
        # a state of version 0.3 or earlier
        return meta["specs"], {point: spec.unnamed_id for point, spec in self.specs.items()}

    def go_back(self, state: bytes) -> None:
        """Decide by the baseline of an older `state` again, with no evidence.

        Raises
        ------
        StateError
            See `restore`.
        """
        newest = self._newest()
        self.restore(state)
        self._resume(newest)
        self.cancel_baseline()
        self.reset_evidence()

    def _newest(self) -> dict[str, Any]:
        """Copy what the newest windows showed, whatever the baseline."""
        return {"limits": self._limits.snapshot(), "sensors": self._sensors.snapshot()}

    def _resume(self, newest: Mapping[str, Any]) -> None:
        self._limits.restore(newest.get("limits", {}))  # older versions have neither
        self._sensors.restore(newest.get("sensors", {}))

    # ------------------------------------------------------------------ limits

    @property
    def limits(self) -> Mapping[str, Sequence[Limit]]:
        """Return the fixed limits in use, by point."""
        return self._fixed.copy()

    def check_limits(self, point: str, limits: Sequence[Limit]) -> None:
        """Raise a `LimitError` if a limit names a feature that the point does not have."""
        LimitChecks({point: limits}, self.specs, self.settings.iso_windows)

    def set_limits(self, point: str, limits: Sequence[Limit]) -> None:
        """Replace the fixed limits of a point.

        Raises
        ------
        LimitError
            If a limit names a feature that the point does not have; nothing is changed then.
        """
        before = self._fixed
        self._fixed = {**before, point: tuple(limits)}
        try:
            self._limits = self._limit_checks()
        except LimitError:
            self._fixed = before
            raise

    def _limit_checks(self) -> LimitChecks:
        """Make the checks of fixed and ISO limits, the latter for the present baseline.

        What the newest windows showed stays: an event of a limit lasts.
        """
        limits: dict[str, list[Limit]] = {p: list(own) for p, own in self._fixed.items()}
        if self._severity is not None:
            for point, spec in self.specs.items():
                velocity, displacement = (
                    self.model.baseline_value(point, name) if self.model else None
                    for name in ("velocity_rms_mm_s", "displacement_rms_um")
                )
                own = self._severity.limits(velocity, displacement)
                known = [limit for limit in own if limit.feature in spec.index]
                limits.setdefault(point, []).extend(known)
        checks = LimitChecks(limits, self.specs, self.settings.iso_windows)
        checks.resume(self._limits)
        return checks


def _certain(observations: Sequence[Observation]) -> list[Observation]:
    return [one for one in observations if not is_doubtful(one.health)]


def _with_place(error: Exception) -> str:
    """Describe an unexpected error in one line, with the line of code that raised it."""
    text = f"{type(error).__name__}: {error}"
    frames = extract_tb(error.__traceback__)
    return f"{text} ({frames[-1].name}, line {frames[-1].lineno})" if frames else text
