"""Common rolling bearings by designation, with their fault orders and the source of each.

Boundary dimensions are standardised (ISO 15); the number and size of the rolling elements are not,
and makers differ under one designation. So each entry names its maker or rig and its source.
Entries from a maker's table or a published measurement are exact to their digits. The others follow
a convention: they are `approximate`, serve to recognise what a comb could be, and should be
replaced by the maker's data before a part of the bearing is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, radians, sin
from typing import Final

from auscult.dsp.bearing import Bearing

MM_PER_INCH: Final = 25.4
PARTS: Final = ("bpfo", "bpfi", "bsf")
"""What a comb may show; a ball strikes twice a turn, so its comb begins at 2 × BSF."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """Rolling elements of one row; diameters in mm, the contact angle in degrees."""

    balls: int
    ball_diameter_mm: float
    pitch_diameter_mm: float
    contact_angle_deg: float = 0.0


@dataclass(frozen=True, slots=True)
class BearingType:
    """An entry of the catalogue.

    Parameters
    ----------
    name : str
        Designation, with maker or rig where these decide the inside.
    bearing : Bearing
        Its orders; with a fixed outer ring and without slip.
    source : str
        Where geometry or orders were published.
    geometry : Geometry or None
        None where only the orders are published.
    approximate : bool
        Number and size of the rolling elements follow a convention.
    """

    name: str
    bearing: Bearing
    source: str
    geometry: Geometry | None = None
    approximate: bool = False


@dataclass(frozen=True, slots=True)
class BearingMatch:
    """A bearing type whose part could make a comb, and the comb's deviation from its order."""

    type: BearingType
    part: str
    deviation: float


def type_of(name: str, geometry: Geometry, source: str, approximate: bool = False) -> BearingType:
    """Make an entry of a geometry."""
    bearing = Bearing.from_geometry(
        geometry.balls,
        geometry.ball_diameter_mm,
        geometry.pitch_diameter_mm,
        geometry.contact_angle_deg,
        name=name,
    )
    return BearingType(name, bearing, source, geometry, approximate)


def _inches(balls: int, ball: float, pitch: float, angle_deg: float = 0.0) -> Geometry:
    return Geometry(balls, ball * MM_PER_INCH, pitch * MM_PER_INCH, angle_deg)


_CWRU = "Case Western Reserve University, Bearing Data Center: bearing information"

_RIGS: Final = (
    ("6205-2RS JEM SKF", _inches(9, 0.3126, 1.537), _CWRU),
    ("6203-2RS JEM SKF", _inches(8, 0.2656, 1.122), _CWRU),
    (
        "6203 (Paderborn)",
        Geometry(8, 6.75, 28.55),
        "Lessmeier et al., Condition monitoring of bearing damage, PHM Europe 2016",
    ),
    (
        "ER-16K MB",
        Geometry(9, 7.9375, 38.5),
        "Forbes, Curtin University: inner and outer race bearing fault data, 2012",
    ),
    (
        "ER-10K MB",
        _inches(8, 0.3125, 1.319),
        "PHM Society data challenge 2009: gearbox with bearings MB ER-10K",
    ),
    (
        "NICE (MFPT)",
        _inches(8, 0.235, 1.245),
        "Bechhoefer, Condition based maintenance fault database, MFPT 2013",
    ),
    (
        "UER204 LDK",
        Geometry(8, 7.92, 34.55),
        "Wang et al., XJTU-SY bearing data, IEEE Trans. Reliability 69 (2020) 401",
    ),
    (
        "6804RS NSK",
        Geometry(13, 3.5, 25.6),
        "Nectoux et al., PRONOSTIA, IEEE PHM 2012",
    ),
    (
        "ZA-2115 Rexnord",
        _inches(16, 0.331, 2.815, 15.17),
        "Qiu et al., J. Sound Vib. 289 (2006) 1066 (IMS bearing data)",
    ),
)
"""Bearings of published test rigs, whose geometry anyone can check."""

_TIMKEN_SOURCE: Final = "Timken Ball Bearing Housed Unit Catalog, table A-9: frequency coefficients"
_TIMKEN: Final = (
    ("6202", "202K", 3.125, 4.875, 2.175, 0.391),
    ("6203", "203K", 3.053, 4.947, 1.994, 0.382),
    ("6204", "204K", 3.052, 4.948, 1.992, 0.382),
    ("6205", "205K", 3.574, 5.426, 2.328, 0.397),
    ("6206", "206K", 3.568, 5.432, 2.311, 0.396),
    ("6207", "207K", 3.565, 5.435, 2.303, 0.396),
    ("6208", "208K", 3.547, 5.453, 2.256, 0.394),
    ("6209", "209K", 3.621, 5.379, 2.461, 0.402),
    ("6210", "210K", 4.093, 5.907, 2.665, 0.409),
    ("6211", "211K", 4.078, 5.922, 2.620, 0.408),
    ("6212", "212K", 4.066, 5.934, 2.584, 0.407),
    ("6213", "213K", 4.099, 5.901, 2.685, 0.410),
    ("6214", "214K", 4.104, 5.896, 2.702, 0.410),
    ("6303", "303K", 2.545, 4.455, 1.696, 0.364),
    ("6304", "304K", 2.574, 4.426, 1.757, 0.368),
    ("6306", "306K", 2.574, 4.426, 1.757, 0.368),
    ("6307", "307K", 3.006, 4.994, 1.888, 0.376),
    ("6308", "308K", 3.023, 4.977, 1.925, 0.378),
    ("6309", "309K", 3.037, 4.963, 1.955, 0.380),
    ("6310", "310K", 3.047, 4.953, 1.981, 0.381),
    ("6311", "311K", 3.057, 4.943, 2.002, 0.382),
    ("6312", "312K", 3.064, 4.936, 2.020, 0.383),
    ("6314", "314K", 3.076, 4.924, 2.050, 0.385),
    ("6315", "315K", 3.081, 4.919, 2.062, 0.385),
    ("6316", "316K", 3.086, 4.914, 2.073, 0.386),
    ("6318", "318K", 3.093, 4.907, 2.091, 0.387),
)
"""ISO size, Timken's basic size, BPFO, BPFI, BSF, FTF. The row of 305K repeats that of 205K, and
its cage order contradicts it: a misprint, left out."""

