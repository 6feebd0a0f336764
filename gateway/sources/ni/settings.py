"""`[[sources]]` of type `ni`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from auscult.gateway.sources.support.device_settings import DeviceChannel, DeviceSource


class NiSource(DeviceSource):
    """Reads analogue inputs of National Instruments by NI-DAQmx."""

    type: Literal["ni"] = Field(description="Kind of source")
    module: str = Field(
        min_length=1, max_length=100, description="Module as NI MAX shows it, e.g. `cDAQ1Mod1`"
    )
    channels: tuple[DeviceChannel, ...] = Field(
        min_length=1, max_length=64, description="The channels that are used"
    )
    iepe_ma: float = Field(
        default=2.0, ge=0, le=20, description="Current of the IEPE supply, mA; 0 = none"
    )

    @property
    def wanted(self) -> Sequence[DeviceChannel]:
        return self.channels
