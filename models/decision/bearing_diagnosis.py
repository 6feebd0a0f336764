"""Whether a bearing is damaged, which part, and how sure that is: a decision that does not guess.

A fault is named if its explanation of the envelope's lines is well ahead of the next one's, if its
harmonics modulate the envelope as deeply as impacts do, and if no comb at another order explains
more: then the stated bearing is another one. Where impacts repeat but their part is not clear, the
bearing is named without its part. What stays below says "unclear".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from auscult.contract.said import Said
from auscult.dsp.bearing import Bearing
from auscult.dsp.cage_lines import CageLines
from auscult.dsp.combs import Comb
from auscult.dsp.diagnosis import BearingLines, FaultMatch
from auscult.models.decision.bearing_stage import HARMONIC_DB, PLAIN_DB, stage_of
from auscult.models.decision.diagnosis import FAULT_CLASS, UNCLEAR, Diagnosis

BEARING: Final = "bearing"
"""Class of a damaged bearing whose part is not clear."""
LEAST_AHEAD_DB: Final = 10.0
"""Least lead of the evidence over the next explanation; where the depth is at its least …"""
AHEAD_DB: Final = 15.0
"""… the lead must be this large: strength is lead × depth over the product of both."""
LEAST_DEPTH: Final = {"bpfo": 0.5, "bpfi": 0.5, "bsf": 0.3}
"""Least modulation depth of the envelope by impacts of each fault. Healthy bearings, bent shafts
and misalignment reached 0.43 on the rigs at hand."""
ELSEWHERE: Final = 0.015
"""A comb so far from the named order, as a share of it, is another comb."""
STRAINED_DB: Final = 30.0
"""What a comb may gain over the fault by leaving the stated order and the speed that it needs."""
FULL_SWING_DB: Final = -6.0
"""Sidebands at ± shaft as high as those of an amplitude that swings between 0 and twice its mean.
A race at rest keeps its place in the load zone: higher ones fit a part that turns as well."""
STILL_DB: Final = -20.0
"""Lower sidebands at ± shaft: the amplitude swings by less than 20 % in a turn. A race that turns
through its load zone does so by more (−14 dB and above on real rigs), so an inner race without
sidebands may be the outer race of a larger bearing …"""
LEAST_INNER: Final = 4.05
"""… and an outer race with sidebands, at this order or above, the inner race of a smaller one: that
turns at half the number of balls and more, 7 balls at least."""
STRANGER_DB: Final = 6.0
"""A line that nothing explains, so much above the fault's own highest harmonic: the machine may
have another part that repeats."""
LOOSE_SPEED: Final = 0.004
"""A speed that the lines hold no better than this share depends on the fault's order …"""
FAR_ORDER: Final = 0.02
"""… and with it an order so far from the stated one may be that of another bearing."""
DOUBTFUL: Final = 0.7
"""Most confidence in each of these cases."""
COMB_DEPTH: Final = 0.6
"""Least modulation depth of a comb at any order: healthy rigs reached 0.5."""
COMB_STRENGTH: Final = 2.5
"""Least strength of such a comb: it was chosen among many orders."""
COMB_CONFIDENCE: Final = 0.75
"""Most confidence in a comb that no stated bearing explains: other parts may repeat too …"""
UNKNOWN_CONFIDENCE: Final = 0.6
"""… and in one of a machine without any stated bearing."""
IMPULSIVE: Final = 5.0
"""Least kurtosis of a signal whose cage lines speak for the bearing …"""
CAGE_DB: Final = 12.0
"""… and least evidence of these lines: healthy rigs reached 10 dB, a simulated rub 9 dB. A loose
foot reached 20 dB without impacts."""
CAGE_CONFIDENCE: Final = (0.6, 0.75)
"""Confidence in a bearing from its cage, at the least evidence and at much more …"""
CAGE_SCALE_DB: Final = 10.0
"""… on this scale."""
OUTER_SHARE: Final = 0.4
INNER_SHARE: Final = 0.6
"""Ball-pass orders over the number of balls of almost every bearing."""


