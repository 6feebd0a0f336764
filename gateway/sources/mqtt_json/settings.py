"""`[[sources]]` of type `mqtt_json`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from auscult.contract.section import marks
from auscult.gateway.settings.value_source import ValueSettings, ValueSource
from auscult.gateway.sources.support.mqtt_settings import OneTopic
from auscult.link.broker import BrokerSettings


class JsonValueSettings(ValueSettings):
    """A value in a JSON message: by a template, or by topic and path."""

    topic: OneTopic | None = Field(
        default=None,
        description="Topic that carries it",
        json_schema_extra=marks(widget="topic"),
    )
    path: str = Field(
        default="",
        max_length=200,
        description="JMESPath expression (`object.temperature`) or, beginning with `/`, JSON "
        "pointer to the value; empty = the whole message",
        json_schema_extra=marks(widget="message_path"),
    )
    time_path: str = Field(
        default="",
        max_length=200,
        description="Path to the time of the measurement (ISO 8601, or s, ms, µs or ns since "
        "1970); empty = the time of arrival",
        json_schema_extra=marks(widget="none"),
    )
    template: str = Field(
        default="",
        description="Name of a template, e.g. `zigbee2mqtt`",
        json_schema_extra=marks(widget="none"),
    )
    device: str = Field(
        default="",
        max_length=200,
        description="The device in the template's topic",
        json_schema_extra=marks(widget="none"),
    )
    value: str = Field(
        default="",
        description="Name of the template's value",
        json_schema_extra=marks(widget="none"),
    )


class MqttJsonSource(ValueSource):
    """Reads a machine's overall values from any JSON over MQTT."""

    type: Literal["mqtt_json"] = Field(description="Kind of source")
    values: tuple[JsonValueSettings, ...] = Field(
        min_length=1, max_length=5000, description="Its values"
    )
    broker: BrokerSettings | None = Field(
        default=None, description="Another broker than that of [mqtt]"
    )

    @property
    def targets(self) -> Sequence[ValueSettings]:
        return self.values
