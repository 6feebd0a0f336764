"""The commands of a gateway: one row each in `Commands`, and the arguments they take.

A row is all that declares a command. The gateway calls the handler's method of the command's name
(`gateway/commands/`). The dashboard makes the endpoint of each row with a `role`
(`app/api/commands.py`), `docs/commands.md` is made of the rows, and the page names a command by
the word of its name.

The limits of what people enter (`FaultKind`, `Note`, `Why`) are declared only here; the dashboard's
API uses the same types, and the page reads them from the API's document.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from auscult.contract.label import REPORTED, Verdict
from auscult.contract.learning import MAX_DELTA_BYTES
from auscult.contract.machines import LimitSettings, MachineSettings
from auscult.contract.message import MessageId, Millis
from auscult.contract.parts import ClipKind, SpectrumKind
from auscult.contract.payloads import MAX_PAYLOAD_BYTES, MAX_SHELF_S, MAX_WORK_S, Condition
from auscult.contract.said import Rejection

MAX_KIND = 64
MAX_NOTE = 2000
MAX_WHY = 500
FaultKind = Annotated[
    str,
    Field(
        max_length=MAX_KIND,
        description="Class of the fault (inner, outer, gear, imbalance …), only with "
        "`confirmed_fault`",
    ),
]
Note = Annotated[str, Field(max_length=MAX_NOTE)]
"""A person's note on an event."""
Why = Annotated[str, Field(max_length=MAX_WHY, description="Why, for the record")]
"""A person's reason for a command."""
GivenWhy = Annotated[Why, Field(min_length=1)]
"""A reason that must be given."""
BaselineId = Annotated[str, Field(max_length=64)]
CheckpointId = Annotated[str, Field(max_length=128)]


class Args(BaseModel):
    """Arguments of a command; unknown keys are rejected."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class GivenVerdict(BaseModel):
    """A verdict on an event, and with a confirmed fault its kind: what every label starts from."""

    model_config = ConfigDict(defer_build=True)

    verdict: Verdict
    kind: FaultKind | None = None


class PreviewArgs(GivenVerdict, Args):
    """Arguments of `preview_label`: a verdict to try; it changes nothing."""

    event_id: MessageId


WorkS = Annotated[
    int | None,
    Field(
        ge=0,
        le=MAX_WORK_S,
        description="Of `planned_work`: seconds from the answer until the work is finished; 0 = it "
        "is finished, null = until `finish_work`",
    ),
]


class LabelArgs(GivenVerdict, Args):
    """Arguments of `label`: a technician's verdict on an event."""

    event_id: MessageId
    note: Note = ""
    work_s: WorkS = None


class FaultTime(BaseModel):
    """A fault that nothing detected: a stretch of time, and its kind if it is known."""

    start_ms: Millis
    end_ms: Millis
    kind: FaultKind | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.end_ms <= self.start_ms:
            raise Rejection("span_backwards")
        return self


class FaultSpan(FaultTime, Args):
    """A fault of a machine."""

    machine: str


class PreviewFaultArgs(FaultSpan):
    """Arguments of `preview_fault`: a report to try; it changes nothing."""


class ReportFaultArgs(FaultSpan):
    """Arguments of `report_fault`: the windows of this time show a fault that raised no event.

    They become an event of their own with the verdict `confirmed_fault`; a later label on that
    event replaces the report.
    """

    note: Note = ""


class AcknowledgeArgs(Args):
    """Arguments of `acknowledge`: someone knows of an event; this clears nothing.

    ``seen`` is the worst condition that the person saw: if the event has become worse since, the
    command is rejected.
    """

    event_id: MessageId
    comment: Note = ""
    seen: Condition | None = None


class CheckRepairArgs(Args):
    """Arguments of `check_repair`: what an event showed is repaired.

    The machine's next windows are compared with its baseline and with those of the event.
    """

    event_id: MessageId


class ExportDeltaArgs(Args):
    """Arguments of `export_delta`."""

    machine: str


class MachineArgs(Args):
    """Arguments of `start_baseline`: the machine, and why."""

    machine: str
    reason: Why = ""


class ShelveArgs(Args):
    """Arguments of `shelve`: hide a machine's alarms for a time, by the gateway's clock."""

    machine: str
    duration_s: int = Field(ge=1, le=MAX_SHELF_S)
    reason: GivenWhy


class OutOfServiceArgs(Args):
    """Arguments of `out_of_service`: hide a machine's alarms until further notice."""

    machine: str
    reason: GivenWhy


class ReleaseArgs(Args):
    """Arguments of `unshelve`, `return_to_service`, `finish_work`: they acknowledge open alarms."""

    machine: str
    comment: Why = ""


