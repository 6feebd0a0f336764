"""What machines have learned, version by version."""

from __future__ import annotations

from pydantic import Field

from auscult.app.views.base import View
from auscult.gateway.messages.learning import BaselinePart, CheckpointPart, ShadowPart, WaitingPart


class MachineCheckpoints(View):
    """Versions of what a machine has learned, as its gateway lists them."""

    machine_id: str
    updated_ms: int
    active: str = Field(description="Id of the checkpoint that judges now")
    candidate: str | None = Field(description="Id of the one that runs in the shadow, if any")
    shadow: ShadowPart | None = Field(description="How far its shadow run has come")
    checkpoints: tuple[CheckpointPart, ...] = Field(description="Newest first")
    waiting: tuple[WaitingPart, ...] = Field(description="Labels that are not learned yet")
    baselines: tuple[BaselinePart, ...] = Field(description="That can be gone back to")
