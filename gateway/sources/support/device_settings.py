"""`[[sources]]` of devices at the gateway: sound cards, IEPE cards, MEMS accelerometers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import Field, model_validator

from auscult.contract.machines import Id
from auscult.contract.section import Section
from auscult.gateway.records import PointId
from auscult.gateway.settings.source import Place, SourceSettings, each_named_once


class DeviceChannel(Section):
    """A channel of a device, and the point that it is."""

    channel: int = Field(ge=0, lt=256, description="Channel of the device, from 0")
    point: Id = Field(description="Configured point that it delivers to")
    machine: Id | None = Field(
        default=None, description="Another machine than that of the source: one card, two machines"
    )


class DeviceSource(SourceSettings):
    """What the settings of all devices share."""

    @property
    @abstractmethod
    def wanted(self) -> Sequence[DeviceChannel]:
        """Return the channels that are used."""

    def point_of(self, channel: DeviceChannel) -> PointId:
        """Point that a channel delivers to."""
        return PointId(channel.machine or self.machine, channel.point)

    @property
    def feeds(self) -> Mapping[PointId, Place]:
        return {
            self.point_of(one): ("channels", row, "point") for row, one in enumerate(self.wanted)
        }

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        each_named_once(
            point=[str(self.point_of(one)) for one in self.wanted],
            channel=[str(one.channel) for one in self.wanted],
        )
        return self
