"""Run-ups and coast-downs: the cascade as float32, the rest as received."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from auscult.app.identity import machine_id
from auscult.app.store import machines
from auscult.app.store.connection import Database
from auscult.app.store.received import Origin
from auscult.app.store.spectra_kept import Stored, surplus
from auscult.app.views import RunUpRef, RunUpView
from auscult.contract.run_up import RunUpMessage

_KEYS = ("id", "machine_id", "point", "start_ms")


def store(db: Database, origin: Origin, message: RunUpMessage) -> None:
    """Store a run-up; a repeated one changes nothing."""
    machines.known_point(db, origin, message.machine, message.point)
    with np.errstate(over="ignore"):
        cascade = np.nan_to_num(np.asarray(message.cascade.values, "<f4"))
    db.execute(
        "INSERT INTO run_up (id, machine_id, point, start_ms, statement, vals)"
        " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (
            message.id,
            machine_id(origin.site, origin.gateway, message.machine),
            message.point,
            message.start_ms,
            message.model_dump_json(
                exclude={
                    "ts": True, "id": True, "machine": True, "point": True, "start_ms": True,
                    "cascade": {"values"},
                }
            ),
            cascade.tobytes(),
        ),
    )  # fmt: skip


def view_newest(db: Database, machine: str, point: str, limit: int) -> list[RunUpRef]:
    """Return which run-ups and coast-downs a point has, newest first."""
    sql = (
        "SELECT * FROM run_up WHERE machine_id = ? AND point = ?"
        " ORDER BY start_ms DESC, id DESC LIMIT ?"
    )
    return list(db.records("run_up", _ref, sql, (machine, point, limit)))


def view(db: Database, identity: str) -> RunUpView | None:
    """Return one run-up with its curves, None if there is none of that id."""
    return next(db.records("run_up", _view, "SELECT * FROM run_up WHERE id = ?", (identity,)), None)


def surplus_of_all(db: Database, most: int) -> list[str]:
    """Return the ids of all points' run-ups that are beyond ``most``; old ones stay, thinned."""
    crowded = db.execute(
        "SELECT machine_id, point FROM run_up GROUP BY machine_id, point HAVING count(*) > ?",
        (most,),
    ).fetchall()
    gone: list[str] = []
    for machine, point in crowded:
        rows = db.execute(
            "SELECT id, start_ms FROM run_up WHERE machine_id = ? AND point = ?"
            " ORDER BY start_ms, id",
            (machine, point),
        )
        began = db.execute("SELECT started_ms FROM event WHERE machine_id = ?", (machine,))
        stored = [Stored(identity, at_ms, False, "") for identity, at_ms in rows.fetchall()]
        gone += surplus(stored, [row[0] for row in began.fetchall()], most)
    return gone


def _ref(row: dict[str, Any]) -> RunUpRef:
    return RunUpRef(**_known(row, json.loads(row["statement"])))


def _view(row: dict[str, Any]) -> RunUpView:
    said = json.loads(row["statement"])
    cascade = said["cascade"]
    rows = len(cascade["speed_rpm"])
    values = np.frombuffer(row["vals"], "<f4").reshape(rows, -1).tolist() if rows else []
    return RunUpView(
        **_known(row, said),
        **{key: said[key] for key in ("unit", "speed_rpm", "amplitude", "phase_deg")},
        cascade={**cascade, "values": values},
    )


def _known(row: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
    return {
        **{key: row[key] for key in _KEYS},
        **{key: said[key] for key in ("end_ms", "rising", "critical_speeds")},
        "low_rpm": said["speed_rpm"][0],
        "high_rpm": said["speed_rpm"][-1],
    }
