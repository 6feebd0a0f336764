"""The way through a data diode."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from auscult.contract.section import ConfiguredPath, Section


class DiodeSettings(Section):
    """One-way transfer by files that a data diode copies (`auscult diode`)."""

    folder: ConfiguredPath = Field(
        default=Path("auscult-data/diode/files"),
        validate_default=True,
        description="Folder that the diode's file transfer reads (sending side) or fills "
        "(receiving side)",
    )
    data_dir: ConfiguredPath = Field(
        default=Path("auscult-data/diode/state"),
        validate_default=True,
        description="Folder of the numbers and of the history",
    )
    name: str = Field(
        default="diode",
        max_length=64,
        pattern=r"^[A-Za-z0-9_.\-]+$",
        description="Of this way; part of the client id at the broker",
    )
    topics: tuple[str, ...] = Field(
        default=("auscult/v1/#",), min_length=1, max_length=100, description="Sent through"
    )
    repeat_s: tuple[float, ...] = Field(
        default=(60, 600, 3600, 21_600),
        max_length=20,
        description="Ages at which events, lessons and the latest states are sent again, s, "
        "because no receipt comes back",
    )
    history_mb: int = Field(
        default=256, ge=1, le=100_000, description="Bound of the history, MB; the oldest go first"
    )
    waiting_mb: int = Field(
        default=64, ge=1, le=100_000, description="Bound of the files that the diode did not take"
    )
