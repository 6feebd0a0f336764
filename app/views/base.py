"""What all views share."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

CommandState = Literal["pending", "sent", "acknowledged", "refused", "expired"]
"""Stored; handed to the broker; done by the gateway; rejected by it; unanswered in time."""


class View(BaseModel):
    """What all views share: they are made once and never changed."""

    # An answer always holds all its fields: the schema, and so the page's types, may say so.
    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)
