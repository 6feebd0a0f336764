"""The JSON messages, one pydantic model each, from which the JSON Schemas are generated.

Their parts are in `parts.py`; messages of learning and of sources have files of their own.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import from_json

from auscult.contract.event import Event
from auscult.contract.inventory import Configuration, Inventory
from auscult.contract.learning import (
    Checkpoints,
    DeltaPart,
    LearnedUpdate,
    Lesson,
    PreviewPart,
)
from auscult.contract.message import Count, Message, MessageId, Millis, Part
from auscult.contract.parts import (
    AccountPart,
    ClipKind,
    Quality,
    SpectrumKind,
    UpdatePart,
    WordedReason,
)
from auscult.contract.records import SEVERITY as SEVERITY
from auscult.contract.records import Condition as Condition
from auscult.contract.records import Contribution as Contribution
from auscult.contract.records import Coverage as Coverage
from auscult.contract.records import Provenance as Provenance
from auscult.contract.records import ReasonKind as ReasonKind
from auscult.contract.run_up import RunUpMessage
from auscult.contract.said import Said, said_of_older
from auscult.contract.state import MachineState, PointState
from auscult.contract.tables import TableHead
from auscult.contract.trials import TrialPart

MAX_PAYLOAD_BYTES = 1_000_000
"""Larger payloads are rejected unread: a spectrum of 6400 lines takes about 60 kB."""

MAX_HZ = 1e9
"""Beyond any converter; larger numbers overflow where they are multiplied."""
MAX_SHELF_S = 7 * 86_400
"""For a longer time a machine is taken out of service, which needs another right (ISA-18.2)."""
MAX_WORK_S = 30 * 86_400
"""Longest planned work with a stated end."""


class Status(Message):
    """The gateway's own health; retained, and its last will says `offline`."""

    schema_name: ClassVar[str] = "auscult/v1/status"

    state: Literal["online", "offline"]
    version: str = ""
    instance: str = Field(
        default="",
        max_length=64,
        description="Made once for each data folder: distinguishes two gateways with the same id",
    )
    started_ms: Millis = 0
    clock_synchronised: bool | None = None
    clock_error_ms: float | None = Field(
        default=None, description="Largest error of the clock, by the kernel"
    )
    time_services: tuple[str, ...] = Field(
        default=(), description="Running time services (NTP, PTP), as far as they can be seen"
    )
    cpu_percent: float | None = None
    memory_mb: float | None = None
    disk_free_mb: float | None = None
    temperature_c: float | None = None
    outbox_pending: int = 0
    outbox_dropped: int = 0
    windows_total: int = 0
    windows_skipped: int = Field(
        default=0, description="Windows left out since the start because of overload"
    )
    clock_steps: int = Field(default=0, description="Changes of the wall clock since the start")
    clock_step_s: float | None = Field(default=None, description="The last step; forward > 0")
    storing: bool = Field(default=True, description="False while the database fails")
    certificate_days: float | None = Field(
        default=None,
        description="Days until the gateway's client certificate expires (negative: since); "
        "none without one",
    )
    sources: dict[str, str] = Field(
        default_factory=dict, description="Each source with `ok` or its fault"
    )
    sources_said: dict[str, Said] = Field(
        default_factory=dict, description="`sources` as codes with values"
    )
    troubles: dict[str, str] = Field(
        default_factory=dict,
        description="Each part of the gateway that failed lately, with its fault; empty = healthy",
    )
    troubles_said: dict[str, Said] = Field(
        default_factory=dict, description="`troubles` as codes with values"
    )
    platform: str = Field(
        default="", description="Processor and Python of the gateway, as `x86_64-3.11`"
    )
    updatable: bool = Field(default=False, description="It takes updates from the dashboard")
    update: UpdatePart | None = None
    account: AccountPart | None = Field(
        default=None, description="False events: promised and observed; null of older gateways"
    )


class PointStateMessage(PointState, Message):
    """The state of one point; retained, sent on change and as a slow heartbeat."""

    schema_name: ClassVar[str] = "auscult/v1/point_state"

    reasons: tuple[WordedReason, ...] = ()


class MachineStateMessage(MachineState, Message):
    """The state of one machine; retained, sent on change and as a slow heartbeat."""

    schema_name: ClassVar[str] = "auscult/v1/machine_state"

    reasons: tuple[WordedReason, ...] = ()
    coverage: Coverage


class EventMessage(Event, Message):
    """An event's start, update or end. `id` is of the message, `event_id` of the event."""

    schema_name: ClassVar[str] = "auscult/v1/event"

    id: MessageId
    reasons: tuple[WordedReason, ...] = ()


class Trend(Message):
    """Feature values of one point over an interval: minimum, mean and maximum."""

    schema_name: ClassVar[str] = "auscult/v1/trend"

    id: MessageId
    machine: str
    point: str
    start_ms: Millis
    end_ms: Millis
    windows: Count
    condition: Condition
    quality: Quality = Field(
        default="good", description="`uncertain` if the sensor was doubtful in any of the windows"
    )
    values: dict[str, tuple[float, float, float]] = Field(
        description="Feature name to (minimum, mean, maximum) over the interval"
    )
    units: dict[str, str]


class SpectrumMessage(Message):
    """One spectrum with its measuring conditions (ISO 13373)."""

    schema_name: ClassVar[str] = "auscult/v1/spectrum"

    id: MessageId
    machine: str
    point: str
    event_id: MessageId | None = None
    kind: SpectrumKind
    window_ms: Millis
    f0_hz: float = Field(ge=0, le=MAX_HZ)
    df_hz: float = Field(gt=0, le=MAX_HZ)
    values: tuple[float, ...] = Field(min_length=1)
    unit: str
    quality: Quality = "good"
    fs_hz: float
    window: str
    averages: int
    overlap: float
    band_hz: tuple[float, float] | None = Field(
        default=None, description="Demodulation band of an envelope spectrum"
    )
    speed_rpm: float | None = None
    load: float | None = None
    condition: Condition | None = Field(
        default=None, description="Condition of the point at the measurement"
    )
    baseline_id: str = Field(
        default="", description="Baseline of this condition; empty while learning"
    )


