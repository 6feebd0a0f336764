"""Whether a bearing is damaged, which part, and how sure that is: a verdict that does not guess.

A fault is named if its explanation of the envelope's lines is well ahead of the next one's, and if
its harmonics modulate the envelope as deeply as impacts do: a bent shaft or a healthy load zone
modulates too, but less. What stays below says "unclear".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from auscult.dsp.bearing import Bearing
from auscult.dsp.diagnosis import FaultMatch
from auscult.models.decision.diagnosis import FAULT_CLASS, UNCLEAR, Diagnosis
from auscult.models.records import Said

AHEAD_DB: Final = 15.0
"""A fault is named if its evidence exceeds that of the next explanation by this much …"""
AHEAD_SCALE_DB: Final = 20.0
"""… and confidence rises with what lies above, on this scale."""
LEAST_DEPTH: Final = {"bpfo": 0.5, "bpfi": 0.5, "bsf": 0.3}
"""Least modulation depth of the envelope by impacts of each fault. Healthy bearings, bent shafts
and misalignment reached 0.43 on the rigs at hand."""
DEPTH_SCALE: Final = 0.5
"""Scale of the confidence, as a share of the least depth."""
STRANGER_DB: Final = 6.0
"""A line that nothing explains, so much above the fault's own highest harmonic …"""
STRANGER_CONFIDENCE: Final = 0.7
"""… limits the confidence: the machine may have another part that repeats."""
HARMONIC_DB: Final = 3.0
"""A harmonic or sideband so high over chance counts as found."""


def bearing_diagnosis(
    matches: Sequence[FaultMatch],
    bearing: Bearing,
    speed_rpm: float,
    points: Sequence[str] = (),
) -> Diagnosis:
    """Judge what the search found in a recording.

    Parameters
    ----------
    matches : sequence of FaultMatch
        From `auscult.dsp.diagnosis.diagnose_bearing`, best first; may be empty.
    bearing : Bearing
    speed_rpm : float
        Stated shaft speed, to report the one that was found.
    points : sequence of str
        Names of the channels, in their order; the clearest one becomes the location.

    Returns
    -------
    Diagnosis
        Confidence is 0.5 at the limits of naming.
    """
    if not matches:
        return Diagnosis(UNCLEAR, 0.0, Said("bearing_not_carried"))
    best = matches[0]
    next_db = max([0.0, *(match.evidence_db for match in matches[1:])])
    ahead_db = best.evidence_db - next_db
    confidence = confidence_of(best, ahead_db)
    name = best.fault.upper()
    lines = {
        Said("harmonic", {"line": name, "order": n}): db for n, db in best.harmonics_db.items()
    }
    lines[Said("sidebands", {"line": name})] = best.sidebands_db
    found = tuple(line for line, db in lines.items() if db >= HARMONIC_DB)
    missing = tuple(line for line in lines if line not in found)
    speed = speed_rpm * best.speed_scale
    hz = best.order * speed_rpm / 60
    if confidence is None:
        said = Said(
            "no_bearing_fault", {"line": name, "db": best.evidence_db, "ahead_db": ahead_db}
        )
        return Diagnosis(UNCLEAR, 0.0, said, found, missing)
    fault = FAULT_CLASS[best.fault]
    point = points[best.channel] if points else None
    said = Said(
        "bearing_fault",
        {
            "bearing": bearing.name,
            "hz": hz,
            "order": hz * 60 / speed,
            "speed_rpm": speed,
            "db": best.evidence_db,
        },
    )
    return Diagnosis(fault, confidence, said, found, missing, point)


def confidence_of(match: FaultMatch, ahead_db: float) -> float | None:
    """Confidence 0.5..1 that this fault is there, None where it may not be named.

    Parameters
    ----------
    match : FaultMatch
    ahead_db : float
        Its evidence over that of the next explanation, which may be no fault (0 dB).
    """
    strength = min(
        (ahead_db - AHEAD_DB) / AHEAD_SCALE_DB,
        (match.depth / LEAST_DEPTH[match.fault] - 1) / DEPTH_SCALE,
    )
    if match.evidence_db <= 0 or strength < 0 or match.slip_at_edge:
        return None
    confidence = 1 - 0.5 * float(np.exp(-strength))
    if match.unexplained_db > max(match.harmonics_db.values()) + STRANGER_DB:
        return min(confidence, STRANGER_CONFIDENCE)
    return confidence