FILLED_ARC_DEG: Final = 190.0
"""Arc of the pitch circle that a deep groove's balls fill when they are pushed to one side.

They enter between the displaced rings (Conrad's assembly), so they fill little more than half a
turn, and makers use what they can: 188° to 192° in the 6203, 6205, ER-10K and ER-16K above, median
190° (177° to 201°) in the table of Timken, on which it was checked but not chosen.
"""

_ISO_15: Final = (
    ("60", (10, 26, 7), (12, 28, 8), (15, 32, 9), (17, 35, 10), (20, 42, 9), (25, 47, 10),
     (30, 55, 11), (35, 62, 11), (40, 68, 12), (45, 75, 12), (50, 80, 13)),
    ("62", (10, 30, 8), (12, 32, 7), (15, 35, 8), (17, 40, 8), (20, 47, 8), (25, 52, 9),
     (30, 62, 9), (35, 72, 9), (40, 80, 9), (45, 85, 10), (50, 90, 10), (55, 100, 10),
     (60, 110, 10), (65, 120, 10), (70, 125, 11), (75, 130, 11), (80, 140, 11)),
    ("63", (10, 35, 7), (12, 37, 6), (15, 42, 7), (17, 47, 7), (20, 52, 7), (25, 62, 7),
     (30, 72, 8), (35, 80, 8), (40, 90, 8), (45, 100, 8), (50, 110, 8), (55, 120, 8),
     (60, 130, 8), (65, 140, 8), (70, 150, 8), (75, 160, 8), (80, 170, 8)),
)  # fmt: skip
"""Series, then by bore code 00, 01 …: bore and outside diameter in mm (ISO 15), and the usual
number of balls, which is no standard."""

_CONVENTION: Final = (
    "bore and outside diameter of ISO 15; balls by convention: their usual number, as large as "
    "their assembly permits, midway between the rings"
)


def _conventional() -> list[BearingType]:
    found = []
    for series, *sizes in _ISO_15:
        for code, (bore, outside, balls) in enumerate(sizes):
            pitch = (bore + outside) / 2
            ball = pitch * sin(radians(FILLED_ARC_DEG / (balls - 1) / 2))
            geometry = Geometry(balls, round(ball, 3), pitch)
            found.append(type_of(f"{series}{code:02d}", geometry, _CONVENTION, True))
    return found


CATALOGUE: Final[tuple[BearingType, ...]] = (
    *(type_of(*one) for one in _RIGS),
    *(
        BearingType(
            f"{iso} Timken",
            Bearing(f"{iso} Timken", bpfo, bpfi, bsf, ftf),
            f"{_TIMKEN_SOURCE}, size {own}",
        )
        for iso, own, bpfo, bpfi, bsf, ftf in _TIMKEN
    ),
    *_conventional(),
)
"""All entries, exact ones first."""


def find_type(name: str) -> BearingType | None:
    """Return the entry of a designation, whatever its case and spaces; None without one.

    >>> find_type("6205-2rs jem skf").bearing.bpfo.__round__(4)
    3.5848
    """
    wanted = _plain(name)
    return next((one for one in CATALOGUE if _plain(one.name) == wanted), None)


def search(text: str, catalogue: Sequence[BearingType] = CATALOGUE) -> list[BearingType]:
    """Return entries whose name contains all words of `text`, or their start of a designation.

    Suffixes of makers (``-2RS``, ``/C3``) that no entry has are dropped from the end.

    >>> [one.name for one in search("6309-2Z/C3")]
    ['6309 Timken', '6309']
    """
    wanted = _plain(text)
    while len(wanted) >= 3:
        found = [one for one in catalogue if wanted in _plain(one.name)]
        if found:
            return found
        wanted = wanted[:-1]
    return list(catalogue) if not _plain(text) else []


def candidates(
    order: float, tolerance: float = 0.01, catalogue: Sequence[BearingType] = CATALOGUE
) -> list[BearingMatch]:
    """Return the types whose part could make a comb at `order` × shaft speed.

    Parameters
    ----------
    order : float
        Of the comb's first line, > 0.
    tolerance : float
        Largest relative deviation: slip of 1–2 %, and the error of the speed.
    catalogue : sequence of BearingType

    Returns
    -------
    list of Candidate
        Exact entries first, then by deviation.

    Examples
    --------
    >>> [(one.type.name, one.part) for one in candidates(5.4152, 0.001)][:2]
    [('6205-2RS JEM SKF', 'bpfi')]
    """
    found = []
    for one in catalogue:
        for part in PARTS:
            own = one.bearing.order(part)
            struck = None if own is None else own * (2 if part == "bsf" else 1)
            deviation = inf if struck is None else order / struck - 1
            if abs(deviation) <= tolerance:
                found.append(BearingMatch(one, part, deviation))
    return sorted(found, key=lambda c: (c.type.approximate, abs(c.deviation)))


def _plain(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum())
