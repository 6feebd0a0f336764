"""Which fault the symptoms match, with those that are found and those that are missing (ISO 13379).

`diagnose` weighs how features moved against the baseline, in a fault × symptom matrix. A fault that
does not stand out is "unclear". Bearings have a second way: `bearing_diagnosis.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from auscult.contract.records import Condition, Reason, ReasonKind
from auscult.contract.said import Said
from auscult.dsp.spec import FeatureSpec

UNCLEAR: Final = "unclear"
BEARING_FOUND: Final = frozenset(
    {"bearing_fault", "bearing_part_unclear", "bearing_comb", "bearing_cage", "bearing_impacts"}
)
BEARING_CODES: Final = BEARING_FOUND | {"no_bearing_fault", "bearing_not_carried"}
"""What `bearing_diagnosis.py` says, and `drive_diagnosis.py` of impacts."""
MATRIX_UNCLEAR: Final = frozenset({"unclear", "no_symptom"})
SHAFT_FAULTS: Final = frozenset({"imbalance", "misalignment", "bent", "looseness"})
DRIVE_FAULTS: Final = frozenset(
    {"electrical", "blades", "belt", "turbulence", "cavitation", "rub", "lubrication"}
)
"""Of drives, flow and friction: what `drive_diagnosis.py` names."""
FAULT_CLASS: Final = {"bpfo": "outer", "bpfi": "inner", "bsf": "ball", "ftf": "cage"}

MOVED_SIGMA: Final = 3.0
"""A symptom is there when its feature moved this far from the baseline."""
NAMED: Final = 0.6
"""Share of a fault's weighted symptoms that must match for it to be named …"""
AHEAD: Final = 0.15
"""… and be this much more than that of the next fault."""
MOST_CONFIDENT: Final = 0.5
"""The matrix follows textbooks, and no rig at hand has an event of a shaft, a drive or a rub that
could confirm its names. Damaged bearings move the same features (docs/results.md)."""
MOST_CONFIDENT_OF_BEARING: Final = 0.75
"""It knows a bearing by the bearing's own lines: right in 42 of 42 events."""
LINE_HZ: Final = (100.0, 120.0)
"""Twice the mains frequency: magnetic forces of motors and generators."""

_ROSE: Final = {order: Said("order_rose", {"order": order}) for order in (1, 2, 3)}
_STEADY: Final = {order: Said("order_steady", {"order": order}) for order in (1, 2)}
_ORDER_1_OR_3_ROSE: Final = Said("order_1_or_3_rose")
_BEARING_LINES: Final = Said("bearing_lines_rose")
_BEARING_SIDEBANDS: Final = Said("bearing_sidebands_rose")
_ENVELOPE_STEADY: Final = Said("envelope_steady")
_HIGH_BANDS: Final = Said("high_bands_rose")
_IMPULSIVE: Final = Said("impulsive")
_ASYMMETRIC: Final = Said("asymmetric")
_BROAD_BAND: Final = Said("broad_band_rose")
_GEAR_MESH: Final = Said("gear_mesh_moved")
_GEAR_SIDEBANDS: Final = Said("gear_sidebands_rose")
_SHAFT_SIDEBANDS: Final = Said("shaft_sidebands")
_LINE_FREQUENCY: Final = Said("line_frequency_rose")

