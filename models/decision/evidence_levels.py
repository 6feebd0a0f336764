"""Levels of a machine's evidence charts from the budget of false alarms."""

from __future__ import annotations

import numpy as np

from auscult.models.baseline.machine_model import MachineModel
from auscult.models.decision.evidence import Chart, Evidence, level_for
from auscult.models.settings import SECONDS_PER_YEAR, DetectorSettings


def evidence_for(model: MachineModel, settings: DetectorSettings) -> Evidence:
    """Charts of a machine: a row for each point, and one for the points fused, last.

    Half of the budget goes to the fused row, half to the points together. Each half is divided
    between warning and alarm chart. With one point the fused row is that point, and each has the
    whole budget.
    """
    points = [point for kind in model.kinds for point in kind.points]
    alone = len(points) == 1
    persistence = [*(p.persistence for p in points), model.persistence]
    hop_s = np.array([*(p.hop_s or model.hop_s for p in points), model.hop_s])
    mean_hop_s = np.array([*(p.mean_hop_s or model.mean_hop_s for p in points), model.mean_hop_s])
    alike = np.minimum(np.exp(-hop_s / settings.correlation_s), settings.correlation_max)
    correlation = np.maximum([p.correlation for p in persistence], alike)
    share = np.full(len(points) + 1, 0.5 / len(points))
    share[-1] = 0.5
    if alone:
        share[:] = 1.0
    windows_per_year = SECONDS_PER_YEAR / np.maximum(mean_hop_s, 1e-3)
    inflation = (1 + correlation) / (1 - correlation)
    wander = np.array([p.wander for p in persistence])
    windows = np.array([*(p.windows for p in points), model.windows])
    # All later windows of a state share the estimation error of its location.
    error = inflation * len(model.states) / windows + wander**2
    margin = settings.estimation_sigma * np.sqrt(error)

    def chart(shift: float, part: float) -> Chart:
        allowance = shift / 2 + margin
        run_length = windows_per_year / (settings.false_alarms_per_year * part * share)
        level = [
            level_for(float(n), float(k), float(rho))
            for n, k, rho in zip(run_length, allowance, correlation, strict=True)
        ]
        return Chart(allowance, np.array(level))

    warning = chart(settings.warning_sigma, settings.warning_budget_share)
    alarm = chart(settings.alarm_sigma, 1 - settings.warning_budget_share)
    return Evidence(warning, alarm, settings.evidence_cap, settings.off_level)
