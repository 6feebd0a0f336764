"""The tables, as migrations that each run in a transaction.

A message is stored as its JSON beside the few columns that queries use, so that a
newer gateway's additions need no migration. Trends and spectra, the bulk, are float32 blobs.
Definitions are written with SQLite's types; `Database.define` knows the other database's.
"""

from __future__ import annotations

from collections.abc import Callable

from auscult.app.store.cases import place_all
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
    for statement in _FIRST_TABLES:
        db.define(statement)


@_step
def people(db: WritableDatabase) -> None:
    """Create accounts, sessions and the audit, which can only be added to."""
    for statement in (*_PEOPLE, *_AUDIT_IS_KEPT[db.dialect]):
        db.define(statement)


@_step
def alarms(db: WritableDatabase) -> None:
    """Create what people do to alarms (ISA-18.2)."""
    for statement in _ALARMS:
        db.define(statement)


@_step
def commissioning(db: WritableDatabase) -> None:
    """Create configurations of gateways, own bearings, and tokens of programs."""
    for statement in _COMMISSIONING:
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


_COMMISSIONING = (
    """CREATE TABLE configuration (
        gateway_id TEXT PRIMARY KEY REFERENCES gateway (id),
        ts_ms INTEGER NOT NULL,
        message TEXT NOT NULL
    ) STRICT""",
    # of `configure`: JSON, what is wrong with each value
    "ALTER TABLE command ADD COLUMN problems TEXT NOT NULL DEFAULT '[]'",
    """CREATE TABLE bearing (
        name TEXT PRIMARY KEY COLLATE NOCASE,
        geometry TEXT NOT NULL, -- JSON
        actor TEXT NOT NULL,
        created_ms INTEGER NOT NULL
    ) STRICT""",
    """CREATE TABLE token (
        id TEXT PRIMARY KEY,
        token_hash TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        role TEXT NOT NULL,
        actor TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        expires_ms INTEGER,
        revoked_ms INTEGER,
        used_ms INTEGER
    ) STRICT""",
)


@_step
def alarms_by_their_gateways(db: WritableDatabase) -> None:
    """Move people's actions into the events: from now on the gateways publish them."""
    for statement in _ALARMS_BY_GATEWAYS:
        db.define(statement)
    if db.dialect == "sqlite":
        # there is no PostgreSQL database that old
        db.define(_HANDLED_SO_FAR)
    for statement in _ALARMS_ELSEWHERE:
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
    for statement in _SEARCHED_BY:
        db.define(statement)
    if db.dialect == "sqlite":
        # there is no PostgreSQL database that old
        for statement in _SEARCHED_SO_FAR:
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
    for statement in _CASES:
        db.define(statement)
    place_all(db)


@_step
def notification(db: WritableDatabase) -> None:
    """Create channels, rules, and the queue of messages."""
    for statement in _NOTIFICATION:
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
    for statement in _UPDATES:
        db.define(statement)


_UPDATES = (
    """CREATE TABLE bundle (
        sha256 TEXT PRIMARY KEY,
        version TEXT NOT NULL,
        platform TEXT NOT NULL,
        size INTEGER NOT NULL,
        actor TEXT NOT NULL,
        added_ms INTEGER NOT NULL
    ) STRICT""",
    """CREATE TABLE rollout (
        id TEXT PRIMARY KEY,
        version TEXT NOT NULL,
        download_key TEXT NOT NULL UNIQUE,
        actor TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        state TEXT NOT NULL,
        stage INTEGER NOT NULL,
        wait_s INTEGER NOT NULL,
        timeout_s INTEGER NOT NULL,
        advanced_ms INTEGER NOT NULL,
        said TEXT -- JSON: why it stopped
    ) STRICT""",
    """CREATE TABLE rollout_gateway (
        rollout_id TEXT NOT NULL REFERENCES rollout (id),
        gateway_id TEXT NOT NULL,
        stage INTEGER NOT NULL,
        state TEXT NOT NULL,
        offers INTEGER NOT NULL DEFAULT 0,
        offered_ms INTEGER,
        changed_ms INTEGER NOT NULL,
        said TEXT, -- JSON: why it failed
        PRIMARY KEY (rollout_id, gateway_id)
    ) STRICT""",
)


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


