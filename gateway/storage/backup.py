"""Backup of a gateway's data folder."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from auscult.backup import archive
from auscult.backup.archive import Contents
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.storage.schema import steps
from auscult.gateway.storage.store import FILE_NAME

KIND = "gateway"


def back_up(settings: GatewaySettings, path: Path, passphrase: str | None) -> Contents:
    """Write a backup, also while the gateway runs.

    Raises
    ------
    BackupError
    """
    of = f"{settings.site.id}/{settings.gateway.id}"
    return archive.write(path, settings.gateway.data_dir, KIND, of, version("auscult"), passphrase)


def restore(
    settings: GatewaySettings, path: Path, passphrase: str | None, *, replace: bool
) -> Contents:
    """Restore a backup; the gateway is stopped.

    Raises
    ------
    BackupError
    """
    known = {FILE_NAME: steps()}
    folder = settings.gateway.data_dir
    return archive.restore(path, folder, KIND, known, passphrase, replace=replace)
