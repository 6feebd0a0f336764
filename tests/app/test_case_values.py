"""Cases about overall values: limit, distance, place, advice, and no spectrum."""

from __future__ import annotations

from typing import Any

import pytest

from auscult.app.cases import compose
from auscult.app.cases.prescriptions import QUANTITIES, _first
from auscult.app.views import CaseDetail
from auscult.contract.inventory import Inventory, MachinePart, PointPart
from auscult.contract.parts import Level, WordedReason
from auscult.contract.said import Said
from tests.app import messages as m
from tests.app.pump_events import HOUR, NOW, T, departs, event, moved, stored
from tests.reasons import reason

TEMPERATURE = {"title": "temperature", "feature": "temperature_c", "unit": "°C"}


def plate() -> Inventory:
    value: dict[str, Any] = {"kind": "value", "fs_hz": 0.0, "interval_s": 60.0}
    points = (
        PointPart(id="DE", name="Drive end", kind="vibration", unit="g", fs_hz=25_600),
        PointPart(id="TB", name="Bearing", unit="°C", quantity="temperature", **value),
        PointPart(id="I", name="Motor", unit="A", quantity="current", **value),
    )
    machine = MachinePart(id="pump-3", name="Feed pump", points=points)
    return Inventory(ts=T, machines=(machine,))


def beyond(value: float, limit: float, level: str = "alarm", point: str = "TB") -> WordedReason:
    values = {**TEMPERATURE, "level": level, "direction": "above", "standard": ""}
    return reason(
        kind="fixed_limit", condition=level, text="limit", point=point, value=value, limit=limit,
        unit="°C", said=Said("limit", values),
    )  # fmt: skip


def now(value: float, **more: object):
    level = {"temperature_c": Level(value=value, unit="°C")}
    return m.point_state("pump-3", "TB", ts=T, levels=level, **more)


def shown(store, *messages) -> CaseDetail:
    stored(store, m.status(ts=T), plate(), m.machine_state("pump-3", "alarm", ts=T), *messages)
    case = compose.view_detail(store.read(), NOW, "e1")
    assert case is not None
    return case


def test_a_limit_of_a_temperature_is_a_value_against_its_limit(opened_store):
    limit = {"reasons": (beyond(42.0, 35.0),), "peak_evidence": 0.0}
    case = shown(opened_store, event("e1", T - HOUR, **limit), now(41.0))
    assert case.text == "temperature beyond its alarm limit, Bearing"
    value = case.measured
    assert value is not None
    assert (value.value, value.limit, value.beyond, value.current) == (41.0, 35.0, 6.0, True)
    assert value.text == "6 K above the alarm limit of 35 °C"
    assert value.since_ms == T - HOUR
    assert (case.decided_by, case.location.point, case.location.source) == (
        "fixed_limit", "TB", "limit",
    )  # fmt: skip
    assert case.urgency.text == "beyond the alarm limit that the plant set"
    assert case.picture is not None
    assert (case.picture.plot, case.picture.feature) == ("trend", "temperature_c")
    assert case.check_first is not None
    assert case.check_first.fault == "temperature"
    assert case.check_first.steps[0].text.en.startswith("No other value moved")
    words = case.check_first.model_dump_json()
    assert not any(word in words for word in ("torque", "Cavitation", "Zone"))


def test_a_value_that_is_back_within_its_limit_is_not_beyond_it(opened_store):
    case = shown(opened_store, event("e1", T - HOUR, reasons=(beyond(42.0, 35.0),)), now(33.0))
    assert case.measured is not None
    assert case.measured.text == "2 K below the alarm limit of 35 °C"
    assert case.urgency.said.code == "urgency_limit_left"


def test_a_case_that_is_over_shows_its_worst_value(opened_store):
    case = shown(opened_store, event("e1", T - HOUR, T, reasons=(beyond(42.0, 35.0),)), now(24.0))
    assert case.measured is not None
    assert (case.measured.value, case.measured.current) == (42.0, False)
    assert case.measured.text == "at its worst 7 K above the alarm limit of 35 °C"


def test_a_relation_that_broke_is_the_headline(opened_store):
    """Of several the one that the gateway names first, to SCADA too, though another moved more."""
    values = {**TEMPERATURE, "expected": 60.0, "measured": 66.0, "others": ("I",)}
    broken = reason(kind="learned", condition="alarm", text="x", point="TB", value=66.0,
                    unit="°C", said=Said("relation_departs", values))  # fmt: skip
    of_motor = {"title": "current", "feature": "current_a", "expected": 9.0, "others": ("TB",)}
    more = reason(kind="learned", condition="alarm", text="x", point="I", value=20.0, unit="A",
                  said=Said("relation_departs", of_motor),
                  contributions=(moved("current_a", 99.0, change_db=None),))  # fmt: skip
    case = shown(opened_store, event("e1", T - HOUR, reasons=(broken, more)), now(66.0))
    assert case.text == "temperature above what Motor explains, Bearing"
    assert case.measured is not None
    assert (case.measured.expected, case.measured.limit) == (60.0, None)
    assert case.measured.text == "6 K above the expected 60 °C"
    assert (case.location.point, case.decided_by) == ("TB", "learned")


@pytest.mark.parametrize(("other", "first"), [("I", "Look for overload"), ("DE", "Look at the be")])
def test_what_else_moved_decides_what_is_checked_first(opened_store, other, first):
    warm = moved("temperature_c", 9.0, unit="°C", value=66.0, baseline=60.0, change_db=None)
    reasons = (departs("TB", warm), departs(other, moved("current", 5.0, change_db=None)))
    case = shown(opened_store, event("e1", T - HOUR, reasons=reasons), now(66.0))
    assert case.location.point == "TB"
    assert case.text == "temperature_c above what the baseline explains, Bearing"
    assert case.check_first is not None
    assert case.check_first.steps[0].text.en.startswith(first)


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_of_a_value_that_moved_alone_the_sensor_is_compared_first(quantity):
    [step] = _first(quantity, [])
    assert step.text.en.startswith("No other value moved")
