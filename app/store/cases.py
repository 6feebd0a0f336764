"""Cases as rows: events that follow one another on a machine, and what people did about them.

A case is derived from events alone, so that stored events of any age have one. Its id is that of
its first event.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ulid import ULID

from auscult.app.store.connection import Database
from auscult.app.store.cursor import decode
from auscult.app.views import CaseEntry, Mark, Outcome, PhotoRef
from auscult.contract.parts import WAITING
from auscult.contract.times import DAY_MS

JOIN_MS = DAY_MS
"""What comes back within a day belongs to the same case: each shift has seen it once."""
MOST_ACTIVE = 1000
"""Active cases of a list; more machines than that do not depart at once."""
MOST_ENTRIES = 500
"""Notes and actions of a case."""
MOST_PHOTOS = 30


@dataclass(frozen=True, slots=True)
class EventSpan:
    """The time of an event, and whether it has ended."""

    started_ms: int
    last_ms: int


def place(db: Database, event_id: str, machine: str, span: EventSpan) -> str:
    """Put an event into its case, a new one if it follows none; return the case's id.

    An event joins the machine's case that is open, or ended less than `JOIN_MS` before. A case
    that people closed takes no later event.
    """
    row = db.execute("SELECT case_id FROM event WHERE id = ?", (event_id,)).fetchone()
    case = row[0] if row else None
    if case is None:
        case = _joined(db, machine, span) or event_id
        db.execute("UPDATE event SET case_id = ? WHERE id = ?", (case, event_id))
    refresh(db, case, machine)
    return str(case)


def _joined(db: Database, machine: str, span: EventSpan) -> str | None:
    row = db.execute(
        "SELECT id FROM machine_case WHERE machine_id = ? AND kind = 'machine' AND opened_ms <= ?"
        " AND (last_ms >= ? OR open_events > 0) AND (closed_ms IS NULL OR closed_ms > ?)"
        " ORDER BY opened_ms DESC LIMIT 1",
        (machine, span.last_ms + JOIN_MS, span.started_ms - JOIN_MS, span.started_ms),
    ).fetchone()
    return None if row is None else str(row[0])


def refresh(db: Database, case: str, machine: str) -> None:
    """Bring the figures of a case up to date with its events."""
    marks = ", ".join("?" * len(WAITING))
    opened, last, events, standing, waiting, alarms = db.execute(
        "SELECT min(started_ms), max(coalesce(ended_ms, updated_ms)), count(*),"
        " sum(CASE WHEN phase <> 'end' THEN 1 ELSE 0 END),"
        f" sum(CASE WHEN alarm_state IN ({marks}) THEN 1 ELSE 0 END),"
        " sum(CASE WHEN peak_condition = 'alarm' THEN 1 ELSE 0 END)"
        " FROM event WHERE case_id = ?",
        (*WAITING, case),
    ).fetchone()
    if not events:
        return
    db.execute(
        "INSERT INTO machine_case (id, machine_id, opened_ms, last_ms, events, open_events,"
        " unacknowledged, peak_condition) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET opened_ms = excluded.opened_ms,"
        " last_ms = excluded.last_ms, events = excluded.events,"
        " open_events = excluded.open_events, unacknowledged = excluded.unacknowledged,"
        " peak_condition = excluded.peak_condition",
        (
            case, machine, opened, last, events, standing, waiting,
            "alarm" if alarms else "warning",
        ),
    )  # fmt: skip


def place_all(db: Database) -> None:
    """Put all stored events into cases, oldest first: the migration of older data."""
    rows = db.execute(
        "SELECT id, machine_id, started_ms, coalesce(ended_ms, updated_ms) FROM event"
        " WHERE case_id IS NULL ORDER BY machine_id, started_ms, id"
    ).fetchall()
    for identity, machine, started_ms, last_ms in rows:
        place(db, identity, machine, EventSpan(started_ms, last_ms))


_STANDING = (
    "(open_events > 0 OR unacknowledged > 0 OR (closed_ms IS NULL AND last_ms > :quiet_since))"
)
_CONFIRMED = (
    "(machine_id IN (SELECT id FROM machine WHERE listed = 1) AND"
    " kind = 'machine' AND (finding LIKE :unrepaired OR (finding IS NULL"
    " AND id IN (SELECT event.case_id FROM event"
    " JOIN label ON label.event_id = event.id WHERE label.verdict = 'confirmed_fault'))))"
)
"""A fault was confirmed, and no closing says that it was repaired; an answer may be taken back."""


def active(db: Database, now_ms: int, machine: str | None) -> list[dict[str, Any]]:
    """Return the rows of cases that may not be finished, at most `MOST_ACTIVE`."""
    return list(
        db.query(
            f"SELECT * FROM machine_case WHERE ({_STANDING} OR {_CONFIRMED})"
            " AND machine_id = coalesce(:machine, machine_id)"
            " ORDER BY peak_condition, opened_ms DESC LIMIT :most",
            {
                "quiet_since": now_ms - JOIN_MS,
                "unrepaired": '%"fault_not_repaired"%',
                "machine": machine,
                "most": MOST_ACTIVE,
            },
        )
    )


@dataclass(frozen=True, slots=True)
class Began:
    """When an active case of a machine began."""

    id: str
    machine_id: str
    opened_ms: int


def began(db: Database, now_ms: int) -> list[Began]:
    """Return when the active cases of machines began, oldest first, but those that were split."""
    rows = db.execute(
        f"SELECT id, machine_id, opened_ms FROM machine_case WHERE {_STANDING}"
        " AND kind = 'machine' AND closed_ms IS NULL"
        " AND id NOT IN (SELECT case_id FROM case_entry WHERE kind = 'split')"
        " ORDER BY opened_ms, id LIMIT :most",
        {"quiet_since": now_ms - JOIN_MS, "most": MOST_ACTIVE},
    )
    return [Began(*row) for row in rows]


def closed(
    db: Database, now_ms: int, machine: str | None, limit: int, cursor: str | None
) -> list[dict[str, Any]]:
    """Return the rows of cases that may be finished, newest first.

    Raises
    ------
    CursorError
        If this server did not give `cursor`.
    """
    before_ms, before_id = decode(cursor) if cursor else (1 << 60, "")
    return list(
        db.query(
            f"SELECT * FROM machine_case WHERE NOT {_STANDING} AND machine_id = coalesce(:machine,"
            " machine_id) AND (last_ms, id) < (:before_ms, :before_id)"
            " ORDER BY last_ms DESC, id DESC LIMIT :most",
            {
                "quiet_since": now_ms - JOIN_MS, "machine": machine, "before_ms": before_ms,
                "before_id": before_id, "most": limit,
            },
        )
    )  # fmt: skip


def answered(db: Database, some: Sequence[str], before_ms: int, limit: int) -> list[dict[str, Any]]:
    """Return the rows of cases of some machines that people answered or closed, newest first."""
    marks = ",".join("?" * len(some))
    return list(
        db.query(
            f"SELECT * FROM machine_case WHERE kind = 'machine' AND machine_id IN ({marks})"
            " AND opened_ms < ? AND (finding IS NOT NULL OR EXISTS (SELECT 1 FROM event"
            " JOIN label ON label.event_id = event.id WHERE event.case_id = machine_case.id))"
            " ORDER BY opened_ms DESC, id LIMIT ?",
            (*some, before_ms, limit),
        )
    )


def standing(db: Database, machine: str) -> list[str]:
    """Return the ids of a machine's cases that are open or wait for a person."""
    sql = (
        "SELECT id FROM machine_case WHERE machine_id = ?"
        " AND (open_events > 0 OR unacknowledged > 0)"
    )
    return [found[0] for found in db.execute(sql, (machine,))]


