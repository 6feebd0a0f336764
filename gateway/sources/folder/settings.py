"""`[[sources]]` of type `folder`: files that programs write into a folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import Field, model_validator

from auscult.contract.machines import Id
from auscult.contract.said import Rejection
from auscult.contract.section import ConfiguredPath, Unit
from auscult.gateway.records import PointId
from auscult.gateway.settings.source import Place, SourceSettings


class FolderSource(SourceSettings):
    """Takes each file that appears in a folder once, across restarts."""

    type: Literal["folder"] = Field(description="Kind of source")
    folder: ConfiguredPath = Field(description="Folder that is watched")
    pattern: str = Field(
        default="*", max_length=200, description="Files in it, e.g. `*.wav`; `**/*.csv` goes deeper"
    )
    channels: dict[Id, str] = Field(
        description="Channel of each point, by its name in the files; a WAV file has 1, 2, …"
    )
    unit: Unit = Field(
        default="", max_length=32, description="Unit of all channels, where the files state none"
    )
    fs_hz: float | None = Field(
        default=None, ge=200, le=200_000, description="Rate, where the files state none, Hz"
    )
    time: str = Field(
        default="", max_length=200, description="Name of the time column, where it is not `time`"
    )
    rate: str = Field(default="", max_length=200, description="Name of the number that is the rate")
    name_time: str = Field(
        default="",
        max_length=100,
        description="Time in the file's name, as `%Y%m%d_%H%M%S`, UTC; by default the time in the "
        "file, else the time of its last change minus its length",
    )
    settle_s: float = Field(
        default=2.0, ge=0.1, le=3600, description="A file unchanged for this long is whole, s"
    )
    give_up_s: float = Field(
        default=60.0,
        ge=0.1,
        le=86_400,
        description="A file that can't be read and is unchanged for this long is rejected, s",
    )
    burst_s: float | None = Field(
        default=None,
        gt=0,
        le=3600,
        description="Length of a file, where files come now and then, s",
    )
    interval_s: float | None = Field(
        default=None, gt=0, le=31_536_000, description="Time from one file to the next, s"
    )

    @property
    def feeds(self) -> Mapping[PointId, Place]:
        return {PointId(self.machine, point): ("channels", point) for point in self.channels}

    @model_validator(mode="after")
    def _usable(self) -> Self:
        if not self.channels:
            raise Rejection("list_too_short", least=1)
        if (self.burst_s is None) != (self.interval_s is None):
            raise Rejection("bursts_incomplete")
        return self
