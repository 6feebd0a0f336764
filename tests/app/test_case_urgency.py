"""What a case says first: place, fault, picture, urgency and what to do."""

from __future__ import annotations

from functools import partial

import pytest

from auscult.app.api.example_cases import CASE
from auscult.app.cases import attention, compose
from auscult.app.cases.location import limit_of
from auscult.app.cases.ranking import ranking_of
from auscult.app.store import evidence, labels
from auscult.app.store.freshness import Freshness
from auscult.app.views import Case, Evidence, Movement, Urgency
from auscult.contract.inventory import CriticalityPart
from auscult.contract.parts import Level, RepairPart, SuppressionPart, WordedReason
from auscult.contract.said import Said
from tests.app import messages as m
from tests.app.pump_events import (
    HOUR,
    NOW,
    OUTER,
    PUMP,
    T,
    departs,
    event,
    inventory,
    moved,
    stored,
)
from tests.reasons import reason

SHIFTED = (
    moved("band_38", -16.0, change_db=-21.2, low_hz=1772.0, high_hz=1952.0),
    moved("envelope_band_21", 15.0, change_db=30.0, low_hz=500.0, high_hz=600.0),
    moved("band_34", 12.0, change_db=11.7, low_hz=1205.0, high_hz=1327.0),
)


@pytest.mark.parametrize(
    ("moves", "text", "german"),
    [
        (SHIFTED,
         "changed: 21 dB less near 1900 Hz, 12 dB more near 1300 Hz; cause not clear yet,"
         " Pump, drive end",
         "verändert: 21 dB weniger bei 1900 Hz, 12 dB mehr bei 1300 Hz; Ursache noch unklar,"
         " Pump, drive end"),
        ((moved("order_1x", 9.0, change_db=8.0),),
         "changed: 8 dB more at 1× shaft speed; cause not clear yet, Pump, drive end", None),
        ((moved("gear_mesh_level", -9.0, change_db=-8.0),),
         "changed: 8 dB less at the gear mesh; cause not clear yet, Pump, drive end", None),
        # an envelope follows the level of its carrier; a band that scatters says nothing
        ((SHIFTED[1], moved("band_03", 2.0, change_db=7.0, low_hz=50.0, high_hz=60.0)),
         "changed, cause not clear yet, Pump, drive end", None),
    ],
)  # fmt: skip
def test_a_change_without_a_name_says_where_the_spectrum_rose_and_fell(
    opened_store, moves, text, german
):
    stored(opened_store, m.status(ts=T), inventory(),
           event("e1", T - HOUR, reasons=(departs("P_DE", *moves),)))  # fmt: skip
    (case,) = compose.view_active(opened_store.read(), NOW).items
    assert (case.text, case.fault) == (text, None)
    assert german is None or case.headline.render("de") == german
    assert "no forecast yet" in case.urgency.text


def test_place_fault_and_picture_follow_the_fault_and_not_what_saturated_first(opened_store):
    stored(
        opened_store,
        m.status(ts=T),
        inventory(),
        m.point_state("pump-3", "P_DE", ts=T,
                      levels={"velocity_rms_mm_s": Level(value=3.8, unit="mm/s")}),
        event("e1", T - HOUR),
        m.spectrum("pump-3", "M_NDE", event_id="e1", kind="envelope", window_ms=T - 100),
        m.spectrum("pump-3", "P_DE", event_id="e1", kind="spectrum", window_ms=T - 200),
        m.spectrum("pump-3", "P_DE", event_id="e1", kind="envelope", window_ms=T - 300, id="s-env"),
    )  # fmt: skip
    case = compose.view_detail(opened_store.read(), NOW, "e1")
    assert case is not None
    assert case.text == "outer-race defect, Pump, drive end, bearing 6205"
    assert (case.location.point, case.location.source) == ("P_DE", "moved_most")
    assert (case.confidence, case.signs_found, case.signs_sought) == (0.94, 2, 3)
    assert case.picture is not None
    assert case.picture.spectrum_id == "s-env"
    assert (case.picture.feature, case.picture.line_hz) == ("bpfo_level", 88.5)
    assert [g.point for g in case.points] == ["P_DE", "M_NDE", None]
    assert case.urgency.zone is not None
    assert (case.urgency.zone.zone, case.urgency.level) == ("C", "weeks")
    assert case.check_first is not None
    assert (case.check_first.fault, bool(case.check_first.source)) == ("outer", True)


