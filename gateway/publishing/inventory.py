"""The machines and points of a gateway as a message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auscult.contract.inventory import (
    BandsPart,
    BearingPart,
    CriticalityPart,
    Inventory,
    LimitPart,
    MachinePart,
    PointPart,
    ZonesPart,
)
from auscult.contract.said import Said
from auscult.dsp.bearing import FAULTS, Bearing
from auscult.dsp.spec import FeatureSpec
from auscult.dsp.units import UNDECLARED
from auscult.gateway.publishing.numbers import optional, rounded
from auscult.gateway.records import PointId
from auscult.gateway.settings.gateway import MachineSettings
from auscult.gateway.windows.points import bearings_of, name_plate_of, teeth_of
from auscult.models.decision.feature_names import feature_band_hz
from auscult.models.decision.iso20816 import SeverityError, applicable_severity, severity_of


def inventory(
    machines: Sequence[MachineSettings],
    ts: int,
    instance: str = "",
    specs: Mapping[PointId, FeatureSpec] | None = None,
) -> Inventory:
    """Encode the machines and points of the gateway, with the bands of points of known `specs`."""
    specs = specs or {}
    return Inventory(
        ts=ts,
        instance=instance,
        machines=tuple(
            MachinePart(
                id=m.id,
                name=m.name or m.id,
                area=m.area,
                template=m.template,
                power_kw=m.power_kw,
                speed_rpm=m.speed_rpm,
                support=m.support,
                bearings=tuple(_bearing(one.measured) for one in bearings_of(m)),
                gear_teeth=teeth_of(m),
                zones=zones(m),
                zones_refusal=str(zones_refusal(m) or ""),
                zones_said=zones_refusal(m),
                criticality=_criticality(m),
                points=tuple(
                    PointPart(
                        id=p.id,
                        name=p.name or p.id,
                        kind=p.kind,
                        unit=p.sensitivity_unit or p.unit,
                        fs_hz=p.fs_hz,
                        quantity=p.quantity,
                        interval_s=p.interval_s,
                        limits=tuple(
                            LimitPart.model_validate(limit, from_attributes=True)
                            for limit in p.limits
                        ),
                        direction=p.direction,
                        bands=_bands(specs.get(PointId(m.id, p.id))),
                    )
                    for p in m.points
                ),
            )
            for m in machines
        ),
    )


def _bands(spec: FeatureSpec | None) -> tuple[BandsPart, ...]:
    """Return the edges of each family of bands, in the order of their numbers."""
    families: dict[str, list[tuple[float, float]]] = {}
    if spec is None:
        return ()
    for name in spec.index:
        if (band := feature_band_hz(spec, name)) is not None:
            families.setdefault(name.rstrip("0123456789"), []).append(band)
    return tuple(
        BandsPart(
            prefix=prefix,
            low_hz=tuple(rounded(low) for low, _ in edges),
            high_hz=tuple(rounded(high) for _, high in edges),
        )
        for prefix, edges in families.items()
    )


def zones(machine: MachineSettings) -> ZonesPart | None:
    """Return the ISO zones of a machine; None where its name plate lacks data for them."""
    severity = applicable_severity(name_plate_of(machine))
    if severity is None:
        return None
    of = severity.velocity_mm_s
    return ZonesPart(title=severity.title, ab=of.ab, bc=of.bc, cd=of.cd)


def zones_refusal(machine: MachineSettings) -> Said | None:
    """Return why ISO does not apply to a machine or to some of its points; None if it does."""
    try:
        severity_of(name_plate_of(machine))
    except SeverityError as refusal:
        return refusal.said
    undeclared = [
        point.id
        for point in machine.points
        if point.kind == "vibration" and point.unit in UNDECLARED
    ]
    if not undeclared:
        return None
    return Said("iso_unit_undeclared", {"points": tuple(undeclared)})


def _criticality(machine: MachineSettings) -> CriticalityPart:
    return CriticalityPart(
        worst=machine.criticality,
        safety=machine.consequence_safety,
        production=machine.consequence_production,
        quality=machine.consequence_quality,
        cost=machine.consequence_cost,
        downtime_cost_per_h=machine.downtime_cost_per_h,
        spare_part_days=machine.spare_part_days,
    )


def _bearing(bearing: Bearing) -> BearingPart:
    orders = {fault: optional(bearing.order(fault)) for fault in FAULTS}
    return BearingPart(name=bearing.name, **orders)
