"""What a machine has learned as a delta for machines with the same base."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from auscult.models.learning.delta import Delta, DeltaAbout, DeltaError, PointDelta
from auscult.models.learning.gate import PointContext
from auscult.models.learning.head import WIDTH, Head
from auscult.models.records import Checkpoint


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
    data_sha256: str,
) -> Delta:
    """Return the difference of heads from the shipped start, without adapters.

    Parameters
    ----------
    heads : mapping of point to Head
    checkpoint : Checkpoint or None
        The active one, for its id and metrics.
    device, machine, base_id, spec_id, created_ns, labels, data_sha256
        See `DeltaAbout`.
    """
    points = {}
    for point, head in heads.items():
        start = Head.start(head.places.shape[1])
        weights = (head.weights - start.weights).astype(np.float16)
        points[point] = PointDelta(head.places, head.faults, weights)
    about = DeltaAbout(
        device=device,
        machine=machine,
        base_id=base_id,
        spec_id=spec_id,
        checkpoint_id=checkpoint.checkpoint_id if checkpoint else "",
        created_ns=created_ns,
        labels=labels,
        data_sha256=data_sha256,
        before=checkpoint.metrics_before if checkpoint else None,
        after=checkpoint.metrics_after if checkpoint else None,
    )
    return Delta(about, points)


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
        shapes = {(places.ndim, *places.shape[1:]) for places in (learned.places, learned.faults)}
        fits = shapes == {(2, points[name].coordinates)} and learned.weights.shape == (WIDTH + 1,)
        arrays = (learned.places, learned.faults, learned.weights)
        if not fits or not all(np.isfinite(array).all() for array in arrays):
            raise DeltaError("delta_unfit_values", point=name)
