"""The dashboard's part of the configuration."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from gateway.messages.section import ConfiguredPath, Section


class DashboardSettings(Section):
    """The dashboard server."""

    host: str = Field(
        default="127.0.0.1", description="Address to listen on; 0.0.0.0 = the whole network"
    )
    port: int = Field(default=8420, ge=1, le=65535, description="Port of the page and the API")
    data_dir: ConfiguredPath = Field(
        default=Path("auscult-data/dashboard"),
        validate_default=True,
        description="Where the dashboard's database lives",
    )
    keep_trends_days: int = Field(
        default=1830, ge=1, le=20_000, description="How long trends are kept, days"
    )
    stale_after_s: float = Field(
        default=180, ge=10, le=86_400, description="A state older than this is shown as stale, s"
    )
