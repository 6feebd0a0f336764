"""The gateway's part of the configuration: site, machines with their name plates, sources."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from auscult.contract.machines import Id, LimitSettings, MachineSettings, PointSettings
from auscult.contract.said import Rejection
from auscult.contract.section import ConfiguredPath, Section
from auscult.contract.topics import PATH_PATTERN
from auscult.gateway.records import PointId
from auscult.gateway.settings.learning import LearningSection, check_key
from auscult.gateway.settings.outputs import HasOutputs, Outputs, no_tables
from auscult.gateway.settings.source import (
    AnySource,
    SourceSettings,
    fed_twice,
    line_conflicts,
    page_kinds,
)
from auscult.gateway.settings.updates import UpdateSettings
from auscult.host.backups import BackupSettings
from auscult.link.broker import BrokerSettings

__all__ = [
    "AnySource",
    "DetectorSection",
    "GatewaySection",
    "GatewaySettings",
    "LimitSettings",
    "MachineSettings",
    "PointSettings",
    "SiteSettings",
    "SourceSettings",
]


def _for_page(kind: str) -> str:
    if kind not in (allowed := page_kinds()):
        raise Rejection("value_one_of", expected=allowed)
    return kind


class SiteSettings(Section):
    """The plant."""

    id: Id = Field(default="plant", description="First level of the MQTT topics")
    path: str = Field(
        default="",
        pattern=PATH_PATTERN,
        description="Levels in front of all MQTT topics, as in ISA-95, e.g. "
        "`acme/lyon/hall-2/line-4`; set `[dashboard] paths` accordingly",
    )
    name: str = Field(default="", max_length=100, description="Name for people")


class DetectorSection(Section):
    """How windows are cut and how often a false alarm may occur."""

    window_s: float = Field(default=1.0, ge=0.05, le=60, description="Window length, s")
    overlap: float = Field(default=0.5, ge=0, le=0.9, description="Overlap of windows, as a share")
    false_alarms_per_year: float = Field(
        default=1.0, ge=0.01, le=1000, description="Budget of false alarms per machine and year"
    )
    false_events_a_month: float | None = Field(
        default=None,
        ge=0.01,
        le=100,
        description="Budget of false events a month of all machines of this gateway together, in "
        "place of `false_alarms_per_year`: it is divided by criticality among the machines without "
        "a budget of their own",
    )
    baseline_windows: int = Field(
        default=200, ge=20, le=100_000, description="Windows of a point that a baseline needs"
    )


class GatewaySection(Section):
    """The gateway itself."""

    id: Id = Field(default="gateway1", description="Second level of the MQTT topics")
    data_dir: ConfiguredPath = Field(
        default=Path("auscult-data/gateway"),
        validate_default=True,
        description="Folder of database and checkpoints",
    )
    recordings_dir: ConfiguredPath = Field(
        default=Path("auscult-data/recordings"),
        validate_default=True,
        description="Folder of data sets that machines commissioned from the dashboard may play; "
        "their manifests are below it. So are the tables of values that the page maps",
    )
    page_sources: tuple[Annotated[str, AfterValidator(_for_page)], ...] = Field(
        default=(),
        description="Kinds of source, e.g. `modbus`, that the page may set up although they reach "
        "other devices or open a port: whoever may set up machines can then make the gateway "
        "connect to any address of its network. Other kinds that do so belong in this file",
    )
    trend_interval_s: float = Field(
        default=60, ge=1, le=86_400, description="Time between trends of a point, s"
    )
    spectrum_interval_s: float = Field(
        default=21_600,
        ge=1,
        le=31_536_000,
        description="Time between a point's spectra and envelope spectra, s. The healthy band and "
        "the waterfall are made of them; 25 kB each at 6400 lines",
    )
    heartbeat_s: float = Field(
        default=60,
        ge=5,
        le=86_400,
        description="Unchanged states are published again after this, s",
    )
    outbox_max_mb: int = Field(
        default=512,
        ge=1,
        le=100_000,
        description="Bound of the outbox, MB; 8 a point hold 30 days without a broker. From half "
        "of it on, waiting trends are joined into hours; beyond it the oldest trends are "
        "discarded first, events last",
    )
    outbox_max_days: int = Field(
        default=90,
        ge=1,
        le=3650,
        description="Waiting messages are discarded after this running time, days",
    )
    clips: Literal["off", "on_request"] = Field(
        default="on_request",
        description="Whether raw signals may leave the gateway: as clips requested by someone "
        "with the right, each bounded and audited. `off` discards each signal after its window is "
        "scored",
    )
    sound_clips: bool = Field(
        default=False,
        description="Whether this includes microphones, which may record people",
    )
    clip_max_s: float = Field(default=10, ge=0.1, le=60, description="Longest clip, s")
    signal_memory_mb: int = Field(
        default=32,
        ge=1,
        le=10_000,
        description="Memory for the newest raw signals of all points, MB, shared by windows, "
        "bearing searches and clips; with many fast points each keeps less. The last window and "
        "the current one are always kept: 39 MB for 256 points at 25.6 kHz",
    )
    backup: BackupSettings = Field(
        default=BackupSettings(), description="Backups of the gateway by schedule"
    )
    updates: UpdateSettings = Field(
        default=UpdateSettings(), description="Updates that the dashboard offers"
    )
    metrics_port: int | None = Field(
        default=None,
        ge=1,
        le=65_535,
        description="Port of `/metrics` (Prometheus) and `/health`; left out = none. Neither asks "
        "for a password",
    )
    metrics_host: str = Field(
        default="127.0.0.1", description="Address of that port; 0.0.0.0 = the whole network"
    )
    dashboard_keys: tuple[Annotated[str, AfterValidator(check_key)], ...] = Field(
        default=(),
        max_length=64,
        description="Public keys of the dashboards whose commands are given in a person's name "
        "(`auscult commands-key`). Empty = the first dashboard that sends a signed command, "
        "stored in `dashboard_key` in the data folder; delete that file to trust another one",
    )
    unsigned_commands: Literal["report", "reject"] = Field(
        default="report",
        description="Commands and receipts over MQTT without the signature of a trusted dashboard: "
        "done (a command is recorded as reported over MQTT), or rejected",
    )
    clips_per_hour: int = Field(
        default=60, ge=1, le=10_000, description="Most clips within an hour; ten at once"
    )
    keep_events_days: int = Field(
        default=400,
        ge=1,
        le=10_000,
        description="Events are kept on the gateway for this running time, days",
    )


class GatewaySettings(HasOutputs):
    """All that a gateway needs to know."""

    site: SiteSettings = SiteSettings()
    gateway: GatewaySection = GatewaySection()
    mqtt: BrokerSettings = BrokerSettings()
    detector: DetectorSection = DetectorSection()
    learning: LearningSection = LearningSection()
    outputs: Outputs = Field(
        default_factory=no_tables, description="Each output has a table of its own"
    )
    machines: tuple[MachineSettings, ...] = Field(
        default=(), description="The machines; more can be commissioned from the dashboard"
    )
    sources: tuple[AnySource, ...] = Field(default=(), description="Where samples come from")

    @model_validator(mode="after")
    def _ids_meet(self) -> Self:
        ids = [m.id.lower() for m in self.machines]
        double = {i for i in ids if ids.count(i) > 1}
        if double:
            raise Rejection("machine_id_twice", machine=min(double))
        points = {PointId(m.id, p.id) for m in self.machines for p in m.channels}
        known = {point.machine for point in points}
        for source in self.sources:
            machines = {source.target} | {point.machine for point in source.feeds}
            if unknown := machines - known:
                raise Rejection("source_machine_unknown", machine=min(unknown))
            if missing := source.feeds.keys() - points:
                raise Rejection(
                    "point_unknown", machine=min(missing).machine, point=min(missing).point
                )
        for _, _, said in fed_twice(enumerate(self.sources), self.machines):
            raise Rejection(said)
        for _, _, said in line_conflicts(enumerate(self.sources)):
            raise Rejection(said)
        return self
