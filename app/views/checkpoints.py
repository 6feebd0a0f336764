"""The checkpoints of machines."""

from __future__ import annotations

from pydantic import Field

from auscult.app.views.base import View
from auscult.contract.learning import BaselinePart, CheckpointPart, ShadowPart, WaitingPart


class MachineCheckpoints(View):
    """Checkpoints of a machine, as its gateway lists them."""

    machine_id: str
    updated_ms: int
    active: str = Field(description="Id of the checkpoint in use")
    candidate: str | None = Field(description="Id of the one in its shadow run, if any")
    shadow: ShadowPart | None = Field(description="How far its shadow run has come")
    checkpoints: tuple[CheckpointPart, ...] = Field(description="Newest first")
    waiting: tuple[WaitingPart, ...] = Field(description="Labels that are not learned yet")
    baselines: tuple[BaselinePart, ...] = Field(description="Those that a roll-back can use")