def bearing_diagnosis(
    found: BearingLines,
    bearing: Bearing,
    speed_rpm: float,
    points: Sequence[str] = (),
) -> Diagnosis:
    """Judge what the search found in a recording.

    Parameters
    ----------
    found : BearingLines
        From `auscult.dsp.diagnosis.diagnose_bearing`.
    bearing : Bearing
        Without any order, only a comb can be named.
    speed_rpm : float
        Stated shaft speed, to report the one that was found.
    points : sequence of str
        Names of the channels, in their order; the nearest one becomes the location.

    Returns
    -------
    Diagnosis
        Confidence is 0.5 at the limits of naming. The fault is ``inner``, ``outer``, ``ball``,
        ``bearing`` (its part is not clear) or ``unclear``.
    """
    if not found.matches:
        return _comb_diagnosis(found.comb, bearing, speed_rpm, points) or Diagnosis(
            UNCLEAR, 0.0, Said("bearing_not_carried")
        )
    best = found.matches[0]
    confidence = confidence_of(found)
    matched, missing = _symptoms(best)
    if confidence is None:
        return (
            _part_unclear(found, bearing, speed_rpm, points)
            or _comb_diagnosis(found.comb, bearing, speed_rpm, points)
            or _cage_diagnosis(found.cage, bearing, speed_rpm, points)
            or Diagnosis(
                UNCLEAR,
                0.0,
                Said(
                    "no_bearing_fault",
                    {
                        "line": best.fault.upper(),
                        "db": best.evidence_db,
                        "ahead_db": ahead_db(found),
                    },
                ),
                matched,
                missing,
            )
        )
    fault = FAULT_CLASS[best.fault]
    stage = stage_of(best)
    low, high = best.speed_interval
    said = Said(
        "bearing_fault",
        {
            "bearing": bearing.name,
            "hz": best.order * speed_rpm / 60,
            "order": best.order / (low + high) * 2,
            "speed_rpm": speed_rpm * (low + high) / 2,
            "error_rpm": speed_rpm * (high - low) / 2,
            "db": best.evidence_db,
            "stage": stage,
        },
    )
    point = points[best.channel] if points else None
    key = f"bearing.{fault}.stage{stage}"
    return Diagnosis(fault, confidence, said, matched, missing, point, key)


def ahead_db(found: BearingLines) -> float:
    """Evidence of the best fault over that of the next explanation; no fault has 0 dB."""
    best, *others = found.matches
    return best.evidence_db - max([0.0, *(match.evidence_db for match in others)])


def confidence_of(found: BearingLines) -> float | None:
    """Return the confidence 0.5..1 in the best fault, None where it may not be named.

    Parameters
    ----------
    found : BearingLines
        With at least one match.
    """
    best, comb = found.matches[0], found.comb
    ahead, least = ahead_db(found), LEAST_DEPTH[best.fault]
    strength = ahead / AHEAD_DB * best.depth / least
    if ahead < LEAST_AHEAD_DB or best.depth < least or strength < 1 or best.slip_at_edge:
        return None
    doubtful = best.unexplained_db > max(best.harmonics_db.values()) + STRANGER_DB
    if best.fault == "bpfo":
        like_inner = best.order > LEAST_INNER and best.swing_db > STILL_DB
        doubtful |= like_inner or best.swing_db > FULL_SWING_DB
    if best.fault == "bpfi":
        doubtful |= best.swing_db < STILL_DB
    low, high = best.speed_interval
    far = abs((1 + best.slip) * best.speed_scale - 1) > FAR_ORDER
    doubtful |= far and (high - low) / 2 > LOOSE_SPEED
    if comb is not None:
        # A ball's comb that explains more as that of a race is one.
        elsewhere = best.fault == "bsf" or abs(comb.order / best.order - 1) > ELSEWHERE
        if elsewhere and comb.evidence_db > best.evidence_db:
            return None
        free_db = comb.plain_db if best.fault == "bpfo" else comb.zoned_db
        doubtful |= free_db > best.evidence_db + STRAINED_DB
    confidence = 1 - 0.5 / strength
    return min(confidence, DOUBTFUL) if doubtful else confidence


