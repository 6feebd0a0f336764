"""Vibration severity by ISO 20816-3 and, for small machines, the classes of ISO 10816-1.

The numbers are those of the editions of 2022 and 1995 as commonly quoted; check them against your
copy. The zones apply to r.m.s. velocity from 10 Hz (2 Hz below 600 r/min) to 1000 Hz and, for the
groups, to r.m.s. displacement; the worse zone counts.

Zone A: new machines; B: unrestricted long-term operation; C: not for long; D: may cause damage.
ALARM = baseline + 0.25 × B/C, at most 1.25 × B/C; before a baseline exists, ALARM = B/C. TRIP =
C/D; the standard allows up to 1.25 × C/D, independent of the baseline. At ALARM the condition is
warning, at TRIP it is alarm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from auscult.contract.records import IsoClass, ReasonKind, ZoneLetter
from auscult.contract.said import Rejection
from auscult.models.decision.limits import Limit
from auscult.models.name_plate import NamePlate


class SeverityError(Rejection):
    """ISO does not apply to this machine; the message says what has to be declared."""


@dataclass(frozen=True, slots=True)
class Boundaries:
    """Zone boundaries A/B, B/C, C/D in one unit."""

    ab: float
    bc: float
    cd: float

    def zone(self, value: float) -> ZoneLetter:
        """Return the zone of a value; a value on a boundary belongs to the worse zone."""
        if value < self.ab:
            return "A"
        if value < self.bc:
            return "B"
        return "C" if value < self.cd else "D"

    def alarm(self, baseline: float | None) -> float:
        """Return ALARM level for a baseline value, in the boundaries' unit.

        >>> group2_rigid = Boundaries(1.4, 2.8, 4.5)
        >>> round(group2_rigid.alarm(0.9), 2), group2_rigid.alarm(2.9), group2_rigid.alarm(None)
        (1.6, 3.5, 2.8)
        """
        if baseline is None:
            return self.bc
        return min(baseline + 0.25 * self.bc, 1.25 * self.bc)

    @property
    def trip(self) -> float:
        """Return the TRIP level."""
        return self.cd


VELOCITY_MM_S: Final = {
    ("group1", "rigid"): Boundaries(2.3, 4.5, 7.1),
    ("group1", "flexible"): Boundaries(3.5, 7.1, 11.0),
    ("group2", "rigid"): Boundaries(1.4, 2.8, 4.5),
    ("group2", "flexible"): Boundaries(2.3, 4.5, 7.1),
    ("I", None): Boundaries(0.71, 1.8, 4.5),
    ("II", None): Boundaries(1.12, 2.8, 7.1),
    ("III", None): Boundaries(1.8, 4.5, 11.2),
    ("IV", None): Boundaries(2.8, 7.1, 18.0),
}
"""r.m.s. velocity by group and foundation (ISO 20816-3) or class (ISO 10816-1)."""

DISPLACEMENT_UM: Final = {
    ("group1", "rigid"): Boundaries(29.0, 57.0, 90.0),
    ("group1", "flexible"): Boundaries(45.0, 90.0, 140.0),
    ("group2", "rigid"): Boundaries(22.0, 45.0, 71.0),
    ("group2", "flexible"): Boundaries(37.0, 71.0, 113.0),
}
"""r.m.s. displacement by group and foundation (ISO 20816-3); ISO 10816-1 has no limits."""

POWER_KW: Final = (15.0, 300.0, 50_000.0)
SHAFT_HEIGHT_MM: Final = (160.0, 315.0)


@dataclass(frozen=True, slots=True)
class Severity:
    """The boundaries that apply to a machine."""

    title: str
    velocity_mm_s: Boundaries
    displacement_um: Boundaries | None

    def limits(
        self, velocity_baseline: float | None = None, displacement_baseline: float | None = None
    ) -> tuple[Limit, ...]:
        """Return ALARM and TRIP of a point with these baseline values (None = no baseline)."""
        limits = [
            Limit(
                "velocity_rms_mm_s",
                self.velocity_mm_s.alarm(velocity_baseline),
                self.velocity_mm_s.trip,
                kind=ReasonKind.ISO_ZONE,
                title=f"r.m.s. velocity, {self.title}",
                standard=self.title,
            )
        ]
        if self.displacement_um is not None:
            limits.append(
                Limit(
                    "displacement_rms_um",
                    self.displacement_um.alarm(displacement_baseline),
                    self.displacement_um.trip,
                    kind=ReasonKind.ISO_ZONE,
                    title=f"r.m.s. displacement, {self.title}",
                    standard=self.title,
                )
            )
        return tuple(limits)


def severity_of(name_plate: NamePlate) -> Severity:
    """Return the boundaries that apply to a machine.

    Raises
    ------
    SeverityError
        If group or foundation are unknown, or the machine is outside the standard.

    Examples
    --------
    >>> pump = NamePlate("pump", power_kw=55, support="rigid")
    >>> severity_of(pump).title, severity_of(pump).velocity_mm_s.zone(3.0)
    ('ISO 20816-3 group 2, rigid', 'C')
    """
    iso_class = name_plate.iso_class or _class_of(name_plate)
    if iso_class in ("group1", "group2"):
        if name_plate.support is None:
            raise SeverityError("iso_support_unknown")
        key = (iso_class, name_plate.support)
        title = f"ISO 20816-3 group {iso_class[-1]}, {name_plate.support}"
        return Severity(title, VELOCITY_MM_S[key], DISPLACEMENT_UM[key])
    return Severity(f"ISO 10816-1 class {iso_class}", VELOCITY_MM_S[iso_class, None], None)


def applicable_severity(name_plate: NamePlate) -> Severity | None:
    """Return the boundaries that apply to a machine, None where `severity_of` raises."""
    try:
        return severity_of(name_plate)
    except SeverityError:
        return None


def _class_of(name_plate: NamePlate) -> IsoClass:
    small, large, largest = POWER_KW
    if name_plate.power_kw is not None and name_plate.power_kw > largest:
        raise SeverityError("iso_too_large", power_kw=name_plate.power_kw)
    height = name_plate.shaft_height_mm
    if height is not None and height >= SHAFT_HEIGHT_MM[1]:
        return "group1"
    if name_plate.power_kw is not None:
        if name_plate.power_kw > large:
            return "group1"
        return "group2" if name_plate.power_kw > small else "I"
    if height is not None and height >= SHAFT_HEIGHT_MM[0]:
        return "group2"
    raise SeverityError("iso_class_unknown")
