"""The report of a shift or a week."""

from __future__ import annotations

from collections import Counter

from auscult.app.cases import compose
from auscult.app.store import gateways, labels, machines
from auscult.app.store.alarm_load import alarm_load
from auscult.app.store.connection import Database
from auscult.app.store.freshness import Freshness
from auscult.app.views import LearningMachine, SensorFault, ShiftReport

MOST = 100
"""Listed items of each kind; the page shows how many more there are."""


def view(db: Database, freshness: Freshness, since_ms: int, until_ms: int) -> ShiftReport:
    """Return the report of a period; machines and sensors are shown as they are now."""
    now_ms = freshness.now_ms
    all_machines = machines.view_all(db, freshness)
    names = {machine.id: machine.name for machine in all_machines}
    touched = [
        case
        for case in compose.view_between(db, freshness, since_ms, until_ms)
        if case.kind == "machine"
    ]
    before = [case for case in touched if case.opened_ms < since_ms]
    given = labels.view_between(db, since_ms, until_ms)
    return ShiftReport(
        since_ms=since_ms,
        until_ms=until_ms,
        made_ms=now_ms,
        conditions=dict(Counter(m.condition for m in all_machines)),
        began=[case for case in touched if case.opened_ms >= since_ms][:MOST],
        still_open=[case for case in before if case.state == "open"][:MOST],
        ended=[case for case in before if case.state != "open"][:MOST],
        labels=given[:MOST],
        lessons_accepted=sum(1 for g in given if g.lesson is not None and g.lesson.accepted),
        lessons_rejected=sum(1 for g in given if g.lesson is not None and not g.lesson.accepted),
        learning=[
            LearningMachine(
                machine_id=m.id,
                machine_name=m.name,
                fraction=m.coverage.fraction if m.coverage else 0.0,
                awaiting_approval=m.awaiting_approval,
                approval_asked_ms=m.approval_asked_ms,
            )
            for m in all_machines
            if m.condition == "learning" or m.awaiting_approval
        ],
        alarm_load=alarm_load(db, since_ms, until_ms, now_ms),
        sensors=_sensor_faults(db, freshness, names),
        gateways_offline=[
            g.id for g in gateways.view_all(db, freshness) if g.state == "offline" or g.stale
        ],
        machines_stale=[m.name for m in all_machines if m.stale],
    )


def _sensor_faults(db: Database, freshness: Freshness, names: dict[str, str]) -> list[SensorFault]:
    return [
        SensorFault(
            machine_id=point.machine_id,
            machine_name=names.get(point.machine_id, point.machine_id),
            point=point.point,
            point_name=point.name,
            faults=point.sensor,
            reasons=[] if point.sensor else faults,
        )
        for point in machines.view_all_points(db, freshness)
        if (faults := [r for r in point.reasons if r.kind == "sensor"]) or point.sensor
    ]
