"""The gateway's part of the configuration: site, machines with their name plates, sources."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from gateway.messages.broker import BrokerSettings
from gateway.messages.section import ConfiguredPath, Section
from gateway.messages.topics import check_id
from gateway.sparkplug.settings import SparkplugSettings

Id = Annotated[str, AfterValidator(check_id)]


class BearingSettings(Section):
    """A rolling bearing, by its fault frequencies or by its geometry."""

    name: str = Field(min_length=1, max_length=64, description="Designation, e.g. `6205`")
    bpfo: float | None = Field(default=None, gt=0, lt=100, description="Outer race, orders")
    bpfi: float | None = Field(default=None, gt=0, lt=100, description="Inner race, orders")
    bsf: float | None = Field(default=None, gt=0, lt=100, description="Ball spin, orders")
    ftf: float | None = Field(default=None, gt=0, lt=1, description="Cage, orders")
    balls: int | None = Field(default=None, ge=3, le=100, description="Number of rolling elements")
    ball_diameter_mm: float | None = Field(default=None, gt=0, description="Ball diameter, mm")
    pitch_diameter_mm: float | None = Field(default=None, gt=0, description="Pitch diameter, mm")
    contact_angle_deg: float = Field(default=0, ge=0, lt=90, description="Contact angle, degrees")

    @model_validator(mode="after")
    def _orders_or_geometry(self) -> Self:
        geometry = (self.balls, self.ball_diameter_mm, self.pitch_diameter_mm)
        orders = (self.bpfo, self.bpfi, self.bsf, self.ftf)
        has_geometry = all(g is not None for g in geometry)
        if not has_geometry and all(o is None for o in orders):
            raise ValueError(
                "give balls, ball_diameter_mm and pitch_diameter_mm, or at least one of bpfo, "
                "bpfi, bsf, ftf in orders of shaft speed"
            )
        return self


class LimitSettings(Section):
    """A fixed limit on one feature of a point, beside what is learned."""

    feature: str = Field(description="Feature name, see docs/features.md")
    warning: float | None = Field(default=None, description="Warning limit, in the feature's unit")
    alarm: float | None = Field(default=None, description="Alarm limit, in the feature's unit")
    direction: Literal["above", "below"] = Field(default="above", description="Which side is bad")


class PointSettings(Section):
    """A measuring point: one sensor channel on a machine."""

    id: Id = Field(description="Id within the machine; a level of the MQTT topic")
    name: str = Field(default="", max_length=100, description="What people call it")
    kind: Literal["vibration", "sound"] = Field(description="What the sensor measures")
    unit: Literal["g", "m/s2", "mm/s", "V", "Pa", "FS", "as_delivered"] = Field(
        description="Unit of the samples; `V` needs `sensitivity_mv` and `sensitivity_unit`; "
        "`as_delivered` and `FS` are undeclared units, by which ISO zones refuse to judge"
    )
    sensitivity_mv: float | None = Field(
        default=None, gt=0, description="Sensor sensitivity, mV per `sensitivity_unit`"
    )
    sensitivity_unit: Literal["g", "m/s2", "mm/s", "Pa"] | None = Field(
        default=None, description="Physical unit that the sensitivity refers to"
    )
    fs_hz: float = Field(ge=200, le=200_000, description="Sampling rate, Hz")
    limits: tuple[LimitSettings, ...] = Field(default=(), description="Fixed limits")

    @model_validator(mode="after")
    def _volts_need_sensitivity(self) -> Self:
        if self.unit == "V" and (self.sensitivity_mv is None or self.sensitivity_unit is None):
            raise ValueError("unit 'V' needs sensitivity_mv and sensitivity_unit")
        return self


class MachineSettings(Section):
    """A machine with its name-plate data."""

    id: Id = Field(description="Id on this gateway; a level of the MQTT topic")
    name: str = Field(default="", max_length=100, description="What people call it")
    area: str = Field(default="", max_length=100, description="Where it stands, e.g. `Hall 2`")
    power_kw: float | None = Field(default=None, gt=0, description="Rated power, kW")
    speed_rpm: float | None = Field(
        default=None, gt=0, le=200_000, description="Nominal shaft speed, r/min"
    )
    shaft_height_mm: float | None = Field(default=None, gt=0, description="Shaft height, mm")
    support: Literal["rigid", "flexible"] | None = Field(
        default=None, description="Foundation by ISO 20816-3: rigid or flexible"
    )
    iso_class: Literal["group1", "group2", "I", "II", "III", "IV"] | None = Field(
        default=None,
        description="ISO 20816-3 group or ISO 10816-1 class; without it ISO zones don't judge",
    )
    bearings: tuple[BearingSettings, ...] = Field(default=(), description="Rolling bearings")
    gear_teeth: tuple[Annotated[int, Field(ge=3, le=1000)], ...] = Field(
        default=(), description="Tooth counts on the measured shaft, for gear-mesh levels"
    )
    baseline_windows: int | None = Field(
        default=None,
        ge=20,
        le=100_000,
        description="Windows a point of this machine needs for its baseline; default: the "
        "detector's. More for a machine that takes long to go through its speeds and loads",
    )
    points: tuple[PointSettings, ...] = Field(min_length=1, description="Measuring points")

    @model_validator(mode="after")
    def _distinct_points(self) -> Self:
        ids = [p.id.lower() for p in self.points]
        double = {i for i in ids if ids.count(i) > 1}
        if double:
            raise ValueError(f"machine {self.id!r} has point id {min(double)!r} twice")
        return self


class RecordingsSource(Section):
    """Plays a data set of recordings as if its sensors were connected."""

    type: Literal["recordings"] = Field(description="Kind of source")
    manifest: ConfiguredPath = Field(description="The data set's `manifest.csv`")
    machine: str = Field(description="Machine in the manifest to play")
    as_machine: Id | None = Field(
        default=None, description="Id of the configured machine it stands for; default: the same"
    )
    pace: float = Field(
        default=1.0,
        ge=0,
        le=1000,
        description="Times real time; 0 = as fast as possible. Faster than 1 plays history: it "
        "begins so far in the past that it ends now, and no stamp lies in the future",
    )
    order: Literal["manifest", "healthy_first"] = Field(
        default="healthy_first", description="Order in which recordings are played"
    )
    baseline_share: float = Field(
        default=1.0,
        gt=0,
        le=1,
        description="With `healthy_first`: first this share of every healthy recording is played, "
        "then the rest of each, so that what follows a baseline is not what it was learned from",
    )
    healthy_repeats: int = Field(
        default=1,
        ge=1,
        le=10_000,
        description="How often the healthy recordings (or their rest) are played before the others",
    )
    repeat: bool = Field(
        default=False,
        description="Start again at the end; from then on in real time, whatever the pace",
    )


class SiteSettings(Section):
    """The plant."""

    id: Id = Field(default="plant", description="First level of the MQTT topics")
    name: str = Field(default="", max_length=100, description="What people call it")


class DetectorSection(Section):
    """How windows are cut and how often a false alarm may occur."""

    window_s: float = Field(default=1.0, ge=0.05, le=60, description="Window length, s")
    overlap: float = Field(default=0.5, ge=0, le=0.9, description="Share that windows overlap")
    false_alarms_per_year: float = Field(
        default=1.0, ge=0.01, le=1000, description="Budget of false alarms a machine and year"
    )
    baseline_windows: int = Field(
        default=200, ge=20, le=100_000, description="Windows a point needs for its baseline"
    )


class GatewaySection(Section):
    """The gateway itself."""

    id: Id = Field(default="gateway1", description="Second level of the MQTT topics")
    data_dir: ConfiguredPath = Field(
        default=Path("auscult-data/gateway"),
        validate_default=True,
        description="Where database and checkpoints live",
    )
    trend_interval_s: float = Field(
        default=60, ge=1, le=86_400, description="How often a point's trend is published, s"
    )
    spectrum_interval_s: float = Field(
        default=21_600,
        ge=1,
        le=31_536_000,
        description="How often a point's spectrum and envelope spectrum are published, s: they "
        "show the healthy band and the waterfall; 25 kB each at 6400 lines",
    )
    heartbeat_s: float = Field(
        default=60, ge=5, le=86_400, description="Unchanged states are sent again after this, s"
    )
    outbox_max_mb: int = Field(
        default=512, ge=1, le=100_000, description="Bound of the outbox; oldest trends go first"
    )
    keep_events_days: int = Field(
        default=400, ge=1, le=10_000, description="How long events stay on the gateway, days"
    )


class GatewaySettings(Section):
    """All that a gateway needs to know."""

    site: SiteSettings = SiteSettings()
    gateway: GatewaySection = GatewaySection()
    mqtt: BrokerSettings = BrokerSettings()
    detector: DetectorSection = DetectorSection()
    sparkplug: SparkplugSettings = SparkplugSettings()
    machines: tuple[MachineSettings, ...] = Field(min_length=1, description="The machines")
    sources: tuple[RecordingsSource, ...] = Field(default=(), description="Where samples come from")

    @model_validator(mode="after")
    def _ids_meet(self) -> Self:
        ids = [m.id.lower() for m in self.machines]
        double = {i for i in ids if ids.count(i) > 1}
        if double:
            raise ValueError(f"machine id {min(double)!r} is used twice")
        known = {m.id for m in self.machines}
        for source in self.sources:
            target = source.as_machine or source.machine
            if target not in known:
                raise ValueError(
                    f"source plays machine {target!r}, which is not configured: add it under "
                    "[[machines]] or set as_machine"
                )
        return self
