"""Splits for the evaluation of labels: the machine runs in conditions that its baseline lacks.

With a known operating state, the gateway reports an unseen state as `unknown`; no event arises, and
there is nothing to label. So these splits withhold the operating state, as on a machine without a
tachometer. A new condition then departs from the baseline, and a technician labels its false
alarms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from auscult.contract.records import OperatingState
from auscult.gateway.evaluate.detection import Split, condition_of, default_split, held_out_splits
from auscult.gateway.evaluate.features import MachineData, Stretch

Quantity = Literal["speed_rpm", "load"]
UNKNOWN_STATE = OperatingState()


def without_states(split: Split) -> Split:
    """Withhold the operating state of every window."""
    bare: dict[int, Stretch] = {}

    def without_state(stretch: Stretch) -> Stretch:
        if id(stretch) not in bare:
            recording = replace(stretch.recording, state=UNKNOWN_STATE)
            bare[id(stretch)] = replace(stretch, recording=recording)
        return bare[id(stretch)]

    return Split(
        tuple((without_state(s), n) for s, n in split.baseline),
        tuple((without_state(s), start) for s, start in split.evaluated),
    )


def one_left_out(data: MachineData, quantity: Quantity) -> Iterator[tuple[str, Split]]:
    """Leave out one condition at a time, and withhold the operating state."""
    for value, split in held_out_splits(data, quantity):
        yield str(value), without_states(split)


def half_left_out(data: MachineData, quantity: Quantity) -> Iterator[tuple[str, Split]]:
    """Take the first half of the conditions as baseline, then the last half, without states."""
    default = default_split(data)
    values = list(dict.fromkeys(condition_of(s, quantity) for s, _ in default.baseline))
    if len(values) < 2 or None in values:
        return
    half = len(values) // 2
    for name, known in (("first half", values[:half]), ("last half", values[-half:])):
        yield name, without_states(known_only(default, quantity, known))


def known_only(default: Split, quantity: Quantity, values: Sequence[float | str | None]) -> Split:
    """Take windows of these conditions alone as baseline; evaluate the others whole."""
    baseline = tuple((s, n) for s, n in default.baseline if condition_of(s, quantity) in values)
    known = {id(s) for s, _ in baseline}
    evaluated = tuple((s, start if id(s) in known else 0) for s, start in default.evaluated)
    return Split(baseline, evaluated)
