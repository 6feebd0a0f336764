"""Messages about learning: what labels changed, and the checkpoints that they made."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from auscult.contract.label import Label, Verdict
from auscult.contract.message import Count, Message, MessageId, Millis, Part
from auscult.contract.records import Detectable, HeadUpdate
from auscult.contract.records import Metrics as Metrics
from auscult.contract.said import Said, said_of_older

MAX_DELTA_BYTES = 256 * 1024
"""Largest delta of a message: one point takes at most 8 kB."""


LearnedUpdate = Annotated[HeadUpdate, BeforeValidator(said_of_older)]
"""What a label or delta changed, of any version."""


class QuestionPart(Part):
    """A stretch of time without an event that people are asked about: was it normal.

    The answer is a label on ``id``: `false_alarm` = normal, `confirmed_fault`, or `unsure`.
    """

    id: MessageId
    cause: Literal["near_miss", "new_state"]
    start_ms: Millis
    end_ms: Millis
    windows: Count
    sigma: float = Field(description="Mean normal score of its windows; higher = more informative")
    points: tuple[str, ...] = ()
    said: Said = Field(description="Why it is asked")


class PreviewPart(Part):
    """What a label would change, tried on a copy: nothing was stored, nothing changed."""

    verdict: Verdict
    kind: str | None = None
    waits_said: Said | None = Field(
        default=None,
        description="What the label would wait for; null = it would be learned at once",
    )
    said: Said = Field(description="What it would do")
    offer: Literal["new_baseline"] | None = Field(
        default=None, description="What the gateway would offer to do next"
    )
    effect: LearnedUpdate | None = Field(
        default=None,
        description="None where the verdict changes nothing, or nothing yet; its `accepted` is the "
        "gate's decision, its `checkpoint_id` empty",
    )


class Lesson(Label, Message):
    """A label with what it changed: an entry of the ledger. `id` is of the message.

    A label that waits is published at once with what it waits for, and again with its `lesson`.
    """

    schema_name: ClassVar[str] = "auscult/v1/lesson"

    id: MessageId
    said: Said | None = Field(default=None, description="What it did, or what it waits for")
    offer: Literal["new_baseline"] | None = Field(
        default=None, description="What the gateway offers to do next"
    )
    lesson: LearnedUpdate | None = Field(
        default=None, description="None where the verdict changes nothing (unsure), or yet"
    )

    @model_validator(mode="before")
    @classmethod
    def _of_older(cls, sent: Any) -> Any:
        """Read versions before 0.4, which did not say when, those before 0.2 not which label."""
        if not isinstance(sent, dict):
            return sent
        update = sent.get("lesson")
        learned = update.get("label_id") if isinstance(update, dict) else None
        identity = sent.get("label_id") or learned or sent.get("id")
        return {"created_ms": sent.get("ts"), **said_of_older(sent), "label_id": identity}


class DeltaPart(Part):
    """What a machine has learned from labels, signed, for another one with the same baseline."""

    id: str = Field(description="Hash of its content")
    checkpoint_id: str = Field(description="The checkpoint it was made of")
    baseline_id: str
    spec_id: str = Field(description="Names the features of all points")
    labels: int = Field(description="How many labels are behind it")
    key: str = Field(description="Public key that signed it, hexadecimal")
    data: str = Field(description="Base64 of the file, as `auscult delta apply` takes it")


class VersionPart(Part):
    """An earlier version of the same answer."""

    id: str
    created_ms: Millis


class CheckpointPart(Part):
    """What one answer, delta or return made of a machine's heads.

    The gateway trains an answer again on windows that come later. All its trainings are one entry:
    `id`, `state`, `said` and `after` are of the newest version, `parent_id`, `created_ms` and
    `before` of the first.
    """

    id: str
    parent_id: str | None = None
    created_ms: Millis
    trainings: Count = Field(default=1, description="Trainings of this answer")
    rejected: Count = Field(
        default=0,
        description="Later ones among them that the gate rejected: stored by gateways "
        "up to version 0.2",
    )
    versions: tuple[VersionPart, ...] = Field(
        default=(), description="Its earlier versions to which a return is possible, newest first"
    )
    state: Literal["active", "candidate", "rejected", "retired"]
    said: Said | None = Field(default=None, description="Why it is what it is")
    baseline_id: str = ""
    kept: bool = Field(description="Whether a return to it is possible")
    size_bytes: int = 0
    label_id: str | None = None
    event_id: str | None = None
    verdict: Verdict | None = None
    kind: str | None = None
    actor: str = ""
    before: Metrics | None = None
    after: Metrics | None = None

    _of_older = model_validator(mode="before")(said_of_older)


class ShadowPart(Part):
    """Progress of the shadow run of a candidate."""

    windows: int
    windows_needed: int
    hours_needed: float
    active_beyond: int = Field(description="Healthy windows beyond the limit of the active heads")
    candidate_beyond: int = Field(description="… and beyond the candidate's")


class WaitingPart(Part):
    """A label that is stored and not learned yet."""

    label_id: str
    event_id: str


class BaselinePart(Part):
    """A stored baseline; `roll_back` with its id makes it active again."""

    id: str
    since_ms: Millis
    active: bool


class Checkpoints(Message):
    """The checkpoints of a machine's heads and its baselines, newest first; retained."""

    schema_name: ClassVar[str] = "auscult/v1/checkpoints"

    machine: str
    active: str
    candidate: str | None = None
    shadow: ShadowPart | None = None
    checkpoints: tuple[CheckpointPart, ...] = ()
    waiting: tuple[WaitingPart, ...] = ()
    baselines: tuple[BaselinePart, ...] = ()
    detectable: tuple[Detectable, ...] = Field(
        default=(), description="The least changes and faults that the active baseline would find"
    )
