"""Spectra: the values as float32, with their measuring statement."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from auscult.app.identity import machine_id
from auscult.app.store import machines
from auscult.app.store.connection import Database
from auscult.app.store.received import Origin
from auscult.app.views import Spectrum, SpectrumRef
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


def view_refs(
    db: Database,
    *,
    machine: str | None = None,
    point: str | None = None,
    kind: str | None = None,
    event_id: str | None = None,
    limit: int = 100,
) -> list[SpectrumRef]:
    """Return which spectra there are, newest first."""
    wanted: dict[str, Any] = {
        "machine_id": machine, "point": point, "kind": kind, "event_id": event_id
    }  # fmt: skip
    given = {key: value for key, value in wanted.items() if value is not None}
    where = " AND ".join(f"{key} = :{key}" for key in given) or "true"
    sql = f"{_REFS}{where} ORDER BY window_ms DESC, id DESC LIMIT :limit"
    return list(db.records("spectrum", _ref, sql, {**given, "limit": limit}))


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
