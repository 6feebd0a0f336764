"""The dashboard itself, and the gateways."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from auscult.app.views.base import View
from auscult.contract.parts import AccountPart, UpdatePart
from auscult.contract.said import Said


class Health(View):
    """Health of the dashboard itself."""

    status: Literal["ok", "degraded", "failing"] = Field(
        description="`degraded` without the broker or with damaged rows, `failing` when nothing "
        "can be stored"
    )
    version: str
    database: str = Field(description="`ok`, or why it fails")
    database_said: Said | None = Field(
        default=None, description="What is wrong with it, as code and values; null = nothing"
    )
    damaged_rows: int = Field(description="Rows that can't be read; lists leave them out")
    broker: str = Field(description="`connected`, or why not")
    broker_said: Said | None = Field(
        default=None, description="What is wrong with it, as code and values; null = nothing"
    )
    now_ms: int = Field(description="The server's clock, the reference for ages")
    stale_after_s: float
    page_built: bool


class Gateway(View):
    """A gateway with the health it reports of itself."""

    id: str = Field(description="`site~gateway`")
    site: str
    gateway: str
    state: Literal["online", "offline"]
    stale: bool = Field(description="Nothing received for longer than `stale_after_s`")
    heard_ms: int = Field(description="When the dashboard last received a message of it")
    updated_ms: int = Field(description="Time of the gateway's last status, by its own clock")
    version: str = ""
    started_ms: int = 0
    clock_synchronised: bool | None = None
    clock_error_ms: float | None = Field(
        default=None, description="Largest error of its clock, by the kernel"
    )
    time_services: tuple[str, ...] = Field(
        default=(), description="Running time services (NTP, PTP), as far as they can be seen"
    )
    clock_steps: int = Field(default=0, description="Changes of its clock since its start")
    clock_step_s: float | None = Field(default=None, description="The last step; forward > 0")
    cpu_percent: float | None = None
    memory_mb: float | None = None
    disk_free_mb: float | None = None
    temperature_c: float | None = None
    outbox_pending: int = 0
    outbox_dropped: int = 0
    windows_total: int = 0
    platform: str = ""
    updatable: bool = False
    update: UpdatePart | None = Field(default=None, description="The last update offered to it")
    account: AccountPart | None = Field(
        default=None, description="False events: promised and observed; null of older gateways"
    )
    certificate_days: float | None = Field(
        default=None, description="Days until its client certificate expires; null without one"
    )
    sources: dict[str, str] = Field(default_factory=dict)
    sources_said: dict[str, Said] = Field(
        default_factory=dict, description="`sources` as codes with values"
    )
    troubles: dict[str, str] = Field(
        default_factory=dict,
        description="Each part of the gateway that failed lately, with its fault; empty = healthy",
    )
    troubles_said: dict[str, Said] = Field(
        default_factory=dict, description="`troubles` as codes with values"
    )
    machines: int = Field(default=0, description="How many machines it monitors")


class UnknownGateway(View):
    """A gateway that sends messages and is not enrolled: nothing of it is stored."""

    id: str = Field(description="`site~gateway`")
    site: str
    gateway: str
    heard_ms: int = Field(description="When its last message was received")


class UnknownGatewayList(View):
    """The gateways in quarantine."""

    items: list[UnknownGateway]


class GatewayList(View):
    """All gateways."""

    items: list[Gateway]


class EnrolmentCode(View):
    """A code that enrols one gateway; its secret part is not stored."""

    tag: str = Field(description="The first four symbols of the code")
    site: str
    gateway: str
    actor: str = Field(description="Who made it")
    created_ms: int
    expires_ms: int
    state: Literal["open", "used", "expired", "blocked"] = Field(
        description="`blocked` after too many wrong attempts"
    )
    failures: int = Field(description="Wrong attempts so far")
    used_ms: int | None = Field(description="When the gateway was enrolled; null = not yet")
    address: str = Field(description="Network address of the gateway that used it")


class MadeEnrolmentCode(View):
    """A code that was just made."""

    code: str = Field(description="To be typed on the gateway; it is shown only once")
    site: str
    gateway: str
    expires_ms: int


class EnrolmentCodeList(View):
    """All codes, newest first."""

    items: list[EnrolmentCode]
    open: bool = Field(description="Whether this dashboard can enrol by code")


class EnrolmentAnswer(View):
    """What a new gateway gets."""

    site: str
    gateway: str
    certificate: str = Field(description="PEM")
    authority: str = Field(description="The plant's certificate authority, PEM")
    broker: str = Field(description="HOST:PORT")
    dashboard_key: str = Field(description="Public key of the dashboard's commands")
    listed: bool = Field(description="The broker reads the dashboard's list of gateways")
    proof: str = Field(description="HMAC-SHA256 with the code's key: the answer is unchanged")
