"""Data sets for the studies of learning: their machines, and the quantity that varies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.gateway.evaluate.conditions import Quantity
from auscult.gateway.evaluate.detection import condition_of, default_split
from auscult.gateway.evaluate.features import MachineData, machine_data
from auscult.gateway.evaluate.run import WINDOW_S


def machines_of(manifests: Sequence[Path | str]) -> list[MachineData]:
    """Return the features of all machines of these sets that have healthy recordings."""
    machines = [
        machine_data(data, machine, WINDOW_S, lambda: None)
        for data in map(read_manifest, manifests)
        for machine in data.machines
    ]
    return [machine for machine in machines if machine.with_label(RecordingLabel.HEALTHY)]


def quantity_of(data: MachineData) -> Quantity | None:
    """Quantity with the most values among the healthy recordings, None if none varies."""
    baseline = default_split(data).baseline
    counts: dict[Quantity, int] = {}
    for quantity in ("speed_rpm", "load"):
        values = {condition_of(stretch, quantity) for stretch, _ in baseline}
        if None not in values and len(values) > 1:
            counts[quantity] = len(values)
    return max(counts, key=lambda q: counts[q], default=None)


def point_alone(data: MachineData, point: str) -> MachineData:
    """Return a machine that has only this point."""
    return replace(
        data,
        specs={point: data.specs[point]},
        stretches=tuple(
            replace(s, features={point: s.features[point]}, health={point: s.health[point]})
            for s in data.stretches
            if point in s.features
        ),
    )
