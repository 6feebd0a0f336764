"""`[[sources]]` of type `modbus`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Literal, Self

from pydantic import Field, model_validator

from auscult.contract.said import Rejection
from auscult.contract.section import marks
from auscult.gateway.settings.value_source import ValueSettings, ValueSource


class RegisterSettings(ValueSettings):
    """A Modbus register, by a register map or by its address."""

    register_name: str = Field(
        default="",
        description="Name in the register map",
        json_schema_extra=marks(widget="register"),
    )
    address: int | None = Field(
        default=None,
        ge=0,
        le=65_535,
        description="Address on the wire: register 40001 or 30001 has address 0",
        json_schema_extra=marks(variant="address", required=True),
    )
    table: Literal["holding", "input"] = Field(
        default="holding", description="Table", json_schema_extra=marks(variant="address")
    )
    encoding: Literal["uint16", "int16", "uint32", "int32", "float32", "float64"] = Field(
        default="uint16",
        description="Type of the number",
        json_schema_extra=marks(variant="address"),
    )
    word_order: Literal["big", "little"] = Field(
        default="big",
        description="Order of the registers of a longer number",
        json_schema_extra=marks(variant="address"),
    )
    invalid: tuple[int, ...] = Field(
        default=(),
        description="Raw numbers that mark a missing measurement",
        json_schema_extra=marks(widget="none"),
    )


class ModbusSource(ValueSource):
    """Reads a machine's overall values from a Modbus device, over TCP or a serial line."""

    type: Literal["modbus"] = Field(description="Kind of source")
    register_map: str = Field(
        default="",
        description="Name of a register map, e.g. `banner-qm30vt2`; see docs/sensors",
        json_schema_extra=marks(widget="register_map"),
    )
    host: str = Field(
        default="",
        description="Address of a Modbus TCP device or gateway",
        json_schema_extra=marks(variant="tcp", required=True),
    )
    port: int = Field(
        default=502,
        ge=1,
        le=65_535,
        description="Its port",
        json_schema_extra=marks(variant="tcp"),
    )
    serial_port: str = Field(
        default="",
        description="Serial line instead, e.g. `/dev/ttyUSB0`",
        json_schema_extra=marks(variant="serial", initial="/dev/ttyUSB0", required=True),
    )
    baud_rate: int = Field(
        default=19_200,
        ge=300,
        le=4_000_000,
        description="Of the line",
        json_schema_extra=marks(variant="serial"),
    )
    parity: Literal["none", "even", "odd"] = Field(
        default="none",
        description="Of the line",
        json_schema_extra=marks(variant="serial"),
    )
    unit_id: int = Field(default=1, ge=0, le=255, description="Unit id of the device")
    timeout_s: float = Field(
        default=1.0,
        gt=0,
        le=60,
        description="Longest wait for an answer, s",
        json_schema_extra=marks(widget="none"),
    )
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
