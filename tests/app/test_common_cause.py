"""Machines of an area that depart within minutes are offered as one cause, where chance is rare."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.app.cases import common, compose
from auscult.app.cases.common import RARE_PER_YEAR, WINDOW_MS, by_chance_per_year
from auscult.app.store.freshness import Freshness
from auscult.contract.inventory import Inventory, MachinePart, PointPart
from auscult.contract.parts import WarrantyPart
from auscult.contract.said import Said
from tests.app import messages as m
from tests.app.conftest import DATABASES
from tests.app.pump_events import SEEN, T, moved, stored
from tests.app.pump_events import departs as departed
from tests.reasons import reason

MINUTE = 60_000
UNCLEAR = (departed("DE", moved("rms", 9.0)),)
IMBALANCE = (
    *UNCLEAR,
    reason(kind="learned", condition="alarm", fault="imbalance", said=Said("imbalance")),
)
POINT = PointPart(id="DE", name="DE", kind="vibration", unit="g", fs_hz=25_600)
NOW = Freshness(T + 30 * MINUTE, 10**9)


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest) -> str:
    return request.param


def plant(store, machines: int = 8, budget: float = 1.0) -> None:
    """Put a plant into the store: all in hall 2, but the last in hall 3."""
    plates = tuple(
        MachinePart(
            id=f"m{i}", name=f"Pump {i}", area="Hall 2" if i < machines - 1 else "Hall 3",
            points=(POINT,),
        ) for i in range(machines)
    )  # fmt: skip
    warranty = WarrantyPart(false_alarms_per_year=budget, days_missing=0)
    stored(
        store, m.status(ts=T), Inventory(ts=T, machines=plates),
        *(m.machine_state(f"m{i}", ts=T, warranty=warranty) for i in range(machines)),
    )  # fmt: skip


def departs(store, i: int, after_ms: int, reasons: tuple = UNCLEAR) -> None:
    at = T + after_ms
    stored(store, m.event(
        f"m{i}", f"e{i}", ts=at, started_ms=at, updated_ms=at, reasons=reasons, points=("DE",),
    ))  # fmt: skip


def groups(store) -> list[list[str]]:
    found = common.causes(store.read(), NOW)
    return sorted({tuple(ref.id for ref in one.cases) for one in found.values()})


def test_so_many_begin_together_by_chance_as_a_simulation_counts():
    # a budget so large that 2,000 years of it have many coincidences
    per_year, count, years = 2000.0, 3, 2000
    rng = np.random.default_rng(30)
    year_ms = 365.25 * 86_400_000
    at = np.sort(rng.uniform(0, years * year_ms, rng.poisson(per_year * years)))
    counted = np.count_nonzero(at[count - 1 :] - at[: 1 - count] <= WINDOW_MS) / years
    assert by_chance_per_year(count, per_year) == pytest.approx(counted, rel=0.1)
    assert by_chance_per_year(count, per_year) > 1 - np.exp(-counted)


@pytest.mark.parametrize(("machines", "count"), [(9, 3), (150, 3), (500, 4)])
def test_the_larger_an_area_the_more_must_begin_together(machines, count):
    assert by_chance_per_year(count, machines) <= RARE_PER_YEAR
    assert count == 3 or by_chance_per_year(count - 1, machines) > RARE_PER_YEAR


def test_machines_of_an_area_that_depart_within_minutes_have_one_cause(opened_store):
    plant(opened_store)
    for i, after_min in enumerate((0, 20, 21, 23, 29)):
        departs(opened_store, i, after_min * MINUTE)
    departs(opened_store, 7, 21 * MINUTE)
    assert groups(opened_store) == [("e1", "e2", "e3", "e4")], "neither the early one nor hall 3"
    items = compose.view_active(opened_store.read(), NOW).items
    of = {case.id: case.common for case in items}
    assert len(items) == 6, "each machine keeps its case"
    assert (of["e0"], of["e7"]) == (None, None)
    assert (of["e1"].area, of["e1"].since_ms) == ("Hall 2", T + 20 * MINUTE)
    assert of["e1"].by_chance_per_year == pytest.approx(by_chance_per_year(4, 7.0))
    assert compose.view(opened_store.read(), NOW, "e3").common == of["e1"]
    assert compose.view_detail(opened_store.read(), NOW, "e3").common == of["e1"]


def test_two_machines_or_a_large_budget_say_nothing(opened_store):
    plant(opened_store, budget=50.0)
    departs(opened_store, 0, 0)
    departs(opened_store, 1, MINUTE)
    assert groups(opened_store) == []
    departs(opened_store, 2, 2 * MINUTE)
    assert groups(opened_store) == [], "350 false events a year bring three together"
    departs(opened_store, 3, 3 * MINUTE)
    assert groups(opened_store) == [("e0", "e1", "e2", "e3")]


def test_machines_without_an_area_are_compared_with_those_of_their_gateway(opened_store):
    plates = tuple(MachinePart(id=f"m{i}", name=f"Pump {i}", points=(POINT,)) for i in range(3))
    stored(opened_store, m.status(ts=T), Inventory(ts=T, machines=plates),
           *(m.machine_state(f"m{i}", ts=T) for i in range(3)))  # fmt: skip
    for i in range(3):
        departs(opened_store, i, i * MINUTE)
    [cause] = {
        one.since_ms: one for one in common.causes(opened_store.read(), NOW).values()
    }.values()
    assert (cause.area, cause.gateway) == ("", "gw1")
    assert [ref.machine_name for ref in cause.cases] == ["Pump 0", "Pump 1", "Pump 2"]


def test_who_splits_it_has_each_machine_on_its_own_from_then_on(dashboard):
    store = dashboard.dashboard.store
    plant(store)
    now = m.now_ms() - T
    for i in range(3):
        departs(store, i, now - i * MINUTE)
    assert len(dashboard.get("/api/v1/cases/e1")["common"]["cases"]) == 3
    path = "/api/v1/cases/e1/split"
    split = dashboard.client.post(path, json={"actor": "Eva", "comment": "by chance"}).json()
    assert split["common"] is None
    assert [one["common"] for one in dashboard.get("/api/v1/cases")["items"]] == [None] * 3
    line = dashboard.get("/api/v1/cases/e2")["history"][0]
    assert (line["kind"], line["actor"], line["text"]) == ("split", "Eva", "by chance")
    departs(store, 3, now)
    assert groups(store) == [], "one more is no group"
    again = dashboard.client.post(path, json={"actor": "Eva"})
    assert again.json()["common"] is None


def test_a_machine_whose_fault_is_another_one_explains_itself(opened_store):
    plant(opened_store)
    departs(opened_store, 0, 0, SEEN)
    departs(opened_store, 1, MINUTE, IMBALANCE)
    departs(opened_store, 2, 2 * MINUTE)
    assert groups(opened_store) == []
    departs(opened_store, 3, 3 * MINUTE)
    assert groups(opened_store) == [], "a fault that is named at one machine explains no other"
    departs(opened_store, 4, 4 * MINUTE, SEEN)
    assert groups(opened_store) == [("e0", "e2", "e3", "e4")], "one fault at several, or none named"
