"""Verdicts of technicians on events, and what they changed."""

from __future__ import annotations

from pydantic import Field

from auscult.app.views.base import CommandState, View
from auscult.contract import label
from auscult.contract.learning import LearnedUpdate, PreviewPart
from auscult.contract.said import Said


class LabelView(label.Label, View):
    """A label, and what it changed on the gateway."""

    id: str = Field(description="`label_id`")
    machine_id: str
    state: CommandState
    said: Said | None = Field(
        default=None, description="Why the gateway rejected it, or what it answered"
    )
    answered_ms: int | None = None
    lesson: LearnedUpdate | None = Field(
        default=None, description="Before and after; null until answered or if nothing changed"
    )
    undone_ms: int | None = Field(
        default=None, description="When a person took it or its lesson back; null = it counts"
    )
    undone_by: str = ""
    takes_back: bool = Field(
        default=False,
        description="It is no answer: it takes the earlier answers to the event back",
    )

    @property
    def confirmed_kind(self) -> str | None:
        """Return the fault that a person confirmed and named, if it counts."""
        counts = self.verdict is label.Verdict.CONFIRMED_FAULT and self.undone_ms is None
        return self.kind if counts and self.kind != "unspecified" else None


class LabelPreview(PreviewPart, View):
    """What a label would change, tried by the gateway on a copy: nothing was stored."""

    event_id: str
    machine_id: str


class LabelPage(View):
    """The label ledger, newest first."""

    items: list[LabelView]
    next_cursor: str | None = None
