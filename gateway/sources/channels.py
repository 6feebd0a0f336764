"""Which channels the gateway could hear, for whoever commissions machines on it."""

from __future__ import annotations

import csv
import logging
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from auscult.gateway.messages.inventory import ChannelPart

log = logging.getLogger(__name__)

MAX_CHANNELS = 500
"""Offered at most; others can still be named by hand."""


def recorded_channels(folder: Path) -> tuple[ChannelPart, ...]:
    """List the channels of the data sets in a folder, each `*/manifest.csv` one."""
    offered: dict[tuple[str, str, str], ChannelPart] = {}
    for manifest in sorted(folder.glob("*/manifest.csv")):
        try:
            for channel in _channels(manifest, str(manifest.relative_to(folder))):
                offered.setdefault((channel.source, channel.machine, channel.point), channel)
        except (OSError, ValueError, KeyError, csv.Error, ValidationError) as error:
            log.warning("%s: its channels can't be offered: %s", manifest, error)
    return tuple(offered.values())[:MAX_CHANNELS]


def _channels(manifest: Path, source: str) -> Iterator[ChannelPart]:
    with manifest.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield ChannelPart.model_validate(
                {
                    "type": "recordings",
                    "source": source,
                    **{k: row[k] for k in ("machine", "point", "kind", "unit", "fs_hz")},
                }
            )
