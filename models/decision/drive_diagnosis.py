"""Faults of drives and flow: mains, belts, blades, turbulence, cavitation, rub, and friction.

Each is named by its own lines or noise, against the healthy machine at the same speed and load.
Noise above 1 kHz has many causes: a damaged bearing without lines, poor lubrication, misalignment
and cavitation raise it alike (on the rigs at hand by 6 to 27 dB). So it names cavitation only where
blades modulate it, and else is reported as unclear, with what is possible.

References: ISO 13373-3:2015, tables of symptoms; ISO 20958:2013 for motor currents; Cudina,
"Detection of cavitation phenomenon in a centrifugal pump using audible sound", MSSP 17 (2003).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.contract.said import Said
from auscult.dsp.current_lines import CurrentLines
from auscult.dsp.drive_signs import DriveSigns
from auscult.dsp.order_lines import ORDERS, OrderLines
from auscult.models.decision.diagnosis import UNCLEAR, Diagnosis

Float64 = NDArray[np.float64]

ROSE_DB: Final = 6.0
"""A line or a noise rose if its level doubled. Healthy machines repeat within 2 dB on the rigs."""
FULL_RISE_DB: Final = 15.0
LEADING_SHARE: Final = 0.5
"""A line is named if it holds this share of all energy that lines added."""
LEAST_BEFORE: Final = 1e-3
"""A line that was absent counts as 30 dB below the highest one."""
BELT_LINES: Final = 2
"""A belt shows several multiples."""
GAUSSIAN: Final = 10.0
"""Collapsing bubbles come in thousands: their noise swings, but has no lone peaks."""
BLADE_DEPTH: Final = 0.05
"""Least modulation of noise by blades …"""
DEEPER: Final = 2.0
"""… and this many times that of the healthy machine."""
TURN_DEPTH: Final = 0.5
"""A contact once a turn modulates the noise so deeply: as impacts of a bearing do."""
IMPULSIVE: Final = 5.0
"""Least kurtosis of noise that single impacts make …"""
MORE_IMPULSIVE: Final = 1.2
"""… and so many times that of the healthy machine."""
UNLOCKED_DEPTH: Final = 0.3
"""Impacts that modulate the noise less than this at the shaft's orders come from no contact, blade
or tooth that turns with it."""
IMPACTS_CONFIDENCE: Final = 0.6
"""In a bearing by its impacts alone: chosen leaving a rig out, 26 of 26 were damaged bearings, but
valves or material that strikes the machine were in no recording."""
MOST: Final = 0.7
"""Simulated only: no recording with such a fault was at hand."""
BROKEN_BARS_DB: Final = -45.0
"""Sidebands of a current so near to its line mean broken bars; −54 to −45 dB are doubtful …"""
DOUBTFUL_BARS_DB: Final = -54.0
"""… (Thomson and Fenger 2001)."""
UNEVEN_GAP_DB: Final = -40.0
GROWN_DB: Final = 6.0
"""A sideband of the current must also have doubled, where the healthy one is known."""


@dataclass(frozen=True)
class DriveState:
    """Shaft orders and signs of a machine's points at one time."""

    lines: OrderLines
    signs: DriveSigns


def drive_diagnosis(
    now: DriveState,
    healthy: DriveState,
    points: tuple[str, ...],
    *,
    has_blades: bool = False,
    mains_stated: bool = False,
) -> Diagnosis:
    """Name what rose most of all lines, else what noise rose.

    Parameters
    ----------
    now, healthy : DriveState
        Of the same points at about the same speed and load.
    points : tuple of str
    has_blades : bool
        Whether blades or vanes are stated: only they cavitate.
    mains_stated : bool
        Whether the mains frequency is stated; else a line at twice 50 or 60 Hz stays unclear.

    Returns
    -------
    Diagnosis
        ``electrical``, ``blades``, ``belt``, ``turbulence``, ``cavitation``, ``rub`` or ``bearing``
        (its part is not clear); else ``unclear``.
    """
    rub = _rub(now, healthy, points)
    if rub is not None:
        return rub
    change = _LineEnergies(now, healthy)
    for name in ("electrical", "blades", "belt"):
        rise_db, share, at = change.compare(name)
        if rise_db < ROSE_DB or share < LEADING_SHARE:
            continue
        if name == "belt" and now.signs.belt_lines[at] < BELT_LINES:
            continue
        found = _rose(name, round(rise_db, 1))
        if name == "electrical" and not mains_stated:
            said = Said("unclear", {"faults": (name,)})
            return Diagnosis(UNCLEAR, 0.0, said, (found,), point=points[at])
        return Diagnosis(
            name, _confidence(rise_db, MOST), Said("diagnosis"), (found,),
            point=points[at], prescription=name,
        )  # fmt: skip
    return _noise(now.signs, healthy.signs, points, has_blades=has_blades)


