"""What the settings of sources of overall values share."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from auscult.contract.machines import Id
from auscult.contract.said import Rejection
from auscult.contract.section import ConfiguredPath, Section, Unit
from auscult.gateway.records import PointId
from auscult.gateway.settings.mqtt_source import OneTopic
from auscult.gateway.settings.source import Place, SourceSettings, each_named_once
from auscult.link.broker import BrokerSettings


class ValueSettings(Section):
    """A point of kind `value` that a source delivers to."""

    point: Id = Field(description="Configured point of kind `value`")
    unit: Unit = Field(
        default="", max_length=16, description="Unit as delivered; empty = that of the point"
    )
    scale: float = Field(default=1.0, description="Multiplies the number")
    offset: float = Field(default=0.0, description="Added after that")


class ValueSource(SourceSettings):
    """Base of the sources of overall values."""

    @property
    @abstractmethod
    def targets(self) -> Sequence[ValueSettings]:
        """The values."""

    @property
    def feeds(self) -> Mapping[PointId, Place]:
        return self._rows("values", [value.point for value in self.targets])

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        each_named_once(point=[value.point for value in self.targets])
        return self


class JsonValueSettings(ValueSettings):
    """A value in a JSON message: by a template, or by topic and path."""

    topic: OneTopic | None = Field(default=None, description="Topic that carries it")
    path: str = Field(
        default="",
        max_length=200,
        description="JMESPath expression (`object.temperature`) or, beginning with `/`, JSON "
        "pointer to the value; empty = the whole message",
    )
    time_path: str = Field(
        default="",
        max_length=200,
        description="Path to the time of the measurement (ISO 8601, or s, ms, µs or ns since "
        "1970); empty = the time of arrival",
    )
    template: str = Field(default="", description="Name of a template, e.g. `zigbee2mqtt`")
    device: str = Field(
        default="", max_length=200, description="The device in the template's topic"
    )
    value: str = Field(default="", description="Name of the template's value")


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


class RegisterSettings(ValueSettings):
    """A Modbus register, by a register map or by its address."""

    register_name: str = Field(default="", description="Name in the register map")
    address: int | None = Field(
        default=None,
        ge=0,
        le=65_535,
        description="Address on the wire: register 40001 or 30001 has address 0",
    )
    table: Literal["holding", "input"] = Field(default="holding", description="Table")
    encoding: Literal["uint16", "int16", "uint32", "int32", "float32", "float64"] = Field(
        default="uint16", description="Type of the number"
    )
    word_order: Literal["big", "little"] = Field(
        default="big", description="Order of the registers of a longer number"
    )
    invalid: tuple[int, ...] = Field(
        default=(), description="Raw numbers that mark a missing measurement"
    )


class ModbusSource(ValueSource):
    """Reads a machine's overall values from a Modbus device, over TCP or a serial line."""

    type: Literal["modbus"] = Field(description="Kind of source")
    host: str = Field(default="", description="Address of a Modbus TCP device or gateway")
    port: int = Field(default=502, ge=1, le=65_535, description="Its port")
    serial_port: str = Field(default="", description="Serial line instead, e.g. `/dev/ttyUSB0`")
    baud_rate: int = Field(default=19_200, ge=300, le=4_000_000, description="Of the line")
    parity: Literal["none", "even", "odd"] = Field(default="none", description="Of the line")
    unit_id: int = Field(default=1, ge=0, le=255, description="Unit id of the device")
    register_map: str = Field(
        default="", description="Name of a register map, e.g. `banner-qm30vt2`; see docs/sensors"
    )
    timeout_s: float = Field(default=1.0, gt=0, le=60, description="Longest wait for an answer, s")
    values: tuple[RegisterSettings, ...] = Field(
        min_length=1, max_length=1000, description="Its values"
    )

    @property
    def targets(self) -> Sequence[ValueSettings]:
        return self.values

    @property
    def line(self) -> tuple[str, Mapping[str, str | int]]:
        if self.host:
            return f"{self.host}:{self.port}", {}
        # A line can have several names, e.g. in /dev/serial/by-id.
        keys = {"baud_rate": self.baud_rate, "parity": self.parity}
        return os.path.realpath(self.serial_port), keys

    @model_validator(mode="after")
    def _reachable(self) -> Self:
        if bool(self.host) == bool(self.serial_port):
            raise Rejection(
                "mapping_incomplete", point=self.values[0].point, keys="host or serial_port"
            )
        for value in self.values:
            if (value.address is None) == (not value.register_name):
                raise Rejection(
                    "mapping_incomplete", point=value.point, keys="register_name or address"
                )
        return self


class NodeSettings(ValueSettings):
    """A variable of an OPC UA server."""

    node: str = Field(
        min_length=1, max_length=500, description="Node id, e.g. `ns=2;s=Pump1.Temperature`"
    )


def _address(value: str) -> str:
    try:
        parts = urlsplit(value)
        if parts.hostname and parts.port != 0:
            return value
    except ValueError:  # no host, or no port, can be read
        pass
    raise Rejection("value_pattern", pattern="opc.tcp://HOST:PORT")


class OpcUaSource(ValueSource):
    """Reads a machine's overall values from an OPC UA server, by subscription."""

    type: Literal["opcua"] = Field(description="Kind of source")
    url: Annotated[str, AfterValidator(_address)] = Field(
        pattern=r"^opc\.tcp://.+", max_length=500, description="E.g. `opc.tcp://10.0.0.5:4840`"
    )
    user: str = Field(default="", max_length=200, description="User name; empty = anonymous")
    password_file: ConfiguredPath | None = Field(
        default=None, description="File whose first line is the password"
    )
    certificate_file: ConfiguredPath | None = Field(
        default=None,
        description="Our certificate (DER or PEM); with it the connection is signed and encrypted "
        "(Basic256Sha256)",
    )
    key_file: ConfiguredPath | None = Field(default=None, description="Its private key")
    values: tuple[NodeSettings, ...] = Field(
        min_length=1, max_length=5000, description="Its values"
    )

    @property
    def targets(self) -> Sequence[ValueSettings]:
        return self.values


def _token(value: str) -> str:
    return value.lower()


class HttpSource(ValueSource):
    """Takes a machine's overall values by HTTP POST, with a token."""

    type: Literal["http"] = Field(description="Kind of source")
    host: str = Field(default="127.0.0.1", description="Address to listen at; 0.0.0.0 = all")
    port: int = Field(default=8430, ge=0, le=65_535, description="Port; 0 = a free one")
    token_sha256: Annotated[str, AfterValidator(_token)] = Field(
        pattern=r"^[0-9a-fA-F]{64}$",
        description="SHA-256 of the token: `printf %s TOKEN | sha256sum`",
    )
    values: tuple[ValueSettings, ...] = Field(
        min_length=1, max_length=5000, description="Its values"
    )

    @property
    def targets(self) -> Sequence[ValueSettings]:
        return self.values
