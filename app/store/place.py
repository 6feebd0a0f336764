"""The place of the store by the settings."""

from __future__ import annotations

from auscult.app.settings import DashboardSettings
from auscult.app.store.caps import Caps, Quarantine
from auscult.app.store.connection import Engine
from auscult.app.store.sqlite import SqliteFile
from auscult.errors import UnusableSettingError

FILE_NAME = "dashboard.db"


def place(settings: DashboardSettings) -> Engine:
    """Return where the store is: a file, or a server where one is named.

    Raises
    ------
    UnusableSettingError
        If the server's address is malformed, or its driver is not installed.
    """
    engine = _engine(settings)
    quarantine = Quarantine() if settings.unknown_gateways == "quarantine" else None
    engine.caps = Caps(gateways=settings.max_gateways, quarantine=quarantine)
    return engine


def _engine(settings: DashboardSettings) -> Engine:
    if settings.database is None:
        return SqliteFile(settings.data_dir / FILE_NAME)
    try:
        from auscult.app.store.postgres.server import PostgresServer
    except ImportError:
        raise UnusableSettingError(
            "[dashboard] database: PostgreSQL needs the extra 'postgres': "
            "pip install 'auscult[postgres]'"
        ) from None
    return PostgresServer(settings.database, settings.database_password_file)
