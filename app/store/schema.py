"""The tables, as migrations that each run in a transaction.

A message is stored as its JSON beside the few columns that queries use, so that a
newer gateway's additions need no migration. Trends and spectra, the bulk, are float32 blobs.
Definitions are written with SQLite's types; `Database.define` knows the other database's.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from auscult.app.store import definitions
from auscult.app.store.cases import place_all
from auscult.app.store.checksums import Table, seal_all
from auscult.app.store.connection import WritableDatabase

Step = Callable[[WritableDatabase], None]

STEPS: list[Step] = []
"""Each is done once, in this order, and recorded by its name."""


def _step(step: Step) -> Step:
    STEPS.append(step)
    return step


@_step
def first_tables(db: WritableDatabase) -> None:
    """Create what the messages need."""
    for statement in definitions.FIRST_TABLES:
        db.define(statement)


@_step
def people(db: WritableDatabase) -> None:
    """Create accounts, sessions and the audit, which can only be added to."""
    for statement in (*definitions.PEOPLE, *definitions.AUDIT_IS_KEPT[db.dialect]):
        db.define(statement)


@_step
def alarms(db: WritableDatabase) -> None:
    """Create what people do to alarms (ISA-18.2)."""
    for statement in definitions.ALARMS:
        db.define(statement)


@_step
def commissioning(db: WritableDatabase) -> None:
    """Create configurations of gateways, own bearings, and tokens of programs."""
    for statement in definitions.COMMISSIONING:
        db.define(statement)


@_step
def learned_versions(db: WritableDatabase) -> None:
    """Create the checkpoints of machines."""
    db.define(
        "CREATE TABLE checkpoints (machine_id TEXT PRIMARY KEY REFERENCES machine (id),"
        " ts_ms INTEGER NOT NULL, message TEXT NOT NULL) STRICT"
    )


@_step
def what_commands_bring(db: WritableDatabase) -> None:
    """Store the data of a gateway's answer as JSON, such as a label's preview."""
    db.define("ALTER TABLE command ADD COLUMN brought TEXT")


@_step
def what_deltas_taught(db: WritableDatabase) -> None:
    """Store what a command changed in what a machine has learned."""
    db.define("ALTER TABLE command ADD COLUMN lesson TEXT")


@_step
def instances_of_gateways(db: WritableDatabase) -> None:
    """Store which data folder owns a gateway's id, and when another one last used it."""
    db.define("ALTER TABLE gateway ADD COLUMN instance TEXT NOT NULL DEFAULT ''")
    db.define("ALTER TABLE gateway ADD COLUMN instance_ms INTEGER NOT NULL DEFAULT 0")
    db.define("ALTER TABLE gateway ADD COLUMN rival_ms INTEGER NOT NULL DEFAULT 0")


@_step
def alarms_by_their_gateways(db: WritableDatabase) -> None:
    """Move people's actions into the events: from now on the gateways publish them."""
    for statement in definitions.ALARMS_BY_GATEWAYS:
        db.define(statement)
    if db.dialect == "sqlite":
        # there is no PostgreSQL database that old
        db.define(definitions.HANDLED_SO_FAR)
    for statement in definitions.ALARMS_ELSEWHERE:
        db.define(statement)


@_step
def clips(db: WritableDatabase) -> None:
    """Create clips."""
    db.define(
        """CREATE TABLE clip (
            id TEXT PRIMARY KEY,
            machine_id TEXT NOT NULL,
            point TEXT NOT NULL,
            kind TEXT NOT NULL, -- recent, healthy
            t0_ms INTEGER NOT NULL,
            header TEXT NOT NULL, -- JSON: the message without its samples
            samples BLOB NOT NULL -- int16 little-endian
        ) STRICT"""
    )
    db.define("CREATE INDEX clip_point ON clip (machine_id, point, t0_ms)")


@_step
def paths(db: WritableDatabase) -> None:
    """Remember the prefix of a gateway's topics."""
    db.define("ALTER TABLE gateway ADD COLUMN path TEXT NOT NULL DEFAULT ''")


@_step
def searched_by(db: WritableDatabase) -> None:
    """Give columns to values that queries read from JSON, and to the order of clips."""
    for statement in definitions.SEARCHED_BY:
        db.define(statement)
    if db.dialect == "sqlite":
        # there is no PostgreSQL database that old
        for statement in definitions.SEARCHED_SO_FAR:
            db.define(statement)


@_step
def attempts(db: WritableDatabase) -> None:
    """Create the failures to sign in of each account and address."""
    db.define(
        """CREATE TABLE attempt (
            account TEXT NOT NULL COLLATE NOCASE,
            address TEXT NOT NULL,
            failures INTEGER NOT NULL,
            locked_until_ms INTEGER NOT NULL,
            at_ms INTEGER NOT NULL,
            succeeded_ms INTEGER,
            PRIMARY KEY (account, address)
        ) STRICT, WITHOUT ROWID"""
    )