_SEARCHED_BY = (
    "ALTER TABLE gateway ADD COLUMN state TEXT NOT NULL DEFAULT 'offline'",
    "ALTER TABLE spectrum ADD COLUMN condition TEXT",
    "ALTER TABLE clip ADD COLUMN asked_ms INTEGER NOT NULL DEFAULT 0",
)
_SEARCHED_SO_FAR = (
    "UPDATE gateway SET state = coalesce(status ->> 'state', 'offline')",
    "UPDATE spectrum SET condition = statement ->> 'condition'",
    "UPDATE clip SET asked_ms = coalesce(header ->> 'ts', 0)",
)

_CASES = (
    """CREATE TABLE machine_case (
        id TEXT PRIMARY KEY, -- that of its first event
        machine_id TEXT NOT NULL,
        opened_ms INTEGER NOT NULL,
        last_ms INTEGER NOT NULL,
        events INTEGER NOT NULL,
        open_events INTEGER NOT NULL,
        unacknowledged INTEGER NOT NULL,
        peak_condition TEXT NOT NULL,
        assignee TEXT NOT NULL DEFAULT '',
        due_ms INTEGER,
        closed_ms INTEGER,
        closed_by TEXT NOT NULL DEFAULT '',
        finding TEXT, -- JSON
        work_order TEXT -- JSON
    ) STRICT""",
    "CREATE INDEX machine_case_machine ON machine_case (machine_id, opened_ms)",
    "CREATE INDEX machine_case_last ON machine_case (last_ms, id)",
    "ALTER TABLE event ADD COLUMN case_id TEXT",
    "CREATE INDEX event_case ON event (case_id)",
    """CREATE TABLE case_entry (
        id TEXT PRIMARY KEY,
        case_id TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        actor TEXT NOT NULL,
        kind TEXT NOT NULL,
        text TEXT NOT NULL,
        photo_id TEXT
    ) STRICT""",
    "CREATE INDEX case_entry_case ON case_entry (case_id, at_ms)",
    """CREATE TABLE case_photo (
        id TEXT PRIMARY KEY,
        case_id TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        actor TEXT NOT NULL,
        caption TEXT NOT NULL,
        width INTEGER NOT NULL,
        height INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        image BLOB NOT NULL -- JPEG
    ) STRICT""",
    "CREATE INDEX case_photo_case ON case_photo (case_id)",
    """CREATE TABLE prescription (
        fault TEXT NOT NULL,
        machine_class TEXT NOT NULL,
        body TEXT NOT NULL, -- JSON
        actor TEXT NOT NULL,
        changed_ms INTEGER NOT NULL,
        PRIMARY KEY (fault, machine_class)
    ) STRICT""",
    """CREATE TABLE evidence (
        machine_id TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        milli INTEGER NOT NULL, -- thousandths
        PRIMARY KEY (machine_id, at_ms)
    ) STRICT, WITHOUT ROWID""",
)

_NOTIFICATION = (
    """CREATE TABLE channel (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        url TEXT NOT NULL, -- with its secrets
        language TEXT NOT NULL,
        enabled INTEGER NOT NULL,
        actor TEXT NOT NULL,
        changed_ms INTEGER NOT NULL
    ) STRICT""",
    """CREATE TABLE notify_rule (
        id TEXT PRIMARY KEY,
        body TEXT NOT NULL, -- JSON
        actor TEXT NOT NULL,
        changed_ms INTEGER NOT NULL
    ) STRICT""",
    """CREATE TABLE delivery (
        id TEXT PRIMARY KEY,
        unique_key TEXT NOT NULL UNIQUE,
        reason TEXT NOT NULL,
        channel_id TEXT NOT NULL,
        rule_id TEXT NOT NULL,
        case_id TEXT NOT NULL,
        peak TEXT NOT NULL,
        times INTEGER NOT NULL,
        subject TEXT NOT NULL,
        body TEXT NOT NULL,
        state TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        created_ms INTEGER NOT NULL,
        next_ms INTEGER,
        claimed_ms INTEGER,
        sent_ms INTEGER,
        error TEXT NOT NULL DEFAULT ''
    ) STRICT""",
    "CREATE INDEX delivery_case ON delivery (case_id)",
    "CREATE INDEX delivery_time ON delivery (created_ms)",
    "CREATE INDEX delivery_due ON delivery (next_ms) WHERE state IN ('waiting', 'sending')",
)

