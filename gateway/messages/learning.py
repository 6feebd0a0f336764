"""What the gateway tells of its learning: lessons, and the versions they made."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from auscult.gateway.messages.message import Message, MessageId, Millis, Part
from auscult.models.records import Metrics as Metrics

VerdictName = Literal["confirmed_fault", "false_alarm", "planned_work", "unsure"]
MAX_DELTA_BYTES = 256 * 1024
"""Largest delta that is exchanged: one point takes at most 8 kB."""


class LessonPart(Part):
    """What one label changed on the device, and whether it was accepted."""

    label_id: str
    checkpoint_id: str
    parent_id: str
    accepted: bool
    reason: str
    before: Metrics
    after: Metrics
    weights_change_norm: float
    duration_ms: float
    contradicts: tuple[str, ...] = Field(
        default=(), description="Events whose labels say the opposite: a person has to decide"
    )
    advice: str = Field(default="", description="What else to do, e.g. take a new baseline")
    silenced: tuple[str, ...] = Field(
        default=(),
        description="Remembered events that no longer alarm, the newest 50; the labelled one may "
        "be among them",
    )
    raised: tuple[str, ...] = Field(
        default=(), description="Remembered events that alarm again, the newest 50"
    )


class PreviewPart(Part):
    """What a label would change, tried on a copy: nothing was stored, nothing changed."""

    verdict: VerdictName
    kind: str | None = None
    waits: str = Field(
        default="", description="What the label would wait for; empty = it would be learned at once"
    )
    reason: str = Field(description="What it would do, in words")
    offer: Literal["new_baseline"] | None = Field(
        default=None, description="What the gateway would offer to do next"
    )
    effect: LessonPart | None = Field(
        default=None,
        description="None where the verdict changes nothing, or nothing yet; its `accepted` is the "
        "gate's word, its `checkpoint_id` empty",
    )


class Lesson(Message):
    """A label with what it changed: an entry of the ledger.

    A label that waits is told at once with its `reason`, and again with its `lesson`.
    """

    schema_name: ClassVar[str] = "auscult/v1/lesson"

    id: MessageId
    label_id: str = Field(
        default="",
        max_length=64,
        description="The id of the command that carried the label; empty = that of `lesson`",
    )
    machine: str
    event_id: MessageId
    verdict: VerdictName
    kind: str | None = None
    actor: str
    note: str = ""
    reason: str = Field(default="", description="What it did in words, or what it waits for")
    offer: Literal["new_baseline"] | None = Field(
        default=None, description="What the gateway offers to do next"
    )
    lesson: LessonPart | None = Field(
        default=None, description="None where the verdict changes nothing (unsure), or yet"
    )


class DeltaPart(Part):
    """What labels have taught a machine, signed, for another machine with the same baseline."""

    id: str = Field(description="Hash of its content")
    checkpoint_id: str = Field(description="The version it was made of")
    baseline_id: str
    spec_id: str = Field(description="Names the features of all points")
    labels: int = Field(description="How many taught it")
    key: str = Field(description="Public key that signed it, hexadecimal")
    data: str = Field(description="Base64 of the file, as `auscult delta apply` takes it")


class CheckpointPart(Part):
    """A version of a machine's heads, and what made it."""

    id: str
    parent_id: str | None = None
    created_ms: Millis
    state: Literal["active", "candidate", "rejected", "retired"]
    reason: str
    baseline_id: str = ""
    kept: bool = Field(description="Whether it can be gone back to")
    size_bytes: int = 0
    label_id: str | None = None
    event_id: str | None = None
    verdict: VerdictName | None = None
    kind: str | None = None
    actor: str = ""
    before: Metrics | None = None
    after: Metrics | None = None


class ShadowPart(Part):
    """How far the shadow run of a candidate has come."""

    windows: int
    windows_needed: int
    hours_needed: float
    active_beyond: int = Field(description="Healthy windows beyond the limit, as judged now")
    candidate_beyond: int = Field(description="… and as the candidate judges them")


class WaitingPart(Part):
    """A label that was taken and is not learned yet."""

    label_id: str
    event_id: str


class BaselinePart(Part):
    """A baseline that is kept; `roll_back` with its id lets it judge again."""

    id: str
    since_ms: Millis
    active: bool


class Checkpoints(Message):
    """The versions of a machine's heads and baselines, newest first; retained."""

    schema_name: ClassVar[str] = "auscult/v1/checkpoints"

    machine: str
    active: str
    candidate: str | None = None
    shadow: ShadowPart | None = None
    checkpoints: tuple[CheckpointPart, ...] = ()
    waiting: tuple[WaitingPart, ...] = ()
    baselines: tuple[BaselinePart, ...] = ()
