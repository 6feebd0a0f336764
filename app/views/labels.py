"""What technicians say of events, and what that changed."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from auscult.app.views.base import CommandState, View
from auscult.gateway.messages.learning import LessonPart, VerdictName


class Label(View):
    """A technician's verdict on an event, and what it changed on the gateway."""

    id: str
    event_id: str
    machine_id: str
    verdict: VerdictName
    kind: str | None = None
    note: str = ""
    actor: str
    created_ms: int
    state: CommandState
    reason: str = Field(default="", description="Why it was refused, or what the gateway said")
    answered_ms: int | None = None
    lesson: LessonPart | None = Field(
        default=None, description="Before and after; null until answered or if nothing changed"
    )


class LabelPreview(View):
    """What a label would change, tried by the gateway on a copy: nothing was stored."""

    event_id: str
    machine_id: str
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
        description="Before and after, and the events that would alarm no more; null where the "
        "verdict changes nothing, or nothing yet. `accepted` is the gate's word",
    )


class LabelPage(View):
    """The label ledger, newest first."""

    items: list[Label]
    next_cursor: str | None = None
