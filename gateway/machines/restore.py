"""Restores a machine from the state of the last process, or creates a new one."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from auscult.contract.message import NS_PER_S
from auscult.errors import ConfigurationError
from auscult.gateway.machines import alarm_store, approval
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.machines.proof import ProofFiles
from auscult.gateway.records import PointId
from auscult.gateway.settings.gateway import (
    DetectorSection,
    GatewaySettings,
    LimitSettings,
    MachineSettings,
)
from auscult.gateway.storage import archive, detector_states
from auscult.gateway.storage.store import Store
from auscult.gateway.windows.points import PointPlan, ValuePlan, name_plate_of
from auscult.models.baseline.container import StateError
from auscult.models.decision.limits import Limit, LimitError
from auscult.models.detector import MachineDetector
from auscult.models.settings import DetectorSettings

log = logging.getLogger(__name__)

LEARNING_FOLDER = "learning"


def restored_machine(
    machine: MachineSettings,
    settings: GatewaySettings,
    plans: Mapping[PointId, PointPlan | ValuePlan],
    intervals_s: Mapping[PointId, float],
    store: Store,
    proofs: ProofFiles | None = None,
) -> MonitoredMachine:
    """Restore a machine from its newest good state.

    Raises
    ------
    ConfigurationError
        If a fixed limit names a feature that its point does not have.
    """
    mine = {point.point: plan for point, plan in plans.items() if point.machine == machine.id}
    detector = new_detector(machine, settings.detector, mine)
    stream_ns, unusable = 0, None
    for saved in detector_states.good_states(store, machine.id):
        try:
            detector.restore(saved.state)
        except StateError as error:
            log.error("%s: a saved state can't be used: %s", machine.id, error)
            unusable = unusable or error.said
        else:
            stream_ns = saved.stream_ns
            break
    else:
        if unusable is not None:
            detector.start_baseline(0, "the saved state can't be used", unusable)
    learning = MachineLearning(
        settings.gateway.data_dir / LEARNING_FOLDER / machine.id,
        machine.id,
        settings.learning.head_updates(),
    )
    return MonitoredMachine(
        machine,
        detector,
        learning,
        archive.open_event(store, machine.id),
        {name: intervals_s[PointId(machine.id, name)] for name in mine},
        round(settings.gateway.trend_interval_s * NS_PER_S),
        stream_ns,
        approved=approval.approved_baseline(store, machine.id),
        alarms=alarm_store.restored(store, machine.id),
        proofs=proofs,
    )


def new_detector(
    machine: MachineSettings, section: DetectorSection, plans: Mapping[str, PointPlan | ValuePlan]
) -> MachineDetector:
    """Make the detector of a machine from the plans of its points.

    Raises
    ------
    ConfigurationError
        If a fixed limit names a feature that its point does not have.
    """
    try:
        return MachineDetector(
            name_plate_of(machine),
            {name: plan.spec for name, plan in plans.items()},
            detector_settings(section, machine),
            limits={name: limits_of(plan) for name, plan in plans.items()},
        )
    except LimitError as error:
        raise ConfigurationError(
            f"machines.points.limits of machine {machine.id!r}: {error}; docs/features.md lists "
            "the features"
        ) from error


def limits_of(plan: PointPlan | ValuePlan) -> list[Limit]:
    """Return the fixed limits of a point."""
    return limits_from(plan.settings.limits)


def limits_from(limits: Sequence[LimitSettings]) -> list[Limit]:
    """Convert configured limits for the detector."""
    return [Limit(one.feature, one.warning, one.alarm, one.direction) for one in limits]


def detector_settings(section: DetectorSection, machine: MachineSettings) -> DetectorSettings:
    """Return the detector's settings for a machine."""
    return DetectorSettings(
        false_alarms_per_year=machine.false_alarms_per_year or section.false_alarms_per_year,
        baseline_windows=machine.baseline_windows or section.baseline_windows,
        baseline_days=machine.baseline_days,
        baseline_starts=machine.baseline_starts,
    )
