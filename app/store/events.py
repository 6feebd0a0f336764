"""Events: messages in, in whatever order they come; views out, page by page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import TypeAdapter

from auscult.app.store import cases, checksums, labels, machines, spectra
from auscult.app.store.connection import Database
from auscult.app.store.cursor import decode, encode
from auscult.app.store.received import Origin
from auscult.app.views import EventDetail, EventPage, EventView, LabelView
from auscult.contract import event
from auscult.contract.parts import AlarmState
from auscult.contract.payloads import Condition, EventMessage

_RECORD = TypeAdapter(event.Event)
_PHASE_ORDER = {"start": 0, "update": 1, "end": 2}


def store(db: Database, origin: Origin, message: EventMessage) -> str | None:
    """Store an event's start, update or end; return its case, None if a later one is stored.

    An end outranks all updates and an update the start, whenever they arrive; within a phase
    the later update counts, then the newer handling. So a repeated or late message changes nothing.
    """
    machine = machines.known(db, origin, message.machine)
    row = db.execute(
        "SELECT machine_id, phase, updated_ms, alarm_changes, lost_ms FROM event WHERE id = ?",
        (message.event_id,),
    ).fetchone()
    handling = message.handling
    if row is not None:
        owner, phase, updated_ms, changes, lost_ms = row
        # a gateway that has the event after all is right
        stored_rank = (_PHASE_ORDER[phase] if lost_ms is None else 0, updated_ms, changes)
        rank = (_PHASE_ORDER[message.phase], message.updated_ms, handling.changes)
        if owner != machine or rank <= stored_rank:
            return None
    db.execute(
        "INSERT INTO event (id, machine_id, phase, peak_condition, started_ms, updated_ms,"
        " ended_ms, message, alarm_state, alarm_changes, acknowledged_ms)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
        " phase = excluded.phase, peak_condition = excluded.peak_condition,"
        " started_ms = excluded.started_ms, updated_ms = excluded.updated_ms,"
        " ended_ms = excluded.ended_ms, message = excluded.message,"
        " alarm_state = excluded.alarm_state, alarm_changes = excluded.alarm_changes,"
        " acknowledged_ms = excluded.acknowledged_ms, lost_ms = NULL",
        (
            message.event_id,
            machine,
            message.phase,
            message.peak_condition,
            message.started_ms,
            message.updated_ms,
            message.ended_ms,
            _RECORD.dump_json(message).decode(),
            handling.state,
            handling.changes,
            handling.acknowledged_ms,
        ),
    )
    checksums.seal(db, "event", message.event_id)
    last_ms = message.updated_ms if message.ended_ms is None else message.ended_ms
    return cases.place(db, message.event_id, machine, cases.EventSpan(message.started_ms, last_ms))


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events to list; None = whatever."""

    machine_id: str | None = None
    state: Literal["open", "closed"] | None = None
    peak_condition: Condition | None = None
    labelled: bool | None = None
    alarm: tuple[AlarmState, ...] = ()
    """In one of these states; empty = any."""
    since_ms: int | None = None
    """Events that had not ended by this time, or began later."""
    until_ms: int | None = None
    """Events that began before this time."""

    def where(self) -> tuple[list[str], list[Any]]:
        """Return the conditions and their values."""
        clauses: list[tuple[str, list[Any]]] = []
        if self.machine_id is not None:
            clauses.append(("event.machine_id = ?", [self.machine_id]))
        if self.state is not None:
            clauses.append(("(event.phase = 'end') = ?", [self.state == "closed"]))
        if self.peak_condition is not None:
            clauses.append(("event.peak_condition = ?", [self.peak_condition]))
        if self.labelled is not None:
            exists = "EXISTS (SELECT 1 FROM label WHERE label.event_id = event.id) = ?"
            clauses.append((exists, [self.labelled]))
        if self.alarm:
            marks = ",".join("?" * len(self.alarm))
            clauses.append((f"event.alarm_state IN ({marks})", list(self.alarm)))
        if self.since_ms is not None:
            clauses.append(("coalesce(event.ended_ms, event.updated_ms) >= ?", [self.since_ms]))
        if self.until_ms is not None:
            clauses.append(("event.started_ms < ?", [self.until_ms]))
        return [c for c, _ in clauses], [v for _, values in clauses for v in values]


def view_page(db: Database, which: EventFilter, limit: int, cursor: str | None) -> EventPage:
    """Return up to `limit` events, newest first, from `cursor` on.

    Raises
    ------
    CursorError
        If this server did not give `cursor`.
    """
    clauses, values = which.where()
    if cursor is not None:
        clauses.append("(event.started_ms, event.id) < (?, ?)")
        values += decode(cursor)
    where = " AND ".join(clauses) or "true"
    order = " ORDER BY event.started_ms DESC, event.id DESC LIMIT ?"
    rows = _rows(db, where + order, (*values, limit + 1))
    last = rows[limit - 1] if len(rows) > limit else None
    return EventPage(
        items=list(_views(db, rows[:limit])),
        next_cursor=encode(last["started_ms"], last["id"]) if last else None,
    )


def view(db: Database, identity: str) -> EventView | None:
    """Return one event, None if there is none of that id."""
    return next(_views(db, _rows(db, "event.id = ?", (identity,))), None)


def view_some(db: Database, identities: Sequence[str]) -> dict[str, EventView]:
    """Return events by their ids."""
    if not identities:
        return {}
    marks = ",".join("?" * len(identities))
    found = _views(db, _rows(db, f"event.id IN ({marks})", tuple(identities)))
    return {one.id: one for one in found}


def view_detail(db: Database, identity: str) -> EventDetail | None:
    """Return one event with its spectra and labels, None if there is none of that id."""
    found = view(db, identity)
    if found is None:
        return None
    return EventDetail(
        **dict(found),
        spectra=spectra.view_refs(db, identity),
        labels=labels.view_of_event(db, identity),
    )


def machine_of(db: Database, identity: str) -> str | None:
    """Return the machine that an event or a question belongs to, None if there is no such.

    The answer to a question is a label; only one that confirms a fault makes it an event.
    """
    row = db.execute(
        "SELECT machine_id FROM event WHERE id = ?"
        " UNION ALL SELECT machine_id FROM label WHERE event_id = ?",
        (identity, identity),
    ).fetchone()
    return machines.asking(db, identity) if row is None else str(row[0])


def _rows(db: Database, where: str, values: tuple[Any, ...]) -> list[dict[str, Any]]:
    return list(
        db.query(
            "SELECT event.*, machine.machine, machine.part"
            " FROM event JOIN machine ON machine.id = event.machine_id"
            f" WHERE {where}",
            values,
        )
    )


def _views(db: Database, rows: list[dict[str, Any]]) -> Iterator[EventView]:
    newest = labels.newest_of_events(db, [row["id"] for row in rows])
    return db.damage.readable("event", rows, lambda row: _view(db, row, newest.get(row["id"])))


def _view(db: Database, row: dict[str, Any], label: LabelView | None) -> EventView:
    checksums.expect_intact("event", row)
    part = db.damage.decoded("machine", row["machine_id"], row["part"])
    record = json.loads(row["message"])
    joined = {
        "id": row["id"],
        "machine_id": row["machine_id"],
        "machine_name": part.get("name") or row["machine"],
        "area": part.get("area", ""),
        "open": record["phase"] != "end",
        "label": label,
    }
    return EventView.model_validate({**record, **joined})
