"""Rows of the result of `auscult evaluate`; the names are part of its JSON format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Detection:
    """Figures of healthy and faulty windows; None if a kind of window is missing.

    A withheld window is one without a score; it counts as not flagged, and below all others in the
    AUC.
    """

    auc: float | None
    fpr: float | None
    """Share of healthy windows beyond the limit."""
    tpr: float | None
    by_fault: dict[str, float]
    n_baseline: int
    n_healthy: int
    n_faulty: int
    withheld_healthy: int = 0
    withheld_faulty: int = 0
    withheld_because: dict[str, int] = field(default_factory=dict)
    """Withheld windows by cause: a sensor fault, or `no_baseline`."""


@dataclass(frozen=True, slots=True)
class RunToFailure:
    """Figures of a run to failure: lead times, last condition, and alerts early in life."""

    first_warning_lead_min: float | None
    first_alarm_lead_min: float | None
    condition_at_end: str
    warning_share_20_50: float
    alarm_share_20_50: float


@dataclass(frozen=True, slots=True)
class Naming:
    """Diagnoses of recordings of one true fault class."""

    recordings: int = 0
    named_right: int = 0
    named_wrong: int = 0
    unclear: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """One row: the figures of a detector on a machine or point under a protocol."""

    dataset: str
    machine: str | None
    """None for all machines of a data set together."""
    protocol: str
    detector: str
    point: str | None
    figures: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Convert to a flat JSON object."""
        own = asdict(self)
        return {**{k: v for k, v in own.items() if k != "figures"}, **own["figures"]}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Result:
        """Read what `to_json` gave."""
        names = {one.name for one in fields(cls)} - {"figures"}
        figures = {key: value for key, value in row.items() if key not in names}
        return cls(**{name: row[name] for name in names}, figures=figures)