MATRIX: Final[Mapping[str, Mapping[Said, float]]] = {
    "imbalance": {_ROSE[1]: 3, _STEADY[2]: 1, _ENVELOPE_STEADY: 1},
    "misalignment": {_ROSE[2]: 3, _ORDER_1_OR_3_ROSE: 1, _ENVELOPE_STEADY: 1},
    "looseness": {_ROSE[1]: 1, _ROSE[2]: 1, _ROSE[3]: 2, _IMPULSIVE: 1},
    "bearing": {_BEARING_LINES: 3, _BEARING_SIDEBANDS: 1, _HIGH_BANDS: 1},
    "gear": {_GEAR_MESH: 2, _GEAR_SIDEBANDS: 2, _SHAFT_SIDEBANDS: 1},
    "rub": {_BROAD_BAND: 2, _IMPULSIVE: 1, _ASYMMETRIC: 1},
    "electrical": {_LINE_FREQUENCY: 3, _STEADY[1]: 1, _ENVELOPE_STEADY: 1},
}
"""Fault × symptom, with weights: the first symptom is what the fault is known by. A window is too
short to tell the parts of a bearing apart: `bearing_diagnosis.py` names them."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A named fault (or ``unclear``) with its confidence 0..1 and its symptoms."""

    fault: str
    confidence: float
    said: Said
    matched: tuple[Said, ...] = ()
    missing: tuple[Said, ...] = ()
    point: str | None = None
    """Where it shows best, None where that is not known."""
    prescription: str | None = None
    """Key of what to do, for example ``bearing.outer.stage2``; None where no fault is named."""

    @property
    def text(self) -> str:
        """Return the diagnosis in English."""
        return self.said.render(fault=self.fault, matched=self.matched, missing=self.missing)

    @classmethod
    def from_reason(cls, reason: Reason) -> Diagnosis:
        """Return the diagnosis that a reason was made of."""
        return cls(
            reason.fault or UNCLEAR,
            reason.confidence or 0.0,
            reason.said,
            reason.matched,
            reason.missing,
            reason.point,
            reason.prescription,
        )

    def reason(self, condition: Condition, point: str | None = None) -> Reason:
        """Make a reason of a decision on `point`; its ``fault`` is None where it is unclear."""
        named = self.fault != UNCLEAR
        return Reason(
            ReasonKind.LEARNED,
            condition,
            self.said,
            point=point or self.point,
            fault=self.fault if named else None,
            confidence=self.confidence if named else None,
            matched=self.matched,
            missing=self.missing,
            prescription=self.prescription,
        )


def part_of_machine(found: Diagnosis) -> str:
    """Return what a search looked at: ``bearing``, ``shaft``, ``gear`` or ``drive``."""
    if found.said.code in BEARING_CODES:
        return "bearing"
    possible = found.said.values.get("faults", ())
    faults = {found.fault, *(possible if isinstance(possible, tuple) else ())}
    if faults & DRIVE_FAULTS:
        return "drive"
    return "gear" if found.fault == "gear" else "shaft"


