"""What the settings of sources that read from a broker share."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from auscult.contract.machines import Id
from auscult.contract.said import Rejection
from auscult.contract.section import Section


def _no_wildcard(topic: str) -> str:
    if "+" in topic or "#" in topic:
        raise Rejection("topic_wildcard", topic=topic)
    return topic


OneTopic = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_no_wildcard)]


class SensorSettings(Section):
    """A point whose samples come in messages."""

    point: Id = Field(description="Configured point that it delivers to")
    burst_s: float | None = Field(
        default=None,
        gt=0,
        le=3600,
        description="Length of a burst, for a sensor that sleeps in between, s",
    )
    interval_s: float | None = Field(
        default=None, gt=0, le=31_536_000, description="Time from one burst to the next, s"
    )

    @model_validator(mode="after")
    def _both_or_neither(self) -> Self:
        if (self.burst_s is None) != (self.interval_s is None):
            raise Rejection("bursts_incomplete")
        return self


class ProcessValueSettings(Section):
    """A process value that is part of the operating state."""

    name: str = Field(
        min_length=1,
        max_length=32,
        description="`speed_rpm`, `load`, `running` (false, 0, `off` or `stopped`: the machine is "
        "at rest), or a name of your own such as `recipe`",
    )
    scale: float = Field(default=1.0, description="Multiplies a number")
    offset: float = Field(default=0.0, description="Added after that")
    resolution: float | None = Field(
        default=None,
        gt=0,
        description="Step to which a measured number is rounded: each step is an operating state. "
        "Without it a tag takes truth values, texts and a few whole numbers; `speed_rpm` and "
        "`load` need none",
    )
