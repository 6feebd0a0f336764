"""From the configuration to the plan of each measuring point: gain, windows, features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from auscult.contract.train import MEASURED_SHAFT
from auscult.dsp.bearing import Bearing
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.records import PointId
from auscult.gateway.settings.gateway import GatewaySettings, MachineSettings, PointSettings
from auscult.gateway.windows.assembler import WindowPlan
from auscult.gateway.windows.values import value_spec
from auscult.models.name_plate import Gear, NamePlate, PlacedBearing, Train

MILLIVOLT = 1e-3


@dataclass(frozen=True, slots=True)
class PointPlan:
    """Plan of one point: how its samples become features.

    Parameters
    ----------
    settings : PointSettings
    gain : np.float32
        Factor from the unit of the source to the physical unit (1 unless the source has ``V``).
    window : WindowPlan
        In the physical unit.
    spec : FeatureSpec
    bearings : tuple of PlacedBearing
        Bearings near the point.
    """

    settings: PointSettings
    gain: np.float32
    window: WindowPlan
    spec: FeatureSpec
    bearings: tuple[PlacedBearing, ...] = ()

    @property
    def unit(self) -> str:
        """Return the physical unit of the windows."""
        return self.window.unit

    @property
    def searched(self) -> bool:
        """Return whether its signal is searched for lines of bearings, known or not."""
        known_speed = self.spec.nominal_speed_rpm is not None
        return bool(self.bearings) or (self.spec.kind == "vibration" and known_speed)


@dataclass(frozen=True, slots=True)
class ValuePlan:
    """Plan of a point with overall values."""

    settings: PointSettings
    spec: FeatureSpec

    @property
    def interval_s(self) -> float:
        """Return the usual time between two values."""
        return self.spec.interval_s


def plan_values(settings: GatewaySettings) -> dict[PointId, ValuePlan]:
    """Plan the configured points with overall values."""
    return {
        PointId(machine.id, point.id): ValuePlan(point, value_spec(point))
        for machine in settings.machines
        for point in machine.points
        if point.kind == "value"
    }


def plan_points(
    settings: GatewaySettings, bursts_s: Mapping[PointId, float]
) -> dict[PointId, PointPlan]:
    """Plan all waveform points; `bursts_s` has the lengths of those that measure in bursts."""
    plans = {}
    specs: dict[FeatureSpec, FeatureSpec] = {}
    for machine in settings.machines:
        for point in machine.points:
            if point.kind == "value":
                continue
            point_id = PointId(machine.id, point.id)
            unit, gain = _physical(point)
            window = WindowPlan(
                fs_hz=point.fs_hz,
                window_s=settings.detector.window_s,
                overlap=settings.detector.overlap,
                unit=unit,
                burst_s=bursts_s.get(point_id),
            )
            bearings = bearings_of(machine, point)
            spec = _spec(machine, point, tuple(b.measured for b in bearings), window)
            # Equal specs share one object: each takes 80 kB.
            spec = specs.setdefault(spec, spec)
            plans[point_id] = PointPlan(point, np.float32(gain), window, spec, bearings)
    return plans


def _physical(point: PointSettings) -> tuple[str, float]:
    if point.unit == "V" and point.sensitivity_mv and point.sensitivity_unit:
        return point.sensitivity_unit, 1 / (point.sensitivity_mv * MILLIVOLT)
    return point.unit, 1.0


def _spec(
    machine: MachineSettings,
    point: PointSettings,
    bearings: tuple[Bearing, ...],
    window: WindowPlan,
) -> FeatureSpec:
    if point.kind == "sound":
        return FeatureSpec.sound(window.fs_hz, window.n_samples, window.unit)
    return FeatureSpec.vibration(
        window.fs_hz,
        window.n_samples,
        window.unit,
        nominal_speed_rpm=machine.speed_rpm,
        bearings=bearings,
        gear_teeth=teeth_of(machine),
        envelope_band_hz=point.envelope_band_hz,
    )


def bearings_of(
    machine: MachineSettings, point: PointSettings | None = None
) -> tuple[PlacedBearing, ...]:
    """Return the bearings of a machine, or those near one of its points."""
    ratios = machine.shaft_ratios
    near = point.bearings if point is not None else ()
    return tuple(
        PlacedBearing(one.orders, ratios[one.shaft], one.is_approximate)
        for one in machine.bearings
        if not near or one.name in near
    )


def teeth_of(machine: MachineSettings) -> tuple[int, ...]:
    """Return the tooth counts on the measured shaft, each once."""
    driving = [g.driving_teeth for g in machine.gears if g.shaft == MEASURED_SHAFT]
    driven = [g.driven_teeth for g in machine.gears if g.driven_shaft == MEASURED_SHAFT]
    return tuple(dict.fromkeys((*machine.gear_teeth, *driving, *driven)))


def train_of(machine: MachineSettings) -> Train:
    """Return shafts, gears and drives of a machine in orders of its measured shaft."""
    ratios = machine.shaft_ratios
    return Train(
        directions={p.id: p.direction for p in machine.points if p.direction is not None},
        shafts={p.id: p.shaft for p in machine.points},
        gears=tuple(Gear(g.driving_teeth, g.driven_teeth, ratios[g.shaft]) for g in machine.gears),
        belts=tuple(belt.order * ratios[belt.shaft] for belt in machine.belts),
        blades=tuple(wheel.count * ratios[wheel.shaft] for wheel in machine.blades),
        line_hz=machine.line_hz,
        pole_pairs=machine.pole_pairs,
    )


def name_plate_of(machine: MachineSettings) -> NamePlate:
    """Return what is known of a machine, for ISO 20816 and the diagnosis."""
    return NamePlate(
        machine.id,
        power_kw=machine.power_kw,
        speed_rpm=machine.speed_rpm,
        support=machine.support,
        iso_class=machine.iso_class,
        shaft_height_mm=machine.shaft_height_mm,
        train=train_of(machine),
    )
