"""What a machine has learned as a delta for machines with the same base."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from models.delta import Delta, DeltaAbout, PointDelta
from models.learning.head import Head
from models.records import Checkpoint


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
    """Give the difference of heads from the shipped start; adapters stay at home.

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
