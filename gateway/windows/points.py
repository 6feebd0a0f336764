"""From the configuration to the plan of each measuring point: gain, windows, features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from auscult.dsp.bearing import Bearing
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.records import PointId
from auscult.gateway.settings.gateway import (
    BearingSettings,
    GatewaySettings,
    MachineSettings,
    PointSettings,
)
from auscult.gateway.windows.assembler import WindowPlan
from auscult.models.name_plate import NamePlate

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
    """

    settings: PointSettings
    gain: np.float32
    window: WindowPlan
    spec: FeatureSpec

    @property
    def unit(self) -> str:
        """Physical unit of the windows."""
        return self.window.unit


def plan_points(
    settings: GatewaySettings, bursts_s: Mapping[PointId, float]
) -> dict[PointId, PointPlan]:
    """Plan all configured points; `bursts_s` has the lengths of those that measure in bursts."""
    plans = {}
    specs: dict[FeatureSpec, FeatureSpec] = {}
    for machine in settings.machines:
        bearings = tuple(bearing_of(b) for b in machine.bearings)
        for point in machine.points:
            point_id = PointId(machine.id, point.id)
            unit, gain = _physical(point)
            window = WindowPlan(
                fs_hz=point.fs_hz,
                window_s=settings.detector.window_s,
                overlap=settings.detector.overlap,
                unit=unit,
                burst_s=bursts_s.get(point_id),
            )
            spec = _spec(machine, point, bearings, window)
            # Equal specs share one object: each takes 80 kB.
            spec = specs.setdefault(spec, spec)
            plans[point_id] = PointPlan(point, np.float32(gain), window, spec)
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
        gear_teeth=machine.gear_teeth,
        envelope_band_hz=point.envelope_band_hz,
    )


def bearing_of(bearing: BearingSettings) -> Bearing:
    """Return a configured bearing with its fault orders."""
    if bearing.balls and bearing.ball_diameter_mm and bearing.pitch_diameter_mm:
        return Bearing.from_geometry(
            bearing.balls,
            bearing.ball_diameter_mm,
            bearing.pitch_diameter_mm,
            bearing.contact_angle_deg,
            name=bearing.name,
        )
    return Bearing(bearing.name, bearing.bpfo, bearing.bpfi, bearing.bsf, bearing.ftf)


def name_plate_of(machine: MachineSettings) -> NamePlate:
    """Return the name plate of a machine, for ISO 20816."""
    return NamePlate(
        machine.id,
        power_kw=machine.power_kw,
        speed_rpm=machine.speed_rpm,
        support=machine.support,
        iso_class=machine.iso_class,
        shaft_height_mm=machine.shaft_height_mm,
    )
