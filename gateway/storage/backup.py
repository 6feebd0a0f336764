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


def back_up(
    settings: GatewaySettings, path: Path, passphrase: str | None, *, own_process: bool = False
) -> Contents:
    """Write a backup, also while the gateway runs; `own_process` as in `archive.write`.

    Raises
    ------
    BackupError
    """
    of = f"{settings.site.id}/{settings.gateway.id}"
    folder, made_by = settings.gateway.data_dir, version("auscult")
    return archive.write(path, folder, KIND, of, made_by, passphrase, own_process=own_process)


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
