"""States of machines and points as the dashboard stores and answers with them."""

from __future__ import annotations

import json

from auscult.app.store import machines
from auscult.app.store.freshness import Freshness
from auscult.app.store.intake import store_message
from auscult.app.store.received import Origin
from auscult.contract.parts import worded
from auscult.contract.payloads import MachineStateMessage, PointStateMessage
from auscult.contract.records import Condition, Reason, ReasonKind
from auscult.contract.said import Said
from tests.app import messages as m

MACHINE = "plant~gw1~pump-3"
SILENT = Reason(ReasonKind.SENSOR, Condition.UNKNOWN, Said("silent", {"after_s": 3}), "DE-H")
QUESTION_OF_0_3 = {
    "id": "q1", "cause": "near_miss", "start_ms": 1, "end_ms": 2, "windows": 8, "sigma": 2.3,
    "points": ["DE-H"], "reason": "the evidence came to 80% of the warning level",
    "said": {"code": "question_near_miss", "values": {"evidence": 0.8}},
}  # fmt: skip
NOW = Freshness(m.now_ms(), 180_000)


def fill(store, *messages):
    origin = Origin("plant", "gw1", m.now_ms())
    store.write(lambda db: [store_message(db, origin, message) for message in messages])


def test_a_state_is_answered_as_it_came_and_stored_without_sentences(opened_store):
    machine = m.machine_state(
        "pump-3", "unknown", reasons=(worded(SILENT),), handling=m.handling("shelved", 2),
        unacknowledged=1, event_id="e1", evidence=0.5, awaiting_approval=True,
    )  # fmt: skip
    point = m.point_state("pump-3", "DE-H", "unknown", reasons=(worded(SILENT),), load=62.0)
    fill(opened_store, m.inventory("pump-3"), machine, point)
    shown, shown_point = _shown(opened_store)
    for view, sent in ((shown, machine), (shown_point, point)):
        given = {name: getattr(sent, name) for name in type(sent).model_fields}
        given |= {"reasons": (SILENT,)}
        del given["ts"]
        assert {name: getattr(view, name) for name in given} == given
        assert view.updated_ms == sent.ts
    assert shown.speed_rpm == 1480, "of its name plate"
    for table in ("machine", "point"):
        rows = (
            opened_store.read()
            .execute(f"SELECT state FROM {table} WHERE state IS NOT NULL")
            .fetchall()
        )
        (stored,) = (json.loads(row[0]) for row in rows)
        assert "text" not in stored["reasons"][0]
        assert "ts" not in stored


def test_states_that_version_0_3_sent_and_stored_are_read(opened_store):
    said = {
        "kind": "sensor", "condition": "unknown", "point": "DE-H",
        "text": "no window for more than 3 s", "said": {"code": "silent", "values": {"after_s": 3}},
        "matched": [], "missing": [], "matched_said": [], "missing_said": [], "contributions": [],
    }  # fmt: skip
    machine = {
        "ts": 5, "machine": "pump-3", "condition": "unknown", "quality": "bad", "reasons": [said],
        "coverage": {
            "phase": "collecting", "fraction": 0.4, "windows": 80, "windows_needed": 200,
            "missing": ["120 more windows"], "because_text": "",
            "lacks": [{"code": "windows", "values": {"count": 120, "point": None}}],
        },
        "suppression": None, "unacknowledged": 1, "questions": [QUESTION_OF_0_3],
        "repair": {
            "event_id": "e1", "since_ms": 1, "windows": 20, "windows_needed": 20, "result": "gone",
            "likeness": None, "reason": "the fault is gone", "said": {
                "code": "repair_gone", "values": {"windows": 20},
            },
        },
    }  # fmt: skip
    point = {
        "ts": 5, "machine": "pump-3", "point": "DE-H", "condition": "unknown", "quality": "bad",
        "window_ms": 4, "reasons": [said], "levels": {}, "sensor": ["flat_line"],
    }  # fmt: skip
    sent = (
        MachineStateMessage.read(json.dumps(machine).encode()),
        PointStateMessage.read(json.dumps(point).encode()),
    )
    fill(opened_store, m.inventory("pump-3"), *sent)
    received = _shown(opened_store)

    def store_as_0_3(db):
        db.execute("UPDATE machine SET state = ?", [json.dumps(machine)])
        db.execute("UPDATE point SET state = ? WHERE point = 'DE-H'", [json.dumps(point)])

    opened_store.write(store_as_0_3)
    shown, shown_point = stored = _shown(opened_store)
    assert stored == received
    assert shown.reasons == shown_point.reasons == (SILENT,)
    assert shown.coverage.missing == ("120 more windows",)
    assert (shown.handling.state, shown.unacknowledged) == ("normal", 1)
    assert shown.questions[0].said == Said("question_near_miss", {"evidence": 0.8})
    assert shown.repair.said == Said("repair_gone", {"windows": 20})
    assert (shown_point.window_ms, shown_point.sensor) == (4, ("flat_line",))


def test_a_machine_without_a_state_is_unknown(opened_store):
    fill(opened_store, m.inventory("pump-3"))
    machine, point = _shown(opened_store)
    for view in (machine, point):
        assert (view.condition, view.quality, view.stale) == ("unknown", "bad", True)
        assert (view.heard_ms, view.updated_ms, view.reasons) == (None, None, ())
    assert machine.coverage is None
    assert machine.handling.state == "normal"


def _shown(store):
    db = store.read()
    return machines.view(db, NOW, MACHINE), machines.view_point(db, NOW, MACHINE, "DE-H")