def repaired_ms(db: Database, machines: Sequence[str]) -> dict[str, int]:
    """Return when a case of each machine was last closed as repaired."""
    if not machines:
        return {}
    marks = ",".join("?" * len(machines))
    return dict(
        db.execute(
            "SELECT machine_id, max(closed_ms) FROM machine_case WHERE kind = 'machine'"
            " AND finding LIKE ?"
            f" AND machine_id IN ({marks}) GROUP BY machine_id",
            ('%"fault_repaired"%', *machines),
        ).fetchall()
    )


def between(db: Database, since_ms: int, until_ms: int) -> list[dict[str, Any]]:
    """Return the rows of cases that overlap a time, newest first, at most `MOST_ACTIVE`."""
    return list(
        db.query(
            "SELECT * FROM machine_case WHERE opened_ms < ? AND (last_ms >= ? OR open_events > 0)"
            " ORDER BY opened_ms DESC LIMIT ?",
            (until_ms, since_ms, MOST_ACTIVE),
        )
    )


def row(db: Database, identity: str) -> dict[str, Any] | None:
    """Return a case's row, None if there is none of that id."""
    return next(iter(db.query("SELECT * FROM machine_case WHERE id = ?", (identity,))), None)


def of_event(db: Database, event_id: str) -> str | None:
    """Return the id of an event's case."""
    found = db.execute("SELECT case_id FROM event WHERE id = ?", (event_id,)).fetchone()
    return None if found is None else found[0]


