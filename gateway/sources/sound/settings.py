"""`[[sources]]` of type `sound`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from auscult.gateway.sources.support.device_settings import DeviceChannel, DeviceSource


class SoundChannel(DeviceChannel):
    """A channel of a sound card."""

    full_scale: float | None = Field(
        default=None,
        gt=0,
        description="Physical value of digital full scale, e.g. Pa, from `auscult sensors "
        "--calibrate`; without it the point's unit is `FS`",
    )


class SoundSource(DeviceSource):
    """Records from a sound card, a USB or an I2S microphone."""

    type: Literal["sound"] = Field(description="Kind of source")
    device: str = Field(
        min_length=1,
        max_length=200,
        description="Part of the device's name, as `auscult sensors` shows it; a number changes "
        "when devices are plugged",
    )
    channels: tuple[SoundChannel, ...] = Field(
        min_length=1, max_length=64, description="The channels that are used"
    )

    @property
    def wanted(self) -> Sequence[SoundChannel]:
        return self.channels
