"""`[[sources]]` of type `recordings`: a data set played as if its sensors were connected."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from auscult.contract.machines import Id
from auscult.contract.section import ConfiguredPath
from auscult.gateway.settings.source import SourceSettings


class RecordingsSource(SourceSettings):
    """Plays a data set of recordings as if its sensors were connected."""

    type: Literal["recordings"] = Field(description="Kind of source")
    manifest: ConfiguredPath = Field(description="The data set's `manifest.csv`")
    machine: str = Field(description="Machine in the manifest to play")
    as_machine: Id | None = Field(
        default=None,
        description="Id of the configured machine that it represents; default: the same",
    )
    points: dict[Id, str] = Field(
        default_factory=dict,
        description="Name of a configured point in the manifest, where the names differ",
    )
    pace: float = Field(
        default=1.0,
        ge=0,
        le=1000,
        description="Speed relative to real time; 0 = as fast as possible. A pace above 1 plays "
        "history: it begins so far in the past that it ends now, and no time lies in the future",
    )
    order: Literal["manifest", "healthy_first"] = Field(
        default="healthy_first", description="Order in which recordings are played"
    )
    baseline_share: float = Field(
        default=1.0,
        gt=0,
        le=1,
        description="With `healthy_first`: first this share of every healthy recording is played, "
        "then the rest of each, so that the baseline is tested on other samples",
    )
    healthy_repeats: int = Field(
        default=1,
        ge=1,
        le=10_000,
        description="How often the healthy recordings (or their rest) are played before the others",
    )
    faulty_repeats: int = Field(
        default=1,
        ge=1,
        le=10_000,
        description="How often the other recordings are played, so that a fault lasts long enough",
    )
    present_from: Literal["end", "first_fault"] = Field(
        default="end",
        description="What happens now when a pace above 1 plays history: the end of a pass, or the "
        "first recording that is not healthy. From there it plays in real time, so that an alarm "
        "carries the time of the clock",
    )
    repeat: bool = Field(
        default=False,
        description="Start again at the end, then in real time at any pace",
    )

    @property
    def target(self) -> str:
        """Return the id of the configured machine that it delivers to."""
        return self.as_machine or self.machine

    @property
    def feeds_all_samples(self) -> bool:
        return True
