"""`[[sources]]` of type `iio`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from auscult.gateway.settings.source import each_named_once
from auscult.gateway.sources.support.device_settings import DeviceChannel, DeviceSource


class IioChannel(DeviceChannel):
    """An axis of an IIO accelerometer."""

    channel: int = Field(default=0, ge=0, lt=256, description="Not used: the axis names it")
    axis: Literal["x", "y", "z"] = Field(description="Axis, as the driver names it")


class IioSource(DeviceSource):
    """Reads a MEMS accelerometer that a driver of Linux (IIO) serves."""

    type: Literal["iio"] = Field(description="Kind of source")
    device: str = Field(
        min_length=1,
        max_length=100,
        description="Name of the device, e.g. `adxl355`, or its folder's name, e.g. `iio:device0`",
    )
    channels: tuple[IioChannel, ...] = Field(
        min_length=1, max_length=3, description="The axes that are used"
    )
    watermark_s: float = Field(
        default=0.1,
        gt=0,
        le=2,
        description="Samples that the driver collects before it wakes the gateway, s",
    )
    sysfs: Path = Field(default=Path("/sys/bus/iio/devices"), description="Folder of the kernel")
    dev: Path = Field(default=Path("/dev"), description="Folder of the device files")

    @property
    def wanted(self) -> Sequence[IioChannel]:
        return self.channels

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        each_named_once(
            point=[str(self.point_of(one)) for one in self.channels],
            axis=[one.axis for one in self.channels],
        )
        return self
