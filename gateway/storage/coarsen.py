"""Joins trends that wait for an absent broker into hours, oldest first, to save space.

Only messages that were never sent are joined, so nothing is counted twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from auscult.contract.payloads import Trend
from auscult.contract.records import SEVERITY
from auscult.contract.times import HOUR_NS
from auscult.gateway.storage.database import Database
from auscult.gateway.storage.outbox_rows import move_damaged, packed, unpacked

GROUPS_AT_ONCE = 20
"""Hours of points joined in one transaction, some 60 messages each: takes about 0.1 s."""


def joined(trends: Sequence[Trend]) -> Trend:
    """Join consecutive intervals of a point: smallest minimum, largest maximum, weighted mean.

    The result keeps the id of the first interval.
    """
    values: dict[str, tuple[float, float, float]] = {}
    for name in dict.fromkeys(name for trend in trends for name in trend.values):
        parts = [(t.values[name], max(t.windows, 1)) for t in trends if name in t.values]
        weight = sum(n for _, n in parts)
        mean = sum(value[1] * n for value, n in parts) / weight
        values[name] = (
            min(value[0] for value, _ in parts),
            float(f"{mean:.5g}"),
            max(value[2] for value, _ in parts),
        )
    return trends[0].model_copy(
        update={
            "start_ms": min(trend.start_ms for trend in trends),  # a clock may have been set back
            "end_ms": max(trend.end_ms for trend in trends),
            "windows": sum(trend.windows for trend in trends),
            "condition": max((t.condition for t in trends), key=SEVERITY.__getitem__),
            "quality": "good" if all(t.quality == "good" for t in trends) else "uncertain",
            "values": values,
            "units": {name: unit for trend in trends for name, unit in trend.units.items()},
        }
    )


def coarsen(db: Database, lane: int, now_ns: int) -> bool:
    """Join some hours of trends, in the caller's transaction; False if there is nothing to join."""
    this_hour = now_ns // HOUR_NS
    for _ in range(GROUPS_AT_ONCE):
        row = db.execute(
            "SELECT topic, created_ns / ? AS hour FROM outbox WHERE lane = ? AND held = 1"
            " ORDER BY id LIMIT 1",
            [HOUR_NS, lane],
        ).fetchone()
        if row is None or row[1] >= this_hour:
            return False
        topic, hour = row
        rows = db.execute(
            "SELECT id, payload FROM outbox WHERE lane = ? AND held = 1 AND topic = ?"
            " AND created_ns >= ? AND created_ns < ? ORDER BY id",
            [lane, topic, hour * HOUR_NS, (hour + 1) * HOUR_NS],
        ).fetchall()
        numbers = [(number,) for number, _ in rows]
        if len(rows) > 1 and topic.endswith("/trend"):
            trends = _readable(db, rows)
            if len(trends) < len(rows):
                continue  # those that are left come again
            whole = joined(trends)
            # A trigger counts what is deleted and inserted, not what is updated.
            db.conn.executemany("DELETE FROM outbox WHERE id = ?", numbers)
            db.execute(
                "INSERT INTO outbox (id, message_id, receipt_id, lane, topic, payload, created_ns,"
                " held) VALUES (?, ?, ?, ?, ?, ?, ?, 2)",
                [rows[0][0], whole.id, whole.id, lane, topic, packed(whole.to_json()),
                 hour * HOUR_NS],
            )  # fmt: skip
        else:
            db.conn.executemany("UPDATE outbox SET held = 2 WHERE id = ?", numbers)
    return True


def _readable(db: Database, rows: Sequence[tuple[int, bytes]]) -> list[Trend]:
    """Read stored trends; move damaged ones to their own table."""
    trends = []
    for number, stored in rows:
        try:
            trends.append(Trend.model_validate_json(unpacked(stored)))
        except ValueError as error:
            move_damaged(db, number, str(error).partition("\n")[0])
    return trends