def event_ids(db: Database, cases: Sequence[str], most: int) -> dict[str, list[str]]:
    """Return the ids of up to `most` events of each case: open ones first, then the newest."""
    if not cases:
        return {}
    marks = ",".join("?" * len(cases))
    rows = db.execute(
        "SELECT case_id, id FROM (SELECT case_id, id, row_number() OVER (PARTITION BY case_id"
        " ORDER BY CASE WHEN phase <> 'end' THEN 0 ELSE 1 END, started_ms DESC, id DESC) AS place"
        f" FROM event WHERE case_id IN ({marks})) AS placed WHERE place <= ?"
        " ORDER BY case_id, place",
        (*cases, most),
    )
    found: dict[str, list[str]] = {}
    for case, event in rows:
        found.setdefault(case, []).append(event)
    return found


def waiting_events(db: Database, case: str) -> list[str]:
    """Return the ids of a case's events that wait for an acknowledgement."""
    marks = ",".join("?" * len(WAITING))
    sql = f"SELECT id FROM event WHERE case_id = ? AND alarm_state IN ({marks}) ORDER BY started_ms"
    return [found[0] for found in db.execute(sql, (case, *WAITING))]


def newest_event(db: Database, case: str) -> str | None:
    """Return the id of a case's newest event; None where retention has deleted them all."""
    sql = "SELECT id FROM event WHERE case_id = ? ORDER BY started_ms DESC LIMIT 1"
    found = db.execute(sql, (case,)).fetchone()
    return found[0] if found else None


def durations_s(db: Database, cases: Sequence[str]) -> dict[str, list[float]]:
    """Return how long the events of each case lasted whose end was measured, s."""
    if not cases:
        return {}
    marks = ",".join("?" * len(cases))
    found: dict[str, list[float]] = {}
    for case, length_ms in db.execute(
        "SELECT case_id, ended_ms - started_ms FROM event WHERE ended_ms IS NOT NULL"
        " AND lost_ms IS NULL"
        f" AND case_id IN ({marks})",
        tuple(cases),
    ):
        found.setdefault(case, []).append(length_ms / 1000)
    return found


def update(db: Database, identity: str, **columns: Any) -> None:
    """Set columns of a case."""
    sets = ", ".join(f"{name} = ?" for name in columns)
    db.execute(f"UPDATE machine_case SET {sets} WHERE id = ?", (*columns.values(), identity))


@dataclass(frozen=True, slots=True)
class NewEntry:
    """A line of a case's history before it is stored."""

    case_id: str
    at_ms: int
    actor: str
    kind: str
    text: str = ""
    photo_id: str | None = None
    machine_id: str = ""
    """Of a note on a machine, which has no case; else the case's machine."""
    mark: Mark | None = None


def add_entry(db: Database, new: NewEntry) -> str:
    """Store a line of a case's history, or a note on a machine; return its id."""
    identity = str(ULID())
    db.execute(
        "INSERT INTO case_entry (id, case_id, at_ms, actor, kind, text, photo_id, mark, machine_id)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?,"
        " coalesce((SELECT machine_id FROM machine_case WHERE id = ?), ?))",
        (
            identity, new.case_id, new.at_ms, new.actor, new.kind, new.text, new.photo_id,
            new.mark and new.mark.model_dump_json(), new.case_id, new.machine_id,
        ),
    )  # fmt: skip
    return identity


_ENTRY = "SELECT id, at_ms, kind, actor, text, photo_id, mark, undone_ms, undone_by FROM case_entry"