def test_the_sentence_of_the_plant_is_true(opened_store):
    stored(opened_store, m.inventory("pump-3", "fan-1"), m.machine_state("fan-1", ts=T))

    def status():
        return compose.view_active(opened_store.read(), Freshness(T, 10**12)).status

    stored(opened_store, m.status(ts=T), m.machine_state("pump-3", ts=T))
    assert status().text == "all 2 machines are within the baseline"
    stored(opened_store, event("e1", T - HOUR))
    assert (status().text, status().quiet) == ("1 machine needs someone", 1)
    # over, but a person has not seen it: the sentence still counts it
    stored(opened_store, event("e1", T - HOUR, T, handling=m.handling("returned", 1)))
    assert status().needs_someone == 1
    done = m.handling("normal", 2, acknowledged_ms=T, acknowledged_by="eva")
    stored(opened_store, event("e1", T - HOUR, T + 1, handling=done))
    assert (status().needs_someone, status().in_hand) == (0, 1)


def test_the_picture_follows_the_kind_that_a_person_confirmed(opened_store):
    both = departs("P_DE", moved("bpfo_level", 30.0, low_hz=80.0, high_hz=96.0),
                   moved("order_1x", 9.0, low_hz=24.0, high_hz=25.0))  # fmt: skip
    stored(
        opened_store,
        inventory(),
        event("e1", T - HOUR, reasons=(both, OUTER)),
        m.spectrum("pump-3", "P_DE", event_id="e1", kind="spectrum", window_ms=T - 200, id="s",
                   speed_rpm=1482.0),
        m.spectrum("pump-3", "P_DE", event_id="e1", kind="envelope", window_ms=T - 300, id="s-env"),
    )  # fmt: skip

    def shown() -> tuple[str | None, str, str | None, float | None]:
        case = compose.view_detail(opened_store.read(), NOW, "e1")
        assert case is not None
        assert case.picture is not None
        picture = case.picture
        return picture.feature, picture.kind, picture.spectrum_id, picture.line_hz

    assert shown() == ("bpfo_level", "envelope", "s-env", 88.5)
    said = m.label("l1", "e1", "confirmed_fault", kind="imbalance", created_ms=T)
    opened_store.write(lambda db: labels.add(db, PUMP, said))
    # the line of the shaft, without which the whole spectrum would hide it
    assert shown() == ("order_1x", "spectrum", "s", 24.7)


def test_a_line_carries_the_name_of_its_own_fault_only(opened_store):
    shaft = departs("P_DE", moved("order_1x", 9.0, low_hz=24.0, high_hz=25.0))
    stored(
        opened_store,
        inventory(),
        event("e1", T - HOUR, reasons=(shaft,)),
        m.spectrum("pump-3", "P_DE", event_id="e1", kind="spectrum", window_ms=T - 200, id="s",
                   speed_rpm=1482.0),
    )  # fmt: skip
    said = m.label("l1", "e1", "confirmed_fault", kind="outer", created_ms=T)
    opened_store.write(lambda db: labels.add(db, PUMP, said))
    case = compose.view_detail(opened_store.read(), NOW, "e1")
    assert case is not None
    assert case.picture is not None
    # not the shaft's 24.7 Hz: the bearing's own order at the speed of the spectrum
    assert (case.picture.line, case.picture.line_hz) == ("outer", pytest.approx(3.58 * 1482 / 60))


