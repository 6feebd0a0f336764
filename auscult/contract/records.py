"""The records that decide, travel and answer: conditions, reasons, updates of heads.

Every number that reaches a person carries the ids of its model and baseline, so that it can be
reproduced.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar, Final, Literal, NamedTuple

from auscult.contract.said import Said
from auscult.contract.words import words_in


class Condition(StrEnum):
    """The condition of a point or a machine (ISO 13374 state detection)."""

    LEARNING = "learning"
    """No baseline yet; ISO zones and fixed limits already apply."""
    NORMAL = "normal"
    WARNING = "warning"
    ALARM = "alarm"
    UNKNOWN = "unknown"
    """Sensor fault, stale data, or an operating state that the baseline does not hold."""


SEVERITY = {
    Condition.NORMAL: 0,
    Condition.LEARNING: 1,
    Condition.UNKNOWN: 2,
    Condition.WARNING: 3,
    Condition.ALARM: 4,
}
"""Rank of the conditions: the machine has the highest of its points."""
DEPARTED: Final = (Condition.WARNING, Condition.ALARM)
"""The machine departs from its baseline or exceeds a limit."""
RECOVERED: Final = (Condition.NORMAL, Condition.LEARNING)
"""The machine does not depart, as far as it is known; `unknown` is neither."""


class ReasonKind(StrEnum):
    """Kind of the rule behind a reason; the kinds are shown separately."""

    LEARNED = "learned"
    ISO_ZONE = "iso_zone"
    FIXED_LIMIT = "fixed_limit"
    SENSOR = "sensor"
    STATE = "state"
    TREND = "trend"
    """A forecast, which causes no condition."""


@dataclass(frozen=True, slots=True)
class OperatingState:
    """Operating state of the machine during a window, as far as it is known.

    Parameters
    ----------
    speed_rpm : float or None
        Shaft speed in r/min, 0 at rest, or None where unknown.
    load : float or None
        Load in the unit the plant uses (per cent, N, kW …), or None where unknown.
    tags : mapping
        Further names of the state, for example ``{"recipe": "B"}``.
    """

    speed_rpm: float | None = None
    load: float | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


SAME_STATE_SPEED: Final = 0.02
"""Speeds within 2 % are one state: slip of an induction motor from idle to full load."""
SAME_STATE_LOAD: Final = 0.04
"""Loads within 4 % of the larger are one state."""
Direction = Literal["axial", "horizontal", "vertical"]
"""Direction of measurement."""
IsoClass = Literal["group1", "group2", "I", "II", "III", "IV"]
"""ISO 20816-3 group or ISO 10816-1 class."""
ZoneLetter = Literal["A", "B", "C", "D"]
"""Zone of ISO 20816."""
NAMED_CHANGES = 3
"""Contributions that a reason's text names."""


WIRE: Final = {"use_attribute_docstrings": True, "extra": "ignore", "allow_inf_nan": False}
"""How messages read those records below that they carry as they are (configuration of pydantic)."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """Change of one feature, and its share of the score."""

    __pydantic_config__: ClassVar = WIRE

    feature: str
    value: float
    """In `unit`"""
    baseline: float
    """In `unit`"""
    unit: str
    sigma: float
    """Robust z-score of the move, signed"""
    share: float
    """Part of the score from this feature, 0..1"""
    change_db: float | None = None
    """20·log10(value/baseline) of an amplitude; None of a ratio, a frequency or a time"""
    title: str = ""
    """The feature's name in English"""
    low_hz: float | None = None
    """Lower edge of the band that the feature is of"""
    high_hz: float | None = None
    """Upper edge of that band"""
    order: float | None = None
    """The band's middle in multiples of shaft speed"""

    @property
    def change(self) -> str:
        """Return how the feature moved, in English, for example ``overall r.m.s. +6.0 dB``."""
        if self.change_db is None:
            unit = "" if self.unit == "1" else f" {self.unit}"
            return f"{self.title} {self.baseline:.3g} → {self.value:.3g}{unit}"
        return f"{self.title} {self.change_db:+.1f} dB"


@dataclass(frozen=True, slots=True)
class Reason:
    """One statement why a condition is what it is.

    It decides, is stored and is answered with as it is; MQTT carries it as a `WordedReason`.
    """

    __pydantic_config__: ClassVar = WIRE

    kind: ReasonKind
    condition: Condition
    said: Said
    """The statement; its words may also use the reason's other fields"""
    point: str | None = None
    value: float | None = None
    limit: float | None = None
    unit: str | None = None
    fault: str | None = None
    """Fault class named by the diagnosis (inner, outer, gear, imbalance …)"""
    confidence: float | None = None
    """0..1, only where `fault` is given"""
    matched: tuple[Said, ...] = ()
    """Symptoms of the fault that were found (ISO 13379)"""
    missing: tuple[Said, ...] = ()
    """Symptoms of the fault that were looked for and not found"""
    contributions: tuple[Contribution, ...] = ()
    prescription: str | None = None
    """Key of what to do about the fault, for example `bearing.outer.stage2`"""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(_of_any_version, handler(source))

    @property
    def text(self) -> str:
        """The statement in English."""
        return self.render()

    def render(self, language: str = "en") -> str:
        """Return the statement, made of the sentence's values and of the reason's own."""
        words, named = words_in(language), self.contributions[:NAMED_CHANGES]
        titles = [words.feature(one.title, one.feature, one.unit) for one in named]
        changes = (replace(one, title=t).change for one, t in zip(named, titles, strict=True))
        return self.said.render(
            language,
            value=self.value,
            limit=self.limit,
            unit=self.unit,
            fault=self.fault,
            point=self.point,
            matched=self.matched,
            missing=self.missing,
            changes=", ".join(changes),
        )


