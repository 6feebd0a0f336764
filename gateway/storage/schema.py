"""The gateway's database: its tables, and how older ones become newer ones.

Each migration runs once, in a transaction. Never change one that was released; add the next.
"""

from __future__ import annotations

from auscult.gateway.storage.database import Database, Migrations

migrations = Migrations("gateway")


def steps() -> set[str]:
    """Return the names of all migrations of this version."""
    return {step.name for step in migrations.pending(Database(memory=True))}


@migrations()  # type: ignore[untyped-decorator, unused-ignore]
def m001_first_tables(db: Database) -> None:
    """Outbox, events with the windows that learning needs, detector states, commands."""
    for statement in _FIRST_TABLES.split(";;"):
        db.execute(statement)


@migrations()  # type: ignore[untyped-decorator, unused-ignore]
def m002_approvals(db: Database) -> None:
    """Which baseline of a machine a person has approved."""
    db.execute(
        "CREATE TABLE approvals (machine TEXT PRIMARY KEY, baseline_id TEXT NOT NULL,"
        " actor TEXT NOT NULL, at_ns INTEGER NOT NULL) STRICT"
    )


@migrations()  # type: ignore[untyped-decorator, unused-ignore]
def m003_alarms(db: Database) -> None:
    """How people handle alarms; ended events need no acknowledgement."""
    for statement in _ALARMS.split(";;"):
        db.execute(statement)


@migrations()  # type: ignore[untyped-decorator, unused-ignore]
def m004_baselines(db: Database) -> None:
    """Baselines that can be gone back to."""
    db.execute(
        "CREATE TABLE baselines (machine TEXT NOT NULL, baseline_id TEXT NOT NULL,"
        " since_ns INTEGER NOT NULL, sha256 TEXT NOT NULL, state BLOB NOT NULL,"
        " PRIMARY KEY (machine, baseline_id)) STRICT"
    )


@migrations()  # type: ignore[untyped-decorator, unused-ignore]
def m005_clips_and_limits(db: Database) -> None:
    """Keep the end of each healthy period as a signal, and limits that were set at run time."""
    for statement in _CLIPS_AND_LIMITS.split(";;"):
        db.execute(statement)


@migrations()  # type: ignore[untyped-decorator, unused-ignore]
def m006_receipts(db: Database) -> None:
    """Say of each waiting message whose receipt it needs, and whether a broker ever had it."""
    db.execute("ALTER TABLE outbox ADD COLUMN receipt_id TEXT NOT NULL DEFAULT ''")
    # 1 = never handed to a broker, 2 = the same, and joined as far as it can be
    db.execute("ALTER TABLE outbox ADD COLUMN held INTEGER NOT NULL DEFAULT 0")
    db.execute("CREATE INDEX outbox_receipt ON outbox (receipt_id)")
    db.execute("CREATE INDEX outbox_held ON outbox (lane, held, id) WHERE held > 0")


@migrations()  # type: ignore[untyped-decorator, unused-ignore]
def m007_waiting_topics(db: Database) -> None:
    """Find the waiting messages of one topic among very many."""
    db.execute("CREATE INDEX outbox_topic ON outbox (lane, held, topic, id) WHERE held > 0")


@migrations()  # type: ignore[untyped-decorator, unused-ignore]
def m008_ages_and_damaged_rows(db: Database) -> None:
    """Age by running time; messages of the outbox that can't be read."""
    db.execute(
        "CREATE TABLE ages (name TEXT NOT NULL, running_s INTEGER NOT NULL, row INTEGER NOT NULL,"
        " PRIMARY KEY (name, running_s)) STRICT"
    )
    db.execute(
        "CREATE TABLE outbox_damaged (id INTEGER PRIMARY KEY, message_id TEXT NOT NULL,"
        " topic TEXT NOT NULL, payload BLOB NOT NULL, created_ns INTEGER NOT NULL,"
        " error TEXT NOT NULL) STRICT"
    )


@migrations()  # type: ignore[untyped-decorator, unused-ignore]
def m009_healthy_references(db: Database) -> None:
    """Keep what was measured of shafts, gears and drives while a machine was normal."""
    db.execute(
        "CREATE TABLE healthy_references (id INTEGER PRIMARY KEY, machine TEXT NOT NULL,"
        " baseline_id TEXT NOT NULL, layout TEXT NOT NULL, measured_ns INTEGER NOT NULL,"
        " state BLOB NOT NULL) STRICT"
    )
    db.execute("CREATE INDEX healthy_references_of ON healthy_references (machine, baseline_id)")


@migrations()  # type: ignore[untyped-decorator, unused-ignore]
def m010_clock_of_healthy_clips(db: Database) -> None:
    """Keep which points shared a sampling clock; of older clips it is not known."""
    db.execute("ALTER TABLE healthy_clips ADD COLUMN clock TEXT NOT NULL DEFAULT ''")


@migrations()  # type: ignore[untyped-decorator, unused-ignore]
def m011_models_of_states(db: Database) -> None:
    """Keep a model once for all states that have it; those of before hold their own."""
    db.execute("ALTER TABLE detector_states ADD COLUMN model_sha256 TEXT NOT NULL DEFAULT ''")
    db.execute(
        "CREATE TABLE detector_models (id INTEGER PRIMARY KEY, machine TEXT NOT NULL,"
        " sha256 TEXT NOT NULL, copy INTEGER NOT NULL, model BLOB NOT NULL,"
        " UNIQUE (machine, sha256, copy)) STRICT"
    )