def without_superseded(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """Leave out what a stronger reason replaces.

    The lines of a bearing (`BEARING_CODES`) speak for the machine: what the matrix says of bearings
    at single points is weaker, and "no bearing fault" gives way to any fault that is named. What a
    search named of shafts, gears and drives (it has a prescription) replaces what the matrix says
    of them.
    """
    bearing = {"bearing", *FAULT_CLASS.values()}
    found = any(r.said.code in BEARING_FOUND for r in reasons)
    named = any(r.fault is not None for r in reasons)
    searched = {r.fault for r in reasons if r.prescription is not None}
    by_search = (SHAFT_FAULTS if searched & SHAFT_FAULTS else set()) | (
        searched & (DRIVE_FAULTS | {"gear"})
    )

    def replaced(reason: Reason) -> bool:
        if reason.said.code in BEARING_CODES:
            return named and reason.fault is None
        unclear = reason.said.code in MATRIX_UNCLEAR
        if by_search and reason.prescription is None and (reason.fault in by_search or unclear):
            return True
        return found and (reason.fault in bearing or unclear)

    return tuple(r for r in reasons if not replaced(r))


def diagnose(
    spec: FeatureSpec, sigmas: Mapping[str, float], moved_db: Mapping[str, float] | None = None
) -> Diagnosis | None:
    """Weigh how features moved against the baseline.

    Parameters
    ----------
    spec : FeatureSpec
    sigmas : mapping of feature to float
        Signed robust z-scores against the baseline, mean over the windows of an event.
    moved_db : mapping of feature to float, optional
        Change of levels in dB. A line that rose no more than most bands says nothing of a shaft,
        a drive or a gear: the whole machine, or its sensor, became louder.

    Returns
    -------
    Diagnosis or None
        None for sound and overall values, whose features say where but not what.

    Examples
    --------
    >>> spec = FeatureSpec.vibration(25600, 25600, "g", nominal_speed_rpm=1500)
    >>> moved = dict.fromkeys(spec.model_names, 0.0) | {"order_1x": 12.0, "rms": 4.0}
    >>> diagnosis = diagnose(spec, moved)
    >>> diagnosis.fault, [symptom.text for symptom in diagnosis.matched]
    ('imbalance', ['1× rose', '2× steady', 'envelope steady'])
    """
    if spec.kind != "vibration":
        return None
    symptoms = _symptoms(spec, sigmas, moved_db or {})
    shares = {}
    for fault, row in MATRIX.items():
        known = {symptom: weight for symptom, weight in row.items() if symptom in symptoms}
        leading = next(iter(row))
        if leading in known and symptoms[leading]:
            matched = sum(weight for symptom, weight in known.items() if symptoms[symptom])
            shares[fault] = matched / sum(row.values())
    if not shares:
        return Diagnosis(UNCLEAR, 0.0, Said("no_symptom"))
    ranked = sorted(shares, key=lambda fault: -shares[fault])
    best = ranked[0]
    ahead = shares[best] - (shares[ranked[1]] if len(ranked) > 1 else 0.0)
    matched_ones = tuple(s for s in MATRIX[best] if symptoms.get(s))
    missing = tuple(s for s in MATRIX[best] if not symptoms.get(s))
    if best == "rub":
        # Impacts of a damaged bearing look the same: on uestc it read "rub" in 19 of 60 events.
        said = Said("unclear", {"faults": ("bearing", "rub")})
        return Diagnosis(UNCLEAR, 0.0, said, matched_ones, missing)
    if shares[best] < NAMED or ahead < AHEAD:
        said = Said("unclear", {"faults": tuple(ranked[:2])})
        return Diagnosis(UNCLEAR, 0.0, said, matched_ones, missing)
    most = MOST_CONFIDENT_OF_BEARING if best == "bearing" else MOST_CONFIDENT
    confidence = min(most, shares[best] * min(1.0, 0.5 + ahead))
    return Diagnosis(best, confidence, Said("diagnosis"), matched_ones, missing)


def _symptoms(
    spec: FeatureSpec, sigmas: Mapping[str, float], moved_db: Mapping[str, float]
) -> dict[Said, bool]:
    """Return which symptoms are there; those whose features the point lacks are absent."""
    found: dict[Said, bool] = {}
    names = [f"band_{i:02d}" for i in range(len(spec.band_edges_hz))]
    common_db = max(0.0, float(np.median([moved_db.get(name, 0.0) for name in names])))

    def rose(feature: str) -> bool:
        return sigmas.get(feature, 0.0) >= MOVED_SIGMA

    def stands_out(feature: str) -> bool:
        """Return whether a level rose beyond what most bands did."""
        sigma, own_db = sigmas.get(feature, 0.0), moved_db.get(feature, 0.0)
        beyond = (own_db - common_db) / own_db if own_db > 0 else 1.0
        return sigma * beyond >= MOVED_SIGMA

    envelope = [v for name, v in sigmas.items() if name.startswith("envelope_band_")]
    bands = np.array([sigmas.get(name, 0.0) for name in names])
    impulsive = rose("kurtosis") or rose("crest_factor")
    found[_IMPULSIVE] = impulsive
    found[_ENVELOPE_STEADY] = bool(not envelope or np.median(envelope) < MOVED_SIGMA)
    found[_ASYMMETRIC] = abs(sigmas.get("skewness", 0.0)) >= MOVED_SIGMA
    found[_BROAD_BAND] = bool(np.mean(bands >= MOVED_SIGMA) > 0.5)
    high = bands[len(bands) * 2 // 3 :]
    found[_HIGH_BANDS] = impulsive or bool(np.median(high) >= MOVED_SIGMA)
    if "order_1x" in sigmas:
        found[_ROSE[1]] = stands_out("order_1x")
        found[_STEADY[1]] = not rose("order_1x")
        found[_ROSE[2]] = stands_out("order_2x") and sigmas["order_2x"] > sigmas["order_1x"] / 2
        found[_STEADY[2]] = not (rose("order_2x") and sigmas["order_2x"] > sigmas["order_1x"] / 2)
        found[_ROSE[3]] = stands_out("order_3x")
        found[_ORDER_1_OR_3_ROSE] = found[_ROSE[1]] or found[_ROSE[3]]
    lines = [line for line in FAULT_CLASS if f"{line}_level" in sigmas]
    if lines:
        found[_BEARING_LINES] = any(rose(f"{line}_prominence") for line in lines)
        found[_BEARING_SIDEBANDS] = any(rose(f"{line}_sidebands") for line in lines)
    if "gear_mesh_level" in sigmas:
        found[_GEAR_MESH] = abs(sigmas["gear_mesh_level"]) >= MOVED_SIGMA
        found[_GEAR_SIDEBANDS] = rose("gear_mesh_sidebands")
        found[_SHAFT_SIDEBANDS] = rose("cepstrum_shaft")
    line = [
        bool(stands_out(names[i]) and bands[i] >= bands.max())
        for i, (low, high_hz) in enumerate(spec.band_edges_hz)
        if any(low <= hz < high_hz for hz in LINE_HZ)
    ]
    found[_LINE_FREQUENCY] = any(line)
    return found