def entries(db: Database, case: str) -> Iterator[CaseEntry]:
    """Give the lines that people added to a case, newest first.

    A note on its machine belongs to it until `JOIN_MS` after it was last open.
    """
    return db.records(
        "case_entry",
        _entry,
        f"{_ENTRY} WHERE case_id = :case OR (case_id = '' AND EXISTS (SELECT 1 FROM machine_case AS"
        " own WHERE own.id = :case AND own.machine_id = case_entry.machine_id AND case_entry.at_ms"
        " BETWEEN own.opened_ms AND coalesce(own.closed_ms, own.last_ms + :join)))"
        " ORDER BY at_ms DESC, id DESC LIMIT :most",
        {"case": case, "join": JOIN_MS, "most": MOST_ENTRIES},
    )


def notes(db: Database, machine: str) -> list[CaseEntry]:
    """Return the notes on a machine and on its cases, newest first, also withdrawn ones."""
    sql = f"{_ENTRY} WHERE machine_id = ? AND kind = 'note' ORDER BY at_ms DESC, id DESC LIMIT ?"
    return list(db.records("case_entry", _entry, sql, (machine, MOST_ENTRIES)))


def withdraw_note(db: Database, machine: str, identity: str, actor: str, now_ms: int) -> bool:
    """Withdraw a note, which stays in the history; False if there is none to withdraw."""
    cursor = db.execute(
        "UPDATE case_entry SET undone_ms = ?, undone_by = ?"
        " WHERE id = ? AND machine_id = ? AND kind = 'note' AND undone_ms IS NULL",
        (now_ms, actor, identity, machine),
    )
    return bool(cursor.rowcount)


def _entry(row: dict[str, Any]) -> CaseEntry:
    mark = row["mark"] and Mark.model_validate_json(row["mark"])
    undone = {"undone": row["undone_ms"] is not None, "undone_by": row["undone_by"]}
    own = {key: row[key] for key in ("id", "at_ms", "kind", "actor", "text", "photo_id")}
    return CaseEntry(**own, **undone, mark=mark)


def counts(db: Database, cases: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return how many lines of each kind the cases have."""
    if not cases:
        return {}
    marks = ",".join("?" * len(cases))
    found: dict[str, dict[str, int]] = {}
    for case, kind, count in db.execute(
        f"SELECT case_id, kind, count(*) FROM case_entry WHERE case_id IN ({marks})"
        " AND undone_ms IS NULL GROUP BY case_id, kind",
        tuple(cases),
    ):
        found.setdefault(case, {})[kind] = count
    return found


@dataclass(frozen=True, slots=True)
class NewPhoto:
    """A photo before it is stored: JPEG without metadata."""

    id: str
    case_id: str
    at_ms: int
    actor: str
    caption: str
    width: int
    height: int
    image: bytes


def add_photo(db: Database, new: NewPhoto) -> None:
    """Store a photo."""
    db.execute(
        "INSERT INTO case_photo (id, case_id, at_ms, actor, caption, width, height, bytes, image)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            new.id, new.case_id, new.at_ms, new.actor, new.caption, new.width, new.height,
            len(new.image), new.image,
        ),
    )  # fmt: skip


def photos(db: Database, case: str) -> list[PhotoRef]:
    """Return a case's photos without their pixels, oldest first."""
    sql = (
        "SELECT id, at_ms, actor, caption, width, height, bytes FROM case_photo"
        " WHERE case_id = ? ORDER BY at_ms, id"
    )
    return list(db.records("case_photo", lambda row: PhotoRef(**row), sql, (case,)))


def photo(db: Database, case: str, identity: str) -> bytes | None:
    """Return a photo's JPEG, None if there is none."""
    found = db.execute(
        "SELECT image FROM case_photo WHERE id = ? AND case_id = ?", (identity, case)
    ).fetchone()
    return None if found is None else bytes(found[0])


def remove_photo(db: Database, case: str, identity: str) -> bool:
    """Remove a photo; False if there is none."""
    cursor = db.execute("DELETE FROM case_photo WHERE id = ? AND case_id = ?", (identity, case))
    return bool(cursor.rowcount)


def findings(db: Database, since_ms: int, until_ms: int) -> list[Outcome]:
    """Return what people found in the cases that they closed in a time."""
    rows = db.execute(
        "SELECT finding FROM machine_case WHERE closed_ms >= ? AND closed_ms < ?"
        " AND finding IS NOT NULL",
        (since_ms, until_ms),
    )
    return [Outcome(**json.loads(row[0])) for row in rows]


def set_finding(db: Database, identity: str, finding: dict[str, Any] | None) -> None:
    """Store what people found, None to take it back."""
    update(db, identity, finding=None if finding is None else json.dumps(finding))