@pytest.mark.parametrize(
    ("condition", "verdict", "level", "action"),
    [
        ("warning", None, "watch", "Confirm it on the next round. Then: Plan the change"),
        ("warning", "confirmed_fault", "weeks", "Plan the change"),
        ("warning", "false_alarm", "watch", None),
        ("warning", "unsure", "watch", "Confirm it on the next round. Then: Plan the change"),
        ("alarm", None, "weeks", "Plan the change"),
        ("alarm", "confirmed_fault", "weeks", "Plan the change"),
        ("alarm", "false_alarm", "watch", None),
    ],
)
def test_urgency_and_action_agree(opened_store, condition, verdict, level, action):
    stored(
        opened_store,
        inventory(),
        m.machine_state("pump-3", condition, ts=T, evidence=20.0, alarm_level=10.0, event_id="e1"),
        event("e1", T - HOUR, condition=condition, peak_condition=condition),
    )
    for i in range(9):
        opened_store.write(partial(evidence.store, machine=PUMP, at_ms=T - i * HOUR, evidence=20.0))
    if verdict:
        said = m.label("l1", "e1", verdict, created_ms=T)
        opened_store.write(lambda db: labels.add(db, PUMP, said))
    case = compose.view_detail(opened_store.read(), NOW, "e1")
    assert case is not None
    assert case.urgency.level == level
    if action is None:
        assert case.check_first is None, "normal, as a person answered"
    else:
        assert case.check_first is not None
        assert case.check_first.action is not None
        assert case.check_first.action.en.startswith(action)


@pytest.mark.parametrize(
    ("result", "work", "text", "checked_first"),
    [
        ("none", "under_way", "planned work is under way", False),
        (None, "watched", "the first windows after the work are compared with those before", False),
        ("unchanged", "unchanged", "the evidence is steady at 2 × the alarm level", True),
        ("new", "new", "the evidence is steady at 2 × the alarm level", True),
        ("gone", "gone", "normal, as Eva answered", False),
    ],
)
def test_a_case_under_planned_work_says_one_thing(opened_store, result, work, text, checked_first):
    """Zone D and a forecast do not contradict the work; the check after it replaces the answer."""
    under_way = work == "under_way"
    held = SuppressionPart(
        kind="planned_work", reason="", actor="Eva", since_ms=T - HOUR, event_id="e1"
    )
    check = RepairPart(
        event_id="e1", since_ms=T, windows=20, windows_needed=20, result=result,
        said=Said("repair_unchanged", {"windows": 20}),
    ) if not under_way else None  # fmt: skip
    stored(
        opened_store,
        m.status(ts=T),
        inventory(),
        m.machine_state(
            "pump-3", "unknown" if under_way else "alarm", ts=T, evidence=20.0, alarm_level=10.0,
            event_id="e1", repair=check, suppression=held if under_way else None,
            handling=m.handling("planned_work" if under_way else "acknowledged", 1),
        ),
        m.point_state("pump-3", "P_DE", ts=T, levels={
            "velocity_rms_mm_s": Level(value=20.0 if under_way else 0.1, unit="mm/s")
        }),
        event("e1", T - HOUR),
    )  # fmt: skip
    for i in range(9):
        opened_store.write(partial(evidence.store, machine=PUMP, at_ms=T - i * HOUR, evidence=20.0))
    said = m.label("l1", "e1", "planned_work", created_ms=T)
    opened_store.write(lambda db: labels.add(db, PUMP, said))
    case = compose.view_detail(opened_store.read(), NOW, "e1")
    assert case is not None
    assert case.work == work
    assert case.attention == ("shelved" if under_way else "needs_someone")
    assert case.urgency.text.startswith(text)
    assert (case.check_first is not None) == checked_first
    status = compose.view_active(opened_store.read(), NOW).status
    assert (status.cannot_assess, status.shelved) == (0, int(under_way))


