"""Drives and flow: each simulated fault is named by its own sign, and others are not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from auscult.dsp.bearing import Bearing
from auscult.dsp.current_lines import current_lines
from auscult.dsp.drive_signs import drive_signs
from auscult.dsp.order_lines import order_lines
from auscult.dsp.simulation.bearings import BearingDefect, Friction
from auscult.dsp.simulation.drive import Belt, Magnetic, motor_current
from auscult.dsp.simulation.flow import BladePass, Cavitation, Turbulence
from auscult.dsp.simulation.machine import healthy_pump
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.sensors import Sensor
from auscult.dsp.simulation.shaft import Imbalance, Rub
from auscult.dsp.simulation.source import SensorPlace
from auscult.models.decision.drive_diagnosis import (
    MOST,
    DriveState,
    _rose,
    current_diagnosis,
    drive_diagnosis,
)

FS, RPM = 12_800.0, 1478.0
BEARING = Bearing("6205", bpfo=3.585, bpfi=5.415, bsf=2.357, ftf=0.398)
ORDINARY = (Magnetic(0.01), BladePass(6, 0.01), Turbulence(0.005, fault=""))
ROTATION = Rotation.wandering(RPM, FS, 4.0, share=0.0005, seed=5)


def state(*faults, seed=5):
    machine = replace(
        healthy_pump((Sensor(SensorPlace(3, "horizontal")),), seed=5, more=ORDINARY), seed=seed
    )
    channels = [(x, FS) for x in machine.with_faults(*faults).record(ROTATION).samples]
    lines = order_lines(channels, RPM)
    assert lines is not None
    belts = [Belt(1.0).order]
    signs = drive_signs(channels, lines.shaft_hz, blades=[6.0], belts=belts, line_hz=50.0)
    return DriveState(lines, signs)


@pytest.fixture(scope="module")
def healthy():
    return state()


def named(healthy, *faults):
    return drive_diagnosis(
        state(*faults, seed=6), healthy, ("p3h",), has_blades=True, mains_stated=True
    )


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        (Magnetic(0.2), "electrical"),
        (Belt(0.2), "belt"),
        (BladePass(6, 0.3), "blades"),
        (Turbulence(0.2), "turbulence"),
        (Cavitation(0.2), "cavitation"),
        (Rub(0.4, bearing=3), "rub"),
        (Imbalance(0.5, shaft=3), "unclear"),
    ],
)
def test_each_is_named_by_its_own_sign(healthy, fault, name):
    found = named(healthy, fault)
    assert found.fault == name, found.text
    assert found.confidence <= MOST
    assert (found.prescription is None) == (name == "unclear")


@pytest.mark.parametrize(
    "fault", [Friction(0.01, 30, at=3), BearingDefect(BEARING, "bsf", 1.0, at=3)]
)
def test_noise_without_lines_has_several_causes(healthy, fault):
    found = named(healthy, fault)
    assert found.fault == "unclear"
    assert {"lubrication", "bearing"} <= set(found.said.values["faults"])


@pytest.mark.parametrize(("bars_db", "name"), [(-60, "unclear"), (-40, "electrical")])
def test_broken_bars_by_the_current(bars_db, name):
    rotation = Rotation.steady(1455.0, 2000.0, 10.0)
    current = motor_current(rotation, bars_db=bars_db).astype("float32")
    lines = current_lines(current, 2000.0, 1455.0 / 60, line_hz=50.0, pole_pairs=2)
    assert lines is not None
    assert lines.bars_db == pytest.approx(bars_db, abs=2.0)
    found = current_diagnosis(lines, None, "motor")
    assert found.fault == name


def test_a_motor_without_load_shows_no_bars():
    rotation = Rotation.steady(1499.0, 2000.0, 5.0)
    current = motor_current(rotation, bars_db=-30).astype("float32")
    lines = current_lines(current, 2000.0, 1499.0 / 60, line_hz=50.0, pole_pairs=2)
    assert lines is not None
    assert lines.bars_db is None
    assert current_diagnosis(lines, None).fault == "unclear"


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ("electrical", "electrical_lines_rose"),
        ("blades", "blades_lines_rose"),
        ("belts", "belt_lines_rose"),
    ],
)
def test_what_rose_is_named(lines, code):
    assert (_rose(lines, 5.0).code, _rose(lines, 5.0).values) == (code, {"db": 5.0})
