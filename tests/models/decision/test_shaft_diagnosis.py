"""Faults of shafts, distinguished on simulated machines whose truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from auscult.dsp.order_lines import ORDERS, order_lines
from auscult.dsp.simulation.drive import Magnetic
from auscult.dsp.simulation.machine import healthy_pump, triaxial
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.shaft import (
    AngularMisalignment,
    BentShaft,
    Imbalance,
    Looseness,
    ParallelMisalignment,
)
from auscult.models.decision.shaft_diagnosis import ShaftPoints, shaft_diagnosis

RPM, FS = 1480.0, 2560.0
SENSORS = triaxial(1, 2, 3)
NAMES = tuple(f"{s.place.bearing}{s.place.direction[0]}" for s in SENSORS)
POINTS = ShaftPoints(
    NAMES,
    {n: s.place.direction for n, s in zip(NAMES, SENSORS, strict=True)},
    {n: "1" if s.place.bearing <= 2 else "2" for n, s in zip(NAMES, SENSORS, strict=True)},
)
UNSTATED = ShaftPoints(NAMES, {}, {})
PUMP = healthy_pump(SENSORS, seed=11)


def lines(*faults, rpm=RPM):
    record = PUMP.with_faults(*faults).record(Rotation.steady(rpm, FS, 4))
    return order_lines([(x, FS) for x in record.samples], RPM)


HEALTHY = lines()


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Imbalance(0.2, at_rpm=RPM), "imbalance"),
        (BentShaft(0.3), "bent_shaft"),
        (AngularMisalignment(0.3), "misalignment.angular"),
        (ParallelMisalignment(0.3), "misalignment.parallel"),
        (Looseness(0.2), "looseness"),
        (Magnetic(0.3), None),
    ],
    ids=lambda value: getattr(value, "fault", value) or "magnetic",
)
def test_each_fault_is_distinguished(fault, expected):
    found = shaft_diagnosis(lines(fault), HEALTHY, POINTS)
    assert found.prescription == expected
    assert (found.confidence >= 0.5) == (expected is not None)


def test_without_directions_less_is_claimed_and_a_bow_is_not_called_imbalance_for_sure():
    found = shaft_diagnosis(lines(Imbalance(0.5, at_rpm=RPM)), HEALTHY, UNSTATED)
    assert (found.fault, found.confidence <= 0.7) == ("imbalance", True)
    assert [said.code for said in found.missing] == ["axial_unknown"]
    assert shaft_diagnosis(lines(BentShaft(0.5)), HEALTHY, UNSTATED).confidence <= 0.7


def test_a_healthy_machine_is_not_accused_at_a_speed_that_is_a_little_off():
    found = shaft_diagnosis(lines(rpm=RPM * 1.01), HEALTHY, POINTS)
    assert found.fault == "unclear"


def test_lines_that_only_noise_makes_are_none():
    noise = np.random.default_rng(0).standard_normal((2, 10_240)).astype(np.float32)
    found = order_lines([(x, FS) for x in noise], RPM)
    assert np.count_nonzero(found.lines) <= 1
    assert order_lines([(noise[0][:400], FS)], RPM) is None  # four turns
    quiet = replace(HEALTHY, lines=np.zeros_like(HEALTHY.lines))
    assert shaft_diagnosis(quiet, HEALTHY, POINTS).fault == "unclear"
    assert HEALTHY.lines.shape == (9, len(ORDERS))
