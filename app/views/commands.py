"""Requests to gateways."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from auscult.app.views.base import CommandState, View
from auscult.contract.learning import LearnedUpdate
from auscult.contract.payloads import ProblemPart
from auscult.contract.said import Said


class SentCommand(View):
    """A request to a gateway and its state."""

    id: str
    gateway_id: str
    machine_id: str = Field(description="Empty where it concerns the whole gateway")
    name: str
    actor: str
    args: dict[str, Any] = Field(description="Of `configure`: only which machines it lists")
    created_ms: int
    expires_ms: int
    state: CommandState
    said: Said | None = Field(
        default=None, description="Its result, or why it was rejected; null = not stated"
    )
    answered_ms: int | None = None
    attempts: int = 0
    problems: list[ProblemPart] = Field(
        default_factory=list, description="Of `configure`: all problems of the machines"
    )
    lesson: LearnedUpdate | None = Field(
        default=None, description="Of `import_delta` and `label`: what it changed, or why nothing"
    )

    @property
    def answered(self) -> Said:
        """Return what its gateway answered."""
        return self.said or Said("text", {"text": ""})


class CommandPage(View):
    """Commands, newest first."""

    items: list[SentCommand]
