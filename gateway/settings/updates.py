"""Updates that the dashboard offers."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from auscult.contract.section import ConfiguredPath, Section


class UpdateSettings(Section):
    """Updates from the dashboard, installed by `auscult-update`."""

    folder: ConfiguredPath | None = Field(
        default=None,
        description="Folder for downloads, from which `auscult-update` installs "
        "(`/var/lib/auscult/update` with the systemd units); left out = no updates from the "
        "dashboard",
    )
    result: ConfiguredPath = Field(
        default=Path("/opt/auscult/update.json"),
        description="File in which `auscult-update` reports",
    )
