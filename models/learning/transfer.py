"""What a machine has learned as a delta for machines with the same base."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from auscult.contract.label import REPORTED
from auscult.contract.records import Checkpoint
from auscult.models.learning.delta import Delta, DeltaAbout, DeltaError, PointDelta
from auscult.models.learning.gate import PointContext
from auscult.models.learning.head import WIDTH, Head
from auscult.models.learning.machine_replay import MachineReplay
from auscult.models.learning.replay import RowClass
from auscult.models.learning.settings import LearningSettings


def delta_of(
    heads: Mapping[str, Head],
    checkpoint: Checkpoint | None,
    *,
    device: str,
    machine: str,
    base_id: str,
    spec_id: str,
    created_ns: int,
    labels: int,
    replay: MachineReplay,
) -> Delta:
    """Return the difference of heads from the shipped start.

    Parameters
    ----------
    heads : mapping of point to Head
    checkpoint : Checkpoint or None
        The active one, for its id and metrics.
    device, machine, base_id, spec_id, created_ns, labels
        See `DeltaAbout`.
    replay : MachineReplay
        Holds the windows of reported faults.
    """
    points = {}
    for point, head in heads.items():
        weights = (head.weights - head.bare.weights).astype(np.float16)
        reported = [
            centres[point]
            for event, centres in replay.fault_centres().items()
            if event.startswith(REPORTED) and point in centres and not head.directions.is_none
        ][-len(head.directions.units) :]
        reports = np.array(reported, np.float16).reshape(-1, head.places.shape[1])
        points[point] = PointDelta(head.places, head.faults, weights, reports)
    about = DeltaAbout(
        device=device,
        machine=machine,
        base_id=base_id,
        spec_id=spec_id,
        checkpoint_id=checkpoint.checkpoint_id if checkpoint else "",
        created_ns=created_ns,
        labels=labels,
        data_sha256=replay.sha256,
        before=checkpoint.metrics_before if checkpoint else None,
        after=checkpoint.metrics_after if checkpoint else None,
    )
    return Delta(about, points)


def take_delta(
    delta: Delta,
    replay: MachineReplay,
    heads: Mapping[str, Head],
    settings: LearningSettings,
    now_ns: int,
) -> tuple[dict[str, RowClass], tuple[str, ...]]:
    """Take the places and reported faults of a delta into a replay, as events of their own.

    A place that resembles a fault confirmed here is left open: here it is no false alarm.

    Returns
    -------
    marks : dict of event to RowClass
    left_out : tuple of str
        Faults confirmed here that places of the delta resemble.
    """
    marks: dict[str, RowClass] = {}
    left_out: dict[str, None] = {}
    normal, confirmed = f"{delta.delta_id}-f", f"{delta.delta_id}-c"
    for point, learned in delta.points.items():
        for k, place in enumerate(learned.places.astype(np.float32)):
            event = f"{normal}{k}"
            replay.store_place(point, event, place, now_ns)
            marks[event] = RowClass.FALSE_ALARM
            # At once: the room for open events is for those of this machine.
            replay.mark(event, RowClass.FALSE_ALARM)
    for event in list(marks) if settings.gate else ():
        doubt = replay.fault_like(heads, event)
        if doubt is not None and doubt.cosine >= settings.doubtful:
            left_out[doubt.fault] = None
            marks[event] = RowClass.OPEN
            replay.mark(event, RowClass.OPEN)
    for point, learned in delta.points.items():
        faults = {
            **{f"{confirmed}{k}": fault for k, fault in enumerate(_unreported(learned, settings))},
            **{f"{REPORTED}{confirmed}{k}": fault for k, fault in enumerate(learned.reports)},
        }
        for event, fault in faults.items():
            replay.store_place(point, event, fault.astype(np.float32), now_ns)
            marks[event] = RowClass.CONFIRMED_FAULT
            replay.mark(event, RowClass.CONFIRMED_FAULT)
    return marks, tuple(left_out)


def _unreported(learned: PointDelta, settings: LearningSettings) -> NDArray[np.float16]:
    """Return the confirmed faults that are not among the reported ones."""
    between = learned.faults.astype(np.float32)[:, None] - learned.reports.astype(np.float32)
    apart = ((between**2).sum(-1) >= settings.merge_distance).all(1)
    return np.asarray(learned.faults[apart])


def check_fits(
    delta: Delta, base_id: str, spec_id: str, points: Mapping[str, PointContext]
) -> None:
    """Reject a delta of another base, specification or points, or with unfit numbers.

    Raises
    ------
    DeltaError
        The difference.
    """
    if (delta.about.base_id, delta.about.spec_id) != (base_id, spec_id):
        raise DeltaError(
            "delta_other_base",
            base_id=delta.about.base_id,
            spec_id=delta.about.spec_id,
            own_base_id=base_id,
            own_spec_id=spec_id,
        )
    if delta.points.keys() != set(points):
        raise DeltaError(
            "delta_other_points",
            points=tuple(sorted(delta.points)),
            own_points=tuple(sorted(points)),
        )
    for name, learned in delta.points.items():
        positions = (learned.places, learned.faults, learned.reports)
        fits = {(each.ndim, *each.shape[1:]) for each in positions} == {
            (2, points[name].coordinates)
        } and learned.weights.shape == (WIDTH + 1,)
        if not fits or not has_numbers(learned):
            raise DeltaError("delta_unfit_values", point=name)


def has_numbers(learned: PointDelta) -> bool:
    """Return whether all values are finite."""
    return all(bool(np.isfinite(array).all()) for array in learned.arrays.values())