def _symptoms(match: FaultMatch) -> tuple[tuple[Said, ...], tuple[Said, ...]]:
    name = match.fault.upper()
    lines = {
        Said("harmonic", {"line": name, "order": n}): db for n, db in match.harmonics_db.items()
    }
    lines[Said("sidebands", {"line": name})] = match.sidebands_db
    found = [line for line, db in lines.items() if db >= HARMONIC_DB]
    missing = tuple(line for line in lines if line not in found)
    found += [
        Said("line_in_spectrum", {"line": name, "order": n})
        for n, db in match.plain_db.items()
        if db >= PLAIN_DB
    ]
    return tuple(found), missing


def _part_unclear(
    found: BearingLines, bearing: Bearing, speed_rpm: float, points: Sequence[str]
) -> Diagnosis | None:
    """Name the bearing where two of its parts explain the lines about equally well."""
    best, *others = found.matches
    strength = best.evidence_db / AHEAD_DB * best.depth / COMB_DEPTH
    tied = others and ahead_db(found) < LEAST_AHEAD_DB
    if not tied or best.synchronous or best.slip_at_edge or best.depth < COMB_DEPTH:
        return None
    elsewhere = found.comb is not None and found.comb.evidence_db > best.evidence_db
    if strength < COMB_STRENGTH or elsewhere:
        return None
    said = Said(
        "bearing_part_unclear",
        {
            "bearing": bearing.name,
            "faults": tuple(FAULT_CLASS[match.fault] for match in (best, others[0])),
            "order": best.order / best.speed_scale,
            "speed_rpm": speed_rpm * best.speed_scale,
        },
    )
    point = points[best.channel] if points else None
    confidence = min(COMB_CONFIDENCE, 1 - 1 / strength)
    return Diagnosis(BEARING, confidence, said, *_symptoms(best), point, "bearing.unclear")


def _comb_diagnosis(
    comb: Comb | None, bearing: Bearing, speed_rpm: float, points: Sequence[str]
) -> Diagnosis | None:
    """Name an unknown bearing by the comb that stands out, as long as the shaft can't make it."""
    if comb is None or comb.synchronous or comb.depth < COMB_DEPTH:
        return None
    strength = comb.evidence_db / AHEAD_DB * comb.depth / COMB_DEPTH
    if strength < COMB_STRENGTH:
        return None
    said = Said(
        "bearing_comb",
        {
            "bearing": bearing.name,
            "order": comb.order,
            "hz": comb.order * speed_rpm / 60,
            "speed_rpm": speed_rpm,
            "outer_balls": round(comb.order / OUTER_SHARE),
            "inner_balls": round(comb.order / INNER_SHARE),
        },
    )
    point = points[comb.channel] if points else None
    most = COMB_CONFIDENCE if bearing.name else UNKNOWN_CONFIDENCE
    confidence = min(most, 1 - 1 / strength)
    return Diagnosis(BEARING, confidence, said, (), (), point, "bearing.unclear")


def _cage_diagnosis(
    cage: CageLines | None, bearing: Bearing, speed_rpm: float, points: Sequence[str]
) -> Diagnosis | None:
    """Name the bearing where impacts come and go with its cage."""
    if cage is None or cage.evidence_db < CAGE_DB or cage.kurtosis < IMPULSIVE:
        return None
    said = Said(
        "bearing_cage",
        {
            "bearing": bearing.name,
            "order": cage.order,
            "hz": cage.order * speed_rpm / 60,
            "speed_rpm": speed_rpm,
            "kurtosis": cage.kurtosis,
        },
    )
    point = points[cage.channel] if points else None
    low, high = CAGE_CONFIDENCE
    confidence = high - (high - low) * float(np.exp((CAGE_DB - cage.evidence_db) / CAGE_SCALE_DB))
    return Diagnosis(BEARING, confidence, said, (), (), point, "bearing.unclear")
