"""`[[sources]]` of type `opcua`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from auscult.contract.section import ConfiguredPath, marks
from auscult.gateway.settings.value_source import ValueSettings, ValueSource
from auscult.gateway.sources.support.url import reachable


class NodeSettings(ValueSettings):
    """A variable of an OPC UA server."""

    node: str = Field(
        min_length=1, max_length=500, description="Node id, e.g. `ns=2;s=Pump1.Temperature`"
    )


class OpcUaSource(ValueSource):
    """Reads a machine's overall values from an OPC UA server, by subscription."""

    type: Literal["opcua"] = Field(description="Kind of source")
    url: Annotated[str, reachable("opc.tcp://HOST:PORT")] = Field(
        pattern=r"^opc\.tcp://.+",
        max_length=500,
        description="E.g. `opc.tcp://10.0.0.5:4840`",
        json_schema_extra=marks(initial="opc.tcp://"),
    )
    user: str = Field(
        default="",
        max_length=200,
        description="User name; empty = anonymous",
        json_schema_extra=marks(widget="none"),
    )
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
