"""Which fault the departed features speak of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dsp.spec import FeatureSpec
from models.records import Condition, Reason, ReasonKind


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A named fault with its confidence 0..1 and the symptoms found and missed."""

    fault: str
    confidence: float
    text: str
    matched: tuple[str, ...]
    missing: tuple[str, ...]

    def reason(self, point: str, condition: Condition) -> Reason:
        """As a reason of a decision."""
        return Reason(
            ReasonKind.LEARNED,
            condition,
            self.text,
            point=point,
            fault=self.fault,
            confidence=self.confidence,
            matched=self.matched,
            missing=self.missing,
        )


def diagnose(spec: FeatureSpec, sigmas: Mapping[str, float]) -> Diagnosis | None:
    """Name the bearing fault whose envelope lines rose most, None if none did."""
    rose = {
        fault: sigmas.get(f"{fault}_prominence", 0.0)
        for fault in spec.faults_carried()
        if sigmas.get(f"{fault}_prominence", 0.0) > 3.0
    }
    if not rose:
        return None
    fault = max(rose, key=lambda name: rose[name])
    return Diagnosis(fault, 0.5, f"envelope lines at {fault.upper()} rose", (f"{fault} lines",), ())
