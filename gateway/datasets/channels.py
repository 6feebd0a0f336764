"""Which channels the gateway could hear, for whoever commissions machines on it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

from auscult.contract.inventory import ChannelPart
from auscult.gateway.datasets.dataset import ManifestError, read_manifest

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
        except ManifestError as error:
            log.warning("%s: its channels can't be offered: %s", manifest, error)
    return tuple(offered.values())[:MAX_CHANNELS]


def _channels(manifest: Path, source: str) -> Iterator[ChannelPart]:
    for recording in read_manifest(manifest, lenient=True).recordings:
        for channel in recording.channels:
            yield ChannelPart(
                type="recordings",
                source=source,
                machine=recording.machine,
                point=channel.point.point,
                kind=channel.kind,
                unit=channel.unit,
                fs_hz=recording.fs_hz,
            )
