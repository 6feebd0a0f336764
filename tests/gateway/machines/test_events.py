"""From decisions to events: hysteresis, one open event, the effect of unknown."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from auscult.contract.event import EventPhase
from auscult.contract.records import Condition, Provenance, Reason, ReasonKind
from auscult.contract.said import Said
from auscult.gateway.machines.events import EventTracker
from auscult.gateway.storage import archive
from auscult.gateway.storage.archive import EventWrite
from auscult.gateway.storage.store import Store
from auscult.models.records import Decision

IDS = Provenance("model", "baseline", "spec", "checkpoint")
SECOND_NS = 10**9


def decision(
    condition: Condition, t_s: float = 0, evidence: float = 1.0, point: str = "de"
) -> Decision:
    reason = Reason(ReasonKind.LEARNED, condition, Said("departs"), point=point)
    return Decision(None, round(t_s * SECOND_NS), condition, (reason,), 0.01, evidence)


def test_an_event_starts_changes_and_ends():
    tracker = EventTracker("pump")
    assert tracker.update(decision(Condition.NORMAL), IDS) is None
    start = tracker.update(decision(Condition.WARNING, 1), IDS)
    assert (start.phase, start.condition) == (EventPhase.START, Condition.WARNING)
    assert start.ids.checkpoint_id == "checkpoint"
    assert tracker.update(decision(Condition.WARNING, 2), IDS) is None, "nothing new"
    worse = tracker.update(decision(Condition.ALARM, 3, 5.0), IDS)
    assert (worse.phase, worse.peak_evidence) == (EventPhase.UPDATE, 5.0)
    milder = tracker.update(decision(Condition.WARNING, 4, 2.0), IDS)
    assert (milder.condition, milder.peak_condition) == (Condition.WARNING, Condition.ALARM)
    end = tracker.update(decision(Condition.NORMAL, 5, 0.0), IDS)
    assert (end.phase, end.ended_ms, end.peak_evidence) == (EventPhase.END, 5000, 5.0)
    assert tracker.open_event is None
    assert len({e.event_id for e in (start, worse, milder, end)}) == 1


def test_an_event_counts_its_time_in_alarm():
    tracker = EventTracker("pump")
    given = [Condition.WARNING, Condition.ALARM, Condition.ALARM, Condition.WARNING,
             Condition.ALARM, Condition.NORMAL]  # fmt: skip
    for t_s, condition in zip((0, 10, 40, 70, 100, 105), given, strict=True):
        reported = tracker.update(decision(condition, t_s), IDS)
    assert reported.alarm_ms == 65_000


def test_unknown_neither_opens_nor_closes():
    tracker = EventTracker("pump")
    assert tracker.update(decision(Condition.UNKNOWN), IDS) is None
    tracker.update(decision(Condition.ALARM), IDS)
    assert tracker.update(decision(Condition.UNKNOWN, 1), IDS) is None
    assert tracker.open_event is not None


def test_a_sensor_fault_joins_the_open_event_and_neither_closes_nor_replaces_it():
    tracker = EventTracker("pump")
    opened = tracker.update(decision(Condition.ALARM, 0, 5.0), IDS)
    dead, hum = (
        Reason(ReasonKind.SENSOR, Condition.UNKNOWN, Said(code, values), point="de")
        for code, values in (("sensor_fault", {"faults": ("flat_line",)}), ("sensor_hum", {}))
    )
    joined = tracker.update(Decision(None, 11 * SECOND_NS, Condition.UNKNOWN, (dead, hum)), IDS)
    assert (joined.event_id, joined.phase) == (opened.event_id, EventPhase.UPDATE)
    assert (joined.condition, joined.peak_evidence) == (Condition.ALARM, 5.0)
    assert [r.said.code for r in joined.reasons] == ["departs", "sensor_fault", "sensor_hum"]
    assert joined.points == ("de",)


def test_a_new_point_and_a_higher_peak_are_reported_but_not_too_often():
    tracker = EventTracker("pump")
    tracker.update(decision(Condition.ALARM, 0), IDS)
    assert tracker.update(decision(Condition.ALARM, 5, 9.0, "nde"), IDS) is None
    reported = tracker.update(decision(Condition.ALARM, 11, 9.0, "nde"), IDS)
    assert reported.points == ("de", "nde")
    assert tracker.update(decision(Condition.ALARM, 30, 9.1, "nde"), IDS) is None
    assert tracker.update(decision(Condition.ALARM, 31, 99.0, "nde"), IDS) is not None


def test_an_open_event_continues_in_the_next_process():
    first = EventTracker("pump")
    left = first.update(decision(Condition.ALARM), IDS)
    second = EventTracker("pump", left)
    assert second.update(decision(Condition.ALARM, 1), IDS) is None
    assert second.update(decision(Condition.NORMAL, 2), IDS).event_id == left.event_id


def test_a_reason_outlives_the_process(tmp_path):
    values = {"faults": ("bias", "dropout"), "after_s": 1.5, "count": 3, "kind": None, "tag": "a"}
    reason = Reason(ReasonKind.SENSOR, Condition.ALARM, Said("silent", values), "de")
    reported = Decision(None, SECOND_NS, Condition.ALARM, (reason,), 0.01, 3.0)
    event = EventTracker("pump").update(reported, IDS)
    store = Store(tmp_path)
    store.write(EventWrite(event).write_to).result()
    assert archive.open_event(store, "pump") == event
    store.close()


def test_an_event_that_a_version_before_codes_stored_is_read(tmp_path):
    event = EventTracker("pump").update(decision(Condition.ALARM), IDS)
    store = Store(tmp_path)
    store.write(EventWrite(event).write_to).result()
    record = json.loads(store.read("SELECT record FROM events")[0][0])
    record["reasons"][0] |= {"said": None, "text": "departs", "matched": ["1× rose"]}
    store.write(
        lambda db: db.execute("UPDATE events SET record = ?", [json.dumps(record)])
    ).result()
    (reason,) = archive.open_event(store, "pump").reasons
    assert (reason.text, reason.matched[0].text) == ("departs", "1× rose")
    store.close()


def test_an_event_that_version_0_3_stored_is_read(tmp_path):
    event = EventTracker("pump").update(decision(Condition.ALARM, 7), IDS)
    store = Store(tmp_path)
    store.write(EventWrite(event).write_to).result()
    record = json.loads(store.read("SELECT record FROM events")[0][0])
    stored = {name: record[name] for name in (
        "event_id", "machine", "phase", "condition", "peak_condition", "peak_evidence",
        "peak_p_value", "points", "reasons",
    )}  # fmt: skip
    stored |= {"started_ns": 7 * SECOND_NS, "updated_ns": 7 * SECOND_NS, "ended_ns": None}
    store.write(
        lambda db: db.execute("UPDATE events SET record = ?", [json.dumps(stored | record["ids"])])
    ).result()
    assert archive.open_event(store, "pump") == event
    store.close()


@given(st.lists(st.sampled_from(list(Condition)), max_size=60))
def test_events_of_a_machine_never_overlap(conditions):
    tracker = EventTracker("pump")
    reported = [
        event
        for t_s, condition in enumerate(conditions)
        if (event := tracker.update(decision(condition, t_s), IDS)) is not None
    ]
    open_id = None
    for event in reported:
        if event.phase is EventPhase.START:
            assert open_id is None
            open_id = event.event_id
        assert event.event_id == open_id
        if event.phase is EventPhase.END:
            open_id = None
    assert (tracker.open_event.event_id if tracker.open_event else None) == open_id


def test_an_event_keeps_the_reasons_of_its_peak():
    def departs(condition: Condition, score: float, t_s: float, *more: Reason) -> Decision:
        learned = Reason(ReasonKind.LEARNED, condition, Said("departs"), point="de", value=score)
        evidence = 3.0 if condition is Condition.ALARM else 1.0
        return Decision(None, round(t_s * SECOND_NS), condition, (learned, *more), 0.01, evidence)

    def names(fault: str, confidence: float) -> Reason:
        return Reason(
            ReasonKind.LEARNED, Condition.ALARM, Said("diagnosis"), point="de", fault=fault,
            confidence=confidence, matched=(Said("order_rose", {"order": 1}),),
        )  # fmt: skip

    limit = Reason(ReasonKind.ISO_ZONE, Condition.WARNING, Said("limit"), "de", 4.0, 3.5, "mm/s")
    tracker = EventTracker("pump")
    tracker.update(departs(Condition.WARNING, 5, 0), IDS)
    tracker.update(departs(Condition.ALARM, 40, 1, names("outer", 0.9)), IDS)
    tracker.update(departs(Condition.ALARM, 20, 20, names("inner", 0.6), limit), IDS)
    milder = tracker.update(departs(Condition.WARNING, 60, 40), IDS)
    # A pattern is that of all windows so far: the last one at the peak's condition counts.
    assert [(r.said.code, r.fault or r.value) for r in milder.reasons] == [
        ("departs", 40), ("diagnosis", "inner"), ("limit", 4.0)
    ]  # fmt: skip
    end = tracker.update(Decision(None, 50 * SECOND_NS, Condition.NORMAL, ()), IDS)
    assert end.reasons == milder.reasons


def test_a_level_that_lasts_replaces_its_departure_and_a_further_one_stays_beside_it():
    tracker = EventTracker("pump")

    def after(t_s: int, *codes: str) -> list[str]:
        reasons = [
            Reason(ReasonKind.LEARNED, Condition.ALARM, Said(code), point="de") for code in codes
        ]
        made = Decision(None, t_s * SECOND_NS, Condition.ALARM, tuple(reasons), 0.01, 1.0)
        event = tracker.update(made, IDS)
        return [reason.said.code for reason in event.reasons]

    assert after(0, "departs") == ["departs"]
    assert after(60, "level_lasts") == ["level_lasts"]
    assert after(120, "further_departs", "level_lasts") == ["level_lasts", "further_departs"]


def test_a_forecast_is_only_ever_the_latest():
    forecast = Reason(ReasonKind.TREND, Condition.NORMAL, Said("forecast"), point="nde")
    tracker = EventTracker("pump")
    first = decision(Condition.ALARM)
    first = first._replace(reasons=(*first.reasons, forecast))
    reported = tracker.update(first, IDS)
    assert reported.points == ("de",), "a forecast elsewhere is no part of the departure"
    later = tracker.update(decision(Condition.WARNING, 1), IDS)
    assert all(r.kind is not ReasonKind.TREND for r in later.reasons)


def test_reasons_of_a_decision_without_any_are_kept():
    tracker = EventTracker("pump")
    tracker.update(decision(Condition.WARNING), IDS)
    bare = decision(Condition.ALARM, 1)._replace(reasons=())
    assert tracker.update(bare, IDS).reasons[0].said.code == "departs"


def test_a_clock_that_is_set_back_keeps_the_order_of_the_messages():
    tracker = EventTracker("pump")
    hour = 3600
    reported = [
        tracker.update(decision(condition, t_s), IDS)
        for condition, t_s in (
            (Condition.WARNING, 5 * hour),
            (Condition.ALARM, 2 * hour),
            (Condition.WARNING, 2 * hour + 1),
            (Condition.NORMAL, 2 * hour + 2),
        )
    ]
    assert [event.phase for event in reported] == ["start", "update", "update", "end"]
    updated_ms = [event.updated_ms for event in reported]
    assert updated_ms == sorted(set(updated_ms))
    assert reported[-1].ended_ms >= reported[-1].started_ms


def test_a_clock_that_is_set_back_does_not_hold_up_new_reasons():
    tracker = EventTracker("pump")
    tracker.update(decision(Condition.ALARM, 5 * 3600), IDS)
    for t_s in range(100, 110):
        tracker.update(decision(Condition.ALARM, t_s), IDS)
    reported = tracker.update(decision(Condition.ALARM, 120, 9.0, "nde"), IDS)
    assert reported is not None
    assert reported.points == ("de", "nde")
