"""Protocol `run_to_failure`: the first 20 % of life is the baseline, the rest is monitored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import median_filter

from auscult.contract.records import Condition
from auscult.gateway.datasets.dataset import RecordingLabel
from auscult.gateway.evaluate.detection import MACHINE, OURS, model_units
from auscult.gateway.evaluate.features import MachineData, Stretch
from auscult.gateway.evaluate.records import Result, RunToFailure
from auscult.gateway.evaluate.references import REFERENCES, limit_of
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation
from auscult.models.settings import SHIPPED, DetectorSettings

BASELINE_SHARE = 0.2
EARLY = (0.2, 0.5)
REFERENCE_MEDIAN = 5
"""Windows of the running median over a reference's scores, which removes spikes."""
REFERENCE_ALARM = 2.0
"""A reference warns at its limit, and alarms at this multiple of it: alert and danger."""


def life_results(data: MachineData, advance: Callable[[], None] = lambda: None) -> list[Result]:
    """Return rows of all detectors for a machine that ran to failure; recordings are in order."""
    stretches = data.with_label(RecordingLabel.RUN_TO_FAILURE)
    if not stretches:
        return []
    rows = []
    for name in (OURS, *REFERENCES):
        life = life_of(data) if name == OURS else _life(*_reference(name, data, stretches))
        rows.append(
            Result(data.dataset, data.machine, "run_to_failure", name, MACHINE, asdict(life))
        )
        advance()
    return rows


def life_of(data: MachineData, settings: DetectorSettings = SHIPPED) -> RunToFailure:
    """Monitor a run to failure with the detector of Auscult."""
    stretches = data.with_label(RecordingLabel.RUN_TO_FAILURE)
    detector = MachineDetector(NamePlate(data.machine), data.specs, settings)
    hops: list[list[Observation]] = [hop for stretch in stretches for hop in stretch.hops()]
    baseline = _baseline(len(hops))
    for hop in hops[:baseline]:
        detector.observe(hop)
    detector.adopt(detector.fit_now().run())
    conditions = [Condition.LEARNING] * baseline
    conditions += [detector.observe(hop).machine.condition for hop in hops[baseline:]]
    return _life(_times(stretches), [str(c) for c in conditions])


def _reference(
    name: str, data: MachineData, stretches: tuple[Stretch, ...]
) -> tuple[NDArray[np.int64], list[str]]:
    x = np.concatenate([model_units(data, s, list(data.specs)) for s in stretches])
    baseline = _baseline(len(x))
    reference = REFERENCES[name]()
    reference.fit(x[:baseline])
    limit = limit_of(reference.score(x[:baseline]))
    score = median_filter(reference.score(x[baseline:]), REFERENCE_MEDIAN, mode="nearest")
    if name == "isolation_forest":
        # Its score lies in 0..1; twice the limit would be out of reach.
        alarm = 1 - (1 - limit) / REFERENCE_ALARM
    else:
        alarm = REFERENCE_ALARM * limit
    level = np.where(score > alarm, "alarm", np.where(score > limit, "warning", "normal"))
    return _times(stretches), ["learning"] * baseline + level.tolist()


def _life(t_ns: NDArray[np.int64], conditions: list[str]) -> RunToFailure:
    condition = np.array(conditions)
    n, baseline = len(condition), _baseline(len(condition))
    early = slice(baseline, round(EARLY[1] * n))
    evaluated = np.arange(n) >= baseline

    def lead_min(alerts: NDArray[np.bool_]) -> float | None:
        first = np.flatnonzero(alerts & evaluated)
        return float(t_ns[-1] - t_ns[first[0]]) / 60e9 if len(first) else None

    alarm = condition == "alarm"
    return RunToFailure(
        first_warning_lead_min=lead_min(alarm | (condition == "warning")),
        first_alarm_lead_min=lead_min(alarm),
        condition_at_end=str(condition[-1]),
        warning_share_20_50=float((condition[early] == "warning").mean()),
        alarm_share_20_50=float(alarm[early].mean()),
    )


def _baseline(n: int) -> int:
    return round(BASELINE_SHARE * n)


def _times(stretches: tuple[Stretch, ...]) -> NDArray[np.int64]:
    return np.concatenate([stretch.t_ns for stretch in stretches])
