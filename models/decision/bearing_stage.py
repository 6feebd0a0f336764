"""Stage 1 to 4 of a bearing fault, by the ideas of ISO 13373-3.

Stages 1 to 3 show in one recording. Stage 4 is a change: the lines of a fault that was named give
way to noise, and the shaft moves in its worn bearing. It takes the healthy machine and the fault's
earlier name.

References: ISO 13373-3:2015, annex on rolling bearings; Berry, "How to track rolling element
bearing health with vibration signature analysis", Sound and Vibration 25 (1991).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from auscult.contract.said import Said
from auscult.dsp.diagnosis import FaultMatch
from auscult.dsp.order_lines import ORDERS
from auscult.models.decision.diagnosis import FAULT_CLASS, UNCLEAR, Diagnosis
from auscult.models.decision.drive_diagnosis import DriveState, noise_rise_db

HARMONIC_DB: Final = 3.0
"""A harmonic or sideband so high over chance counts as found."""
PLAIN_DB: Final = 12.0
"""A harmonic so high over the floor is a line of the spectrum of the signal itself: 1 of 1000 lines
of noise is one, averaged over two segments."""
LAST_STAGE: Final = 4
FLOOR_ROSE: Final = "floor_rose"
"""Code of the signs of the last stage."""
FLOOR_DB: Final = 10.0
"""Least rise of the noise above 1 kHz: a fault of stage 3 raised it by 6 dB or more on the rigs."""
RANDOM: Final = 5.0
"""Largest kurtosis of that noise: single impacts no longer stand out."""
DOUBLED_DB: Final = 6.0
LOOSE_ORDERS: Final = 3
"""Whole orders of the shaft that must have doubled: a worn bearing is loose."""
LEAST_BEFORE: Final = 1e-3
"""An order that was absent counts as 30 dB below the highest one."""
PARTS: Final = frozenset(FAULT_CLASS.values())


def stage_of(match: FaultMatch) -> int:
    """Stage 1..3 of a bearing fault, from one recording.

    1: the fault's lines are in the envelope alone. 2: with harmonics or sidebands. 3: the lines
    are in the spectrum of the signal itself.
    """
    if sum(db >= PLAIN_DB for db in match.plain_db.values()) >= 2:
        return 3
    harmonics = sum(db >= HARMONIC_DB for db in match.harmonics_db.values())
    return 2 if harmonics >= 2 or match.sidebands_db >= HARMONIC_DB else 1


def floor_rose(now: DriveState, healthy: DriveState, points: tuple[str, ...]) -> Diagnosis | None:
    """Report the signs of the last stage; they name no fault by themselves.

    Parameters
    ----------
    now, healthy : DriveState
        Of the same points at about the same speed and load.
    points : tuple of str

    Returns
    -------
    Diagnosis or None
        ``unclear``, with code `FLOOR_ROSE`.
    """
    rise_db = np.nan_to_num(noise_rise_db(now.signs, healthy.signs))
    at = int(rise_db.argmax())
    if rise_db[at] < FLOOR_DB or not now.signs.kurtosis[at] <= RANDOM:
        return None
    whole = [i for i, order in enumerate(ORDERS) if order == int(order)]
    after, before = ((s.lines.velocity[:, whole] ** 2).sum(axis=0) for s in (now, healthy))
    before = np.maximum(before, max(LEAST_BEFORE * float(before.max(initial=0)), 1e-30))
    orders = int((10 * np.log10(np.maximum(after, 1e-30) / before) >= DOUBLED_DB).sum())
    if orders < LOOSE_ORDERS:
        return None
    values = {"db": round(float(rise_db[at]), 1), "orders": orders}
    return Diagnosis(UNCLEAR, 0.0, Said(FLOOR_ROSE, values), point=points[at])


def in_last_stage(named: Diagnosis, signs: Diagnosis) -> Diagnosis:
    """Return a bearing fault that was named earlier, now in stage 4.

    Its part and confidence stay as they were named; a bearing without a part stays as it is.
    """
    if named.fault not in PARTS:
        return named
    return replace(
        named,
        said=Said(named.said.code, {**named.said.values, "stage": LAST_STAGE}),
        matched=(*named.matched, signs.said),
        prescription=f"bearing.{named.fault}.stage{LAST_STAGE}",
    )