class Clip(Message):
    """A piece of a raw signal, sent on request: this header, a line feed, then the samples.

    The samples are int16, little-endian; physical value = sample × `scale`, in `unit`.
    """

    schema_name: ClassVar[str] = "auscult/v1/clip"

    id: MessageId = Field(description="The id of the command that asked for it")
    machine: str
    point: str
    kind: ClipKind = Field(
        description="The last seconds, or the end of the baseline's healthy period"
    )
    t0_ms: Millis = Field(description="Time of the first sample")
    t0_ns: int | None = Field(
        default=None, ge=0, lt=2**63, description="The same in ns; None from an older gateway"
    )
    clock: str = Field(
        default="",
        max_length=256,
        description="Sampling clock: clips with the same one may be compared in "
        "phase. Empty = shared with no other point, or unknown",
    )
    fs_hz: float = Field(gt=0, le=MAX_HZ)
    unit: str
    n: int = Field(ge=1, description="Number of samples after the header's line feed")
    encoding: Literal["int16"] = "int16"
    scale: float = Field(gt=0, le=1e30)
    actor: str = Field(max_length=128, description="Who asked for it")
    baseline_id: str = ""
    speed_rpm: float | None = None
    samples: SkipJsonSchema[bytes] = Field(default=b"", exclude=True, repr=False)

    def payload(self) -> bytes:
        """Return header, line feed and samples."""
        return self.to_json() + b"\n" + self.samples

    @classmethod
    def read(cls, payload: bytes) -> Self:
        """Check header and length of a received clip.

        Raises
        ------
        ValueError
            If it is malformed.
        """
        header, _, samples = payload.partition(b"\n")
        said = from_json(header)
        if not isinstance(said, dict):
            raise ValueError("the header is no JSON object")  # noqa: TRY004 - as all malformed ones
        return cls.model_validate({**said, "samples": samples})

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if len(self.samples) != 2 * self.n:
            raise ValueError(f"{len(self.samples)} bytes for {self.n} samples of 2 bytes each")
        return self


MAX_ACTOR = 128


class Command(Message):
    """A request to a gateway; its name is in the topic and determines `args`.

    It is rejected if doubled (same `id`), late (after `expires_ms`) or malformed.
    """

    schema_name: ClassVar[str] = "auscult/v1/command"

    id: MessageId
    actor: str = Field(min_length=1, max_length=MAX_ACTOR)
    expires_ms: Millis
    args: dict[str, Any] = Field(default_factory=dict)
    key: str = Field(
        default="", max_length=64, description="Public Ed25519 key of the sender, hexadecimal"
    )
    signature: str = Field(
        default="",
        max_length=128,
        description="By `key`, of topic, `id`, `actor`, `expires_ms` and `args`, hexadecimal. "
        "Without it the actor is recorded as reported over MQTT, not as a person",
    )


class ProblemPart(Part):
    """A problem of one value of a command's `args`."""

    path: tuple[str | int, ...] = Field(description='e.g. `["machines", 0, "points", 1, "fs_hz"]`')
    text: str
    said: Said | None = Field(default=None, description="`text` as code and values")


class Acknowledgement(Message):
    """The gateway's answer to a command: done with its result, or rejected with the reason."""

    schema_name: ClassVar[str] = "auscult/v1/ack"

    id: MessageId = Field(description="The command's id")
    command: str
    ok: bool
    said: Said | None = Field(default=None, description="Its result, or why it was rejected")
    lesson: LearnedUpdate | None = None
    preview: PreviewPart | None = Field(default=None, description="Of `preview_label`")
    delta: DeltaPart | None = Field(default=None, description="Of `export_delta`")
    trial: TrialPart | None = Field(default=None, description="Of `try_source`")
    table: TableHead | None = Field(default=None, description="Of `read_table`")
    problems: tuple[ProblemPart, ...] = Field(
        default=(),
        description="Of `configure` and `map_table`: all problems, each with its place",
    )

    _of_older = model_validator(mode="before")(said_of_older)

    @property
    def text(self) -> str:
        """Return what it says, in English."""
        return self.said.text if self.said else ""


class Receipt(Message):
    """A receiver's confirmation that it stored messages, or will never store them.

    After a first receipt, a gateway keeps each message with an `id` until its receipt comes. A
    receipt without ids says that the receiver is active.
    """

    schema_name: ClassVar[str] = "auscult/v1/receipt"

    ids: tuple[MessageId, ...] = Field(
        default=(), max_length=5000, description="The `id` of each message, whatever its kind"
    )
    key: str = Field(
        default="", max_length=64, description="Public Ed25519 key of the sender, hexadecimal"
    )
    signature: str = Field(
        default="",
        max_length=128,
        description="By `key`, of topic, `ts` and `ids`, hexadecimal. A gateway with "
        '`unsigned_commands = "reject"` rejects a receipt without it',
    )


MESSAGES: tuple[type[Message], ...] = (
    Status,
    Inventory,
    Configuration,
    MachineStateMessage,
    PointStateMessage,
    EventMessage,
    Lesson,
    Checkpoints,
    Trend,
    SpectrumMessage,
    RunUpMessage,
    Clip,
    Command,
    Acknowledgement,
    Receipt,
)
"""All message types, for the schemas and for tests."""
