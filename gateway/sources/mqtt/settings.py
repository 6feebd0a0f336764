"""`[[sources]]` of type `mqtt`: sensors and process tags that arrive over a broker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import Field, model_validator

from auscult.gateway.records import PointId
from auscult.gateway.settings.source import Place, SourceSettings, each_named_once
from auscult.gateway.sources.support.mqtt_settings import (
    OneTopic,
    ProcessValueSettings,
    SensorSettings,
)
from auscult.link.broker import BrokerSettings


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