@pytest.mark.parametrize(("condition", "level"), [("alarm", "days"), ("warning", "watch")])
def test_a_machine_that_fell_silent_is_as_urgent_as_its_last_state(opened_store, condition, level):
    silent = reason(
        kind="sensor", condition="unknown", text="silent", said=Said("silent", {"after_s": 30.0})
    )
    stored(
        opened_store,
        inventory(),
        m.machine_state("pump-3", condition, ts=T, evidence=None, alarm_level=None,
                        reasons=(silent,), event_id="e1"),
        event("e1", T - HOUR, condition=condition, peak_condition=condition),
    )  # fmt: skip
    case = compose.view_detail(opened_store.read(), NOW, "e1")
    assert case is not None
    assert case.urgency.level == level
    assert case.urgency.text == f"no signal now, and its last state was: {condition}"


def test_what_must_be_done_now_says_so(opened_store):
    stored(
        opened_store,
        m.status(ts=T),
        inventory(),
        m.point_state("pump-3", "P_DE", ts=T,
                      levels={"velocity_rms_mm_s": Level(value=5.8, unit="mm/s")}),
        event("e1", T - HOUR),
    )  # fmt: skip

    def action() -> str:
        case = compose.view_detail(opened_store.read(), NOW, "e1")
        assert case is not None
        assert (case.urgency.level, case.check_first is not None) == ("now", True)
        assert case.check_first is not None
        assert case.check_first.action is not None
        return case.check_first.action.en

    assert action().startswith("Look at it now, and reduce the load if you can. Then: Plan")
    said = m.label("l1", "e1", "false_alarm", created_ms=T)
    opened_store.write(lambda db: labels.add(db, PUMP, said))
    # no fault, as answered; the zone still holds
    assert "Then: Compare with zone and limit" in action()


def test_evidence_that_rises_has_no_time_to_a_limit(opened_store):
    stored(
        opened_store,
        inventory(),
        m.machine_state("pump-3", "alarm", ts=T, evidence=30.0, alarm_level=10.0, event_id="e1"),
        event("e1", T - HOUR),
    )
    for i in range(9):
        at = partial(evidence.store, machine=PUMP, at_ms=T - i * HOUR, evidence=30.0 - 3 * i)
        opened_store.write(at)
    case = compose.view(opened_store.read(), NOW, "e1")
    assert case is not None
    assert case.urgency.evidence.trend == "rising"
    assert case.urgency.evidence.peak == 30.0
    assert case.urgency.time_to_limit is None
    assert case.urgency.text == "the evidence rises, now 3 × the alarm level; no forecast yet"


DAY_S = 86_400


def ahead(point: str, days: float) -> WordedReason:
    values = {"feature": "rms", "title": "overall r.m.s.", "level": "alarm", "standard": "",
              "expected_s": days * DAY_S, "earliest_s": days * DAY_S, "latest_s": None}  # fmt: skip
    return reason(
        kind="trend", condition="normal", text="forecast", point=point, value=1.0, limit=2.0,
        unit="g", said=Said("forecast", values),
    )  # fmt: skip


def test_the_limit_that_is_reached_first_counts_whatever_the_order_of_points(opened_store):
    forecasts = (ahead("M_NDE", 50), ahead("P_DE", 1))
    stored(
        opened_store,
        m.status(ts=T),
        inventory(),
        m.machine_state("pump-3", "alarm", ts=T, reasons=forecasts),
        event("e1", T - HOUR, reasons=(*forecasts, OUTER)),
    )
    case = compose.view_detail(opened_store.read(), NOW, "e1")
    assert case is not None
    assert case.urgency.time_to_limit is not None
    assert case.urgency.time_to_limit.point == "P_DE"