@migrations()  # type: ignore[untyped-decorator, unused-ignore]
def m012_planned_work(db: Database) -> None:
    """Keep which event planned work answers; it is compared with that event when it is finished."""
    db.execute("ALTER TABLE suppressions ADD COLUMN event_id TEXT")


@migrations()  # type: ignore[untyped-decorator, unused-ignore]
def m013_kept_for_a_receiver(db: Database) -> None:
    """Keep the newest messages that only a broker confirmed, for a receiver that comes later."""
    db.execute(
        "CREATE TABLE outbox_kept (id INTEGER PRIMARY KEY, message_id TEXT NOT NULL,"
        " receipt_id TEXT NOT NULL, lane INTEGER NOT NULL, topic TEXT NOT NULL,"
        " payload BLOB NOT NULL, created_ns INTEGER NOT NULL) STRICT"
    )


@migrations()  # type: ignore[untyped-decorator, unused-ignore]
def m014_plant_account(db: Database) -> None:
    """Keep what each machine promised of false events, by month, and the events that count."""
    db.execute(
        "CREATE TABLE promises (machine TEXT NOT NULL, month INTEGER NOT NULL,"
        " decided_s REAL NOT NULL, promised REAL NOT NULL, excess REAL NOT NULL,"
        " PRIMARY KEY (machine, month)) STRICT"
    )
    db.execute(
        "CREATE TABLE promised_events (event_id TEXT PRIMARY KEY, machine TEXT NOT NULL,"
        " month INTEGER NOT NULL, verdict TEXT NOT NULL, widened INTEGER NOT NULL) STRICT"
    )


_CLIPS_AND_LIMITS = """
CREATE TABLE healthy_clips (
    machine TEXT NOT NULL,
    point TEXT NOT NULL,
    baseline_id TEXT NOT NULL,
    t0_ns INTEGER NOT NULL,
    fs_hz REAL NOT NULL,
    unit TEXT NOT NULL,
    speed_rpm REAL,
    scale REAL NOT NULL,
    samples BLOB NOT NULL,
    PRIMARY KEY (machine, point)
) STRICT;;
CREATE TABLE limits (
    machine TEXT NOT NULL,
    point TEXT NOT NULL,
    limits TEXT NOT NULL,
    configured TEXT NOT NULL,
    actor TEXT NOT NULL,
    at_ns INTEGER NOT NULL,
    PRIMARY KEY (machine, point)
) STRICT
"""

_ALARMS = """
CREATE TABLE alarms (
    event_id TEXT PRIMARY KEY,
    machine TEXT NOT NULL,
    state TEXT NOT NULL,
    changes INTEGER NOT NULL DEFAULT 0,
    acknowledged_ns INTEGER,
    acknowledged_by TEXT NOT NULL DEFAULT '',
    comment TEXT NOT NULL DEFAULT ''
) STRICT;;
CREATE INDEX alarms_waiting ON alarms (machine) WHERE state <> 'normal';;
INSERT INTO alarms (event_id, machine, state)
    SELECT event_id, machine, iif(ended_ns IS NULL, 'unacknowledged', 'normal') FROM events;;
CREATE TABLE suppressions (
    machine TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL,
    actor TEXT NOT NULL,
    since_ns INTEGER NOT NULL,
    until_ns INTEGER
) STRICT
"""

_FIRST_TABLES = """
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id TEXT NOT NULL UNIQUE,
    lane INTEGER NOT NULL,
    topic TEXT NOT NULL,
    payload BLOB NOT NULL,
    created_ns INTEGER NOT NULL
) STRICT;;
CREATE INDEX outbox_lane ON outbox (lane, id);;
CREATE TABLE outbox_size (messages INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;;
INSERT INTO outbox_size VALUES (0, 0);;
CREATE TRIGGER outbox_grows AFTER INSERT ON outbox BEGIN
    UPDATE outbox_size SET messages = messages + 1,
        bytes = bytes + length(NEW.payload) + length(NEW.topic);
END;;
CREATE TRIGGER outbox_shrinks AFTER DELETE ON outbox BEGIN
    UPDATE outbox_size SET messages = messages - 1,
        bytes = bytes - length(OLD.payload) - length(OLD.topic);
END;;
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;;
CREATE TABLE events (
    event_id TEXT PRIMARY KEY,
    machine TEXT NOT NULL,
    phase TEXT NOT NULL,
    condition TEXT NOT NULL,
    started_ns INTEGER NOT NULL,
    updated_ns INTEGER NOT NULL,
    ended_ns INTEGER,
    record TEXT NOT NULL
) STRICT;;
CREATE INDEX events_started ON events (machine, started_ns);;
CREATE TABLE detector_states (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    machine TEXT NOT NULL,
    saved_ns INTEGER NOT NULL,
    stream_ns INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    state BLOB NOT NULL
) STRICT;;
CREATE INDEX detector_states_machine ON detector_states (machine, id);;
CREATE TABLE commands (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    actor TEXT NOT NULL,
    received_ns INTEGER NOT NULL,
    payload BLOB NOT NULL,
    answer BLOB
) STRICT;;
CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ns INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    outcome TEXT NOT NULL
) STRICT
"""
