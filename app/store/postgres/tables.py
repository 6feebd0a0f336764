"""The store's tables on PostgreSQL: the same steps as on a file, and what only a server has."""

from __future__ import annotations

import logging

import psycopg

from auscult.app.store.connection import StoreOpenError, WritableDatabase
from auscult.app.store.schema import STEPS
from auscult.contract.message import now_ms
from auscult.errors import newer_database

log = logging.getLogger(__name__)

CHUNK_MS = 30 * 86_400_000
"""Time that a chunk of a hypertable holds: what is kept as sent is in one or two of them."""

NUMBERED = (("point", "num"), ("feature_set", "num"), ("audit", "number"))
"""Columns that the server numbers."""
_STEPS_DONE = """CREATE TABLE IF NOT EXISTS migration (
    name TEXT PRIMARY KEY,
    applied_ms INTEGER NOT NULL
) STRICT"""
# upper and lower case count as one, as with SQLite's collation of this name
_NOCASE = """CREATE COLLATION IF NOT EXISTS nocase
    (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"""

TIMESCALE_OFFERED = "SELECT 1 FROM pg_available_extensions WHERE name = 'timescaledb'"
TIMESCALE = (
    "CREATE EXTENSION IF NOT EXISTS timescaledb",
    f"""SELECT create_hypertable('trend', 'start_ms', chunk_time_interval => {CHUNK_MS}::bigint,
        create_default_indexes => false, if_not_exists => true, migrate_data => true)""",
)


def trends_by_end(db: WritableDatabase) -> None:
    """Let what is too old be found without reading the rest."""
    db.define("CREATE INDEX IF NOT EXISTS trend_end ON trend USING brin (end_ms)")


def features_by_hash(db: WritableDatabase) -> None:
    """Let a set of features be long: hundreds of them are more text than an index takes."""
    db.define("ALTER TABLE feature_set DROP CONSTRAINT feature_set_features_key")
    db.define(
        "CREATE UNIQUE INDEX feature_set_features ON feature_set (hashtextextended(features, 0))"
    )


def migrate(db: WritableDatabase, place: str) -> None:
    """Bring the tables up to date, in one transaction; processes that start together take turns.

    Raises
    ------
    StoreOpenError
        If a newer version has changed them; `place` names the database.
    """
    db.begin(turn=0)
    db.define(_STEPS_DONE)
    db.define(_NOCASE)
    done = {row[0] for row in db.execute("SELECT name FROM migration")}
    steps = (*STEPS, trends_by_end, features_by_hash)
    if problem := newer_database(place, done, (step.__name__ for step in steps)):
        raise StoreOpenError(problem)
    for step in steps:
        if step.__name__ not in done:
            step(db)
            db.execute("INSERT INTO migration VALUES (?, ?)", (step.__name__, now_ms()))
    use_timescale(db)
    db.commit()


def use_timescale(db: WritableDatabase) -> None:
    """Make trends a hypertable where the server offers TimescaleDB; else they stay as they are."""
    if db.execute(TIMESCALE_OFFERED).fetchone() is None:
        return
    try:
        with db.atomic():
            for statement in TIMESCALE:
                db.execute(statement)
    except (psycopg.OperationalError, psycopg.InterfaceError):
        raise
    except psycopg.Error as error:
        log.warning(
            "TimescaleDB is offered but can't be used (%s): trends stay in a plain table; have an "
            "administrator run CREATE EXTENSION timescaledb",
            " ".join(str(error).split()),
        )