@pytest.mark.parametrize(("velocity", "level"), [(1.0, "days"), (3.8, "now")])
def test_a_forecast_alone_is_never_urgent_now(opened_store, velocity, level):
    stored(
        opened_store,
        m.status(ts=T),
        inventory(),
        m.machine_state("pump-3", "alarm", ts=T, reasons=(ahead("P_DE", 0.1),)),
        m.point_state("pump-3", "P_DE", ts=T,
                      levels={"velocity_rms_mm_s": Level(value=velocity, unit="mm/s")}),
        event("e1", T - HOUR, reasons=(OUTER,)),
    )  # fmt: skip
    case = compose.view_detail(opened_store.read(), NOW, "e1")
    assert case is not None
    assert case.urgency.level == level


def test_a_forecast_that_only_the_event_still_has_is_over(opened_store):
    stored(
        opened_store,
        m.status(ts=T),
        inventory(),
        m.machine_state("pump-3", "alarm", ts=T, reasons=(OUTER,)),
        event("e1", T - HOUR, reasons=(ahead("P_DE", 0.1), OUTER)),
    )
    case = compose.view_detail(opened_store.read(), NOW, "e1")
    assert case is not None
    assert case.urgency.time_to_limit is None


def test_a_limit_of_zero_is_one_and_the_value_farthest_beyond_is_the_worst():
    def beyond(feature: str, value: float, limit: float) -> WordedReason:
        return reason(kind="fixed_limit", condition="alarm", text=feature, value=value, limit=limit)

    frost = beyond("frost", -3.0, 0.0)
    assert limit_of([frost]) == frost
    low, lower = beyond("low", 1.8, 2.0), beyond("lower", 0.5, 2.0)
    assert limit_of([low, lower]) == lower


