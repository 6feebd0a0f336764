"""The machines and points of a gateway, and their settings."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from auscult.contract.machines import Consequence, MachineSettings
from auscult.contract.message import Message, Part
from auscult.contract.records import Direction
from auscult.contract.said import Said
from auscult.dsp.units import PointKind, SampledKind


class LimitPart(Part):
    """A fixed limit that people set on one feature, in the feature's unit."""

    feature: str
    warning: float | None = None
    alarm: float | None = None
    direction: Literal["above", "below"] = "above"


class BearingPart(Part):
    """A rolling bearing's fault frequencies in orders of measured speed, None where unknown."""

    name: str
    bpfo: float | None = None
    bpfi: float | None = None
    bsf: float | None = None
    ftf: float | None = None


class ZonesPart(Part):
    """Zone boundaries of ISO 20816-3 or 10816-1 for r.m.s. velocity, mm/s."""

    title: str
    ab: float
    bc: float
    cd: float


class BandsPart(Part):
    """Features that are levels of frequency bands: of `band_`, the first is `band_00`."""

    prefix: str
    low_hz: tuple[float, ...]
    high_hz: tuple[float, ...]


class PointPart(Part):
    """A measuring point as configured."""

    id: str
    name: str
    kind: PointKind
    unit: str
    fs_hz: float = Field(description="0 of a value")
    quantity: str | None = Field(default=None, description="What a value is")
    interval_s: float | None = Field(default=None, description="Usual time between two values")
    limits: tuple[LimitPart, ...] = ()
    direction: Direction | None = None
    bands: tuple[BandsPart, ...] = Field(
        default=(), description="Features that people know by the edges of their band"
    )


class CriticalityPart(Part):
    """What a failure of a machine entails, as the plant stated it; None where it did not."""

    worst: Consequence | None = Field(default=None, description="Of the four classes")
    safety: Consequence | None = None
    production: Consequence | None = None
    quality: Consequence | None = None
    cost: Consequence | None = None
    downtime_cost_per_h: float | None = Field(
        default=None, description="Of unplanned downtime, in the plant's currency"
    )
    spare_part_days: float | None = Field(
        default=None, description="Longest lead time of a spare part; 0 = in stock"
    )


class MachinePart(Part):
    """A machine with its name-plate data and points."""

    id: str
    name: str
    area: str = ""
    template: str = Field(default="", description="Sisters have the same; empty = not stated")
    power_kw: float | None = None
    speed_rpm: float | None = None
    support: str | None = None
    bearings: tuple[BearingPart, ...] = ()
    gear_teeth: tuple[int, ...] = Field(default=(), description="On the measured shaft")
    zones: ZonesPart | None = Field(default=None, description="None where ISO does not apply")
    zones_refusal: str = Field(
        default="", description="Why ISO does not apply, or not to all points"
    )
    zones_said: Said | None = Field(
        default=None, description="`zones_refusal` as a code with values"
    )
    criticality: CriticalityPart = CriticalityPart()
    points: tuple[PointPart, ...]


class Inventory(Message):
    """The machines and points of this gateway; retained, sent at start."""

    schema_name: ClassVar[str] = "auscult/v1/inventory"

    machines: tuple[MachinePart, ...]
    instance: str = Field(
        default="",
        max_length=64,
        description="Of the gateway, as in its status; empty from an older gateway",
    )


class ChannelPart(Part):
    """A channel that a source of the gateway could deliver, for commissioning."""

    type: str = Field(description="Kind of source, as in `[[sources]]`")
    source: str = Field(description="Where it comes from, e.g. the manifest's path")
    machine: str = Field(description="Name of the machine at the source")
    point: str = Field(description="Name of the point at the source")
    kind: SampledKind
    unit: str
    fs_hz: float


class SourceForm(Part):
    """How a person sets up a kind of source of overall values: the page makes its form of this."""

    kind: str = Field(description="As `type` of `[[sources]]`")
    allowed: bool = Field(
        description="False: the gateway accepts it only with `page_sources` in its own file"
    )
    connection: dict[str, Any] = Field(description="JSON Schema of how the source is reached")
    row: dict[str, Any] = Field(description="JSON Schema of one of its `values`")
    words: dict[str, dict[str, str]] = Field(
        description="By language and key: the name of a setting, of its choice as "
        "`setting.choice`, its explanation as `setting.help`; of the kind `kind.channel` and "
        "`kind.title`"
    )


class Configuration(Message):
    """All machines with their settings, and the sources of the commissioned ones; retained.

    ``fixed`` are those of the gateway's own file, which no command changes; ``machines`` and
    ``sources`` were commissioned by `configure`.
    """

    schema_name: ClassVar[str] = "auscult/v1/configuration"

    version: str = Field(
        max_length=64, description="Version of the commissioned part; `base` of the next change"
    )
    fixed: tuple[MachineSettings, ...] = ()
    machines: tuple[MachineSettings, ...] = ()
    sources: tuple[dict[str, Any], ...] = ()
    channels: tuple[ChannelPart, ...] = ()
    forms: tuple[SourceForm, ...] = Field(
        default=(), description="Sources of values that the page can set up; none before 0.4"
    )
    instance: str = Field(
        default="",
        max_length=64,
        description="Of the gateway, as in its status; empty from an older gateway",
    )
