"""The label ledger: verdicts on events, and what they changed on the gateway."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Any

from auscult.app.identity import parts
from auscult.app.store import checksums, machines
from auscult.app.store.commands import record_json
from auscult.app.store.connection import Database
from auscult.app.store.cursor import decode, encode
from auscult.app.store.received import Origin
from auscult.app.views import LabelPage, LabelView
from auscult.contract import label
from auscult.contract.learning import Lesson
from auscult.contract.payloads import Acknowledgement
from auscult.contract.records import HeadUpdate

_INSERT = (
    "INSERT INTO label (id, event_id, machine_id, verdict, kind, note, actor, created_ms,"
    " answered_ms, lesson) VALUES (:label_id, :event_id, :machine_id, :verdict, :kind, :note,"
    " :actor, :created_ms, :answered_ms, :lesson)"
)
"""Stores the fields of the record, under the id of its machine among all gateways."""


def add(db: Database, machine_id: str, given: label.Label) -> None:
    """Store a label that was given here; a repeated one changes nothing."""
    values = {"machine_id": machine_id, "answered_ms": None, "lesson": None}
    cursor = db.execute(f"{_INSERT} ON CONFLICT DO NOTHING", given.model_dump(mode="json") | values)
    if cursor.rowcount:
        checksums.seal(db, "label", given.label_id)


def store_lesson(db: Database, origin: Origin, message: Lesson) -> str | None:
    """Store the effect of a label; return its id, None if it is stored already.

    A label from this dashboard keeps the person who signed in. Any other is only reported by its
    gateway, and its actor shows that: no gateway acts in the name of a person. The lesson is
    rejected if its event is another machine's.
    """
    identity = message.label_id
    machine = machines.known(db, origin, message.machine)
    if not machines.may_own_event(db, message.event_id, machine):
        return None
    newer = message.lesson is not None and _is_newer(db, identity, message.lesson)
    cursor = db.execute(
        f"{_INSERT} ON CONFLICT (id) DO UPDATE SET answered_ms = excluded.answered_ms,"
        " lesson = excluded.lesson WHERE (label.lesson IS NULL OR :newer)"
        " AND label.machine_id = excluded.machine_id",
        {
            **message.model_dump(mode="json", include=set(label.Label.model_fields)),
            "machine_id": machine,
            "actor": f"{message.actor} (reported by {origin.gateway})",
            "answered_ms": origin.now_ms,
            "lesson": record_json(message.lesson),
            "newer": newer,
        },
    )
    if cursor.rowcount:
        checksums.seal(db, "label", identity)
    db.execute(
        "UPDATE command SET state = 'acknowledged', answered_ms = ?"
        " WHERE id = ? AND machine_id = ? AND state IN ('pending', 'sent', 'expired')",
        (origin.now_ms, identity, machine),
    )
    if cursor.rowcount and message.said:
        # the answer said that the label waits; now it has its effect
        db.execute(
            "UPDATE command SET said = ? WHERE id = ? AND machine_id = ?",
            (record_json(message.said), identity, machine),
        )
    return identity if cursor.rowcount else None


def _is_newer(db: Database, identity: str, lesson: HeadUpdate) -> bool:
    """Tell whether a label was trained again: its lesson is then of a newer checkpoint."""
    row = db.execute("SELECT lesson FROM label WHERE id = ?", (identity,)).fetchone()
    if row is None or row[0] is None:
        return False
    try:
        return bool(lesson.checkpoint_id > json.loads(row[0])["checkpoint_id"])
    except (ValueError, KeyError):
        return True  # damaged


def store_answer(db: Database, origin: Origin, message: Acknowledgement) -> None:
    """Store the lesson that came with the acknowledgement of a label."""
    db.execute(
        "UPDATE label SET answered_ms = ?, lesson = coalesce(?, lesson) WHERE id = ?",
        (
            origin.now_ms,
            record_json(message.lesson),
            message.id,
        ),
    )
    checksums.seal(db, "label", message.id)


def view(db: Database, identity: str) -> LabelView | None:
    """Return one label, None if there is none of that id."""
    return next(iter(_views(db, "label.id = ?", (identity,))), None)


def view_of_event(db: Database, event_id: str) -> list[LabelView]:
    """Return all labels of an event, newest first."""
    return _views(
        db, "label.event_id = ? ORDER BY label.created_ms DESC, label.id DESC", (event_id,)
    )


def newest_of_events(db: Database, event_ids: Sequence[str]) -> dict[str, LabelView]:
    """Return the newest label of each event that counts: no take-back, and none that was undone."""
    if not event_ids:
        return {}
    marks = ",".join("?" * len(event_ids))
    where = f"label.event_id IN ({marks}) ORDER BY label.created_ms, label.id"
    return {
        one.event_id: one
        for one in _views(db, where, tuple(event_ids))
        if not one.takes_back and one.undone_ms is None
    }


def view_between(db: Database, since_ms: int, until_ms: int) -> list[LabelView]:
    """Return the labels that were given within a time, newest first."""
    where = "label.created_ms >= ? AND label.created_ms < ? ORDER BY label.created_ms DESC"
    return _views(db, where, (since_ms, until_ms))


def view_page(db: Database, machine: str | None, limit: int, cursor: str | None) -> LabelPage:
    """Return up to `limit` labels, newest first, from `cursor` on.

    Raises
    ------
    CursorError
        If this server did not give `cursor`.
    """
    clauses, values = ["true"], list[Any]()
    if machine is not None:
        clauses.append("label.machine_id = ?")
        values.append(machine)
    if cursor is not None:
        clauses.append("(label.created_ms, label.id) < (?, ?)")
        values += decode(cursor)
    order = " ORDER BY label.created_ms DESC, label.id DESC LIMIT ?"
    rows = _rows(db, " AND ".join(clauses) + order, (*values, limit + 1))
    last = rows[limit - 1] if len(rows) > limit else None
    return LabelPage(
        items=_read(db, rows[:limit]),
        next_cursor=encode(last["created_ms"], last["id"]) if last else None,
    )


def _views(db: Database, where: str, values: tuple[Any, ...]) -> list[LabelView]:
    return _read(db, _rows(db, where, values))


def _rows(db: Database, where: str, values: tuple[Any, ...]) -> list[dict[str, Any]]:
    return list(
        db.query(
            "SELECT label.*, command.state, command.said,"
            " command.answered_ms AS replied_ms"
            f" FROM label LEFT JOIN command ON command.id = label.id WHERE {where}",
            values,
        )
    )


def _read(db: Database, rows: list[dict[str, Any]]) -> list[LabelView]:
    back = _taken_back(db, {row["event_id"] for row in rows})
    rolled_back = undone(db, {row["machine_id"] for row in rows if row["lesson"]})
    counting = (given for given in back if given[0] not in rolled_back)
    taken_back = {one: (at_ms, by) for _, at_ms, by, done in counting for one in done}
    read = partial(_view, undone=rolled_back | taken_back, back={one for one, *_ in back})
    return list(db.damage.readable("label", rows, read))


def taken_back_by(db: Database, label_id: str, event_id: str) -> tuple[str, ...]:
    """Return the labels of an event that a label took back."""
    return next((done for one, _, _, done in _taken_back(db, {event_id}) if one == label_id), ())


def _taken_back(
    db: Database, event_ids: AbstractSet[str]
) -> list[tuple[str, int, str, tuple[str, ...]]]:
    """Return the labels that take earlier ones of their event back: id, time, person, and which.

    That is `unsure` after another verdict: the gateway then learns as without a verdict. It takes
    back nothing until the gateway has accepted it.
    """
    if not event_ids:
        return []
    marks = ",".join("?" * len(event_ids))
    counting: dict[str, list[str]] = {}
    found = []
    for identity, event, verdict, at_ms, actor, state in db.execute(
        "SELECT label.id, event_id, verdict, label.created_ms, label.actor,"
        " coalesce(command.state, 'acknowledged') FROM label"
        f" LEFT JOIN command ON command.id = label.id WHERE event_id IN ({marks})"
        " ORDER BY label.created_ms, label.id",
        tuple(event_ids),
    ):
        before = counting.setdefault(event, [])
        if verdict != "unsure":
            before.append(identity)
        elif before:
            done = state == "acknowledged"
            found.append((identity, at_ms, actor, tuple(before) if done else ()))
            if done:
                before.clear()
    return found


def undone(db: Database, machine_ids: AbstractSet[str]) -> dict[str, tuple[int, str]]:
    """Return when and by whom the lessons of labels were taken back, by label.

    A rollback goes to another checkpoint, by default to the parent of the active one; the lessons
    of all newer checkpoints are taken back, and those that counted at that checkpoint count again.
    """
    if not machine_ids:
        return {}
    marks = ",".join("?" * len(machine_ids))
    back = db.execute(
        "SELECT machine_id, created_ms, actor, args, said FROM command"
        f" WHERE machine_id IN ({marks}) AND name = 'roll_back' AND state = 'acknowledged'"
        " ORDER BY created_ms",
        tuple(machine_ids),
    ).fetchall()
    if not back:
        return {}
    learned = [
        (machine, created_ms, identity, lesson)
        for machine, created_ms, identity, text in db.execute(
            f"SELECT machine_id, created_ms, id, lesson FROM label WHERE machine_id IN ({marks})"
            " AND lesson IS NOT NULL ORDER BY created_ms",
            tuple(machine_ids),
        )
        if (lesson := json.loads(text))["accepted"]
    ]
    states: dict[str, list[tuple[str, dict[str, tuple[int, str]]]]] = {}
    for machine, at_ms, actor, args, said in back:
        past = states.setdefault(machine, [("", {})])
        gone = past[-1][1]
        before = [
            (identity, lesson)
            for of, created_ms, identity, lesson in learned
            if of == machine and created_ms < at_ms
        ]
        given = json.loads(args)
        parents = (lesson["parent_id"] for one, lesson in reversed(before) if one not in gone)
        target = given.get("checkpoint_id") or next(parents, None)
        if target is None or given.get("baseline_id"):
            continue
        then = next(state for checkpoint_id, state in reversed(past) if checkpoint_id <= target)
        newer = {
            one: gone.get(one, (at_ms, actor))
            for one, lesson in before
            if lesson["checkpoint_id"] > target
        }
        # a gateway that does not say what it wrote has written it after the newest lesson
        newest = max((lesson["checkpoint_id"] for _, lesson in before), default="")
        past.append((_now_active(said) or f"{newest}~", then | newer))
    return {one: by for past in states.values() for one, by in past[-1][1].items()}


def _now_active(said: str | None) -> str | None:
    """Return the checkpoint that a rollback wrote, None where the gateway did not say it."""
    match json.loads(said or "null"):
        case {
            "values": {"parts": [*_, {"code": "now_active", "values": {"checkpoint_id": str(one)}}]}
        }:
            return one
    return None


def _view(
    row: dict[str, Any], undone: Mapping[str, tuple[int, str]], back: AbstractSet[str]
) -> LabelView:
    checksums.expect_intact("label", row)
    undone_ms, undone_by = undone.get(row["id"], (None, ""))
    joined = {
        "label_id": row["id"],
        "machine": parts(row["machine_id"])[-1],
        "undone_ms": undone_ms,
        "undone_by": undone_by,
        "takes_back": row["id"] in back,
        "state": row["state"] or "acknowledged",  # a label that was given elsewhere
        "said": json.loads(row["said"]) if row["said"] else None,
        "answered_ms": row["answered_ms"] or row["replied_ms"],
        "lesson": json.loads(row["lesson"]) if row["lesson"] else None,
    }
    return LabelView.model_validate({**row, **joined})
