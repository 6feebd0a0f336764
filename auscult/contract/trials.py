"""What a source delivers while a person sets it up, before it is part of the configuration."""

from __future__ import annotations

from pydantic import Field

from auscult.contract.message import Millis, Part
from auscult.contract.said import Said


class TriedValue(Part):
    """What came of one value, or why nothing came."""

    point: str
    raw: float | None = Field(
        default=None, description="As read, before `scale` and `offset` of the source"
    )
    value: float | None = Field(default=None, description="As the gateway would use it, in `unit`")
    unit: str = ""
    uncertain: bool = Field(default=False, description="The source marks it as uncertain")
    at_ms: Millis | None = Field(default=None, description="Time of the measurement")
    measured: bool = Field(
        default=False, description="The sender gave the time; false: it is the time of arrival"
    )
    reason: str = Field(default="", description="Why there is no value, and the remedy")
    said: Said | None = Field(default=None, description="`reason` as code and values")


class TrialPart(Part):
    """Answer of `try_source`: nothing was stored, and the source is closed again."""

    values: tuple[TriedValue, ...]
    seconds: float = Field(description="How long it took, s")
