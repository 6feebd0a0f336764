"""Faulty sensors and what carries their signals: cases of their own, one for one cause."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from auscult.app.cases import compose
from auscult.app.notify import message
from auscult.app.store import cases, troubles
from auscult.app.store.freshness import Freshness
from auscult.app.store.intake import store_message
from auscult.app.store.received import Origin
from auscult.app.store.troubles import SETTLE_MS
from auscult.contract.inventory import Inventory, MachinePart, PointPart
from auscult.contract.said import Said
from tests.app import messages as m
from tests.app.conftest import DATABASES
from tests.app.pump_events import departs, moved
from tests.reasons import reason

T = 1_800_000_000_000
GATEWAY = "plant~gw1"
POINTS = tuple(
    PointPart(id=one, name=one, kind="vibration", unit="g", fs_hz=25_600) for one in ("DE", "NDE")
)
LOOSE = Said("sensor_loose_mount", {"hz": 4100.0})
SILENT = Said("silent", {"after_s": 30})


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest) -> str:
    return request.param


class Plant:
    """Six machines with two points each."""

    def __init__(self, store) -> None:
        self.store, self.now = store, T
        self.linked = True
        self.tell(m.status(ts=T), Inventory(ts=T, machines=tuple(
            MachinePart(
                id=f"m{i}", name=f"Pump {i}", area="Hall 2" if i < 4 else "Hall 3", points=POINTS
            ) for i in range(6)
        )))  # fmt: skip
        for i in range(6):
            self.tell(m.machine_state(f"m{i}", ts=T))
            self.recovers(i)

    def tell(self, *some) -> None:
        origin = Origin("plant", "gw1", self.now)
        self.store.write(lambda db: [store_message(db, origin, one) for one in some])

    def fails(self, i: int, said: Said, *points: str) -> None:
        for point in points or ("DE", "NDE"):
            faulty = reason(kind="sensor", condition="unknown", point=point, said=said)
            self.tell(m.point_state(f"m{i}", point, "unknown", ts=self.now, reasons=(faulty,)))

    def recovers(self, i: int) -> None:
        for point in ("DE", "NDE"):
            self.tell(m.point_state(f"m{i}", point, ts=self.now))

    def looks(self, after_ms: int = 0):
        self.now += after_ms
        freshness = Freshness(self.now, 10**9)
        seen = troubles.look(self.store.read(), freshness, linked=self.linked)
        self.store.write(lambda db: troubles.follow(db, seen, freshness, linked=self.linked))
        again = troubles.look(self.store.read(), freshness, linked=self.linked)
        assert (again.began, again.over) == ({}, ()), "once seen, it is known to the store"
        assert not troubles.changes(self.store.read(), again.lasting, freshness, linked=self.linked)
        return self.cases()

    def cases(self):
        return compose.view_active(self.store.read(), Freshness(self.now, 10**9)).items


@pytest.fixture
def plant(opened_store) -> Plant:
    return Plant(opened_store)


def test_a_loose_sensor_is_a_case_of_its_own_with_place_advice_and_owner(plant):
    plant.fails(1, LOOSE, "DE")
    assert plant.looks() == []
    assert plant.looks(SETTLE_MS - 1) == [], "what passes by is no case"
    [case] = plant.looks(1)
    assert (case.kind, case.machine_name, case.location.point) == ("sensor", "Pump 1", "DE")
    loose = "sensor fault: loose mount with a resonance near 4100 Hz; fasten the sensor"
    assert case.text == f"DE: {loose}"
    assert (case.attention, case.urgency.level) == ("needs_someone", "weeks")
    detail = compose.view_detail(plant.store.read(), Freshness(plant.now, 10**9), case.id)
    assert detail.check_first.fault == "sensor"
    assert [line.kind for line in detail.history] == ["opened"]
    assert (detail.picture, detail.measured, detail.events) == (None, None, [])
    plant.recovers(1)
    [over] = plant.looks(60_000)
    assert (over.state, over.status.code) == ("over", "status_over_waits")


@pytest.mark.parametrize(
    ("said", "level"),
    [
        (Said("speed_contradicts"), "weeks"),
        (Said("run_not_recognised", {"at_ms": T, "point": "I", "limit": 4.0, "unit": "A"}), "days"),
    ],
)
def test_what_says_whether_a_machine_runs_is_one_of_its_sensors(plant, said, level):
    doubt = reason(kind="sensor", condition="unknown", point=None, said=said)
    condition = "normal" if level == "weeks" else "unknown"
    plant.now += 1
    plant.tell(m.machine_state("m1", condition, ts=plant.now, reasons=(doubt,)))
    plant.looks()
    [case] = plant.looks(SETTLE_MS)
    assert (case.kind, case.machine_name, case.text) == ("sensor", "Pump 1", said.text)
    assert (case.attention, case.urgency.level) == ("needs_someone", level)
    detail = compose.view_detail(plant.store.read(), Freshness(plant.now, 10**9), case.id)
    assert detail.check_first.fault == "run_state"
    plant.fails(1, LOOSE, "DE")
    plant.looks()
    listed = plant.looks(SETTLE_MS)
    assert [one.location.point for one in listed if one.id != case.id] == ["DE"]
    plant.tell(m.machine_state("m1", ts=plant.now))
    [over] = [one for one in plant.looks(60_000) if one.id == case.id]
    assert over.state == "over"


def test_a_tachometer_that_fails_is_a_sensor_though_it_is_no_point(plant):
    silent = reason(kind="sensor", condition="unknown", point="tacho", said=SILENT)
    of_point = reason(kind="sensor", condition="unknown", point="DE", said=LOOSE)
    plant.now += 1
    plant.tell(m.machine_state("m1", ts=plant.now, reasons=(silent, of_point)))
    plant.looks()
    [case] = plant.looks(SETTLE_MS)
    assert (case.location.point, case.machine_name) == ("tacho", "Pump 1")


def test_the_case_of_a_machine_names_the_sensor_that_may_explain_it(plant):
    loose = reason(kind="sensor", condition="unknown", point="DE", said=LOOSE)
    reasons = (departs("DE", moved("rms", 9.0)), loose)
    plant.tell(m.event("m1", "e1", ts=T, started_ms=T, updated_ms=T, reasons=reasons))
    plant.fails(1, LOOSE, "DE")
    [changed] = plant.looks()
    assert (changed.headline.code, changed.explained_by) == ("case_sensor", None)
    both = {one.kind: one for one in plant.looks(SETTLE_MS)}
    assert both["machine"].explained_by == both["sensor"].id
    plant.recovers(1)
    assert {one.explained_by for one in plant.looks(60_000)} == {None}


def test_a_sensor_of_a_gateway_away_is_in_trouble_since_before(plant):
    plant.fails(1, LOOSE, "DE")
    plant.looks()
    plant.now += 60_000
    plant.tell(m.status(ts=plant.now, state="offline"))
    plant.looks()
    plant.now += 60_000
    plant.tell(m.status(ts=plant.now))
    assert [case.location.point for case in plant.looks()] == ["DE"], "two minutes in all"


def test_what_comes_back_within_a_day_is_the_same_case(plant):
    plant.fails(1, LOOSE, "DE")
    plant.looks()
    [case] = plant.looks(SETTLE_MS)
    plant.recovers(1)
    plant.looks(60_000)
    plant.fails(1, LOOSE, "DE")
    plant.looks(60_000)
    [again] = plant.looks(SETTLE_MS)
    assert (again.id, again.state, again.repeats.times) == (case.id, "open", 2)


def test_a_gateway_away_is_one_case_with_its_machines_and_one_message(plant):
    plant.fails(0, LOOSE, "DE")
    plant.looks()
    [sensor] = plant.looks(SETTLE_MS)
    plant.now += 60_000
    plant.tell(m.status(ts=plant.now, state="offline"))
    plant.looks()
    listed = plant.looks(SETTLE_MS)
    [away] = [case for case in listed if case.kind == "gateway"]
    assert {case.id for case in listed} == {sensor.id, away.id}, "the sensor's case lasts"
    assert (away.machine_id, len(away.machines)) == (GATEWAY, 6)
    assert away.text == "gateway gw1 is away: 6 machines are not watched"
    subject, body = message.about_case(away, None, "opened", "de", datetime.now(UTC), "")
    assert "6 Maschinen werden nicht überwacht" in subject
    assert "Pump 0, Pump 1" in body
    # all of its machines count once, and none is listed beside the case
    status = compose.view_active(plant.store.read(), Freshness(plant.now, 10**9)).status
    assert status.needs_someone == status.machines == 6
    plant.now += 60_000
    plant.tell(m.status(ts=plant.now))
    assert {case.kind for case in plant.looks()} == {"sensor"}, "it needs no one any more"


def test_a_hall_that_falls_silent_is_one_case_and_a_late_machine_joins_it(plant):
    for i in (0, 1):
        plant.fails(i, SILENT)
    plant.looks()
    plant.now += 30_000
    plant.fails(2, SILENT)
    plant.fails(5, SILENT)
    plant.looks()
    listed = plant.looks(SETTLE_MS)
    [supply] = [case for case in listed if case.kind == "supply"]
    assert [one.id for one in supply.machines] == [f"{GATEWAY}~m{i}" for i in (0, 1, 2)]
    assert [case.machine_name for case in listed if case.kind == "sensor"] == ["Pump 5"]
    plant.fails(3, SILENT)
    listed = plant.looks(10 * 60_000)
    [supply] = [case for case in listed if case.kind == "supply"]
    assert len(supply.machines) == 4
    for i in range(6):
        plant.recovers(i)
    assert {case.kind for case in plant.looks()} == {"sensor"}


def test_two_machines_and_faults_of_the_sensors_themselves_have_no_common_cause(plant):
    for i in (0, 1):
        plant.fails(i, SILENT)
    for i in (2, 3):
        plant.fails(i, LOOSE)
    plant.looks()
    listed = plant.looks(SETTLE_MS)
    assert {case.kind for case in listed} == {"sensor"}
    assert len(listed) == 2 + 4


def test_without_the_broker_there_is_one_case_and_nothing_else_changes(plant):
    plant.fails(1, LOOSE, "DE")
    plant.looks()
    plant.looks(SETTLE_MS)
    plant.linked = False
    plant.looks()
    assert {case.kind for case in plant.looks(SETTLE_MS)} == {"sensor", "broker"}
    plant.linked = True
    assert {case.kind for case in plant.looks()} == {"sensor"}


def test_a_machine_that_is_worked_on_has_no_cases_of_its_sensors(plant):
    held = {"kind": "planned_work", "reason": "", "actor": "Eva", "since_ms": T}
    plant.tell(m.machine_state("m1", "unknown", ts=plant.now + 1, suppression=held))
    plant.fails(1, SILENT)
    plant.looks()
    assert plant.looks(SETTLE_MS) == []


def test_people_acknowledge_and_assign_it_and_close_it_once_it_is_over(dashboard):
    plant = Plant(dashboard.dashboard.store)
    plant.fails(1, LOOSE, "DE")
    plant.looks()
    [case] = plant.looks(SETTLE_MS)
    path = f"/api/v1/cases/{case.id}"

    def does(what: str, **body: object):
        return dashboard.client.post(f"{path}/{what}", json={"actor": "Eva", **body})

    assert does("acknowledge").json()["acknowledged_by"] == "Eva"
    taken = does("assign", assignee="Ben").json()
    assert (taken["attention"], taken["assignee"]) == ("in_hand", "Ben")
    assert does("notes", text="cable is torn").status_code == 201
    finding = {"finding": {"result": "fault_repaired", "kind": None, "text": "new cable"}}
    assert does("close", **finding).json()["code"] == "case_still_open"
    kinds = [line["kind"] for line in dashboard.get(path)["history"]]
    assert sorted(kinds) == ["acknowledged", "assigned", "note", "opened"]
    plant.recovers(1)
    plant.looks(60_000)
    closed = does("close", **finding).json()
    assert (closed["state"], closed["closed_by"]) == ("closed", "Eva")


@pytest.mark.parametrize("result", ["fault_repaired", "no_fault"])
def test_closing_a_sensor_says_nothing_of_the_machine(plant, result):
    plant.fails(1, LOOSE, "DE")
    plant.looks()
    [case] = plant.looks(SETTLE_MS)
    plant.recovers(1)
    plant.looks(60_000)

    def close(db) -> None:
        cases.update(db, case.id, closed_ms=plant.now, closed_by="Eva", unacknowledged=0)
        cases.set_finding(db, case.id, {"result": result, "kind": None, "text": ""})

    plant.store.write(close)
    assert plant.cases() == []
    assert cases.repaired_ms(plant.store.read(), [case.machine_id]) == {}
    plant.fails(1, LOOSE, "DE")
    plant.looks(60_000)
    [new] = plant.looks(SETTLE_MS)
    assert new.id != case.id, "a later fault is a new case"