def _rose(name: str, rise_db: float) -> Said:
    values = {"db": rise_db}
    if name == "electrical":
        return Said("electrical_lines_rose", values)
    return Said("blades_lines_rose" if name == "blades" else "belt_lines_rose", values)


def noise_rise_db(now: DriveSigns, healthy: DriveSigns) -> Float64:
    """Rise of the noise above 1 kHz at each point: mean of the octaves; NaN where not carried."""
    return np.array(
        [
            float(np.mean(a - b)) if a.size and a.size == b.size else np.nan
            for a, b in zip(now.noise_db, healthy.noise_db, strict=True)
        ]
    )


def current_diagnosis(
    now: CurrentLines, healthy: CurrentLines | None, point: str | None = None
) -> Diagnosis:
    """Name broken rotor bars or an uneven air gap by a motor's current.

    Parameters
    ----------
    now : CurrentLines
    healthy : CurrentLines or None
        Of the healthy motor at about the same load.
    point : str or None
    """
    before = (healthy.bars_db, healthy.gap_db) if healthy is not None else (None, None)
    bars, gap = now.bars_db, now.gap_db
    if bars is not None and bars >= DOUBTFUL_BARS_DB and _grew(bars, before[0]):
        found = (Said("current_bars", {"db": round(bars, 1), "slip": round(now.slip, 4)}),)
        if bars < BROKEN_BARS_DB:
            said = Said("unclear", {"faults": ("electrical",)})
            return Diagnosis(UNCLEAR, 0.0, said, found, point=point)
        return Diagnosis(
            "electrical", MOST, Said("diagnosis"), found,
            point=point, prescription="electrical.bars",
        )  # fmt: skip
    if gap is not None and gap >= UNEVEN_GAP_DB and healthy is not None and _grew(gap, before[1]):
        found = (Said("current_gap", {"db": round(gap, 1)}),)
        return Diagnosis(
            "electrical", MOST - 0.1, Said("diagnosis"), found,
            point=point, prescription="electrical.gap",
        )  # fmt: skip
    return Diagnosis(UNCLEAR, 0.0, Said("no_drive_fault"))


def _grew(now_db: float, before_db: float | None) -> bool:
    return before_db is None or now_db - before_db >= GROWN_DB


class _LineEnergies:
    """Energy of lines in velocity squared: what was there and what was added, for each point."""

    def __init__(self, now: DriveState, healthy: DriveState) -> None:
        self._energy = {
            # A line that stood out nowhere may have been as high as the noise allows.
            name: (np.maximum(np.nan_to_num(after), 0) ** 2, np.nan_to_num(before) ** 2)
            for name, after, before in (
                ("electrical", now.signs.mains, healthy.signs.mains),
                ("blades", now.signs.blades, healthy.signs.blades),
                ("belt", now.signs.belts, healthy.signs.belts),
            )
        }
        after, before = now.lines.velocity**2, healthy.lines.velocity**2
        shaft = np.maximum(after - before, 0).sum(axis=1)
        if np.any(now.signs.blades > 0):
            # Blades of up to six are orders of the shaft too.
            shaft -= np.maximum(after - before, 0)[:, ORDERS.index(3.0) :].sum(axis=1)
        self._highest = float(before.max(initial=0))
        parts = [np.maximum(a - b, 0) for a, b in self._energy.values()]
        self._added = float((shaft + sum(parts)).sum())

    def compare(self, name: str) -> tuple[float, float, int]:
        """Rise in dB over all points, share of all added energy, and the loudest point."""
        after, before = self._energy[name]
        added = np.maximum(after - before, 0)
        least = max(LEAST_BEFORE * self._highest, 1e-30)
        rise_db = 10 * np.log10(1 + added.sum() / max(float(before.sum()), least))
        share = float(added.sum()) / max(self._added, 1e-30)
        return float(rise_db), share, int(added.argmax())


def _confidence(rise_db: float, most: float) -> float:
    reached = min(max((rise_db - ROSE_DB) / (FULL_RISE_DB - ROSE_DB), 0.0), 1.0)
    return float(most * (0.75 + 0.25 * reached))