@_step
def answers_by_code(db: WritableDatabase) -> None:
    """Store the reason of an answer also as code and values (JSON)."""
    db.define("ALTER TABLE command ADD COLUMN said TEXT")


@_step
def age_by_running_time(db: WritableDatabase) -> None:
    """Create the clock that retention goes by."""
    db.define("CREATE TABLE age_clock (age_ms INTEGER NOT NULL, wall_ms INTEGER NOT NULL) STRICT")


@_step
def cases(db: WritableDatabase) -> None:
    """Create cases with their history and photos, prescriptions, and the evidence of machines."""
    for statement in definitions.CASES:
        db.define(statement)


@_step
def notification(db: WritableDatabase) -> None:
    """Create channels, rules, and the queue of messages."""
    for statement in definitions.NOTIFICATION:
        db.define(statement)


@_step
def events_that_gateways_lost(db: WritableDatabase) -> None:
    """Note when an event was closed because its gateway no longer has it."""
    db.define("ALTER TABLE event ADD COLUMN lost_ms INTEGER")


@_step
def regular_reports(db: WritableDatabase) -> None:
    """Create reports that are sent every week, and what a message carries."""
    db.define(
        """CREATE TABLE report_schedule (
            id TEXT PRIMARY KEY,
            body TEXT NOT NULL, -- JSON
            actor TEXT NOT NULL,
            changed_ms INTEGER NOT NULL
        ) STRICT"""
    )
    db.define("ALTER TABLE delivery ADD COLUMN extra TEXT NOT NULL DEFAULT ''")


@_step
def maintenance_systems(db: WritableDatabase) -> None:
    """Create systems that take work orders, and let an order's case be found."""
    db.define(
        """CREATE TABLE order_system (
            id TEXT PRIMARY KEY,
            body TEXT NOT NULL, -- JSON
            headers TEXT NOT NULL, -- JSON, with the credentials
            actor TEXT NOT NULL,
            changed_ms INTEGER NOT NULL
        ) STRICT"""
    )
    db.define("ALTER TABLE machine_case ADD COLUMN order_id TEXT")
    db.define("CREATE INDEX machine_case_order ON machine_case (order_id)")


@_step
def enrolment_by_code(db: WritableDatabase) -> None:
    """Create codes that enrol one gateway each, and what they enrolled."""
    db.define(
        """CREATE TABLE enrolment (
            tag TEXT PRIMARY KEY, -- the public part of the code
            code_key TEXT NOT NULL, -- derived from its secret part; empty when it is over
            site TEXT NOT NULL,
            gateway TEXT NOT NULL,
            actor TEXT NOT NULL,
            created_ms INTEGER NOT NULL,
            expires_ms INTEGER NOT NULL,
            failures INTEGER NOT NULL DEFAULT 0,
            used_ms INTEGER,
            address TEXT NOT NULL DEFAULT '',
            csr_sha256 TEXT NOT NULL DEFAULT '',
            certificate TEXT NOT NULL DEFAULT '' -- PEM
        ) STRICT"""
    )


@_step
def staged_updates(db: WritableDatabase) -> None:
    """Create bundles, and rollouts with their gateways."""
    for statement in definitions.UPDATES:
        db.define(statement)


@_step
def plant_map(db: WritableDatabase) -> None:
    """Create the plant's map: the places of machines, and at most one picture."""
    db.define(
        """CREATE TABLE map_place (
            machine_id TEXT PRIMARY KEY,
            x_milli INTEGER NOT NULL, -- thousandths of the width
            y_milli INTEGER NOT NULL
        ) STRICT"""
    )
    db.define(
        """CREATE TABLE map_picture (
            id TEXT PRIMARY KEY,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            image BLOB NOT NULL -- JPEG
        ) STRICT"""
    )


@_step
def rights_per_site(db: WritableDatabase) -> None:
    """Create roles at single sites; whoever has none keeps the role at all sites."""
    for table in ("account", "token"):
        db.define(f"ALTER TABLE {table} ADD COLUMN sites TEXT NOT NULL DEFAULT '{{}}'")


@_step
def checksums_of_decisions(db: WritableDatabase) -> None:
    """Store a checksum with each event and label."""
    _add_checksums(db, "event", "label")


def _add_checksums(db: WritableDatabase, *tables: Table) -> None:
    for table in tables:
        db.define(f"ALTER TABLE {table} ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0")
    seal_all(db, tables)


