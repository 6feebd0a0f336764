"""The fit of a baseline, and which faults it would find: both in the thread of training."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from auscult.contract.records import SAME_STATE_SPEED, OperatingState
from auscult.gateway.machines.idle import at_rest
from auscult.gateway.records import PointId
from auscult.gateway.windows.pipeline import Pipeline
from auscult.models.baseline.fit import FitJob
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.decision.seeded_faults import HealthyWindows, least_faults

log = logging.getLogger(__name__)


def healthy_windows(pipeline: Pipeline, machine: str, job: FitJob) -> dict[str, HealthyWindows]:
    """Return the last windows of the points with samples, as they are at the end of a baseline."""
    found = {}
    for point, spec in job.specs.items():
        if spec.kind != "vibration":
            continue
        windows = [w for w in pipeline.recent(PointId(machine, point)) if not w.observation.health]
        if not windows or at_rest(last := windows[-1].observation.state):
            continue
        alike = [w.window.samples for w in windows if _at_same_speed(w.observation.state, last)]
        found[point] = HealthyWindows(np.array(alike, np.float32), last)
    return found


def _at_same_speed(one: OperatingState | None, other: OperatingState | None) -> bool:
    a, b = (state.speed_rpm if state else None for state in (one, other))
    return a == b or (a is not None and b is not None and abs(a - b) <= SAME_STATE_SPEED * b)


@dataclass(frozen=True, slots=True)
class SeededFit:
    """Fits a baseline, and seeds faults into healthy windows of its machine."""

    job: FitJob
    healthy: Mapping[str, HealthyWindows]

    def run(self, progress: Callable[[float], None]) -> MachineModel:
        """Fit, and return the model with what it would find; without it if that fails."""
        model = self.job.run(progress)
        try:
            found = least_faults(
                model, self.job.specs, self.healthy, self.job.settings, lambda: progress(1.0)
            )
        except (ValueError, ArithmeticError) as error:
            log.warning("what the baseline would find is unknown: %s", error)
            return model
        self.job.result = replace(model, detectable=found)
        return self.job.result
