"""What a gateway can be asked to do, and what each command takes."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from auscult.gateway.messages.learning import MAX_DELTA_BYTES, VerdictName
from auscult.gateway.messages.machines import LimitSettings, MachineSettings
from auscult.gateway.messages.message import MessageId
from auscult.gateway.messages.payloads import MAX_SHELF_S, Condition


class CommandName(StrEnum):
    """What a gateway can be asked to do."""

    LABEL = "label"
    PREVIEW_LABEL = "preview_label"
    ACKNOWLEDGE = "acknowledge"
    SHELVE = "shelve"
    UNSHELVE = "unshelve"
    OUT_OF_SERVICE = "out_of_service"
    RETURN_TO_SERVICE = "return_to_service"
    START_BASELINE = "start_baseline"
    STOP_BASELINE = "stop_baseline"
    SET_LIMITS = "set_limits"
    ROLL_BACK = "roll_back"
    PROMOTE = "promote"
    REJECT = "reject"
    EXPORT_DELTA = "export_delta"
    IMPORT_DELTA = "import_delta"
    REQUEST_SPECTRUM = "request_spectrum"
    REQUEST_CLIP = "request_clip"
    CONFIGURE = "configure"
    APPROVE_BASELINE = "approve_baseline"


class LabelArgs(BaseModel):
    """Arguments of `label`: a technician's verdict on an event."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    event_id: MessageId
    verdict: VerdictName
    kind: str | None = Field(default=None, max_length=64)
    note: str = Field(default="", max_length=2000)


class PreviewArgs(BaseModel):
    """Arguments of `preview_label`: a verdict that someone may give; it changes nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    event_id: MessageId
    verdict: VerdictName
    kind: str | None = Field(default=None, max_length=64)


class MachineArgs(BaseModel):
    """Arguments of `start_baseline`: the machine, and why."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    machine: str
    reason: str = Field(default="", max_length=500)


class AcknowledgeArgs(BaseModel):
    """Arguments of `acknowledge`: someone knows of an event; this clears nothing.

    ``seen`` is the worst condition that was shown to who acknowledges: if the event has become
    worse since, the command is refused.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    event_id: MessageId
    comment: str = Field(default="", max_length=2000)
    seen: Condition | None = None


class ShelveArgs(BaseModel):
    """Arguments of `shelve`: hide a machine's alarms for a time, by the gateway's clock."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    machine: str
    duration_s: int = Field(ge=1, le=MAX_SHELF_S)
    reason: str = Field(min_length=1, max_length=500)


class OutOfServiceArgs(BaseModel):
    """Arguments of `out_of_service`: hide a machine's alarms until further notice."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    machine: str
    reason: str = Field(min_length=1, max_length=500)


class ReleaseArgs(BaseModel):
    """Arguments of `unshelve` and `return_to_service`: what is still wrong is acknowledged."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    machine: str
    comment: str = Field(default="", max_length=500)


class RollBackArgs(BaseModel):
    """Arguments of `roll_back`: the machine, and what to go back to (else the parent)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    machine: str
    checkpoint_id: str | None = None
    baseline_id: str | None = Field(
        default=None, description="An older baseline that is kept; then `checkpoint_id` is unused"
    )


class ResolveArgs(BaseModel):
    """Arguments of `promote` and `reject`: the candidate that runs in the shadow."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    machine: str
    checkpoint_id: str


MAX_DELTA_BASE64 = 4 * -(-MAX_DELTA_BYTES // 3)
"""Characters of the largest delta."""


class ExportDeltaArgs(BaseModel):
    """Arguments of `export_delta`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    machine: str


class ImportDeltaArgs(BaseModel):
    """Arguments of `import_delta`: what another machine with the same baseline has learned.

    It becomes a version of this machine if it is signed with a trusted key, made for the same
    baseline, features and points, and the machine's own gate accepts it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    machine: str
    delta: str = Field(
        max_length=MAX_DELTA_BASE64, description="Base64 of the file of `export_delta`"
    )


class SpectrumArgs(BaseModel):
    """Arguments of `request_spectrum`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    machine: str
    point: str
    kind: Literal["spectrum", "envelope"] = "spectrum"


class ClipArgs(BaseModel):
    """Arguments of `request_clip`: a piece of a point's raw signal, as long as the gateway has it.

    ``kind`` is `recent` for the last seconds, `healthy` for the end of the healthy period.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    machine: str
    point: str
    kind: Literal["recent", "healthy"] = "recent"
    seconds: float = Field(default=5, gt=0, le=60)


class StopBaselineArgs(BaseModel):
    """Arguments of `stop_baseline`: end a healthy period before it is complete.

    It is given up, and the baseline before judges on; or with ``finish`` the machine is judged by
    what was heard so far, if that is enough to learn from.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    machine: str
    finish: bool = False
    reason: str = Field(default="", max_length=500)


class SetLimitsArgs(BaseModel):
    """Arguments of `set_limits`: all fixed limits of a point from now on.

    ``limits`` None = those of the configuration again.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    machine: str
    point: str
    limits: tuple[LimitSettings, ...] | None = Field(max_length=50)
    reason: str = Field(default="", max_length=500)


class ConfigureArgs(BaseModel):
    """Arguments of `configure`: the whole new list of commissioned machines, and what they hear.

    It replaces the one before; machines of the gateway's own file stay as they are, and their ids
    can't be used. A machine whose settings don't change keeps what it learned.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    machines: tuple[MachineSettings, ...] = Field(max_length=2000)
    sources: tuple[dict[str, Any], ...] = Field(
        default=(), max_length=20_000, description="As `[[sources]]` of the file, as JSON"
    )
    base: str = Field(
        default="",
        max_length=64,
        description="`version` of the configuration that was changed; refused if it is another "
        "one by now. Empty = whichever there is",
    )
    dry_run: bool = Field(default=False, description="Only check, change nothing")


class ApproveArgs(BaseModel):
    """Arguments of `approve_baseline`: the machine, and which baseline was looked at."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    machine: str
    baseline_id: str = Field(max_length=64)


COMMAND_ARGS: dict[CommandName, type[BaseModel]] = {
    CommandName.LABEL: LabelArgs,
    CommandName.PREVIEW_LABEL: PreviewArgs,
    CommandName.ACKNOWLEDGE: AcknowledgeArgs,
    CommandName.SHELVE: ShelveArgs,
    CommandName.UNSHELVE: ReleaseArgs,
    CommandName.OUT_OF_SERVICE: OutOfServiceArgs,
    CommandName.RETURN_TO_SERVICE: ReleaseArgs,
    CommandName.START_BASELINE: MachineArgs,
    CommandName.STOP_BASELINE: StopBaselineArgs,
    CommandName.SET_LIMITS: SetLimitsArgs,
    CommandName.ROLL_BACK: RollBackArgs,
    CommandName.PROMOTE: ResolveArgs,
    CommandName.REJECT: ResolveArgs,
    CommandName.EXPORT_DELTA: ExportDeltaArgs,
    CommandName.IMPORT_DELTA: ImportDeltaArgs,
    CommandName.REQUEST_SPECTRUM: SpectrumArgs,
    CommandName.REQUEST_CLIP: ClipArgs,
    CommandName.CONFIGURE: ConfigureArgs,
    CommandName.APPROVE_BASELINE: ApproveArgs,
}