_ALARMS_BY_GATEWAYS = (
    "ALTER TABLE event ADD COLUMN alarm_state TEXT NOT NULL DEFAULT 'unacknowledged'",
    "ALTER TABLE event ADD COLUMN alarm_changes INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE event ADD COLUMN acknowledged_ms INTEGER",
    "UPDATE event SET alarm_state = 'normal' WHERE phase = 'end'",
)
_HANDLED_SO_FAR = """UPDATE event SET acknowledged_ms = a.at_ms,
    alarm_state = iif(phase = 'end', 'normal', 'acknowledged'),
    message = json_set(message, '$.handling', json_object(
        'state', iif(phase = 'end', 'normal', 'acknowledged'), 'acknowledged_ms', a.at_ms,
        'acknowledged_by', a.actor, 'comment', a.comment))
    FROM acknowledgement AS a WHERE a.event_id = event.id"""
_ALARMS_ELSEWHERE = (
    "DROP TABLE acknowledgement",
    "DROP TABLE suppression",
    "CREATE INDEX event_alarm ON event (alarm_state) WHERE alarm_state <> 'normal'",
)

_ALARMS = (
    """CREATE TABLE acknowledgement (
        event_id TEXT PRIMARY KEY,
        at_ms INTEGER NOT NULL,
        actor TEXT NOT NULL,
        comment TEXT NOT NULL,
        peak_condition TEXT NOT NULL -- a worse one is a new alarm
    ) STRICT""",
    """CREATE TABLE suppression (
        machine_id TEXT PRIMARY KEY REFERENCES machine (id),
        kind TEXT NOT NULL, -- shelved, out_of_service
        reason TEXT NOT NULL,
        actor TEXT NOT NULL,
        since_ms INTEGER NOT NULL,
        until_ms INTEGER -- a shelf that has run out stays: what it hid is unacknowledged again
    ) STRICT""",
)

_PEOPLE = (
    """CREATE TABLE account (
        name TEXT PRIMARY KEY COLLATE NOCASE,
        role TEXT NOT NULL,
        password_hash TEXT NOT NULL,
        disabled INTEGER NOT NULL DEFAULT 0,
        created_ms INTEGER NOT NULL,
        last_seen_ms INTEGER,
        failures INTEGER NOT NULL DEFAULT 0,
        locked_until_ms INTEGER
    ) STRICT""",
    """CREATE TABLE session (
        token_hash TEXT PRIMARY KEY,
        account TEXT NOT NULL COLLATE NOCASE REFERENCES account (name),
        address TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        seen_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE audit (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        at_ms INTEGER NOT NULL,
        actor TEXT NOT NULL,
        address TEXT NOT NULL,
        action TEXT NOT NULL,
        subject TEXT NOT NULL,
        outcome TEXT NOT NULL
    ) STRICT""",
)

_AUDIT_IS_KEPT = {
    "sqlite": (
        """CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
            BEGIN SELECT raise(ABORT, 'the audit is only ever added to'); END""",
        """CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit
            BEGIN SELECT raise(ABORT, 'the audit is only ever added to'); END""",
    ),
    "postgresql": (
        """CREATE FUNCTION audit_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'the audit is only ever added to'
                USING ERRCODE = 'integrity_constraint_violation'; END $$""",
        """CREATE TRIGGER audit_is_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
            FOR EACH STATEMENT EXECUTE FUNCTION audit_is_kept()""",
    ),
}