def test_one_acknowledgement_of_a_case_is_one_line_of_its_history(opened_store):
    def done(by: str, at_ms: int):
        return m.handling("normal", 1, acknowledged_ms=at_ms, acknowledged_by=by)

    stored(
        opened_store,
        inventory(),
        event("e1", T - 3 * HOUR, T - 2 * HOUR, handling=done("Ada", T - HOUR)),
        event("e2", T - 90 * 60_000, T - 80 * 60_000, handling=done("Eva", T + 3)),
        event("e3", T - HOUR // 2, handling=done("Eva", T + 4)),
    )
    case = compose.view_detail(opened_store.read(), NOW, "e1")
    assert case is not None
    seen = [line.actor for line in case.history if line.kind == "acknowledged"]
    assert seen == ["Eva", "Ada"]


@pytest.mark.parametrize(
    ("condition", "code"), [("normal", "urgency_over"), ("learning", "urgency_over_learning")]
)
def test_only_a_measured_end_says_within_its_baseline_again(opened_store, condition, code):
    stored(
        opened_store,
        m.status(ts=T),
        m.inventory("pump-3", ts=T),
        m.event(
            "pump-3", "e1", "end", condition=condition, started_ms=T - HOUR, updated_ms=T,
            ended_ms=T,
        ),
    )  # fmt: skip
    case = compose.view(opened_store.read(), NOW, "e1")
    assert case is not None
    assert (case.state, case.urgency.said.code) == ("over", code)


def test_strongest_is_strongest_in_the_unit_that_is_shown(opened_store):
    reasons = (
        departs(
            "M_NDE",
            moved("kurtosis", 90.0, change_db=None),
            moved("band_04", 60.0, change_db=-17.7),
        ),
        departs(
            "P_DE", moved("band_09", 20.0, change_db=8.0), moved("band_11", 12.0, change_db=-24.4)
        ),
    )
    stored(opened_store, m.status(ts=T), inventory(), event("e1", T - HOUR, reasons=reasons))
    case = compose.view_detail(opened_store.read(), NOW, "e1")
    assert case is not None
    assert case.symptom is not None
    assert (case.symptom.feature, case.symptom.change_db) == ("band_11", -24.4)
    assert [(g.point, g.strength) for g in case.points] == [("P_DE", 24.4), ("M_NDE", 17.7)]
    assert case.location.point == "P_DE"


def test_strip_and_picture_are_of_one_event_also_when_it_comes_back(opened_store):
    stored(
        opened_store,
        m.status(ts=T),
        inventory(),
        event("e1", T - HOUR, T - HOUR // 2, peak_evidence=3.0,
              reasons=(departs("P_DE", moved("band_11", 30.0, change_db=25.1)),)),
        m.spectrum("pump-3", "P_DE", event_id="e1", window_ms=T - HOUR, id="s-e1"),
        event("e2", T - 5000, peak_evidence=2.1,
              reasons=(departs("P_DE", moved("band_09", 5.0, change_db=-9.91)),)),
        m.spectrum("pump-3", "P_DE", event_id="e2", window_ms=T - 5000, id="s-e2"),
    )  # fmt: skip
    case = compose.view_detail(opened_store.read(), NOW, "e1")
    assert case is not None
    assert case.event_id == "e2"
    assert case.symptom is not None
    assert case.picture is not None
    assert (case.symptom.feature, case.symptom.change_db) == ("band_11", 25.1)
    assert (case.picture.feature, case.picture.spectrum_id) == ("band_11", "s-e1")


@pytest.mark.parametrize(
    ("criticality", "points", "text"),
    [
        ({}, 6, "within days (4) + consequence not stated, as medium (2)"),
        ({"worst": "high"}, 7, "within days (4) + consequence high (3)"),
        (
            {"worst": "low", "spare_part_days": 30},
            6,
            "within days (4) + consequence low (1) + a spare part takes 30 days (1)",
        ),
        ({"worst": "high", "spare_part_days": 3}, 7, "within days (4) + consequence high (3)"),
    ],
)
def test_one_line_gives_the_rank(opened_store, criticality, points, text):
    (part,) = inventory().machines
    critical = part.model_copy(
        update={"zones": None, "criticality": CriticalityPart(**criticality)}
    )
    stored(
        opened_store,
        inventory().model_copy(update={"machines": (critical,)}),
        m.machine_state("pump-3", "alarm", ts=T, evidence=3.0, alarm_level=2.0, event_id="e1"),
        event("e1", T - HOUR),
    )
    case = compose.view_detail(opened_store.read(), NOW, "e1")
    assert case is not None
    assert (case.ranking.points, case.ranking.text) == (points, f"rank {points} = {text}")
    assert case.criticality.worst == criticality.get("worst")


def test_equal_sums_are_ordered_by_the_cost_of_downtime_then_by_the_size_of_the_departure():
    urgency = Urgency(level="weeks", said=Said("urgency_none"), text="", evidence=Evidence(peak=3))

    def rank(cost: float | None, sigma: float) -> float:
        moved = Movement(feature="rms", title="", value=2, baseline=1, unit="g", sigma=sigma)
        return ranking_of(urgency, CriticalityPart(downtime_cost_per_h=cost), moved).rank

    ranks = [rank(None, 5), rank(None, -40), rank(None, 400), rank(100, 5), rank(1e9, 5)]
    assert ranks == sorted(set(ranks))
    assert ranks[-1] < 5, "below a point more"


def test_cases_are_in_one_order_attention_then_rank_then_the_newest():
    def case(name: str, rank: float, opened_ms: int = 1, attention: str = "needs_someone") -> Case:
        ranking = CASE.ranking.model_copy(update={"rank": rank})
        changed = {"id": name, "opened_ms": opened_ms, "attention": attention, "ranking": ranking}
        return CASE.model_copy(update=changed)

    listed = [
        case("held", 12.5, attention="in_hand"), case("b", 8.0), case("low", 2.1),
        case("a", 8.0), case("new", 8.0, 1_800_000_000_000), case("high", 10.0000001),
    ]  # fmt: skip
    found = [one.id for one in attention.in_order(listed)]
    assert found == ["high", "new", "a", "b", "low", "held"]
