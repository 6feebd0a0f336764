"""What happened in a case: its events, the answers, and what people did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from auscult.app.store import cases, commands, labels
from auscult.app.store.connection import Database
from auscult.app.views import CaseEntry, EventView


def of_case(db: Database, row: dict[str, Any], listed: Sequence[EventView]) -> list[CaseEntry]:
    """Return the lines of a case's history, newest first."""
    lines = [*cases.entries(db, row["id"]), *_of_labels(db, listed), *_of_work(db, row)]
    was_alarm = False
    for event in sorted(listed, key=lambda e: e.started_ms):
        lines += _of_event(event, first=event.id == row["id"], was_alarm=was_alarm)
        was_alarm = was_alarm or event.peak_condition == "alarm"
    newest_first = sorted(lines, key=lambda line: (-line.at_ms, line.id))
    return [next(alike) for _, alike in groupby(newest_first, _statement)]


def _statement(line: CaseEntry) -> object:
    """Return what makes a line its own; who acknowledges a case does so for each of its alarms."""
    return (line.actor, line.text) if line.kind == "acknowledged" else line.id


def _of_labels(db: Database, listed: Sequence[EventView]) -> Iterator[CaseEntry]:
    for event in listed:
        for label in labels.view_of_event(db, event.id):
            yield CaseEntry(
                id=f"label-{label.id}",
                at_ms=label.created_ms,
                kind="taken_back" if label.takes_back else "answered",
                actor=label.actor,
                text=label.note,
                event_id=event.id,
                label=label,
                undone=label.undone_ms is not None,
                undone_by=label.undone_by,
            )


def _of_work(db: Database, row: dict[str, Any]) -> Iterator[CaseEntry]:
    until_ms = row["closed_ms"] or row["last_ms"] + cases.JOIN_MS
    machine, since_ms = row["machine_id"], row["opened_ms"]
    for command in commands.view_finished_work(db, machine, since_ms, until_ms):
        yield CaseEntry(
            id=f"finished-{command.id}",
            at_ms=command.created_ms,
            kind="work_finished",
            actor=command.actor,
            text=str(command.args.get("comment", "")),
        )


def _of_event(event: EventView, *, first: bool, was_alarm: bool) -> Iterator[CaseEntry]:
    """Yield the lines of an event; `was_alarm` says whether an earlier one of the case was."""
    alarm = event.handling
    worse = event.peak_condition == "alarm" and not was_alarm and not first
    yield CaseEntry(
        id=f"start-{event.id}",
        at_ms=event.started_ms,
        kind="worse" if worse else "opened",
        event_id=event.id,
    )
    if event.added_ms:
        yield CaseEntry(
            id=f"added-{event.id}", at_ms=event.added_ms, kind="worse", event_id=event.id
        )
    if event.ended_ms is not None and event.lost_ms is None:
        yield CaseEntry(id=f"end-{event.id}", at_ms=event.ended_ms, kind="ended", event_id=event.id)
    if alarm.acknowledged_ms is not None:
        yield CaseEntry(
            id=f"acknowledged-{event.id}",
            at_ms=alarm.acknowledged_ms,
            kind="acknowledged",
            actor=alarm.acknowledged_by,
            text=alarm.comment,
            event_id=event.id,
        )