def _of_any_version(reason: Any) -> Any:
    """Convert a reason that another version wrote.

    Versions before 0.4 wrote symptoms as text beside their codes, those before 0.2 only text. A
    later version may use codes that have no words here: its text stands in for them.
    """
    if not isinstance(reason, dict):
        return reason
    said, text = reason.get("said"), reason.get("text")
    if text and not (said and (said if isinstance(said, Said) else Said(said["code"])).known):
        said = _quoted(text)
    return {
        **reason,
        "said": said,
        **{
            name: [_quoted(one) for one in reason.get(f"{name}_said") or reason.get(name) or ()]
            for name in ("matched", "missing")
        },
    }


def _quoted(words: Any) -> Any:
    return {"code": "text", "values": {"text": words}} if isinstance(words, str) else words


@dataclass(frozen=True, slots=True)
class Provenance:
    """The ids of what made a number, so that it can be made again; empty where there is none."""

    __pydantic_config__: ClassVar = WIRE

    model_id: str = ""
    baseline_id: str = ""
    spec_id: str = ""
    checkpoint_id: str = ""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Completeness of the baseline (the coverage meter), and what it lacks."""

    __pydantic_config__: ClassVar = WIRE

    phase: Literal["collecting", "training", "ready"]
    fraction: float
    """0..1, of the least fulfilled requirement"""
    windows: int
    windows_needed: int
    states: tuple[str, ...] = ()
    """Operating states"""
    settled: bool = False
    outliers: int = 0
    lacks: tuple[Said, ...] = ()
    because: Said | None = None
    """Why the machine learns again although it had learned before"""
    moved: tuple[Said, ...] = ()
    """How far the reference of a value has moved since commissioning, where it has"""

    @property
    def missing(self) -> tuple[str, ...]:
        """Return what it lacks, in English."""
        return tuple(one.text for one in self.lacks)


@dataclass(frozen=True, slots=True)
class Detectable:
    """The least change of a value, or fault, that would be found at a point, at its budget.

    A change is found within a day, a week or a month of running if it has at least this size; None
    where no size is. Sizes of a level are factors, those of other values distances, those of a
    fault the peak that it adds to the signal.
    """

    __pydantic_config__: ClassVar = WIRE

    point: str
    change: Literal["step", "drift", "outer", "inner", "gear", "imbalance"]
    """A step of a value, a drift of it that has reached its size when it is found, or a fault"""
    unit: str
    """``×`` for a factor"""
    name: str = ""
    """Name of the value's feature, or of the bearing"""
    day: float | None = None
    week: float | None = None
    month: float | None = None


class Warranty(NamedTuple):
    """What a machine promises: false events a year on average, and when it is at its sharpest.

    ``days_missing`` is the healthy operation, in days, after which small changes are found as fast
    as with a long baseline; 0 = now. ``wider`` is the factor of the learned limits by the account
    of false events.
    """

    false_alarms_per_year: float
    days_missing: float
    wider: float = 1.0


@dataclass(frozen=True, slots=True)
class DeltaImport:
    """A request to apply what another machine has learned.

    ``device`` and ``machine`` are where the delta was made; ``actor`` asked for it.
    """

    request_id: str
    delta_id: str
    device: str
    machine: str
    actor: str
    at_ns: int


class CheckpointState(StrEnum):
    """State of a checkpoint; at most one of a machine is active."""

    ACTIVE = "active"
    CANDIDATE = "candidate"
    REJECTED = "rejected"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class Metrics:
    """Metrics of weights and thresholds, from a replay of the stored windows."""

    __pydantic_config__: ClassVar = WIRE

    false_alarm_rate: float
    """Share of healthy replay windows beyond the limit of one window, 0..1"""
    faults_detected: int
    faults_total: int
    labelled_false_alarms_silenced: int
    labelled_false_alarms_total: int
    alarms_per_week: float
    """Labelled events that would alarm again, per week of replay; a shorter replay = one week."""
    threshold: float
    healthy_windows: int = 0
    """Healthy replay windows: of the healthy period, and of normal running since. Gateways up to
    version 0.2 do not count them: 0."""
    healthy_beyond: int = 0
    """Those of them that lie beyond the limit"""


@dataclass(frozen=True, slots=True)
class HeadUpdate:
    """What one label or delta changed on the gateway, whether it was accepted, and why."""

    __pydantic_config__: ClassVar = WIRE

    label_id: str
    """Id of the label, or of the request for a delta"""
    checkpoint_id: str
    """Empty in a preview"""
    parent_id: str
    accepted: bool
    """Decision of the gate"""
    said: Said
    """Why it was accepted or rejected"""
    before: Metrics
    after: Metrics
    weights_change_norm: float
    duration_ms: float
    contradicts: tuple[str, ...] = ()
    """Events with the opposite label: a person has to decide"""
    advice_said: Said | None = None
    """What else to do: take a new baseline, where heads are full"""
    silenced: tuple[str, ...] = ()
    """Stored events that no longer alarm, the newest 50; the labelled one may be among them"""
    raised: tuple[str, ...] = ()
    """Stored events that alarm again, the newest 50"""

    @property
    def advised(self) -> Said:
        """Return the reason with the advice."""
        if self.advice_said is None:
            return self.said
        return Said("sentences", {"parts": (self.said, self.advice_said)})


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A stored version of weights and thresholds, some kB; ``sha256`` is of the payload."""

    checkpoint_id: str
    parent_id: str | None
    machine: str
    created_ns: int
    state: CheckpointState
    reason: Said
    metrics_before: Metrics | None
    metrics_after: Metrics | None
    size_bytes: int
    sha256: str
