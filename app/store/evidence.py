"""The evidence of machines over the last days, for the line beside a case."""

from __future__ import annotations

from collections.abc import Sequence

from auscult.app.store.connection import Database
from auscult.contract.times import DAY_MS

STEP_MS = 600_000
"""The highest evidence of each ten minutes is kept for a day, with the time at which it was."""
DETAILS_MS = DAY_MS
"""Of older rows, the highest of each hour is kept."""
KEPT_MS = 14 * DAY_MS


def store(db: Database, machine: str, at_ms: int, evidence: float | None) -> None:
    """Note a machine's evidence; the highest of each step stays."""
    if evidence is None:
        return
    db.execute(
        "INSERT INTO evidence (machine_id, step_ms, at_ms, milli) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (machine_id, step_ms) DO UPDATE SET at_ms = excluded.at_ms,"
        " milli = excluded.milli WHERE excluded.milli > evidence.milli",
        (machine, at_ms // STEP_MS * STEP_MS, at_ms, int(1000 * min(evidence, 1e12))),
    )


def view_since(
    db: Database, machines: Sequence[str], since_ms: int
) -> dict[str, list[tuple[int, float]]]:
    """Return time and evidence of several machines, oldest first."""
    if not machines:
        return {}
    marks = ",".join("?" * len(machines))
    found: dict[str, list[tuple[int, float]]] = {}
    for machine, at_ms, milli in db.execute(
        f"SELECT machine_id, at_ms, milli FROM evidence WHERE machine_id IN ({marks})"
        " AND at_ms >= ? ORDER BY at_ms",
        (*machines, since_ms),
    ):
        found.setdefault(machine, []).append((at_ms, milli / 1000))
    return found
