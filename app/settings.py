"""The dashboard's part of the configuration."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit
from zoneinfo import available_timezones

from pydantic import AfterValidator, Field, field_validator, model_validator

from auscult.contract.said import Rejection
from auscult.contract.section import ConfiguredPath, Section
from auscult.host.backups import BackupSettings

_LEVEL = r"(\+|[A-Za-z0-9][A-Za-z0-9_.\-]{0,63})"
FILTER_PATTERN = rf"^{_LEVEL}(/{_LEVEL}){{0,7}}$"
"""Up to eight levels, each a name or `+`."""


def zone_name(configured: str) -> str:
    """Return the plant's time zone (IANA): as configured, else the server's, else UTC."""
    link = str(Path("/etc/localtime").resolve()).partition("zoneinfo/")[2]
    known = available_timezones()
    return next((one for one in (configured, os.environ.get("TZ"), link) if one in known), "UTC")


def _client_id(name: str) -> str:
    """Check the name of the dashboard's session, by which its backups are named too."""
    if re.search(r"[\s/\\+#]", name) or name.startswith("."):
        raise Rejection("client_id_characters")
    return name


class EnrolmentSettings(Section):
    """Enrolment of gateways by a short code."""

    folder: ConfiguredPath | None = Field(
        default=None,
        description="Folder with `ca.crt` and `ca.key` of `auscult certs make`, writable for the "
        "dashboard; left out = no enrolment by code",
    )
    broker: str = Field(
        default="",
        max_length=255,
        pattern=r"^([^\s/:\"\\]+(:[0-9]{1,5})?|\[[0-9a-fA-F:]+\](:[0-9]{1,5})?)?$",
        description="HOST or HOST:PORT of the broker's TLS listener as gateways reach it "
        "(port 8883 where none is given)",
    )
    gateways_file: ConfiguredPath | None = Field(
        default=None,
        description="File for the ids of enrolled gateways, one a line, from which the broker "
        "makes their rights; left out = `gateways` in `folder`, and the rights are given by hand",
    )

    @model_validator(mode="after")
    def _broker_is_named(self) -> Self:
        if self.folder is not None and not self.broker:
            raise ValueError("enrolment needs `broker`: HOST:PORT as gateways reach it")
        return self


class RolloutSettings(Section):
    """Updates that gateways are offered."""

    folder: ConfiguredPath | None = Field(
        default=None,
        description="Folder of bundles (`auscult updates add`), best outside `data_dir`, whose "
        "backups would hold them; left out = no updates from this dashboard",
    )
    address: str = Field(
        default="",
        max_length=255,
        pattern=r"^(https?://[^\s/\"\\]+)?$",
        description="This dashboard as gateways reach it, as `http://dashboard.plant.example:8420`",
    )

    @model_validator(mode="after")
    def _address_is_named(self) -> Self:
        if self.folder is not None and not self.address:
            raise ValueError("updates need `address`: http://HOST:PORT as gateways reach it")
        return self


