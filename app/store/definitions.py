"""The SQL by which each step of `schema.py` creates or changes its tables."""

from __future__ import annotations

FIRST_TABLES = (
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

PEOPLE = (
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

AUDIT_IS_KEPT = {
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

ALARMS = (
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

COMMISSIONING = (
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

ALARMS_BY_GATEWAYS = (
    "ALTER TABLE event ADD COLUMN alarm_state TEXT NOT NULL DEFAULT 'unacknowledged'",
    "ALTER TABLE event ADD COLUMN alarm_changes INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE event ADD COLUMN acknowledged_ms INTEGER",
    "UPDATE event SET alarm_state = 'normal' WHERE phase = 'end'",
)

HANDLED_SO_FAR = """UPDATE event SET acknowledged_ms = a.at_ms,
    alarm_state = iif(phase = 'end', 'normal', 'acknowledged'),
    message = json_set(message, '$.handling', json_object(
        'state', iif(phase = 'end', 'normal', 'acknowledged'), 'acknowledged_ms', a.at_ms,
        'acknowledged_by', a.actor, 'comment', a.comment))
    FROM acknowledgement AS a WHERE a.event_id = event.id"""

ALARMS_ELSEWHERE = (
    "DROP TABLE acknowledgement",
    "DROP TABLE suppression",
    "CREATE INDEX event_alarm ON event (alarm_state) WHERE alarm_state <> 'normal'",
)

SEARCHED_BY = (
    "ALTER TABLE gateway ADD COLUMN state TEXT NOT NULL DEFAULT 'offline'",
    "ALTER TABLE spectrum ADD COLUMN condition TEXT",
    "ALTER TABLE clip ADD COLUMN asked_ms INTEGER NOT NULL DEFAULT 0",
)

SEARCHED_SO_FAR = (
    "UPDATE gateway SET state = coalesce(status ->> 'state', 'offline')",
    "UPDATE spectrum SET condition = statement ->> 'condition'",
    "UPDATE clip SET asked_ms = coalesce(header ->> 'ts', 0)",
)

CASES = (
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

NOTIFICATION = (
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

UPDATES = (
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
