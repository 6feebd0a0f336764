"""Splits in which labels have something to teach: a machine that runs as its baseline never did.

A gateway that is told of a state its baseline never held answers `unknown`, and nobody is called:
there is nothing to label. So the operating state is withheld here, as on a machine without a
tachometer: a new condition then looks like a departure, and its false alarms are what a technician
has to answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from auscult.gateway.evaluate.detection import Split, condition_of, held_out_splits, usual_split
from auscult.gateway.evaluate.features import MachineData, Stretch
from auscult.models.records import OperatingState

Quantity = Literal["speed_rpm", "load"]
UNKNOWN_STATE = OperatingState()


def untold(split: Split) -> Split:
    """Withhold the operating state of every window."""
    bare: dict[int, Stretch] = {}

    def without_state(stretch: Stretch) -> Stretch:
        if id(stretch) not in bare:
            recording = replace(stretch.recording, state=UNKNOWN_STATE)
            bare[id(stretch)] = replace(stretch, recording=recording)
        return bare[id(stretch)]

    return Split(
        tuple((without_state(s), n) for s, n in split.baseline),
        tuple((without_state(s), start) for s, start in split.judged),
    )


def one_left_out(data: MachineData, quantity: Quantity) -> Iterator[tuple[str, Split]]:
    """Leave out one condition at a time, untold."""
    for value, split in held_out_splits(data, quantity):
        yield str(value), untold(split)


def half_left_out(data: MachineData, quantity: Quantity) -> Iterator[tuple[str, Split]]:
    """Commission at the first half of the conditions, then at the last half, untold.

    What a machine knows after a quiet season; the other conditions come later.
    """
    usual = usual_split(data)
    values = list(dict.fromkeys(condition_of(s, quantity) for s, _ in usual.baseline))
    if len(values) < 2 or None in values:
        return
    half = len(values) // 2
    for name, known in (("first half", values[:half]), ("last half", values[-half:])):
        yield name, untold(_known(usual, quantity, known))


def all_but_one_left_out(data: MachineData, quantity: Quantity) -> Iterator[tuple[str, Split]]:
    """Commission at one condition at a time, untold: a baseline as narrow and short as can be."""
    usual = usual_split(data)
    values = list(dict.fromkeys(condition_of(s, quantity) for s, _ in usual.baseline))
    if len(values) < 2 or None in values:
        return
    for value in values:
        yield str(value), untold(_known(usual, quantity, [value]))


def _known(usual: Split, quantity: Quantity, values: list[float | str | None]) -> Split:
    baseline = tuple((s, n) for s, n in usual.baseline if condition_of(s, quantity) in values)
    known = {id(s) for s, _ in baseline}
    judged = tuple((s, start if id(s) in known else 0) for s, start in usual.judged)
    return Split(baseline, judged)
