"""Which fault the symptoms match, with those that are found and those that are missing (ISO 13379).

`diagnose` weighs how features moved against the baseline, in a fault × symptom matrix. A fault that
does not stand out is "unclear". Bearings have a second way: `bearing_diagnosis.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from auscult.dsp.spec import FeatureSpec
from auscult.models.records import Condition, Reason, ReasonKind, Said

UNCLEAR: Final = "unclear"
BEARING_CODES: Final = frozenset({"bearing_fault", "no_bearing_fault", "bearing_not_carried"})
"""What `bearing_diagnosis.py` says."""
MATRIX_UNCLEAR: Final = frozenset({"unclear", "no_symptom"})
FAULT_CLASS: Final = {"bpfo": "outer", "bpfi": "inner", "bsf": "ball", "ftf": "cage"}
FAULT_WORDS: Final = {
    "outer": "outer-race defect",
    "inner": "inner-race defect",
    "ball": "ball or roller defect",
    "cage": "cage defect",
    "imbalance": "imbalance",
    "misalignment": "misalignment",
    "looseness": "looseness",
    "gear": "gear damage",
    "rub": "rub",
    "electrical": "electrical fault",
}

MOVED_SIGMA: Final = 3.0
"""A symptom is there when its feature moved this far from the baseline."""
NAMED: Final = 0.6
"""Share of a fault's weighted symptoms that must match for it to be named …"""
AHEAD: Final = 0.15
"""… and be this much more than that of the next fault."""
LINE_HZ: Final = (100.0, 120.0)
"""Twice the mains frequency: magnetic forces of motors and generators."""

MATRIX: Final[Mapping[str, Mapping[str, float]]] = {
    "imbalance": {"1× rose": 3, "2× steady": 1, "envelope steady": 1},
    "misalignment": {"2× rose": 3, "1× or 3× rose": 1, "envelope steady": 1},
    "looseness": {"1× rose": 1, "2× rose": 1, "3× rose": 2, "impulsive": 1},
    "outer": {"BPFO lines rose": 3, "BPFO stands out": 1, "high bands or impulses rose": 1},
    "inner": {"BPFI lines rose": 3, "BPFI sidebands rose": 1, "high bands or impulses rose": 1},
    "ball": {"BSF lines rose": 3, "BSF sidebands rose": 1, "high bands or impulses rose": 1},
    "cage": {"FTF lines rose": 3, "FTF stands out": 1},
    "gear": {"gear mesh moved": 2, "gear-mesh sidebands rose": 2, "shaft-spaced sidebands": 1},
    "rub": {"broad band rose": 2, "impulsive": 1, "asymmetric": 1},
    "electrical": {"twice line frequency rose": 3, "1× steady": 1, "envelope steady": 1},
}
"""Fault × symptom, with weights: the first symptom is what the fault is known by."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A named fault (or ``unclear``) with its confidence 0..1 and its symptoms."""

    fault: str
    confidence: float
    text: str
    matched: tuple[str, ...]
    missing: tuple[str, ...]
    said: Said
    point: str | None = None
    """Where it shows best, None where that is not known."""

    def reason(self, condition: Condition, point: str | None = None) -> Reason:
        """Make a reason of a decision on `point`; its ``fault`` is None where it is unclear."""
        named = self.fault != UNCLEAR
        return Reason(
            ReasonKind.LEARNED,
            condition,
            self.text,
            point=point or self.point,
            fault=self.fault if named else None,
            confidence=self.confidence if named else None,
            matched=self.matched,
            missing=self.missing,
            said=self.said,
        )


