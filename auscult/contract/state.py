"""The state of a point and of a machine: the newest decision, and what it was decided with.

Each is one record: it travels (`PointStateMessage` and `MachineStateMessage` add the time and the
sentences of reasons), is stored, and is what the API answers with (`app/views/machines.py` adds
names and freshness). A new field needs its line here, its value in `gateway/publishing/encode.py`,
and where the page shows it.
"""

from __future__ import annotations

from pydantic import Field

from auscult.contract.learning import QuestionPart
from auscult.contract.message import Count, Millis, Part
from auscult.contract.parts import (
    HandlingPart,
    Level,
    Quality,
    RepairPart,
    SuppressionPart,
    WarrantyPart,
)
from auscult.contract.records import Condition, Coverage, Provenance, Reason


class State(Part):
    """A decision with its evidence and the ids of all that made it."""

    machine: str = Field(description="Its id on its gateway")
    condition: Condition
    quality: Quality
    reasons: tuple[Reason, ...] = ()
    p_value: float | None = None
    evidence: float | None = None
    warning_level: float | None = Field(default=None, description="In the unit of `evidence`")
    alarm_level: float | None = Field(default=None, description="In the unit of `evidence`")
    ids: Provenance = Provenance()


class PointState(State):
    """The state of one measuring point."""

    point: str
    window_ms: Millis = Field(
        description="Start of the window of this decision; 0 before the first window"
    )
    score: float | None = None
    levels: dict[str, Level] = Field(default_factory=dict)
    sensor: tuple[str, ...] = Field(default=(), description="Sensor faults, empty without any")
    speed_rpm: float | None = None
    load: float | None = None


class MachineState(State):
    """The state of one machine, all points fused."""

    coverage: Coverage | None = Field(
        default=None, description="Progress of the baseline; null before the first message"
    )
    event_id: str | None = Field(default=None, description="The open event, if any")
    awaiting_approval: bool = Field(
        default=False, description="The baseline is complete, and a person must approve it"
    )
    handling: HandlingPart = Field(
        default=HandlingPart(),
        description="Of the open event, else of one that needs an acknowledgement",
    )
    unacknowledged: Count = Field(default=0, description="Events that need an acknowledgement")
    suppression: SuppressionPart | None = Field(
        default=None, description="Shelved, out of service or worked on, if so"
    )
    repair: RepairPart | None = Field(
        default=None, description="Of the last planned work on this baseline"
    )
    questions: tuple[QuestionPart, ...] = Field(
        default=(),
        description="Stretches without an event to answer, the most informative first; "
        "label the id of one as that of an event",
    )
    warranty: WarrantyPart | None = Field(
        default=None, description="What the charts promise; null before the first baseline"
    )
