"""Whether a gear is damaged, at one tooth or all over, by the mean of its turns.

A damaged tooth sticks out at one place of the turn: the kurtosis of the difference signal (FM4)
rises with it. Wear changes all teeth and the higher mesh harmonics, and leaves FM4 low.
"""

from __future__ import annotations

from math import log10
from typing import Final

from auscult.contract.said import Said
from auscult.dsp.gear_average import GearSigns
from auscult.models.decision.diagnosis import UNCLEAR, Diagnosis

ROSE_DB: Final = 6.0
"""The mean turn without the regular mesh doubled …"""
FULL_RISE_DB: Final = 20.0
"""… and leaves no doubt."""
ONE_TOOTH_FM4: Final = 9.0
"""Energy in a third of the turn has three times the kurtosis of a Gaussian signal; one tooth with
its neighbours has more."""
FM4_TIMES: Final = 2.0
"""A tooth that sticks out also does so against the healthy gear …"""
TOOTH_ROSE_DB: Final = 3.0
"""… and then a smaller rise of the whole turn suffices."""
SPREAD_FM4: Final = 6.0
"""Energy in half of the turn or more."""
HARMONICS_DB: Final = 3.0
"""Wear raises the higher mesh harmonics against the first by this or more."""
MOST: Final = 0.7
"""Simulated only: the one rig with a broken tooth at hand shows it as a change of level, and none
of these signs at the point that hardly shows the fault."""


def gear_diagnosis(
    now: GearSigns, healthy: GearSigns, teeth: int, point: str | None = None
) -> Diagnosis:
    """Compare the mean turns of a gear with those of the healthy machine.

    Parameters
    ----------
    now, healthy : GearSigns
        Of one point, at about the same speed and load.
    teeth : int
        Of the gear, for the reason.
    point : str or None

    Returns
    -------
    Diagnosis
        ``gear`` with prescription ``gear.tooth``, ``gear.wear`` or ``gear``; else unclear.
    """
    rise_db = 20 * log10(max(now.residual, 1e-12) / max(healthy.residual, 1e-12))
    local_now = now.fm4 >= ONE_TOOTH_FM4 and now.fm4 >= FM4_TIMES * healthy.fm4
    if rise_db < (TOOTH_ROSE_DB if local_now else ROSE_DB):
        return Diagnosis(UNCLEAR, 0.0, Said("no_gear_fault"))
    reached = min(max(rise_db - ROSE_DB, 0.0) / (FULL_RISE_DB - ROSE_DB), 1.0)
    confidence = MOST * (0.6 + 0.4 * reached)
    rose = Said("gear_residual_rose", {"teeth": teeth, "db": round(rise_db, 1)})
    fm4 = round(now.fm4, 1)
    local, spread = Said("gear_one_tooth", {"fm4": fm4}), Said("gear_spread", {"fm4": fm4})
    if local_now:
        found: tuple[Said, ...] = (rose, local)
        return Diagnosis(
            "gear", confidence, Said("diagnosis"), found, point=point, prescription="gear.tooth"
        )
    harmonics_db = 20 * log10(max(now.higher, 1e-12) / max(healthy.higher, 1e-12))
    if now.fm4 <= SPREAD_FM4 and harmonics_db >= HARMONICS_DB:
        found = (rose, spread, Said("mesh_harmonics_rose"))
        return Diagnosis(
            "gear", confidence, Said("diagnosis"), found, point=point, prescription="gear.wear"
        )
    return Diagnosis(
        "gear", 0.8 * confidence, Said("diagnosis"), (rose,), (local,), point, prescription="gear"
    )