_FIRST_TABLES = (
    """CREATE TABLE gateway (
        id TEXT PRIMARY KEY,
        site TEXT NOT NULL,
        gateway TEXT NOT NULL,
        heard_ms INTEGER NOT NULL DEFAULT 0,
        ts_ms INTEGER NOT NULL DEFAULT 0,
        inventory_ts_ms INTEGER NOT NULL DEFAULT 0,
        status TEXT
    ) STRICT""",
    """CREATE TABLE machine (
        id TEXT PRIMARY KEY,
        gateway_id TEXT NOT NULL REFERENCES gateway (id),
        machine TEXT NOT NULL,
        listed INTEGER NOT NULL DEFAULT 1,
        part TEXT,
        heard_ms INTEGER,
        ts_ms INTEGER,
        state TEXT
    ) STRICT""",
    "CREATE INDEX machine_gateway ON machine (gateway_id)",
    """CREATE TABLE point (
        num INTEGER PRIMARY KEY,
        machine_id TEXT NOT NULL REFERENCES machine (id),
        point TEXT NOT NULL,
        listed INTEGER NOT NULL DEFAULT 1,
        part TEXT,
        heard_ms INTEGER,
        ts_ms INTEGER,
        state TEXT,
        UNIQUE (machine_id, point)
    ) STRICT""",
    """CREATE TABLE event (
        id TEXT PRIMARY KEY,
        machine_id TEXT NOT NULL REFERENCES machine (id),
        phase TEXT NOT NULL,
        peak_condition TEXT NOT NULL,
        started_ms INTEGER NOT NULL,
        updated_ms INTEGER NOT NULL,
        ended_ms INTEGER,
        message TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX event_time ON event (started_ms, id)",
    "CREATE INDEX event_machine_time ON event (machine_id, started_ms, id)",
    """CREATE TABLE feature_set (
        num INTEGER PRIMARY KEY,
        features TEXT NOT NULL UNIQUE -- JSON: feature name to unit, in the order of the values
    ) STRICT""",
    """CREATE TABLE trend (
        point INTEGER NOT NULL REFERENCES point (num),
        tier_s INTEGER NOT NULL, -- 0 = as the gateway sent it, else the down-sampled interval
        start_ms INTEGER NOT NULL,
        end_ms INTEGER NOT NULL,
        windows INTEGER NOT NULL,
        condition INTEGER NOT NULL, -- index into app.store.tiers.CONDITIONS
        feature_set INTEGER NOT NULL REFERENCES feature_set (num),
        vals BLOB NOT NULL, -- float32 little-endian [3, features]: minimum, mean, maximum
        PRIMARY KEY (point, tier_s, start_ms)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE spectrum (
        id TEXT PRIMARY KEY,
        machine_id TEXT NOT NULL REFERENCES machine (id),
        point TEXT NOT NULL,
        event_id TEXT,
        kind TEXT NOT NULL,
        window_ms INTEGER NOT NULL,
        statement TEXT NOT NULL, -- JSON: how it was measured
        vals BLOB NOT NULL -- float32 little-endian [lines]
    ) STRICT""",
    "CREATE INDEX spectrum_point ON spectrum (machine_id, point, kind, window_ms)",
    "CREATE INDEX spectrum_event ON spectrum (event_id) WHERE event_id IS NOT NULL",
    """CREATE TABLE command (
        id TEXT PRIMARY KEY,
        gateway_id TEXT NOT NULL,
        machine_id TEXT NOT NULL,
        name TEXT NOT NULL,
        actor TEXT NOT NULL,
        args TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        expires_ms INTEGER NOT NULL,
        state TEXT NOT NULL,
        reason TEXT NOT NULL DEFAULT '',
        attempts INTEGER NOT NULL DEFAULT 0,
        sent_ms INTEGER,
        answered_ms INTEGER
    ) STRICT""",
    "CREATE INDEX command_time ON command (created_ms, id)",
    "CREATE INDEX command_waiting ON command (gateway_id) WHERE state IN ('pending', 'sent')",
    """CREATE TABLE label (
        id TEXT PRIMARY KEY, -- also the id of the command that carries it, if it was given here
        event_id TEXT NOT NULL,
        machine_id TEXT NOT NULL,
        verdict TEXT NOT NULL,
        kind TEXT,
        note TEXT NOT NULL,
        actor TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        answered_ms INTEGER,
        lesson TEXT
    ) STRICT""",
    "CREATE INDEX label_event ON label (event_id, created_ms)",
    "CREATE INDEX label_time ON label (created_ms, id)",
)
