"""Divides the plant's budget of false events among its machines, by their criticality."""

from __future__ import annotations

from typing import Final

from auscult.contract.machines import NOT_STATED, Consequence
from auscult.gateway.settings.gateway import GatewaySettings, MachineSettings

MONTHS_A_YEAR: Final = 12
WEIGHTS: Final[dict[Consequence, float]] = {"low": 1.0, "medium": 2.0, "high": 4.0}
"""Share of a machine by its criticality: what a later detection costs, relative to other machines.

The level of a chart, and with it the delay, grows with −log(budget). The sum of cost × delay is
least, at a given sum of budgets, where each budget is proportional to its machine's cost.
"""


def with_budgets(settings: GatewaySettings) -> tuple[MachineSettings, ...]:
    """Return all machines, each with its share of the plant's budget as its own.

    Machines that have a budget of their own keep it, beside the plant's. Without a budget of the
    plant all machines are unchanged.
    """
    a_month = settings.detector.false_events_a_month
    shared = [m for m in settings.machines if m.false_alarms_per_year is None]
    if a_month is None or not shared:
        return settings.machines
    a_weight = a_month * MONTHS_A_YEAR / sum(map(_weight, shared))
    return tuple(
        m.model_copy(update={"false_alarms_per_year": a_weight * _weight(m)})
        if m.false_alarms_per_year is None
        else m
        for m in settings.machines
    )


def _weight(machine: MachineSettings) -> float:
    return WEIGHTS[machine.criticality or NOT_STATED]
