"""Simulated machines against textbook spectra: orders, amplitudes, phases, rates, levels."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.dsp.bearing import Bearing
from auscult.dsp.envelope import envelope_spectrum
from auscult.dsp.simulation.ageing import AgeingFault
from auscult.dsp.simulation.bearings import BearingDefect, Friction
from auscult.dsp.simulation.drive import Belt, Magnetic, motor_current
from auscult.dsp.simulation.flow import BladePass, Cavitation, Turbulence
from auscult.dsp.simulation.gears import GearPair
from auscult.dsp.simulation.housing import Housing, Mode
from auscult.dsp.simulation.machine import SimulatedMachine, healthy_pump, triaxial
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.sensors import (
    Clipping,
    Dropout,
    Hum,
    LooseMount,
    Sensor,
    Stuck,
    WrongGain,
)
from auscult.dsp.simulation.shaft import (
    AngularMisalignment,
    BentShaft,
    Imbalance,
    Looseness,
    ParallelMisalignment,
    Rub,
)
from auscult.dsp.simulation.sound import SPEED_M_S, Microphone
from auscult.dsp.simulation.source import DIRECTIONS, SensorPlace
from auscult.dsp.tracking import order_track

FS = 10_000
RPM = 1500
STEADY = Rotation.steady(RPM, FS, 4)  # 100 revolutions: orders fall on lines
FREE = Housing()
ER16K = Bearing("ER-16K", bpfo=3.572, bpfi=5.428, bsf=2.323, ftf=0.397)


def recorded(*sources, places=None, rotation=STEADY, housing=FREE, seed=0):
    """Rows by place, from sensors without noise."""
    places = places or [SensorPlace()]
    sensors = [Sensor(place, noise_g=0) for place in places]
    return SimulatedMachine(sources, sensors, housing=housing, seed=seed).record(rotation).samples


def line(x, hz, fs=FS):
    """Complex amplitude of a line that falls on the grid."""
    return np.fft.rfft(x)[round(hz * x.size / fs)] * 2 / x.size


def orders(x, *wanted):
    return [line(x, order * RPM / 60) for order in wanted]


def degrees(a, b):
    """Phase of a over b, −1..359."""
    return (np.degrees(np.angle(a / b)) + 1) % 360 - 1


def at(*bearings, direction="axial"):
    return [SensorPlace(bearing, direction) for bearing in bearings]


def test_imbalance_is_one_order_that_grows_with_the_square_of_speed():
    x = recorded(Imbalance(0.4, at_rpm=RPM))[0]
    first, second = np.abs(orders(x, 1, 2))
    assert first == pytest.approx(0.4, rel=1e-3)
    assert second < 1e-4
    fast = recorded(Imbalance(0.4, at_rpm=RPM), rotation=Rotation.steady(2 * RPM, FS, 4))[0]
    assert abs(line(fast, 2 * RPM / 60)) == pytest.approx(1.6, rel=1e-3)


@pytest.mark.parametrize(
    ("source", "places", "expected_deg"),
    [
        (Imbalance(1), at(1, 2, direction="horizontal"), 0),
        (Imbalance(1, couple=True), at(1, 2, direction="horizontal"), 180),
        (Imbalance(1), [SensorPlace(2, "vertical"), SensorPlace(2, "horizontal")], 270),
        (Imbalance(1, overhung=True), at(1, 2), 0),
        (BentShaft(1), at(1, 2), 180),
        (BentShaft(1), at(1, 2, direction="horizontal"), 0),
        (AngularMisalignment(1), at(2, 3), 180),
        (ParallelMisalignment(1), at(2, 3, direction="horizontal"), 180),
    ],
)
def test_phases_between_two_places(source, places, expected_deg):
    """ISO 13373-3 and the usual charts of fault phases."""
    a, b = (orders(x, 1)[0] for x in recorded(source, places=places))
    assert degrees(a, b) == pytest.approx(expected_deg, abs=1)


def test_orders_and_directions_of_misalignment_bow_and_looseness():
    axial, horizontal, _ = recorded(
        AngularMisalignment(1), places=[SensorPlace(2, d) for d in DIRECTIONS]
    )
    assert abs(orders(axial, 1)[0]) > 2 * abs(orders(horizontal, 1)[0])
    parallel = np.abs(orders(recorded(ParallelMisalignment(1))[0], 1, 2))
    assert parallel[1] > parallel[0]
    bent = np.abs(orders(recorded(BentShaft(1), places=at(2))[0], 1, 2))
    assert bent[0] > 2 * bent[1] > 0
    loose = np.abs(orders(recorded(Looseness(1))[0], 0.5, 1, 1.5, 2, 3, 4, 7))
    assert min(loose) > 0.02
    rub = np.abs(orders(recorded(Rub(1))[0], 0.5, 1, 2))
    assert min(rub) > 0.05


def test_a_bow_does_not_grow_with_speed():
    slow, fast = (
        abs(line(recorded(BentShaft(1), places=at(2), rotation=rotation)[0], rpm / 60))
        for rpm in (1500, 3000)
        for rotation in [Rotation.steady(rpm, FS, 4)]
    )
    assert fast == pytest.approx(slow, rel=1e-3)


def test_a_mode_amplifies_and_turns_the_phase():
    housing = Housing({"horizontal": (Mode(RPM / 60, 0.05, share=1.0),)})
    free, ringing = (
        orders(recorded(Imbalance(0.1, at_rpm=RPM), housing=h)[0], 1)[0] for h in (FREE, housing)
    )
    assert abs(ringing / free) == pytest.approx(10, rel=0.02)
    assert degrees(ringing, free) == pytest.approx(90, abs=2)


def test_orders_stay_lines_when_the_speed_changes():
    ramp = Rotation.ramp(1200, 2400, FS, 6)
    x = recorded(BentShaft(1), places=at(2), rotation=ramp)[0]
    tracked, per_rev = order_track(x, FS, ramp.angle, 8)
    turns = int(tracked.size / per_rev)
    whole = tracked[: int(turns * per_rev)]
    found = np.abs(np.fft.rfft(whole))[[turns, 2 * turns]] * 2 / whole.size
    assert found == pytest.approx([1.0, 0.35], rel=0.05)
    assert np.diff(ramp.tacho_s())[[0, -1]] == pytest.approx([1 / 20, 1 / 40], rel=0.03)


@pytest.mark.parametrize("part", ["bpfo", "bpfi", "bsf"])
def test_bearing_defects_stand_at_their_orders_in_the_envelope(part):
    x = recorded(BearingDefect(ER16K, part, 1.0), seed=3)[0]
    spectrum = envelope_spectrum(x, FS, "g", (2500, 4500), top_hz=400)
    order = spectrum.frequencies_hz / (RPM / 60)
    struck = ER16K.order(part) * (2 if part == "bsf" else 1)
    near = np.abs(order - struck) < 0.1
    floor = np.median(spectrum.values[order > 0.3])
    expected = [1 * struck, 2 * struck]
    modulation = {"bpfo": None, "bpfi": 1.0, "bsf": ER16K.ftf}[part]
    if modulation is not None:
        expected += [struck - modulation, struck + modulation, modulation]
    for one in expected:
        assert spectrum.values[np.abs(order - one) < 0.08].max() > 8 * floor
    if modulation is None:
        assert spectrum.values[near].max() > 1.1 * spectrum.values[(order > 0.3) & ~near].max()


def test_slip_changes_the_mean_rate_and_smears_high_harmonics():
    def peak(slip, mean_slip, n):
        x = recorded(BearingDefect(ER16K, "bpfo", 1.0, slip=slip, mean_slip=mean_slip))[0]
        s = envelope_spectrum(x, FS, "g", (2500, 4500), top_hz=900)
        order = s.frequencies_hz / (RPM / 60)
        near = np.abs(order / n - ER16K.bpfo) < 0.15
        at = s.values[near].argmax()
        return order[near][at] / n, s.values[near][at]

    assert peak(0, 0.01, 1)[0] == pytest.approx(ER16K.bpfo * 1.01, rel=2e-3)
    assert peak(0.02, 0, 6)[1] < 0.7 * peak(0, 0, 6)[1]


def test_gear_mesh_has_sidebands_and_a_damaged_tooth_strikes_once_a_turn():
    hz = RPM / 60
    healthy, worn, broken = (
        recorded(pair)[0]
        for pair in (GearPair(), GearPair(wear=0.6), GearPair(tooth=0.6))
    )  # fmt: skip
    assert abs(line(healthy, 21 * hz)) == pytest.approx(0.2, rel=0.1)
    assert abs(line(healthy, 22 * hz)) == pytest.approx(0.2 * 0.05 / 2, rel=0.6)
    assert abs(line(worn, 42 * hz)) > 1.4 * abs(line(healthy, 42 * hz))
    of_tooth = np.square(broken - healthy).reshape(-1, round(FS / hz)).mean(axis=0)
    assert of_tooth[:60].sum() + of_tooth[-30:].sum() > 0.95 * of_tooth.sum()  # at angle 0


def test_lines_of_blades_magnets_and_belts():
    hz = RPM / 60
    blades = recorded(BladePass(6, 0.2), places=[SensorPlace(3)])[0]
    assert abs(line(blades, 6 * hz)) == pytest.approx(0.2, rel=0.01)
    assert abs(line(blades, 7 * hz)) == pytest.approx(0.005, rel=0.05)
    rotation = Rotation.steady(1470, FS, 10)
    motor = Magnetic(0.3, bars=0.1)
    x = recorded(motor, places=[SensorPlace(1)], rotation=rotation)[0]
    assert abs(line(x, 100)) == pytest.approx(0.3, rel=0.01)
    assert motor.pole_pass_hz(24.5) == pytest.approx(2.0)
    assert abs(line(x, 24.5 + 2)) == pytest.approx(0.1, rel=0.01)
    belt = Belt(0.2, pulley_mm=2000 * 0.32 / np.pi, length_mm=2000)
    assert np.abs(orders(recorded(belt)[0], 0.32, 0.64)) == pytest.approx([0.12, 0.2], rel=0.01)


def test_broken_bars_stand_beside_the_line_in_the_current():
    rotation = Rotation.steady(1455, FS, 10)  # slip 3 %
    current = motor_current(rotation, bars_db=-40, noise_a=0)
    assert abs(line(current, 50)) == pytest.approx(10, rel=0.01)
    assert abs(line(current, 47)) == pytest.approx(0.1, rel=0.02)
    assert abs(line(current, 53)) == pytest.approx(0.1, rel=0.02)


def test_flow_noise_lies_in_its_band():
    def share(source, low, high):
        x = recorded(source, places=[SensorPlace(3)])[0]
        power = np.square(np.abs(np.fft.rfft(x)))
        hz = np.fft.rfftfreq(x.size, 1 / FS)
        return x.std(), power[(hz >= low) & (hz <= high)].sum() / power.sum()

    level, within = share(Turbulence(0.05), 4, 24)
    assert level == pytest.approx(0.05, rel=0.3)
    assert within > 0.95
    level, within = share(Cavitation(0.5), 2500, 5000)
    assert level == pytest.approx(0.5, rel=0.1)
    assert within > 0.9


def test_lubrication_raises_the_noise_by_its_decibels():
    dry, good = (recorded(Friction(0.01, db, band_hz=(2000, 4500)))[0].std() for db in (16, 0))
    assert 20 * np.log10(dry / good) == pytest.approx(16, abs=0.1)
    assert Friction(0.01).fault == ""
    assert Friction(0.01, 8).fault == "lubrication"


def test_sensor_faults():
    def measured(*faults, **more):
        sensor = Sensor(noise_g=0.001, faults=faults, **more)
        machine = SimulatedMachine([Imbalance(0.5, at_rpm=RPM)], [sensor], housing=FREE)
        return machine.record(STEADY).samples[0]

    good = measured()
    assert measured(WrongGain(0.1)).std() == pytest.approx(0.1 * good.std(), rel=1e-3)
    drifting = measured(WrongGain(1, final=0.5))
    assert drifting[-4000:].std() == pytest.approx(0.525 * good[-4000:].std(), rel=0.02)
    assert np.abs(measured(Clipping(0.2))).max() == pytest.approx(0.2)
    assert np.mean(measured(Dropout(0.25)) == 0) == pytest.approx(0.25, abs=0.02)
    assert abs(line(measured(Hum(0.1)), 50)) == pytest.approx(0.1, rel=0.01)
    assert np.ptp(measured(Stuck(0.5))[FS * 2 :]) == 0
    assert abs(line(measured(LooseMount(25, 0.05)), 25)) > 5 * abs(line(good, 25))
    steps = measured(full_scale_g=1, bits=8) * 128
    assert steps == pytest.approx(np.round(steps))


def test_sound_arrives_later_and_weaker_with_distance():
    def sound_at(distance_m):
        microphone = Microphone(distance_m, ambient_pa=0, noise_pa=0)
        machine = SimulatedMachine(
            [GearPair()], [Sensor()], [microphone], housing=FREE, seed=1
        )  # fmt: skip
        return machine.record(STEADY).samples[1]

    near, far = sound_at(1.0), sound_at(4.43)
    late = np.correlate(far[500:2500], near[400:2400], "full").argmax() - 1999 + 100
    assert late / FS == pytest.approx(3.43 / SPEED_M_S, abs=2 / FS)
    assert far.std() == pytest.approx(near.std() / 4.43, rel=0.02)


def test_the_seed_makes_the_samples_and_sources_do_not_disturb_each_other():
    machine = healthy_pump(triaxial(2), seed=5)
    first = machine.record(STEADY).samples
    assert np.array_equal(first, healthy_pump(triaxial(2), seed=5).record(STEADY).samples)
    assert not np.array_equal(first, healthy_pump(triaxial(2), seed=6).record(STEADY).samples)
    added = machine.with_faults(Imbalance(1.0))
    record = added.record(STEADY)
    assert record.faults == ("imbalance",)
    assert machine.faults == ()
    alone = SimulatedMachine([Imbalance(1.0)], machine.sensors).record(STEADY).samples
    assert record.samples - first == pytest.approx(alone, abs=0.02)  # both have sensor noise


def test_consecutive_pieces_continue():
    whole = recorded(Imbalance(1), rotation=Rotation.steady(RPM, FS, 2))[0]
    second = recorded(Imbalance(1), rotation=Rotation.steady(RPM, FS, 1, start_s=1))[0]
    assert whole[FS:] == pytest.approx(second, abs=1e-4)


def test_a_fault_grows_over_life():
    life = AgeingFault(onset=0.5, growth_db=20)
    amplitudes = [life.aged(Imbalance(1.0), at).amplitude_g for at in (0.2, 0.5, 1.0)]
    assert amplitudes == pytest.approx([0, 0.1, 1.0])
