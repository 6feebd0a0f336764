"""`[[sources]]` of type `mcc172`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from auscult.gateway.sources.support.device_settings import DeviceChannel, DeviceSource


class Mcc172Source(DeviceSource):
    """Reads an MCC 172 board (IEPE) on a Raspberry Pi."""

    type: Literal["mcc172"] = Field(description="Kind of source")
    address: int = Field(default=0, ge=0, le=7, description="Address jumpers of the board")
    channels: tuple[DeviceChannel, ...] = Field(
        min_length=1, max_length=2, description="The channels that are used, 0 and 1"
    )
    iepe: bool = Field(default=True, description="Supply the sensors with 4 mA")

    @property
    def wanted(self) -> Sequence[DeviceChannel]:
        return self.channels
