"""What a plant remembers of a machine: its sisters, and what was found in earlier cases."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from auscult.app.cases import earlier
from auscult.app.reports.pages import Pages
from auscult.app.store import cases, labels, retention
from auscult.app.store.retention import RetentionPeriods
from auscult.app.store.scope import SomeSites
from auscult.app.views import CaseEntry
from auscult.contract.inventory import Inventory, MachinePart
from auscult.contract.records import Reason
from auscult.contract.said import Said
from tests.app import messages as m
from tests.app.pump_events import HOUR, NOW, SEEN, T, departs, inventory, moved, stored
from tests.reasons import reason

DAY = 24 * HOUR
[PUMP] = inventory().machines
UNCLEAR = (departs("P_DE", moved("band_11", 9.0)),)


def pump(number: int, **more: Any) -> MachinePart:
    more = {"power_kw": 30.0, "support": "rigid", **more}
    return PUMP.model_copy(update={"id": f"p{number}", "name": f"Pump P-{number}", **more})


def plant(store: Any, *plates: MachinePart) -> None:
    stored(store, m.status(ts=T), Inventory(ts=T, machines=plates))


def names(store: Any, machine: str) -> list[str]:
    return [one.name for one in earlier.sisters_of(store.read(), f"plant~gw1~{machine}")]


def test_sisters_have_the_same_plate_and_points(opened_store):
    fan = {"power_kw": None, "speed_rpm": None, "bearings": ()}
    plant(
        opened_store, pump(1), pump(2), pump(3, name="Jockey pump"), pump(4, power_kw=45.0),
        pump(5, bearings=()), pump(6, points=PUMP.points[:1]),
        pump(7, bearings=(PUMP.bearings[0].model_copy(update={"name": "6310"}),)),
        pump(8, points=(PUMP.points[0].model_copy(update={"id": "X"}),)),
        pump(20, name="Fan 1", **fan), pump(21, name="Fan 2", **fan),
        pump(22, name="Blower 2", **fan), pump(23, name="Fan", **fan),
    )  # fmt: skip
    assert names(opened_store, "p1") == ["Jockey pump", "Pump P-2", "Pump P-5", "Pump P-6"]
    assert names(opened_store, "p20") == ["Fan 2"], "no plate: the names say it"
    assert names(opened_store, "p23") == []
    assert names(opened_store, "unknown") == []


def test_a_stated_template_decides(opened_store):
    plant(
        opened_store, pump(1), pump(2, template="plant~gw1~p1"), pump(3, template="plant~gw1~p1"),
        pump(4), pump(5, power_kw=45.0, template="plant~gw1~p1"), pump(6, template="other"),
    )  # fmt: skip
    assert names(opened_store, "p1") == ["Pump P-2", "Pump P-3", "Pump P-4", "Pump P-5"]
    assert names(opened_store, "p2") == ["Pump P-1", "Pump P-3", "Pump P-5"], "p4 states none"
    assert names(opened_store, "p6") == []


def happened(
    store: Any,
    number: int,
    name: str,
    days_ago: float,
    reasons: tuple[Reason, ...],
    finding: dict[str, Any] | None = None,
) -> None:
    """Put a case of a pump into the store, which people closed with a finding."""
    at = T - int(days_ago * DAY)
    ended = finding and at + HOUR
    stored(store, m.event(
        f"p{number}", name, "end" if ended else "start", ts=T, started_ms=at, ended_ms=ended,
        updated_ms=ended or at, reasons=reasons, points=("M_NDE", "P_DE"),
    ))  # fmt: skip
    if finding is not None:
        known = {"kind": None, "text": "", **finding}
        store.write(lambda db: cases.update(
            db, name, closed_ms=ended, closed_by="Eva", finding=json.dumps(known), unacknowledged=0,
        ))  # fmt: skip


@pytest.fixture
def remembered(opened_store):
    plant(opened_store, *(pump(i) for i in range(1, 5)), pump(9, power_kw=90.0))
    repaired = {"result": "fault_repaired", "kind": "outer", "text": "bearing changed",
                "stop": "avoided", "stop_h": 6.0}  # fmt: skip
    happened(opened_store, 1, "own", 40, UNCLEAR, {"result": "no_fault"})
    happened(opened_store, 2, "same", 90, SEEN, repaired)
    happened(opened_store, 3, "found", 20, UNCLEAR, {"result": "fault_repaired", "kind": "outer"})
    happened(opened_store, 4, "open", 10, SEEN)
    happened(opened_store, 9, "other make", 5, SEEN, repaired)
    happened(opened_store, 1, "now", 0.5, SEEN)
    happened(opened_store, 2, "later", 0.1, SEEN, repaired)
    return opened_store


def listed(store: Any, case: str | None) -> list[tuple[str, str, bool]]:
    answer = earlier.of_machine(store.read(), NOW, "plant~gw1~p1", case)
    return [(one.case.id, one.alike, one.sister) for one in answer.items]


def test_earlier_cases_of_a_machine_and_its_sisters_say_what_was_found(remembered):
    assert listed(remembered, "now") == [
        ("same", "place", True), ("found", "fault", True), ("own", "other", False),
    ], "neither one that no one answered, nor another make, nor a later one"  # fmt: skip
    first = earlier.of_machine(remembered.read(), NOW, "plant~gw1~p1", "now").items[0].case
    found = first.finding
    assert (found.text, found.stop, found.stop_h) == ("bearing changed", "avoided", 6.0)
    assert [one for one, *_ in listed(remembered, None)] == ["own", "later", "found", "same"]


def test_a_case_that_the_gateway_recognised_comes_first(remembered):
    def like(event_id: str) -> Reason:
        values = {"event_id": event_id, "kind": "outer", "actor": "Eva", "at_ms": T}
        said = Said("resembles", values)
        return reason(kind="learned", condition="warning", point=None, value=0.93, said=said)

    reasons = (*SEEN, like("own"), like("now"), like("unknown"))
    stored(remembered, m.event(
        "p1", "now", "update", ts=T, started_ms=T - DAY // 2, updated_ms=T, reasons=reasons,
        points=("M_NDE", "P_DE"),
    ))  # fmt: skip
    first, *others = earlier.of_machine(remembered.read(), NOW, "plant~gw1~p1", "now").items
    assert (first.case.id, first.alike, first.likeness) == ("own", "recognised", 0.93)
    assert [(one.case.id, one.likeness) for one in others] == [("same", None), ("found", None)]


def test_an_answer_counts_like_a_closing(remembered):
    given = m.label("l1", "open", "confirmed_fault", kind="cage", created_ms=T)
    remembered.write(lambda db: labels.add(db, "plant~gw1~p4", given))
    assert ("open", "other", True) in listed(remembered, "now"), "another fault, people say"


def test_earlier_cases_are_one_resource(dashboard):
    store = dashboard.dashboard.store
    plant(store, pump(1), pump(2))
    happened(store, 2, "same", 90, SEEN, {"result": "fault_repaired"})
    answer = dashboard.get("/api/v1/machines/plant~gw1~p1/earlier-cases")
    assert [one["name"] for one in answer["sisters"]] == ["Pump P-2"]
    assert [one["case"]["id"] for one in answer["items"]] == ["same"]
    assert dashboard.get("/api/v1/machines/plant~gw1~p1/sisters")["items"] == answer["sisters"]
    path = "/api/v1/machines/plant~gw1~none/earlier-cases"
    assert dashboard.client.get(path).status_code == 404


def test_notes_are_kept_with_their_marks_and_can_be_withdrawn(dashboard):
    store, post = dashboard.dashboard.store, dashboard.client.post
    plant(store, pump(1))
    now = m.now_ms()
    stored(store, m.event("p1", "now", ts=now, started_ms=now, updated_ms=now, reasons=SEEN))
    path, mark = "/api/v1/machines/plant~gw1~p1/notes", {"point": "P_DE", "at_ms": now, "hz": 88.5}
    [note] = post(path, json={"text": "rubs", "mark": mark, "actor": "Eva"}).json()["items"]
    assert (note["actor"], note["text"], note["mark"]["hz"]) == ("Eva", "rubs", 88.5)
    trend = {**mark, "hz": None}
    noted = post("/api/v1/cases/now/notes", json={"text": "oiled", "mark": trend, "actor": "Max"})
    assert noted.json()["notes"] == 1
    assert [one["text"] for one in dashboard.get(path)["items"]] == ["oiled", "rubs"]
    history = dashboard.get("/api/v1/cases/now")["history"]
    assert [one["text"] for one in history if one["kind"] == "note"] == ["oiled", "rubs"]
    pages = Pages(store.read(), dashboard.dashboard.freshness(), datetime.now(UTC), "de")
    assert "P_DE, 88,5 Hz" in pages._line(CaseEntry(**note))
    withdraw = f"{path}/{note['id']}/withdraw"
    items = post(withdraw, json={"actor": "Max"}).json()["items"]
    assert [(one["undone"], one["undone_by"]) for one in items] == [(False, ""), (True, "Max")]
    assert post(withdraw, json={"actor": "Max"}).status_code == 404
    audited = store.read().execute("SELECT action FROM audit").fetchall()
    assert {"note", "withdraw note"} <= {action for (action,) in audited}


def test_a_note_on_a_machine_outlives_its_cases(opened_store):
    plant(opened_store, pump(1))
    note = cases.NewEntry("", T, "Eva", "note", "seat was worn", machine_id="plant~gw1~p1")
    opened_store.write(lambda db: cases.add_entry(db, note))
    retention.delete_old(opened_store, RetentionPeriods(1, 1, 1, 1, 1), T + 900 * DAY)
    [kept] = cases.notes(opened_store.read(), "plant~gw1~p1")
    assert kept.text == "seat was worn"
    site = SomeSites(opened_store.read(), {"plant"})
    assert cases.notes(site, "plant~gw1~p1") == [kept]
    assert cases.notes(SomeSites(opened_store.read(), {"other"}), "plant~gw1~p1") == []
