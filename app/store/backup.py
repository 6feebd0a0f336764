"""Backup of the dashboard: its data folder, with the database in one SQLite file wherever it is."""

from __future__ import annotations

import shutil
import tempfile
from importlib.metadata import version
from pathlib import Path

from auscult.app.settings import DashboardSettings
from auscult.app.store.connection import StoreOpenError
from auscult.app.store.move import copy, move
from auscult.app.store.place import FILE_NAME, place
from auscult.app.store.schema import STEPS
from auscult.app.store.sqlite import SqliteFile
from auscult.backup import archive
from auscult.backup.archive import BackupError, Contents
from auscult.backup.owner import as_owner

KIND = "dashboard"
KNOWN = {FILE_NAME: {step.__name__ for step in STEPS}}


def back_up(
    settings: DashboardSettings, path: Path, passphrase: str | None, *, own_process: bool = False
) -> Contents:
    """Write a backup, also while dashboards run; `own_process` as in `archive.write`.

    Raises
    ------
    BackupError
    """
    about = (KIND, settings.client_id, version("auscult"), passphrase)
    if settings.database is None:
        return archive.write(path, settings.data_dir, *about, own_process=own_process)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=path.parent) as name:
        folder = Path(name) / "data"
        folder.mkdir()
        if settings.data_dir.exists():
            archive.copy_settled(
                settings.data_dir, folder, [f"{FILE_NAME}*"], own_process=own_process
            )
        try:
            copy(place(settings), SqliteFile(folder / FILE_NAME))
        except StoreOpenError as error:
            raise BackupError(f"{path}: the backup failed: {error}") from error
        return archive.write(path, folder, *about)


def restore(
    settings: DashboardSettings, path: Path, passphrase: str | None, *, replace: bool
) -> Contents:
    """Restore a backup, of either database into either; all dashboards are stopped.

    A database on a server must be empty.

    Raises
    ------
    BackupError
    """
    if settings.database is None:
        return archive.restore(path, settings.data_dir, KIND, KNOWN, passphrase, replace=replace)
    with tempfile.TemporaryDirectory(prefix=".restore-", dir=path.parent) as name:
        folder = Path(name) / "data"
        contents = archive.restore(path, folder, KIND, KNOWN, passphrase)
        try:
            move(SqliteFile(folder / FILE_NAME), place(settings), lambda _: None)
        except StoreOpenError as error:
            raise BackupError(f"{path}: can't be restored: {error}") from error
        _put_files(folder, settings.data_dir)
        return contents


def _put_files(restored: Path, data_dir: Path) -> None:
    """Put what was restored beside the database into the data folder: keys and codes."""
    for path in restored.rglob("*"):
        if path.is_file() and not path.name.startswith(FILE_NAME):
            target = data_dir / path.relative_to(restored)
            with path.open("rb") as old:
                with as_owner(data_dir):
                    target.parent.mkdir(parents=True, exist_ok=True)
                    new = archive.new_file(target)
                with new:
                    shutil.copyfileobj(old, new)
