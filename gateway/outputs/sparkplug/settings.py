"""`[sparkplug]` of the configuration: whether and how the gateway is a Sparkplug B edge node."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from auscult.contract.host_actions import HostRight
from auscult.contract.said import Rejection
from auscult.contract.section import Section
from auscult.gateway.tags.inventory import TagOptions
from auscult.link.broker import BrokerSettings
from auscult.sparkplug.topics import OptionalId


class SparkplugSettings(Section):
    """Sparkplug B 3.0 beside the plain JSON interface, off by default."""

    enabled: bool = Field(default=False, description="Publish as a Sparkplug edge node")
    group_id: OptionalId = Field(default="", description="Group id; empty = the site's id")
    edge_node_id: OptionalId = Field(
        default="", description="Edge node id, unique in its group; empty = the gateway's id"
    )
    client_id: str = Field(
        default="", max_length=128, description="MQTT client id; empty = `{group}-{edge node}`"
    )
    primary_host_id: OptionalId = Field(
        default="",
        description="Host application to wait for: births are sent only while it is online; "
        "empty = none",
    )
    version: Literal["3.1.1", "5.0"] = Field(default="3.1.1", description="MQTT version")
    brokers: tuple[BrokerSettings, ...] = Field(
        default=(),
        max_length=16,
        description="Brokers in the order in which they are tried; empty = the one of [mqtt]",
    )
    walk_after_s: float = Field(
        default=10,
        ge=0.5,
        le=3600,
        description="With several brokers: how long to wait at one for the primary host, s",
    )
    dead_band_percent: float = Field(
        default=2,
        ge=0,
        le=100,
        description="Levels, scores and evidence are sent when they change by more than this "
        "share of the last sent value, %",
    )
    health_dead_band_percent: float = Field(
        default=5, ge=0, le=100, description="The same for the gateway's own health, %"
    )
    mark_historical: bool = Field(
        default=True,
        description="Kept readings carry `is_historical` (Sparkplug 3.0); false = only their times "
        "show it, for hosts of the version that removes the mark",
    )
    data_types: bool = Field(
        default=False,
        description="Data messages carry each metric's data type: for hosts that keep no types "
        "from the births; Sparkplug 3.0 advises against it",
    )
    history_max_values: int = Field(
        default=100_000,
        ge=0,
        le=10_000_000,
        description="Values kept while the host is away; the oldest are discarded first; 0 = none",
    )
    history_max_days: float = Field(
        default=30, gt=0, le=366, description="Kept values older than this are discarded, days"
    )
    commands: tuple[HostRight, ...] = Field(
        default=("acknowledge", "request_spectrum"),
        description="Commands that hosts may send; those that change decisions or hide alarms "
        "must be allowed explicitly",
    )
    command_max_age_s: float = Field(
        default=60, ge=1, le=3600, description="Device commands older than this are rejected, s"
    )

    @model_validator(mode="after")
    def _brokers_differ(self) -> Self:
        addresses = [(broker.host, broker.port) for broker in self.brokers]
        if len(set(addresses)) != len(addresses):
            raise Rejection("broker_twice")
        return self

    @property
    def tags(self) -> TagOptions:
        """Return what of the tags is published, and when."""
        return TagOptions(
            commands=self.commands,
            dead_band_percent=self.dead_band_percent,
            health_dead_band_percent=self.health_dead_band_percent,
            several_brokers=len(self.brokers) > 1,
        )

    def named(self, site: str, gateway: str) -> SparkplugSettings:
        """Return the settings with the ids that were left out taken from site and gateway.

        >>> SparkplugSettings().named("plant", "gw1").client_id
        'plant-gw1'
        """
        group, node = self.group_id or site, self.edge_node_id or gateway
        return self.model_copy(
            update={
                "group_id": group,
                "edge_node_id": node,
                "client_id": self.client_id or f"{group}-{node}",
            }
        )
