"""The product's own detector for tables of features: learn a baseline, score, decide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from auscult.contract.records import Coverage, HeadUpdate
from auscult.dsp.spec import FeatureSpec
from auscult.errors import InputError
from auscult.models.baseline.batch import ln_p_of
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.decision.sensor_checks import holds_measurement
from auscult.models.detector import MachineDetector
from auscult.models.learning.learned_file import DETECTOR, STATE, DetectorOf, LearnedFile
from auscult.models.name_plate import NamePlate
from auscult.models.records import Decision, Observation
from auscult.models.settings import SHIPPED
from auscult.surface.features import FeatureTable

if TYPE_CHECKING:
    from auscult.surface.labels import Labels  # loads pydantic: only where labels are given

Tables = FeatureTable | Mapping[str, FeatureTable]
"""Features of one point, or of several points of a machine: row i of each is the same time."""

ONLY_POINT = "point"
"""Name of a point whose table is given without one."""


PARAMETERS: Final = ("name_plate", "false_alarms_per_year", "seed")


class Detector:
    """Learns how a machine behaves when it is healthy, and decides when it departs from that.

    It is the detector of the gateway with its shipped settings: an autoencoder and a shrunk
    distance score each window, conformal calibration turns the score into a p-value, and
    accumulated evidence decides (docs/detection.md). In the habits of scikit-learn, `fit` takes
    a whole healthy period; in those of river, `learn_one` takes one window at a time. High scores
    are anomalous.

    Parameters
    ----------
    name_plate : NamePlate, optional
        Power, speed and support of the machine: ISO 20816 zones then apply, too.
    false_alarms_per_year : float
        Budget of false alarms of this machine, > 0.
    seed : int
        The same windows and seed give the same model.

    Examples
    --------
    >>> import auscult
    >>> data = auscult.example("motor")
    >>> healthy = [auscult.features_of(r)["mic"] for r in data.recordings if r.label == "healthy"]
    >>> faulty = [auscult.features_of(r)["mic"] for r in data.recordings if r.label == "faulty"]
    >>> detector = Detector().fit(auscult.concat([table[:40] for table in healthy]))
    >>> bool(np.median(detector.score(faulty[0])) > np.median(detector.score(healthy[0][40:])))
    True
    >>> detector.decide(faulty[0])[-1].condition.value
    'alarm'
    >>> detector
    <Detector of 'machine': 280 healthy windows of point, false_alarms_per_year=1, seed=0>
    """

    def __init__(
        self,
        name_plate: NamePlate | None = None,
        *,
        false_alarms_per_year: float = SHIPPED.false_alarms_per_year,
        seed: int = 0,
    ) -> None:
        if not 0 < false_alarms_per_year < 1e6:
            raise InputError(
                f"false_alarms_per_year = {false_alarms_per_year} is not above 0; 1 is shipped"
            )
        self.name_plate = name_plate or NamePlate("machine")
        self.false_alarms_per_year = false_alarms_per_year
        self.seed = seed
        self._detector: MachineDetector | None = None
        self._labels: Labels | None = None

    def __repr__(self) -> str:
        learned = "no baseline yet"
        if self._detector is not None and self.ready:
            points = ", ".join(self._detector.specs)
            learned = f"{self.coverage.windows:,} healthy windows of {points}"
        return (
            f"<Detector of {self.name_plate.machine!r}: {learned}, "
            f"false_alarms_per_year={self.false_alarms_per_year:g}, seed={self.seed}>"
        )

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002, FBT - scikit-learn's
        """Return the parameters of the constructor, as `sklearn.base.clone` asks for them."""
        return {name: getattr(self, name) for name in PARAMETERS}

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters of the constructor; a baseline that was fitted is discarded.

        Raises
        ------
        InputError
            If there is no such parameter, or a value is outside its limits.
        """
        if unknown := parameters.keys() - set(PARAMETERS):
            raise InputError(
                f"there is no parameter {', '.join(sorted(unknown))}; "
                f"there are {', '.join(PARAMETERS)}"
            )
        self.__init__(**(self.get_params() | parameters))  # type: ignore[misc]
        return self

    def __sklearn_tags__(self) -> Any:
        """Describe it to scikit-learn, which is loaded by whoever asks."""
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type="outlier_detector", target_tags=TargetTags(required=False))

    def __sklearn_is_fitted__(self) -> bool:
        return self.ready

    def fit(self, healthy: Tables, y: ArrayLike | None = None) -> Self:
        """Fit the baseline to windows of the healthy machine; it replaces any earlier one.

        Parameters
        ----------
        healthy : FeatureTable, or mapping of point to FeatureTable
            At least 10 windows; `coverage` says what is missing to a sound baseline (200 windows,
            10 of each operating state). A few percent of outliers are set apart and counted.
        y : array_like [shape=(w,)], optional
            Not 0 where a window is faulty, as a cross-validation of scikit-learn gives it: such
            windows are left out.

        Raises
        ------
        InputError
            If they are no tables or too few windows, or the tables of the points differ in length.
        """
        if y is not None:
            good = np.asarray(y) == 0
            known = _by_point(healthy)
            healthy = {point: table[good] for point, table in known.items()}
        self._detector = self._labels = None
        detector = self._prepared(healthy)
        for hop in _hops(healthy):
            detector.observe(hop)
        detector.adopt(detector.fit_now().run())
        return self

    def learn_one(self, window: Tables) -> Self:
        """Take one healthy window; the baseline is fitted once it is complete (`ready`).

        Later windows change nothing: give them to `decide`.

        Raises
        ------
        InputError
            If its feature set is not that of the windows before.
        """
        if self.ready:
            return self
        detector = self._prepared(window)
        for hop in _hops(window):
            detector.observe(hop)
        if (job := detector.fit_due()) is not None:
            detector.adopt(job.run())
        return self

    @property
    def ready(self) -> bool:
        """Return whether there is a baseline to score by."""
        return self._detector is not None and self._detector.model is not None

    @property
    def coverage(self) -> Coverage:
        """Return how complete the baseline is, and what is missing."""
        if self._detector is None:
            raise InputError("there are no windows yet: call fit or learn_one")
        return self._detector.coverage

    def p_values(self, windows: Tables) -> NDArray[np.float64]:
        """Give the chance of each window's score on healthy data, by the baseline as fitted.

        It does not depend on the windows around it; `decide` also follows slow drift.

        Parameters
        ----------
        windows : FeatureTable, or mapping of point to FeatureTable
            With the feature sets of the baseline.

        Returns
        -------
        np.ndarray [shape=(w,), dtype=float64]
            In (0, 1], of all points together; NaN for a window with a sensor fault.

        Raises
        ------
        InputError
            If there is no baseline yet, or the feature sets differ from it.
        """
        self._fitted(windows)
        hops = [[one for one in hop if holds_measurement(one)] for hop in _hops(windows)]
        heads = {} if self._labels is None else self._labels.heads
        return np.exp(ln_p_of(self._with_model()[1], hops, heads))

    def score(self, windows: Tables) -> NDArray[np.float64]:
        """Give −log10 of the p-values: 0 is healthy, 3 is one healthy window in a thousand.

        Parameters, result shape and errors as `p_values`; high = anomalous.
        """
        score: NDArray[np.float64] = -np.log10(self.p_values(windows))
        return score

    decision_function = score

    def decide(self, windows: Tables) -> tuple[Decision, ...]:
        """Decide on the machine after each window, with the evidence of all windows so far.

        Parameters
        ----------
        windows : FeatureTable, or mapping of point to FeatureTable
            The next windows in time.

        Returns
        -------
        tuple of Decision
            ``condition`` (normal, warning, alarm, unknown), ``p_value``, ``evidence`` (1 switches
            the warning on, 2 the alarm) and ``reasons``, each with its point and features.

        Raises
        ------
        InputError
            If there is no baseline yet, or the feature sets differ from it.
        """
        fitted = self._fitted(windows)
        return tuple(fitted.observe(hop).machine for hop in _hops(windows))

    def reset(self) -> Self:
        """Drop the evidence so far, as after maintenance; the baseline stays."""
        if self._detector is not None:
            self._detector.reset_evidence()
        return self

    # ------------------------------------------------------------------ labels

    def false_alarm(self, windows: Tables, *, preview: bool = False) -> HeadUpdate:
        """Learn that these windows of an event are healthy.

        A small head on the frozen base learns; a gate accepts it only if every confirmed fault
        still alarms (docs/learning.md). `undo` takes it back.

        Parameters
        ----------
        windows : FeatureTable, or mapping of point to FeatureTable
            All windows of the event.
        preview : bool
            Only say what would change.

        Returns
        -------
        HeadUpdate
            ``accepted``, why (``said.text``), and false and missed alarms ``before`` and ``after``.

        Raises
        ------
        InputError
            If there is no baseline yet, or the feature sets differ from it.
        """
        return self._answered(windows, "false_alarm", None, preview=preview)

    def confirm(
        self, windows: Tables, kind: str | None = None, *, preview: bool = False
    ) -> HeadUpdate:
        """Learn that these windows of an event are a fault, of this kind where it is known.

        Parameters, result and errors as `false_alarm`.
        """
        return self._answered(windows, "confirmed_fault", kind, preview=preview)

    def undo(self) -> bool:
        """Take the last label back: the heads of before it decide again.

        Returns
        -------
        bool
            Whether there was one.
        """
        if self._labels is None or not self._labels.undo():
            return False
        self._with_model()[0].set_heads(self._labels.heads)
        return True

    def _answered(
        self,
        windows: Tables,
        verdict: Literal["false_alarm", "confirmed_fault"],
        kind: str | None,
        *,
        preview: bool,
    ) -> HeadUpdate:
        self._fitted(windows)
        scored = self._new(self._with_model()[0].specs)
        scored.adopt(self._with_model()[1])
        labels = self._begun_labels()
        scored.set_heads(labels.heads)
        hops = [(scored.observe(hop).points, scored.scored_windows()) for hop in _hops(windows)]
        update = labels.answer(hops, verdict, kind, preview=preview)
        self._with_model()[0].set_heads(labels.heads)
        return update

    def _begun_labels(self) -> Labels:
        if self._labels is None:
            self._labels = self._labels_of({})
        return self._labels

    def _labels_of(self, parts: Mapping[str, bytes]) -> Labels:
        from auscult.surface.labels import Labels

        return Labels(self._with_model()[1], self.name_plate.machine, parts)

    # ------------------------------------------------------------------ kept

    def save(self, path: str | Path) -> None:
        """Write baseline, evidence and labels to a file, some 100 kB a point.

        It is the file of `auscult export`: `auscult import` gives it to a gateway whose machine has
        the same points and feature sets. A power cut leaves the file of before, or the new one.

        Raises
        ------
        InputError
            If there are no windows yet.
        """
        self._learned().write(Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a file of `save` or of `auscult export`.

        Raises
        ------
        InputError
            If the file is damaged, of another kind, or of a machine of overall values.
        """
        return cls._unpacked(Path(path).read_bytes(), str(path))

    def _learned(self) -> LearnedFile:
        detector = self._detector
        if detector is None:
            raise InputError("there is nothing to save yet: call fit or learn_one")
        made = DetectorOf(self.name_plate, detector.specs, self.false_alarms_per_year, self.seed)
        parts = {STATE: detector.state()}
        if detector.model is not None:
            parts |= self._begun_labels().parts()
        about = {
            "machine": self.name_plate.machine,
            "gateway": "a notebook",
            DETECTOR: msgspec.json.encode(made).decode(),
        }
        return LearnedFile(parts, about)

    @classmethod
    def _unpacked(cls, data: bytes, name: str) -> Self:
        learned = LearnedFile.from_bytes(data, name)
        made = learned.detector()
        if any(spec.kind == "value" for spec in made.specs.values()):
            raise InputError(f"{name} is of a machine of overall values: see evaluate_values")
        detector = cls(
            made.name_plate, false_alarms_per_year=made.false_alarms_per_year, seed=made.seed
        )
        own = detector._detector = detector._new(made.specs)
        own.restore(learned.state)
        if own.model is not None:
            detector._labels = detector._labels_of(learned.parts)
            own.set_heads(detector._labels.heads)
        return detector

    def __reduce__(self) -> tuple[Any, ...]:
        if self._detector is None:
            return partial(type(self), **self.get_params()), ()
        return self._unpacked, (self._learned().to_bytes(), "the pickled detector")

    def _new(self, specs: Mapping[str, FeatureSpec]) -> MachineDetector:
        settings = replace(SHIPPED, false_alarms_per_year=self.false_alarms_per_year)
        return MachineDetector(self.name_plate, specs, settings, self.seed)

    def _prepared(self, windows: Tables) -> MachineDetector:
        specs = {point: table.spec for point, table in _by_point(windows).items()}
        if self._detector is None:
            self._detector = self._new(specs)
        _require_same(self._detector.specs, specs)
        return self._detector

    def _with_model(self) -> tuple[MachineDetector, MachineModel]:
        if self._detector is None or self._detector.model is None:
            raise InputError("there is no baseline yet: call fit with healthy windows first")
        return self._detector, self._detector.model

    def _fitted(self, windows: Tables) -> MachineDetector:
        detector, _ = self._with_model()
        specs = {point: table.spec for point, table in _by_point(windows).items()}
        _require_same(detector.specs, specs)
        return detector


def _by_point(windows: Tables) -> Mapping[str, FeatureTable]:
    if isinstance(windows, FeatureTable):
        return {ONLY_POINT: windows}
    if isinstance(windows, Mapping) and all(isinstance(t, FeatureTable) for t in windows.values()):
        return windows
    raise InputError(
        f"{type(windows).__name__} is no table of features: give the FeatureTable that "
        "auscult.features makes of samples, or one for each point"
    )


def _require_same(known: Mapping[str, FeatureSpec], given: Mapping[str, FeatureSpec]) -> None:
    if known.keys() != given.keys():
        raise InputError(
            f"points {', '.join(given) or 'none'} are not those of the baseline: {', '.join(known)}"
        )
    for point, spec in given.items():
        if spec != known[point]:
            raise InputError(
                f"{point} has another feature set than the baseline: give the same fs_hz, unit, "
                f"kind, window_s, nominal_speed_rpm, bearings and gear_teeth"
            )


def _hops(windows: Tables) -> Iterator[list[Observation]]:
    """Give the windows of all points, one time after the other."""
    tables = _by_point(windows)
    lengths = {point: len(table) for point, table in tables.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"points differ in their number of windows: {lengths}; cut them alike")
    for i in range(next(iter(lengths.values()), 0)):
        yield [
            Observation(point, int(t.t_ns[i]), t.values[i], t.states[i], int(t.health[i]))
            for point, t in tables.items()
        ]