class DashboardSettings(Section):
    """The dashboard server."""

    host: str = Field(
        default="127.0.0.1", description="Address to listen on; 0.0.0.0 = the whole network"
    )
    port: int = Field(default=8420, ge=1, le=65535, description="Port of the page and the API")
    data_dir: ConfiguredPath = Field(
        default=Path("auscult-data/dashboard"),
        validate_default=True,
        description="Folder of the dashboard's database",
    )
    database: str | None = Field(
        default=None,
        pattern=r"^postgres(ql)?://",
        description="Address of a PostgreSQL database, `postgresql://user@host:5432/auscult`, for "
        "several workers or hosts; left out = a SQLite file in `data_dir`",
    )
    database_password_file: ConfiguredPath | None = Field(
        default=None,
        description="File whose first line is the database's password (never in this file); left "
        "out = libpq's own methods, such as `PGPASSFILE`",
    )
    workers: int = Field(
        default=1,
        ge=1,
        le=32,
        description="Processes that serve and store side by side; more than one needs `database`",
    )
    login: Literal["required", "off"] = Field(
        default="required",
        description="`off` admits everyone without sign-in: for demonstrations only",
    )
    demo: bool = Field(
        default=False,
        description="The page says that this is a demonstration, and gives hints",
    )
    hosts: tuple[Annotated[str, Field(min_length=1, max_length=253)], ...] = Field(
        default=(),
        max_length=64,
        description='Host names of this server. With `login = "off"` requests to other names are '
        "rejected; addresses and `localhost` are always accepted",
    )
    trusted_proxies: tuple[Annotated[str, Field(min_length=1, max_length=64)], ...] = Field(
        default=("127.0.0.1", "::1"),
        max_length=64,
        description="Addresses or networks of reverse proxies. Only their `X-Forwarded-For` and "
        "`X-Forwarded-Proto` are used, for the audit, `Secure` cookies and HSTS; `[]` = none",
    )
    page_url: str = Field(
        default="",
        max_length=300,
        pattern=r"^(https?://[^\s]+)?$",
        description="Address of the page as people open it, for links in messages and reports; "
        "empty = no links",
    )
    time_zone: str = Field(
        default="",
        max_length=64,
        description="Time zone of the page, shifts, quiet hours, messages and reports, e.g. "
        "`Europe/Berlin`; empty = the server's",
    )
    cases_a_week: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="Machines that people can look at in a week: the list of cases shows what is "
        "beyond it; left out = no line in the list",
    )
    currency: str = Field(
        default="",
        max_length=8,
        description="Sign of the currency of downtime costs, e.g. `€`; empty = none is shown",
    )
    client_id: Annotated[str, AfterValidator(_client_id)] = Field(
        default="auscult-dashboard",
        min_length=1,
        max_length=64,
        description="Name of the dashboard's session at the broker, which keeps messages while "
        "the dashboard is away; each dashboard needs its own",
    )
    commands_key_file: ConfiguredPath | None = Field(
        default=None,
        description="Private key (Ed25519, PEM) that signs commands, so that gateways know them "
        "from those of anyone with a password of the broker. Left out = `commands.key` in "
        "`data_dir`, made at the first start; dashboards on several hosts share one file",
    )
    paths: tuple[Annotated[str, Field(pattern=FILTER_PATTERN)], ...] = Field(
        default=(),
        max_length=64,
        description="Prefixes of the topics of gateways with a `[site] path`, e.g. "
        "`acme/lyon/+/+`; the dashboard receives gateways without one in any case",
    )
    max_gateways: int = Field(
        default=200,
        ge=1,
        le=100_000,
        description="Messages of more gateways than this are rejected, so that no credential of "
        "the broker fills the database; gateways that are stored already stay",
    )
    unknown_gateways: Literal["accept", "quarantine"] = Field(
        default="accept",
        description="Gateways that send for the first time: accepted, or nothing of them is stored "
        "until an administrator enrols them on the page Gateways",
    )
    updates: RolloutSettings = Field(
        default=RolloutSettings(), description="Updates that gateways are offered"
    )
    enrolment: EnrolmentSettings = Field(
        default=EnrolmentSettings(), description="Enrolment of gateways by a short code"
    )
    backup: BackupSettings = Field(
        default=BackupSettings(), description="Backups of the dashboard by schedule"
    )
    keep_trend_details_days: int = Field(
        default=30,
        ge=1,
        le=36_500,
        description="Time that trends are kept as sent, days; after that by the hour and day, "
        "with their extremes. Days count while the dashboard runs, so that a wrong clock deletes "
        "nothing",
    )
    keep_trends_days: int = Field(
        default=1830, ge=1, le=36_500, description="Time that trends are kept, days"
    )
    keep_events_days: int = Field(
        default=3650,
        ge=1,
        le=36_500,
        description="How long closed events, labels and commands are kept, days",
    )
    keep_spectra_per_point: int = Field(
        default=100,
        ge=1,
        le=100_000,
        description="How many spectra of a kind are kept beside those of events, and how many "
        "run-ups: half are the newest, a quarter healthy ones, the rest is from round the "
        "beginning of events and of the time before, fewer the older",
    )
    keep_clips_per_point: int = Field(
        default=20, ge=1, le=10_000, description="How many clips of a point's raw signal are kept"
    )
    stale_after_s: float = Field(
        default=180, ge=10, le=86_400, description="A state older than this is shown as stale, s"
    )

    @model_validator(mode="after")
    def _workers_share(self) -> Self:
        if self.workers > 1 and self.database is None:
            raise ValueError(
                f"workers = {self.workers} needs a PostgreSQL database (set database): a SQLite "
                "file is written by one process"
            )
        return self

    @property
    def commands_key_path(self) -> Path:
        """Return the file with the key that signs commands."""
        return self.commands_key_file or self.data_dir / "commands.key"

    @field_validator("time_zone")
    @classmethod
    def _zone_exists(cls, value: str) -> str:
        if value and value not in available_timezones():
            raise ValueError(f"{value!r} is no time zone: use a name such as Europe/Berlin")
        return value

    @field_validator("database")
    @classmethod
    def _no_password(cls, value: str | None) -> str | None:
        if value is not None and (urlsplit(value).password or "password=" in value):
            raise ValueError("leave the password out of the address: use database_password_file")
        return value
