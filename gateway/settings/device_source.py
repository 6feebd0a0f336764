"""`[[sources]]` of devices at the gateway: sound cards, IEPE cards, MEMS accelerometers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, Self

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


class SoundChannel(DeviceChannel):
    """A channel of a sound card."""

    full_scale: float | None = Field(
        default=None,
        gt=0,
        description="Physical value of digital full scale, e.g. Pa, from `auscult sensors "
        "--calibrate`; without it the point's unit is `FS`",
    )


class DeviceSource(SourceSettings):
    """What the settings of all devices share."""

    @property
    @abstractmethod
    def wanted(self) -> Sequence[DeviceChannel]:
        """Channels that are used."""

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