def _rub(now: DriveState, healthy: DriveState, points: tuple[str, ...]) -> Diagnosis | None:
    """Name a contact once a turn: it rings, and half orders come with it."""
    rise_db = now.signs.level_db - healthy.signs.level_db
    deep = np.nan_to_num(now.signs.turn_depth)
    rings = (deep >= TURN_DEPTH) & (deep >= DEEPER * np.nan_to_num(healthy.signs.turn_depth))
    rings &= np.nan_to_num(rise_db) >= ROSE_DB
    if not rings.any():
        return None
    half = [ORDERS.index(order) for order in (0.5, 1.5, 2.5)]
    after, before = (s.lines.velocity[:, half] ** 2 for s in (now, healthy))
    least = LEAST_BEFORE * float((healthy.lines.velocity**2).max(initial=0))
    rose = 10 * np.log10(max(after.sum(), 1e-30) / max(before.sum(), least, 1e-30))
    found = Said("contact_once_a_turn", {"depth": round(float(deep.max()), 2)})
    at = points[int(np.where(rings, deep, 0).argmax())]
    if rose < ROSE_DB:
        said = Said("unclear", {"faults": ("rub", "looseness")})
        return Diagnosis(UNCLEAR, 0.0, said, (found,), (Said("half_orders_rose"),), at)
    confidence = _confidence(float(np.nanmax(rise_db)), MOST - 0.1)
    matched = (found, Said("half_orders_rose"), Said("noise_rose", {"db": round(float(rose), 1)}))
    return Diagnosis("rub", confidence, Said("diagnosis"), matched, point=at, prescription="rub")


def _noise(
    now: DriveSigns, healthy: DriveSigns, points: tuple[str, ...], *, has_blades: bool
) -> Diagnosis:
    high_db, slow_db = noise_rise_db(now, healthy), now.slow_db - healthy.slow_db
    if np.any(high_db >= ROSE_DB):
        at = int(np.nanargmax(high_db))
        rise = round(float(high_db[at]), 1)
        found = [Said("noise_rose", {"db": rise})]
        deeper = now.blade_depth >= np.maximum(BLADE_DEPTH, DEEPER * healthy.blade_depth)
        if has_blades and deeper[at] and now.kurtosis[at] < GAUSSIAN:
            found.append(Said("blades_modulate", {"depth": round(float(now.blade_depth[at]), 2)}))
            return Diagnosis(
                "cavitation", _confidence(rise, MOST - 0.1), Said("diagnosis"), tuple(found),
                point=points[at], prescription="cavitation",
            )  # fmt: skip
        impacts = _impacts(now, healthy, points, rise)
        if impacts is not None and not has_blades:
            return impacts
        causes = ("lubrication", "bearing", *(("cavitation",) if has_blades else ()))
        said = Said("unclear", {"faults": causes})
        return Diagnosis(UNCLEAR, 0.0, said, tuple(found), point=points[at])
    if has_blades and np.any(slow_db >= ROSE_DB):
        at = int(np.nanargmax(slow_db))
        rise = round(float(slow_db[at]), 1)
        return Diagnosis(
            "turbulence", _confidence(rise, MOST - 0.1), Said("diagnosis"),
            (Said("slow_noise_rose", {"db": rise}),),
            point=points[at], prescription="turbulence",
        )  # fmt: skip
    return Diagnosis(UNCLEAR, 0.0, Said("no_drive_fault"))


def _impacts(
    now: DriveSigns, healthy: DriveSigns, points: tuple[str, ...], rise: float
) -> Diagnosis | None:
    """Name a bearing, without its part, by impacts that no turn of the shaft explains.

    A damaged ball turns about changing axes, so that neither its own lines nor those of its cage
    need to show.
    """
    at = int(np.nanargmax(noise_rise_db(now, healthy)))
    kurtosis = float(now.kurtosis[at])
    least = max(IMPULSIVE, MORE_IMPULSIVE * float(np.nan_to_num(healthy.kurtosis[at])))
    if not kurtosis >= least or float(np.nan_to_num(now.turn_depth[at])) >= UNLOCKED_DEPTH:
        return None
    said = Said("bearing_impacts", {"db": rise, "kurtosis": round(kurtosis, 1)})
    return Diagnosis(
        "bearing", IMPACTS_CONFIDENCE, said, point=points[at], prescription="bearing.unclear"
    )
