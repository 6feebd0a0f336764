"""Trends and events as long tables, read piece by piece so that memory stays bounded."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from typing import Any

import numpy as np

from auscult.app.store import checksums, labels
from auscult.app.store.connection import Database
from auscult.app.store.tiers import CONDITIONS
from auscult.app.views import LabelView
from auscult.contract import event

Rows = list[dict[str, Any]]
Read = Callable[[], Database]
"""Gives a reading connection for the calling thread."""

INTERVALS_A_PIECE = 500
"""Intervals of a point, with all their features, that are in memory at once."""
EVENTS_A_PIECE = 500

TREND_COLUMNS = (
    "machine_id", "machine_name", "area", "point", "point_name", "start", "start_ms",
    "end_ms", "windows", "condition", "feature", "unit",
    "minimum", "mean", "maximum",
)  # fmt: skip
EVENT_COLUMNS = (
    "id", "case_id", "machine_id", "machine_name", "area", "started", "ended",
    "phase", "condition", "peak_condition", "peak_evidence", "peak_p_value",
    "started_ms", "updated_ms", "ended_ms", "alarm_state", "acknowledged_ms", "points", "reasons",
    "verdict", "kind", "model_id", "baseline_id", "spec_id", "checkpoint_id",
)  # fmt: skip


def trend_points(
    db: Database, machine: str | None, point: str | None
) -> list[tuple[int, dict[str, str]]]:
    """Return number, ids and names of the points that are asked for."""
    rows = db.execute(
        "SELECT num, machine_id, point, machine.machine, machine.part, point.part FROM point"
        " JOIN machine ON machine.id = point.machine_id"
        " WHERE machine_id = coalesce(?, machine_id)"
        " AND point = coalesce(?, point) ORDER BY machine_id, point",
        (machine, point),
    )
    return [
        (
            number,
            {
                "machine_id": machine_id,
                **_names(db, machine_id, machine_part, name),
                "point": point_id,
                "point_name": db.damage.decoded("point", number, point_part).get("name")
                or point_id,
            },
        )
        for number, machine_id, point_id, name, machine_part, point_part in rows
    ]


def _names(db: Database, identity: str, part: str | None, machine: str) -> dict[str, str]:
    plate = db.damage.decoded("machine", identity, part)
    return {"machine_name": plate.get("name") or machine, "area": plate.get("area", "")}


def _iso(at_ms: int | None) -> str:
    """Return a time as ISO 8601 in UTC, as spreadsheets read it."""
    if at_ms is None:
        return ""
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _unit(unit: str) -> str:
    """Return a unit as it is printed: m/s2 and m/s² are one.

    >>> _unit("m/s2"), _unit("m/s2²")
    ('m/s²', '(m/s²)²')
    """
    printed = unit.replace("m/s2²", "(m/s²)²")
    return printed.replace("m/s2", "m/s²")


def trends(
    read: Read,
    points: list[tuple[int, dict[str, str]]],
    tier_s: int,
    since_ms: int,
    until_ms: int,
) -> Iterator[Rows]:
    """Give the trends' values, a row for each feature and interval, oldest first."""
    for number, names in points:
        after_ms = since_ms - 1
        while True:
            rows = read().execute(
                "SELECT start_ms, end_ms, windows, condition, features, vals FROM trend"
                " JOIN feature_set ON feature_set.num = trend.feature_set"
                " WHERE point = ? AND tier_s = ? AND start_ms > ? AND start_ms < ?"
                " ORDER BY start_ms LIMIT ?",
                (number, tier_s, after_ms, until_ms, INTERVALS_A_PIECE),
            ).fetchall()  # fmt: skip
            if not rows:
                break
            after_ms = rows[-1][0]
            readable = read().damage.readable(
                "trend", rows, partial(_features, names), lambda row: row[:2]
            )
            yield [entry for entries in readable for entry in entries]


def _features(names: dict[str, str], row: tuple[Any, ...]) -> Rows:
    start_ms, end_ms, windows, condition, features, blob = row
    values = np.frombuffer(blob, "<f4").reshape(3, -1).astype(float)
    shared = {
        **names, "start": _iso(start_ms), "start_ms": start_ms, "end_ms": end_ms,
        "windows": windows, "condition": CONDITIONS[condition],
    }  # fmt: skip
    entries = []
    for column, (feature, unit) in enumerate(json.loads(features).items()):
        low, mean, high = (float(v) if np.isfinite(v) else None for v in values[:, column])
        own = {
            "feature": feature,
            "unit": _unit(unit),
            "minimum": low,
            "mean": mean,
            "maximum": high,
        }
        entries.append(shared | own)
    return entries


def events(read: Read, machine: str | None, since_ms: int, until_ms: int) -> Iterator[Rows]:
    """Give the events that began within a time, oldest first, each with its newest label."""
    after: tuple[int, str] = (since_ms - 1, "\U0010ffff")
    while True:
        found = list(
            read().query(
                "SELECT event.*, machine.machine, machine.part"
                " FROM event JOIN machine ON machine.id = event.machine_id"
                " WHERE (started_ms, event.id) > (?, ?) AND started_ms < ?"
                " AND event.machine_id = coalesce(?, event.machine_id)"
                " ORDER BY started_ms, event.id LIMIT ?",
                (*after, until_ms, machine, EVENTS_A_PIECE),
            )
        )
        if not found:
            return
        after = (found[-1]["started_ms"], found[-1]["id"])
        db = read()
        given = labels.newest_of_events(db, [row["id"] for row in found])
        yield list(db.damage.readable("event", found, partial(_event, db, given)))


def _event(db: Database, given: Mapping[str, LabelView], row: dict[str, Any]) -> dict[str, Any]:
    checksums.expect_intact("event", row)
    label = given.get(row["id"])
    own = {column: row[column] for column in EVENT_COLUMNS if column in row}
    record = event.Event.model_validate_json(row["message"])
    ids = asdict(record.ids)
    reported = {
        column: getattr(record, column) for column in ("condition", "peak_evidence", "peak_p_value")
    }
    return {
        **dict.fromkeys(EVENT_COLUMNS),
        **own,
        "verdict": label.verdict if label else "",
        "kind": label.kind if label else "",
        **_names(db, row["machine_id"], row["part"], row["machine"]),
        "started": _iso(row["started_ms"]),
        "ended": _iso(row["ended_ms"]),
        **reported,
        **{column: ids.get(column, "") for column in EVENT_COLUMNS if column.endswith("_id")
           and column not in own},
        "points": " ".join(record.points),
        "reasons": " | ".join(reason.text for reason in record.reasons),
    }  # fmt: skip
