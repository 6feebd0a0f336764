"""Staged updates of gateways."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from auscult.app.views.base import View
from auscult.contract.said import Said

RolloutState = Literal["running", "stopped", "cancelled", "done"]
UpdateState = Literal["waiting", "offered", "updated", "failed", "skipped"]


class UpdateBundle(View):
    """A version that gateways of one platform can be offered."""

    sha256: str
    version: str
    platform: str = Field(description="Processor and Python, as `x86_64-3.11`")
    size: int = Field(description="Bytes")
    actor: str
    added_ms: int


class RolloutGateway(View):
    """A gateway of a rollout."""

    gateway_id: str
    stage: int = Field(description="0 = the first")
    state: UpdateState
    offers: int = Field(description="How often it was asked")
    offered_ms: int | None
    changed_ms: int
    text: str = Field(description="Why it failed")
    said: Said | None = Field(description="`text` as code and values")


class Rollout(View):
    """A staged update of many gateways."""

    id: str
    version: str
    actor: str
    created_ms: int
    state: RolloutState = Field(description="`stopped` can be resumed")
    stage: int = Field(description="The present stage, 0 = the first")
    wait_s: int = Field(description="Least time between a stage's last update and the next stage")
    timeout_s: int = Field(description="A stage that takes longer stops the rollout")
    advanced_ms: int = Field(description="When the present stage began")
    text: str = Field(description="Why it stopped")
    said: Said | None = Field(description="`text` as code and values")
    gateways: list[RolloutGateway]


class UpdateList(View):
    """All bundles and rollouts, the newest first."""

    open: bool = Field(description="Whether this dashboard offers updates (`[dashboard.updates]`)")
    bundles: list[UpdateBundle]
    rollouts: list[Rollout]