def without_superseded(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """Leave out what a stronger reason replaces.

    The lines of a bearing (`BEARING_CODES`) speak for the machine: what the matrix says of bearings
    at single points is weaker, and "no bearing fault" gives way to any fault that is named.
    """
    bearing = set(FAULT_CLASS.values())
    found = any(_code(r) == "bearing_fault" for r in reasons)
    named = any(r.fault is not None for r in reasons)

    def replaced(reason: Reason) -> bool:
        if _code(reason) in BEARING_CODES:
            return named and reason.fault is None
        return found and (reason.fault in bearing or _code(reason) in MATRIX_UNCLEAR)

    return tuple(r for r in reasons if not replaced(r))


def _code(reason: Reason) -> str:
    return reason.said.code if reason.said else ""


def diagnose(spec: FeatureSpec, sigmas: Mapping[str, float]) -> Diagnosis | None:
    """Weigh how features moved against the baseline.

    Parameters
    ----------
    spec : FeatureSpec
    sigmas : mapping of feature to float
        Signed robust z-scores against the baseline.

    Returns
    -------
    Diagnosis or None
        None for sound, whose features say where but not what.

    Examples
    --------
    >>> spec = FeatureSpec.vibration(25600, 25600, "g", nominal_speed_rpm=1500)
    >>> moved = dict.fromkeys(spec.model_names, 0.0) | {"order_1x": 12.0, "rms": 4.0}
    >>> diagnosis = diagnose(spec, moved)
    >>> diagnosis.fault, diagnosis.matched
    ('imbalance', ('1× rose', '2× steady', 'envelope steady'))
    """
    if spec.kind == "sound":
        return None
    symptoms = _symptoms(spec, sigmas)
    shares = {}
    for fault, row in MATRIX.items():
        known = {symptom: weight for symptom, weight in row.items() if symptom in symptoms}
        leading = next(iter(row))
        if leading in known and symptoms[leading]:
            matched = sum(weight for symptom, weight in known.items() if symptoms[symptom])
            shares[fault] = matched / sum(row.values())
    if not shares:
        return _unclear("no fault's leading symptom is there", "no_symptom")
    ranked = sorted(shares, key=lambda fault: -shares[fault])
    best = ranked[0]
    ahead = shares[best] - (shares[ranked[1]] if len(ranked) > 1 else 0.0)
    matched_ones = tuple(s for s in MATRIX[best] if symptoms.get(s))
    missing = tuple(s for s in MATRIX[best] if not symptoms.get(s))
    if shares[best] < NAMED or ahead < AHEAD:
        also = f" or {FAULT_WORDS[ranked[1]]}" if len(ranked) > 1 else ""
        text = f"unclear: {FAULT_WORDS[best]}{also} possible"
        said = Said("unclear", {"faults": tuple(ranked[:2])})
        return Diagnosis(UNCLEAR, 0.0, text, matched_ones, missing, said)
    text = f"{FAULT_WORDS[best]} likely: {', '.join(matched_ones)}"
    text += f"; {', '.join(missing)} missing" if missing else ""
    confidence = shares[best] * min(1.0, 0.5 + ahead)
    return Diagnosis(best, confidence, text, matched_ones, missing, Said("diagnosis"))


def _symptoms(spec: FeatureSpec, sigmas: Mapping[str, float]) -> dict[str, bool]:
    """Which symptoms are there; those whose features the point lacks are absent."""
    found: dict[str, bool] = {}

    def rose(feature: str) -> bool:
        return sigmas.get(feature, 0.0) >= MOVED_SIGMA

    envelope = [v for name, v in sigmas.items() if name.startswith("envelope_band_")]
    bands = np.array([sigmas.get(f"band_{i:02d}", 0.0) for i in range(len(spec.band_edges_hz))])
    impulsive = rose("kurtosis") or rose("crest_factor")
    found["impulsive"] = impulsive
    found["envelope steady"] = bool(not envelope or np.median(envelope) < MOVED_SIGMA)
    found["asymmetric"] = abs(sigmas.get("skewness", 0.0)) >= MOVED_SIGMA
    found["broad band rose"] = bool(np.mean(bands >= MOVED_SIGMA) > 0.5)
    high = bands[len(bands) * 2 // 3 :]
    found["high bands or impulses rose"] = impulsive or bool(np.median(high) >= MOVED_SIGMA)
    if "order_1x" in sigmas:
        found["1× rose"] = rose("order_1x")
        found["1× steady"] = not found["1× rose"]
        found["2× rose"] = rose("order_2x") and sigmas["order_2x"] > sigmas["order_1x"] / 2
        found["2× steady"] = not found["2× rose"]
        found["3× rose"] = rose("order_3x")
        found["1× or 3× rose"] = found["1× rose"] or found["3× rose"]
    for fault in FAULT_CLASS:
        if f"{fault}_level" in sigmas:
            up = fault.upper()
            found[f"{up} lines rose"] = rose(f"{fault}_prominence")
            found[f"{up} stands out"] = found[f"{up} lines rose"] and _leads(fault, sigmas)
            found[f"{up} sidebands rose"] = rose(f"{fault}_sidebands")
            found[f"{up} lines rose"] &= _leads(fault, sigmas)
    if "gear_mesh_level" in sigmas:
        found["gear mesh moved"] = abs(sigmas["gear_mesh_level"]) >= MOVED_SIGMA
        found["gear-mesh sidebands rose"] = rose("gear_mesh_sidebands")
        found["shaft-spaced sidebands"] = rose("cepstrum_shaft")
    line = [
        bool(bands[i] >= MOVED_SIGMA and bands[i] >= bands.max())
        for i, (low, high_hz) in enumerate(spec.band_edges_hz)
        if any(low <= hz < high_hz for hz in LINE_HZ)
    ]
    found["twice line frequency rose"] = any(line)
    return found


def _leads(fault: str, sigmas: Mapping[str, float]) -> bool:
    """Whether this fault's comb rose at least as much as any other's."""
    own = sigmas[f"{fault}_prominence"]
    return all(own >= sigmas.get(f"{other}_prominence", 0.0) for other in FAULT_CLASS)


def _unclear(why: str, code: str) -> Diagnosis:
    return Diagnosis(UNCLEAR, 0.0, f"unclear: {why}", (), (), Said(code))
