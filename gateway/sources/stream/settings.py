"""`[[sources]]` of type `stream`: frames of samples over TCP or UDP, from microcontrollers."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network
from typing import Literal, Self

from pydantic import Field, model_validator

from auscult.contract.machines import Id
from auscult.contract.section import Section
from auscult.gateway.records import PointId
from auscult.gateway.settings.source import Place, SourceSettings, each_named_once


class StreamChannel(Section):
    """A channel of a sensor, and the point that it is."""

    sensor: int = Field(default=1, ge=0, lt=1 << 32, description="Id of the sensor in its frames")
    channel: int = Field(default=0, ge=0, lt=64, description="Channel in its frames, from 0")
    point: Id = Field(description="Configured point that it delivers to")


class StreamSource(SourceSettings):
    """Receives frames of samples over TCP or UDP (docs/sensors/streams.md)."""

    type: Literal["stream"] = Field(description="Kind of source")
    protocol: Literal["udp", "tcp"] = Field(default="udp", description="Transport")
    host: str = Field(
        default="0.0.0.0",  # noqa: S104 - sensors are other hosts
        max_length=253,
        description="Address of the gateway that sensors reach; the default is every address",
    )
    port: int = Field(ge=0, le=65_535, description="Port; 0 = any free one, for tests")
    allow: tuple[IPv4Network | IPv6Network, ...] = Field(
        default=(),
        max_length=100,
        description="Networks that may send, e.g. `10.0.7.0/24`; empty = all. Frames carry no "
        "password: keep sensors in a network of their own",
    )
    channels: tuple[StreamChannel, ...] = Field(
        min_length=1, max_length=1000, description="The channels that are used"
    )
    silent_after_s: float = Field(
        default=5.0, ge=0.5, le=86_400, description="A sensor without frames for this is silent, s"
    )

    @property
    def feeds(self) -> Mapping[PointId, Place]:
        return self._rows("channels", [one.point for one in self.channels])

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        each_named_once(
            point=[c.point for c in self.channels],
            channel=[f"{c.sensor}/{c.channel}" for c in self.channels],
        )
        return self