@_step
def times_of_evidence(db: WritableDatabase) -> None:
    """Store when the highest evidence of a step was reached.

    A row at a full hour held the highest of the hour. It is deleted where a later row of the hour
    is as high; else its value was reached before the next row.
    """
    db.define(
        """CREATE TABLE evidence_step (
            machine_id TEXT NOT NULL,
            step_ms INTEGER NOT NULL, -- start of ten minutes
            at_ms INTEGER NOT NULL, -- when its highest evidence was reached
            milli INTEGER NOT NULL, -- thousandths
            PRIMARY KEY (machine_id, step_ms)
        ) STRICT, WITHOUT ROWID"""
    )
    db.execute(
        """INSERT INTO evidence_step (machine_id, step_ms, at_ms, milli)
        SELECT placed.machine_id, start_ms,
            CASE WHEN machine.ts_ms BETWEEN start_ms AND end_ms THEN machine.ts_ms ELSE end_ms END,
            milli
        FROM (
            SELECT machine_id, at_ms AS start_ms, milli, -1 + CASE WHEN at_ms % 3600000 <> 0
                THEN at_ms + 600000
                ELSE coalesce(
                    (SELECT min(later.at_ms) FROM evidence AS later
                     WHERE later.machine_id = one.machine_id AND later.at_ms > one.at_ms
                     AND later.at_ms < one.at_ms + 3600000),
                    at_ms + 3600000)
                END AS end_ms
            FROM evidence AS one
            WHERE at_ms % 3600000 <> 0 OR NOT EXISTS
                (SELECT 1 FROM evidence AS later
                 WHERE later.machine_id = one.machine_id AND later.at_ms > one.at_ms
                 AND later.at_ms < one.at_ms + 3600000 AND later.milli >= one.milli)
        ) AS placed LEFT JOIN machine ON machine.id = placed.machine_id"""
    )
    db.define("DROP TABLE evidence")
    db.define("ALTER TABLE evidence_step RENAME TO evidence")


@_step
def checksums_of_rights(db: WritableDatabase) -> None:
    """Store a checksum with each account, session and token."""
    _add_checksums(db, "account", "session", "token")


@_step
def answers_by_code_only(db: WritableDatabase) -> None:
    """Keep an answer as code and values; those that versions before 0.2 sent are a text."""
    texts = db.execute("SELECT id, reason FROM command WHERE said IS NULL AND reason <> ''")
    for identity, text in texts.fetchall():
        said = json.dumps({"code": "text", "values": {"text": text}})
        db.execute("UPDATE command SET said = ? WHERE id = ?", (said, identity))
    db.define("ALTER TABLE command DROP COLUMN reason")


@_step
def cases_of_sensors(db: WritableDatabase) -> None:
    """Let a case be of a sensor, a supply, a gateway or the broker, without events."""
    for column in (
        "kind TEXT NOT NULL DEFAULT 'machine'",
        "subject TEXT NOT NULL DEFAULT ''",
        "known TEXT NOT NULL DEFAULT '{}'",  # JSON
        "acknowledged_ms INTEGER",
        "acknowledged_by TEXT NOT NULL DEFAULT ''",
    ):
        db.define(f"ALTER TABLE machine_case ADD COLUMN {column}")
    place_all(db)  # events of a version without cases; it needs today's columns


@_step
def notes_on_machines(db: WritableDatabase) -> None:
    """Let a line of a case's history be a note on a machine, marked in a plot, and withdrawn."""
    for column in (
        "machine_id TEXT NOT NULL DEFAULT ''",
        "mark TEXT",  # JSON
        "undone_ms INTEGER",
        "undone_by TEXT NOT NULL DEFAULT ''",
    ):
        db.define(f"ALTER TABLE case_entry ADD COLUMN {column}")
    db.execute(
        "UPDATE case_entry SET machine_id = coalesce((SELECT machine_id FROM machine_case"
        " WHERE machine_case.id = case_entry.case_id), '')"
    )
    db.define("CREATE INDEX case_entry_machine ON case_entry (machine_id, at_ms)")


@_step
def troubles_first_seen(db: WritableDatabase) -> None:
    """Keep since when something is in trouble, until it lasts long enough to be a case."""
    db.define("CREATE TABLE trouble (subject TEXT PRIMARY KEY, since_ms INTEGER NOT NULL) STRICT")


@_step
def run_ups(db: WritableDatabase) -> None:
    """Create run-ups."""
    db.define(
        """CREATE TABLE run_up (
            id TEXT PRIMARY KEY,
            machine_id TEXT NOT NULL,
            point TEXT NOT NULL,
            start_ms INTEGER NOT NULL,
            statement TEXT NOT NULL, -- JSON: the rest of the message without the cascade's values
            vals BLOB NOT NULL -- float32 little-endian [speeds, orders]
        ) STRICT"""
    )
    db.define("CREATE INDEX run_up_point ON run_up (machine_id, point, start_ms)")
