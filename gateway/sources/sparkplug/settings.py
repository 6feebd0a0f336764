"""`[[sources]]` of type `sparkplug`: sensors and process values of other Sparkplug B edge nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import Field, model_validator

from auscult.contract.section import Section
from auscult.gateway.records import PointId
from auscult.gateway.settings.source import Place, SourceSettings, each_named_once
from auscult.gateway.sources.support.mqtt_settings import ProcessValueSettings, SensorSettings
from auscult.link.broker import BrokerSettings
from auscult.sparkplug.topics import OptionalId, SparkplugId


class MetricSettings(Section):
    """Where a metric is found."""

    metric: str = Field(min_length=1, max_length=500, description="Name of the metric")
    device_id: OptionalId = Field(
        default="", description="Device that carries it; empty = the edge node itself"
    )
    edge_node_id: OptionalId = Field(
        default="", description="Another edge node than that of the source"
    )


class SparkplugWaveform(SensorSettings, MetricSettings):
    """A point whose samples are a metric: a DataSet, an array, or Bytes."""

    column: str = Field(
        default="", max_length=200, description="Column of a DataSet; empty = its last one"
    )
    encoding: Literal["int16", "int24", "float32"] = Field(
        default="int16", description="How Bytes hold samples, little-endian"
    )
    scale: float = Field(default=1.0, gt=0, description="Physical value = sample × scale")
    rate_metric: str = Field(
        default="",
        max_length=500,
        description="Metric of the same device with the sampling rate in Hz, to be compared with "
        "the point's; empty = the point's rate is assumed",
    )


class SparkplugTag(ProcessValueSettings, MetricSettings):
    """A process value that is a metric."""


class SparkplugSource(SourceSettings):
    """Receives a machine's sensors and process values from other Sparkplug B edge nodes."""

    type: Literal["sparkplug"] = Field(description="Kind of source")
    group_id: SparkplugId = Field(description="Group of the edge nodes")
    edge_node_id: SparkplugId = Field(
        description="Edge node of all metrics below that name no other"
    )
    waveforms: tuple[SparkplugWaveform, ...] = Field(
        min_length=1, max_length=1000, description="Its sensors"
    )
    tags: tuple[SparkplugTag, ...] = Field(
        default=(), max_length=100, description="Process values that make its operating state"
    )
    stale_after_s: float = Field(
        default=86_400,
        gt=0,
        le=31_536_000,
        description="A process value older than this is unknown, s; long, because metrics are "
        "sent when they change, and deaths are sent too",
    )
    broker: BrokerSettings | None = Field(
        default=None, description="Another broker than that of [mqtt]"
    )

    @property
    def feeds(self) -> Mapping[PointId, Place]:
        return self._rows("waveforms", [w.point for w in self.waveforms])

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        each_named_once(point=[w.point for w in self.waveforms], tag=[t.name for t in self.tags])
        return self

    def address(self, one: MetricSettings) -> tuple[str, str, str]:
        """Return the edge node, device (empty = the node itself) and name of a metric."""
        return one.edge_node_id or self.edge_node_id, one.device_id, one.metric
