"""Answers about what arrives on topics of the broker, and from sources that are tried."""

from __future__ import annotations

from pydantic import Field

from auscult.app.views.base import View
from auscult.contract.said import Said
from auscult.contract.tables import TableHead
from auscult.contract.trials import TrialPart


class TopicValue(View):
    """A number in the messages of a topic, with what it probably is."""

    topic: str
    path: str = Field(description="JSON pointer; empty = the whole message")
    value: float = Field(description="The newest one")
    messages: int = Field(description="Messages that carried it")
    interval_s: float | None = Field(
        default=None,
        description="Mean time between two of them, s, at least 1; null if fewer than two arrived. "
        "A message that the broker had kept does not count",
    )
    quantity: str = Field(description="Proposed `quantity` of a point")
    unit: str = Field(description="Proposed unit")


class TopicValues(View):
    """The numbers that arrived."""

    items: tuple[TopicValue, ...]
    reason: str = Field(default="", description="Why there is none, and the remedy")
    said: Said | None = Field(default=None, description="`reason` as code and values")


class SourceTrial(TrialPart, View):
    """What a source delivers, tried by the gateway: nothing was stored."""


class TableMapping(TableHead, View):
    """Tables that a gateway sees, or the head of one with its mapping."""