class RollBackArgs(Args):
    """Arguments of `roll_back`: the machine, and the checkpoint to return to (else the parent)."""

    machine: str
    checkpoint_id: CheckpointId | None = None
    baseline_id: BaselineId | None = Field(
        default=None, description="An older stored baseline; then `checkpoint_id` is unused"
    )


class ResolveArgs(Args):
    """Arguments of `promote` and `reject`: the candidate in its shadow run."""

    machine: str
    checkpoint_id: CheckpointId


MAX_DELTA_BASE64 = 4 * -(-MAX_DELTA_BYTES // 3)
"""Characters of the largest delta."""


class ImportDeltaArgs(Args):
    """Arguments of `import_delta`: what another machine with the same baseline has learned.

    It becomes a checkpoint of this machine if a trusted key signed it, if baseline, features and
    points are the same, and if the machine's own gate accepts it.
    """

    machine: str
    delta: str = Field(
        max_length=MAX_DELTA_BASE64, description="Base64 of the file of `export_delta`"
    )


class SpectrumArgs(Args):
    """Arguments of `request_spectrum`."""

    machine: str
    point: str
    kind: SpectrumKind = "spectrum"


class ClipArgs(Args):
    """Arguments of `request_clip`: a piece of a point's raw signal that the gateway still holds.

    ``kind`` is `recent` for the last seconds, `healthy` for the end of the healthy period.
    """

    machine: str
    point: str
    kind: ClipKind = "recent"
    seconds: float = Field(default=5, gt=0, le=60)


class StopBaselineArgs(Args):
    """Arguments of `stop_baseline`: end a healthy period before it is complete.

    The gateway discards the period and keeps the present baseline. With ``finish`` it fits a
    baseline to the windows so far, if they are enough.
    """

    machine: str
    finish: bool = False
    reason: Why = ""


class SetLimitsArgs(Args):
    """Arguments of `set_limits`: all fixed limits of a point from now on.

    ``limits`` None = those of the configuration again.
    """

    machine: str
    point: str
    limits: tuple[LimitSettings, ...] | None = Field(max_length=50)
    reason: Why = ""


class ConfigureArgs(Args):
    """Arguments of `configure`: the whole new list of commissioned machines with their sources.

    It replaces the list before. Machines of the gateway's own file stay unchanged, and their ids
    can't be used. A machine whose settings don't change keeps what it learned.
    """

    machines: tuple[MachineSettings, ...] = Field(max_length=2000)
    sources: tuple[dict[str, Any], ...] = Field(
        default=(), max_length=20_000, description="As `[[sources]]` of the file, as JSON"
    )
    base: str = Field(
        default="",
        max_length=64,
        description="`version` of the configuration that was changed; the command is rejected if "
        "the present one differs. Empty = any",
    )
    dry_run: bool = Field(default=False, description="Only check, change nothing")


class TrySourceArgs(Args):
    """Arguments of `try_source`: a source of overall values to open for some seconds.

    ``machine`` holds the points that the source feeds. It changes nothing.
    """

    machine: MachineSettings
    source: dict[str, Any] = Field(description="One of `[[sources]]` of the file, as JSON")


_NO_CONTROL = r"^[^\x00-\x1f]*$"


TablePath = Annotated[
    str,
    Field(max_length=500, pattern=_NO_CONTROL, description="Path in `recordings_dir`"),
]


class ReadTableArgs(Args):
    """Arguments of `read_table`: a table, and what a person says of its layout.

    What is empty is found. Without a table, the tables are listed.
    """

    table: TablePath = ""
    time: str = Field(default="", max_length=200, description="Column of the times")
    time_format: str = Field(default="", max_length=100, description="Form of the times")
    timezone: str = Field(default="", max_length=100, description="Zone of times that state none")
    tag: str = Field(default="", max_length=200, description="Long table: column of the names")
    value: str = Field(default="", max_length=200, description="Long table: column of the numbers")


class MapTableArgs(Args):
    """Arguments of `map_table`: all machines of one table of overall values."""

    table: TablePath = Field(min_length=1)
    machines: tuple[dict[str, Any], ...] = Field(
        min_length=1, max_length=500, description="As `[[machine]]` of values.toml, as JSON"
    )
    base: str = Field(
        default="",
        max_length=64,
        description="`version` of the mapping that was changed; the command is rejected if the "
        "present one differs. Empty = any",
    )
    dry_run: bool = Field(default=False, description="Only check, change nothing")


class ApproveArgs(Args):
    """Arguments of `approve_baseline`: the machine, and the baseline that was reviewed."""

    machine: str
    baseline_id: BaselineId


class PublishStatesArgs(Args):
    """Arguments of `publish_states`: none."""


class UpdateArgs(Args):
    """Arguments of `update`: download a bundle from the dashboard and have it installed.

    The gateway itself can't install. Its installer verifies the bundle's own signature.
    """

    rollout: MessageId = Field(description="Of the staged update; in the gateway's status")
    version: str = Field(max_length=64, pattern=r"^[0-9][A-Za-z0-9.+]*$")
    url: str = Field(max_length=500, pattern=r"^https?://", description="Answers to byte ranges")
    key: str = Field(max_length=64, description="For the download, as bearer token")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    size: int = Field(ge=1, le=4_000_000_000, description="Bytes")


def reported_event_id(command_id: str) -> str:
    """Return the id of the event that a report makes; the same report makes one event.

    >>> reported_event_id("c1")
    'report-d0f631ca1ddba8db3bcfcb9e'
    """
    return REPORTED + hashlib.sha256(command_id.encode()).hexdigest()[:24]


ArgsT = TypeVar("ArgsT", bound=BaseModel)
MAX_COMMAND_BYTES = 16_384
"""A label with a note of 2,000 characters in any script takes less than half of it."""
DAY_S = 86_400.0
SOON_S = 600.0
AT_ONCE_S = 60.0


Target = Literal["gateway", "machine", "point", "event"]
"""What a command is for."""


@dataclass(frozen=True, slots=True)
class CommandSpec(Generic[ArgsT]):
    """What is fixed of a command.

    Parameters
    ----------
    name : str
        Last level of its topic, name of the gateway's method, key of its words on the page.
    args : type
    about : str
        What it does, for the documentation.
    role : "technician", "engineer" or None
        Least role that may send it; None = the dashboard sends it by itself, or an endpoint of its
        own does more than send.
    lifetime_s : float
        How long the dashboard repeats an unanswered command. A verdict stays true for long. A
        command that changes a model or hides alarms must not surprise later. An acknowledgement
        names the condition that was seen, so it can't hide a worse one.
    max_bytes : int
        Largest payload.
    in_order : bool
        Whether a machine's commands are done in the order they came: of two labels the later one
        counts.
    waits : bool
        Whether it waits for other devices: the gateway does it beside the other commands.
    """

    name: str
    args: type[ArgsT]
    about: str
    role: Literal["technician", "engineer"] | None = None
    lifetime_s: float = SOON_S
    max_bytes: int = MAX_COMMAND_BYTES
    in_order: bool = False
    waits: bool = False

    @property
    def target(self) -> Target:
        """Return what it is for, by its arguments.

        >>> Commands.REQUEST_CLIP.target, Commands.SHELVE.target, Commands.UPDATE.target
        ('point', 'machine', 'gateway')
        """
        fields = self.args.model_fields
        if "event_id" in fields:
            return "event"
        if "point" in fields:
            return "point"
        of_machine = "machine" in fields and fields["machine"].annotation is str
        return "machine" if of_machine else "gateway"


class Commands:
    """Each command of a gateway."""

    LABEL = CommandSpec(
        "label",
        LabelArgs,
        "a technician's verdict on an event, or the answer to a [question](learning.md) by its id; "
        "`work_s` is the length of planned work (0 = finished, null = until `finish_work`)",
        lifetime_s=30 * DAY_S,
        in_order=True,
    )
    PREVIEW_LABEL = CommandSpec(
        "preview_label",
        PreviewArgs,
        "what that label would change, in the field `preview`; nothing changes",
        lifetime_s=AT_ONCE_S,
    )
    REPORT_FAULT = CommandSpec(
        "report_fault",
        ReportFaultArgs,
        "a fault of that time that raised no event: see [learning](learning.md)",
        lifetime_s=DAY_S / 4,
        in_order=True,
    )
    """Its windows are stored for twice as long."""
    PREVIEW_FAULT = CommandSpec(
        "preview_fault",
        PreviewFaultArgs,
        "what that report would change, in the field `preview`; nothing changes",
        lifetime_s=AT_ONCE_S,
    )
    ACKNOWLEDGE = CommandSpec(
        "acknowledge",
        AcknowledgeArgs,
        "record that someone has seen it; rejected if the condition is worse than `seen`",
        lifetime_s=DAY_S,
    )
    CHECK_REPAIR = CommandSpec(
        "check_repair",
        CheckRepairArgs,
        "what this event showed is repaired: the machine's next 20 windows tell whether the fault "
        "is gone, unchanged, or something new, in `repair` of its state. The dashboard sends it "
        "when a case is closed as repaired",
        lifetime_s=30 * DAY_S,
    )
    """A repair stays true for long: a gateway that was away checks it when it is back."""
    SHELVE = CommandSpec(
        "shelve",
        ShelveArgs,
        "hide its alarms for a time of at most a week; those that are still open then are "
        "unacknowledged again",
        "technician",
    )
    UNSHELVE = CommandSpec(
        "unshelve",
        ReleaseArgs,
        "end shelving early; alarms that are still open count as acknowledged",
        "technician",
    )
    OUT_OF_SERVICE = CommandSpec(
        "out_of_service", OutOfServiceArgs, "hide its alarms until it is returned", "engineer"
    )
    RETURN_TO_SERVICE = CommandSpec(
        "return_to_service",
        ReleaseArgs,
        "return it to service; alarms that are still open count as acknowledged",
        "engineer",
    )
    FINISH_WORK = CommandSpec(
        "finish_work",
        ReleaseArgs,
        "end planned work: the machine is assessed again and compared with before it",
        "technician",
        lifetime_s=30 * DAY_S,
    )
    """Work stays finished: a gateway that was away decides again when it is back."""
    START_BASELINE = CommandSpec(
        "start_baseline", MachineArgs, "discard the baseline and learn a new one", "engineer"
    )
    STOP_BASELINE = CommandSpec(
        "stop_baseline",
        StopBaselineArgs,
        "discard a healthy period, or `finish` it with the windows so far",
        "engineer",
    )
    SET_LIMITS = CommandSpec(
        "set_limits", SetLimitsArgs, "fixed limits; null = those of the configuration", "engineer"
    )
    ROLL_BACK = CommandSpec(
        "roll_back",
        RollBackArgs,
        "return to an earlier checkpoint (default: the parent) or baseline: see "
        "[learning](learning.md)",
        "engineer",
        in_order=True,
    )
    PROMOTE = CommandSpec(
        "promote",
        ResolveArgs,
        "end the shadow run of a candidate and use it",
        "engineer",
        in_order=True,
    )
    REJECT = CommandSpec(
        "reject",
        ResolveArgs,
        "end the shadow run of a candidate and discard it",
        "engineer",
        in_order=True,
    )
    EXPORT_DELTA = CommandSpec(
        "export_delta",
        ExportDeltaArgs,
        "what labels changed, signed: the field `delta` holds it as base64",
        lifetime_s=AT_ONCE_S,
    )
    IMPORT_DELTA = CommandSpec(
        "import_delta",
        ImportDeltaArgs,
        "apply the delta of another machine (base64, at most 256 kB): trusted key, same baseline "
        "and features, own gate",
        max_bytes=MAX_COMMAND_BYTES + MAX_DELTA_BASE64,
        in_order=True,
    )
    REQUEST_SPECTRUM = CommandSpec(
        "request_spectrum",
        SpectrumArgs,
        "a spectrum of the last window; it appears among the point's spectra",
        "technician",
        lifetime_s=AT_ONCE_S,
    )
    REQUEST_CLIP = CommandSpec(
        "request_clip",
        ClipArgs,
        "raw samples, if the gateway may send them; they appear among the point's clips",
        "technician",
        lifetime_s=AT_ONCE_S,
    )
    CONFIGURE = CommandSpec(
        "configure", ConfigureArgs, "commission machines", max_bytes=MAX_PAYLOAD_BYTES
    )
    """Some 1,000 machines with their points and sources."""
    TRY_SOURCE = CommandSpec(
        "try_source",
        TrySourceArgs,
        "what a source of values delivers within 10 s, in the field `trial`; nothing is stored "
        "([record 39](decisions/0039-sources-the-page-may-set-up.md)). Only from a trusted "
        "dashboard",
        lifetime_s=AT_ONCE_S,
        waits=True,
    )
    READ_TABLE = CommandSpec(
        "read_table",
        ReadTableArgs,
        "the tables below `recordings_dir`, or the head of one with its mapping, in the field "
        "`table` ([record 60](decisions/0060-tables-are-mapped-one-at-a-time.md)). Only from a "
        "trusted dashboard",
        lifetime_s=AT_ONCE_S,
        waits=True,
    )
    MAP_TABLE = CommandSpec(
        "map_table",
        MapTableArgs,
        "check the machines of a table of overall values and put them into `values.toml`. Only "
        "from a trusted dashboard",
        lifetime_s=AT_ONCE_S,
        max_bytes=MAX_PAYLOAD_BYTES,
        waits=True,
    )
    APPROVE_BASELINE = CommandSpec(
        "approve_baseline", ApproveArgs, "approve a baseline that waits for it", "engineer"
    )
    PUBLISH_STATES = CommandSpec(
        "publish_states",
        PublishStatesArgs,
        "publish inventory, configuration, checkpoints, status and all states again: for a reader "
        "without retained messages, such as one behind a bridge or a data diode, and after someone "
        "cleared them at the broker",
        "engineer",
        lifetime_s=AT_ONCE_S,
    )
    UPDATE = CommandSpec(
        "update",
        UpdateArgs,
        "download a bundle from the dashboard and have it installed. Only from a trusted dashboard",
    )


COMMANDS: Mapping[str, CommandSpec[Any]] = {
    spec.name: spec for spec in vars(Commands).values() if isinstance(spec, CommandSpec)
}
"""All commands by name."""
