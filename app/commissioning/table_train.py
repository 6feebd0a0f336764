"""Cells of the table of machines that describe the train: bearings, shafts, gears, belts, blades.

A part that is not on the measured shaft ends with ``@`` and its shaft:

=============  =========================================================================
``bearings``   ``6205``; ``6205=3.585/5.415/2.357/0.398`` (BPFO, BPFI, BSF, FTF, any may be
               empty); ``6205=9x7.94/39.04/0`` (balls × diameter, pitch diameter, angle)
``shafts``     ``2=0.568``: speed of shaft 2 over the measured speed
``gears``      ``21/37``, ``21/37@1>2``: teeth, and the shafts of both gears
``belts``      ``200/2000``: pulley and belt length, mm
``blades``     ``6@2``
=============  =========================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from auscult.app.commissioning.cells import cell_of, number_in, parts_of, whole_in
from auscult.app.views import CatalogueBearing
from auscult.contract.machines import MachineSettings
from auscult.contract.said import Rejection
from auscult.contract.train import MEASURED_SHAFT, BearingSettings

_ORDERS = ("bpfo", "bpfi", "bsf", "ftf")
_GEOMETRY = ("ball_diameter_mm", "pitch_diameter_mm", "contact_angle_deg")


def bearing_in(cell: str, catalogue: Mapping[str, CatalogueBearing]) -> dict[str, Any]:
    """Read a bearing; `catalogue` has the known ones by their name in lower case.

    >>> bearing_in("6310=3.05/4.95//0.381@2", {})
    {'name': '6310', 'shaft': '2', 'bpfo': 3.05, 'bpfi': 4.95, 'ftf': 0.381}
    """
    name, on = _placed(cell)
    name, described, numbers = (part.strip() for part in name.partition("="))
    if described:
        return {"name": name, **on, **_described(numbers, cell)}
    found = catalogue.get(name.lower())
    if found is None:
        raise Rejection("bearing_unknown", name=name)
    return settings_of(found) | on


def settings_of(bearing: CatalogueBearing) -> dict[str, Any]:
    """Return the settings of an entry of the catalogue."""
    given: dict[str, Any] = {"name": bearing.name}
    if bearing.balls is not None:
        given |= {"balls": bearing.balls} | {key: getattr(bearing, key) for key in _GEOMETRY}
    else:
        given |= {
            key: order for key in _ORDERS if (order := getattr(bearing.orders, key)) is not None
        }
    return given | ({"approximate": True} if bearing.approximate else {})


def _described(numbers: str, cell: str) -> dict[str, Any]:
    balls, times, rest = numbers.partition("x")
    parts = (rest if times else numbers).split("/")
    names = _GEOMETRY if times else _ORDERS
    if len(parts) > len(names):
        raise Rejection("cell_bearing_form", cell=cell[:64])
    found: dict[str, Any] = {"balls": whole_in(balls)} if times else {}
    for key, part in zip(names, parts, strict=False):
        if part.strip():
            found[key] = number_in(part)
    return found


def bearing_cell(bearing: BearingSettings, catalogue: Mapping[str, CatalogueBearing]) -> str:
    """Write a bearing so that it is the same when it is read again."""
    known = catalogue.get(bearing.name.lower())
    written = bearing.name
    if known is None or BearingSettings(**settings_of(known), shaft=bearing.shaft) != bearing:
        if bearing.balls is not None:
            written += f"={bearing.balls}x" + _joined(bearing, _GEOMETRY)
        elif any(getattr(bearing, key) is not None for key in _ORDERS):
            written += "=" + _joined(bearing, _ORDERS)
    return written + _at(bearing.shaft)


def _joined(part: Any, names: tuple[str, ...]) -> str:
    return "/".join(cell_of(getattr(part, name)) for name in names).rstrip("/")


def _placed(cell: str) -> tuple[str, dict[str, str]]:
    what, found, shaft = cell.rpartition("@")
    return (what.strip(), {"shaft": shaft.strip()}) if found else (cell.strip(), {})


def _at(shaft: str) -> str:
    return "" if shaft == MEASURED_SHAFT else f"@{shaft}"


def _shafts(cell: str) -> list[dict[str, Any]]:
    found = []
    for one in parts_of(cell):
        name, equals, ratio = one.partition("=")
        if not equals:
            raise Rejection("cell_shaft_form", cell=one[:64])
        found.append({"id": name.strip(), "ratio": number_in(ratio)})
    return found


def _gears(cell: str) -> list[dict[str, Any]]:
    found = []
    for one in parts_of(cell):
        teeth, on = _placed(one)
        driving, slash, driven = teeth.partition("/")
        if not slash:
            raise Rejection("cell_gear_form", cell=one[:64])
        gear: dict[str, Any] = {
            "driving_teeth": whole_in(driving),
            "driven_teeth": whole_in(driven),
        }
        own, to, other = on.get("shaft", MEASURED_SHAFT).partition(">")
        gear["shaft"] = own.strip()
        if to:
            gear["driven_shaft"] = other.strip()
        found.append(gear)
    return found


def _belts(cell: str) -> list[dict[str, Any]]:
    found = []
    for one in parts_of(cell):
        sizes, on = _placed(one)
        pulley, slash, length = sizes.partition("/")
        if not slash:
            raise Rejection("cell_belt_form", cell=one[:64])
        found.append({"pulley_mm": number_in(pulley), "length_mm": number_in(length), **on})
    return found


def _blades(cell: str) -> list[dict[str, Any]]:
    return [{"count": whole_in(what), **on} for what, on in map(_placed, parts_of(cell))]


TRAIN_READERS: dict[str, Callable[[str], Any]] = {
    "shafts": _shafts,
    "gears": _gears,
    "belts": _belts,
    "blades": _blades,
}


def train_cells(machine: MachineSettings) -> dict[str, str]:
    """Write shafts, gears, belts and blades of a machine."""
    gears = []
    for gear in machine.gears:
        to = f">{gear.driven_shaft}" if gear.driven_shaft else ""
        at = f"@{gear.shaft}{to}" if to else _at(gear.shaft)
        gears.append(f"{gear.driving_teeth}/{gear.driven_teeth}{at}")
    return {
        "shafts": ";".join(f"{one.id}={cell_of(one.ratio)}" for one in machine.shafts),
        "gears": ";".join(gears),
        "belts": ";".join(
            f"{cell_of(b.pulley_mm)}/{cell_of(b.length_mm)}{_at(b.shaft)}" for b in machine.belts
        ),
        "blades": ";".join(f"{wheel.count}{_at(wheel.shaft)}" for wheel in machine.blades),
    }
