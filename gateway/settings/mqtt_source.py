"""`[[sources]]` of type `mqtt`: sensors and process tags that arrive over a broker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from auscult.contract.machines import Id
from auscult.contract.said import Rejection
from auscult.contract.section import Section
from auscult.gateway.records import PointId
from auscult.gateway.settings.source import Place, SourceSettings, each_named_once
from auscult.link.broker import BrokerSettings


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


class WaveformSettings(SensorSettings):
    """A point whose samples come as binary messages: see docs/mqtt.md."""

    topic: OneTopic = Field(description="Topic of its waveforms")


class TagSettings(ProcessValueSettings):
    """A process value: a plain number, or one within a JSON message."""

    topic: OneTopic = Field(description="Topic that carries it")
    pointer: str = Field(
        default="",
        pattern=r"^(/.*)?$",
        max_length=200,
        description="JSON pointer to the value, e.g. `/values/0`; empty = the whole payload",
    )


class MqttSource(SourceSettings):
    """Receives a machine's sensors and process tags over MQTT."""

    type: Literal["mqtt"] = Field(description="Kind of source")
    waveforms: tuple[WaveformSettings, ...] = Field(
        min_length=1, max_length=1000, description="Its sensors"
    )
    tags: tuple[TagSettings, ...] = Field(
        default=(), max_length=100, description="Process values that make its operating state"
    )
    stale_after_s: float = Field(
        default=300, gt=0, le=86_400, description="A process value older than this is unknown, s"
    )
    broker: BrokerSettings | None = Field(
        default=None, description="Another broker than that of [mqtt]"
    )

    @property
    def feeds(self) -> Mapping[PointId, Place]:
        return self._rows("waveforms", [w.point for w in self.waveforms])

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        each_named_once(
            point=[w.point for w in self.waveforms],
            topic=[w.topic for w in self.waveforms],
            tag=[t.name for t in self.tags],
        )
        return self
