"""Spectra: the values as float32, with their measuring statement."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from auscult.app.identity import machine_id
from auscult.app.store import machines
from auscult.app.store.connection import Database
from auscult.app.store.received import Origin
from auscult.app.views import Spectrum, SpectrumRef
from auscult.contract.message import MAX_TIME_MS
from auscult.contract.payloads import SpectrumMessage

_KEYS = ("id", "machine_id", "point", "event_id", "kind", "window_ms")
_REFS = f"SELECT {', '.join(_KEYS)} FROM spectrum WHERE "


def store(db: Database, origin: Origin, message: SpectrumMessage) -> str | None:
    """Store a spectrum; return its machine's id, None if it is stored already.

    It is rejected if its event is another machine's.
    """
    machines.known_point(db, origin, message.machine, message.point)
    machine = machine_id(origin.site, origin.gateway, message.machine)
    if message.event_id is not None and not machines.may_own_event(db, message.event_id, machine):
        return None
    with np.errstate(over="ignore"):
        values = np.asarray(message.values, "<f4")
    statement = message.model_dump_json(
        include={
            "f0_hz", "df_hz", "unit", "fs_hz", "window", "averages", "overlap", "band_hz",
            "speed_rpm", "load", "condition", "baseline_id",
        }
    )  # fmt: skip
    cursor = db.execute(
        "INSERT INTO spectrum (id, machine_id, point, event_id, kind, window_ms, condition,"
        " statement, vals) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (
            message.id,
            machine,
            message.point,
            message.event_id,
            message.kind,
            message.window_ms,
            message.condition,
            statement,
            np.nan_to_num(values).tobytes(),
        ),
    )
    return machine if cursor.rowcount else None


@dataclass(frozen=True, slots=True)
class Period:
    """Of which time spectra are wanted, and how many at most."""

    limit: int
    start_ms: int | None = None
    """None = the newest before ``end_ms``."""
    end_ms: int = MAX_TIME_MS
    """Exclusive."""


def ids_in(db: Database, machine: str, point: str, kind: str | None, period: Period) -> list[str]:
    """Return the ids of the spectra that show a period, newest first.

    Of more than the limit, each of as many equal stretches of time gives its newest.
    """
    where = "machine_id = :machine AND point = :point AND window_ms < :end"
    named: dict[str, Any] = {"machine": machine, "point": point, "end": period.end_ms}
    if kind is not None:
        where, named["kind"] = f"{where} AND kind = :kind", kind
    if period.start_ms is not None:
        where, named["start"] = f"{where} AND window_ms >= :start", period.start_ms
        counted = f"SELECT count(*), min(window_ms), max(window_ms) FROM spectrum WHERE {where}"
        count, first, last = db.execute(counted, named).fetchone()
        if count > period.limit:
            named |= {"first": first, "span": last - first + 1}
            where = (
                "id IN (SELECT id FROM (SELECT id, row_number() OVER"
                " (PARTITION BY (window_ms - :first) * :limit / :span"
                " ORDER BY window_ms DESC, id DESC) AS place"
                f" FROM spectrum WHERE {where}) AS placed WHERE place = 1)"
            )
    sql = f"SELECT id FROM spectrum WHERE {where} ORDER BY window_ms DESC, id DESC LIMIT :limit"
    return [row[0] for row in db.execute(sql, {**named, "limit": period.limit})]


def view_period(
    db: Database, machine: str, point: str, kind: str | None, period: Period
) -> list[SpectrumRef]:
    """Return which spectra show a period, newest first."""
    ids = ids_in(db, machine, point, kind, period)
    where = f"id IN ({','.join('?' * len(ids))}) ORDER BY window_ms DESC, id DESC"
    return list(db.records("spectrum", _ref, f"{_REFS}{where}", ids)) if ids else []


def view_refs(db: Database, event_id: str) -> list[SpectrumRef]:
    """Return which spectra an event has, newest first."""
    sql = f"{_REFS}event_id = ? ORDER BY window_ms DESC, id DESC LIMIT 100"
    return list(db.records("spectrum", _ref, sql, (event_id,)))


def _ref(row: dict[str, Any]) -> SpectrumRef:
    return SpectrumRef(**{key: row[key] for key in _KEYS})


def view_conditions(
    db: Database, event_id: str, point: str
) -> list[tuple[SpectrumRef, str | None]]:
    """Return an event's spectra of a point, each with the point's condition then."""
    where = "event_id = ? AND point = ? ORDER BY window_ms DESC LIMIT 100"
    sql = f"SELECT {', '.join(_KEYS)}, condition FROM spectrum WHERE {where}"
    read = db.records("spectrum", lambda row: (_ref(row), row["condition"]), sql, (event_id, point))
    return list(read)


def view(db: Database, identity: str) -> Spectrum | None:
    """Return one spectrum with its values, None if there is none of that id."""
    sql = "SELECT * FROM spectrum WHERE id = ?"
    return next(db.records("spectrum", _view, sql, (identity,)), None)


def _view(row: dict[str, Any]) -> Spectrum:
    return Spectrum(
        **{key: row[key] for key in _KEYS},
        **json.loads(row["statement"]),
        values=np.frombuffer(row["vals"], "<f4").tolist(),
    )
