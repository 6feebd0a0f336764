"""Silent points: after how long, for which reason, and what the machine's decision says then."""

from __future__ import annotations

import pytest

from auscult.contract.records import Condition
from auscult.contract.said import Said
from auscult.gateway.machines import silence
from auscult.gateway.machines.silence import STALE_AT_LEAST_S, STALE_INTERVALS, Silence
from auscult.models.records import Decision, Observation

NORMAL = Decision(None, 7, Condition.NORMAL, ())


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now_s = 100.0

        def monotonic(self):
            return self.now_s

    clock = Clock()
    monkeypatch.setattr(silence, "time", clock)
    return clock


def received(point):
    return Observation(point, 7, (), None, 0)


def codes(decisions):
    return {point: decision.reasons[0].said.code for point, decision in decisions.items()}


def test_a_point_is_silent_after_three_intervals_and_no_earlier_than_the_shortest_time(clock):
    points = Silence({"de": 0.5, "slow": 60.0})
    clock.now_s += STALE_AT_LEAST_S
    assert not points.follow({}, 7, at_rest=False)
    clock.now_s += 0.1
    assert codes(points.follow({}, 7, at_rest=False)) == {"de": "silent"}
    assert not points.follow({}, 7, at_rest=False), "a point becomes silent once"
    clock.now_s = 100.1 + STALE_INTERVALS * 60.0
    assert codes(points.follow({}, 7, at_rest=False)) == {"slow": "silent"}


def test_one_silent_point_makes_the_machine_unknown_and_all_leave_no_decision(clock):
    points = Silence({"de": 0.5, "nde": 0.5})
    assert points.added_to(NORMAL) is NORMAL
    clock.now_s += 11
    points.hear([received("nde")])
    points.follow({}, 7, at_rest=False)
    decision = points.added_to(NORMAL)
    assert decision.condition is Condition.UNKNOWN
    assert [reason.point for reason in decision.reasons] == ["de"]
    alarm = NORMAL._replace(condition=Condition.ALARM)
    assert points.added_to(alarm).condition is Condition.ALARM
    clock.now_s += 11
    points.follow({}, 7, at_rest=False)
    decision = points.added_to(alarm)
    assert decision.condition is Condition.UNKNOWN
    assert decision.t_ns == alarm.t_ns
    assert {reason.point for reason in decision.reasons} == {"de", "nde"}
    points.hear([received("de"), received("nde")])
    assert points.added_to(NORMAL) is NORMAL


def test_a_sensor_that_the_machine_feeds_is_not_running_with_it(clock):
    points = Silence({"de": 0.5})
    clock.now_s += 11
    assert codes(points.follow({}, 7, at_rest=True)) == {"de": "not_running"}
    assert codes(points.follow({}, 7, at_rest=False)) == {"de": "silent"}


def test_a_fault_of_the_source_silences_at_once_and_names_another_cause_when_it_changes(clock):
    points = Silence({"de": 0.5, "nde": 0.5})
    first, second = Said("point_takes_values"), Said("point_takes_samples")
    assert codes(points.follow({"de": first}, 7, at_rest=False)) == {"de": first.code}
    assert codes(points.follow({"de": second}, 7, at_rest=False)) == {"de": second.code}


def test_a_channel_that_is_no_point_adds_its_reason_and_changes_no_condition(clock):
    points = Silence({"de": 0.5})
    assert not points.follow({"tacho": Said("point_takes_values")}, 7, at_rest=False)
    decision = points.added_to(NORMAL)
    assert decision.condition is Condition.NORMAL
    assert [reason.point for reason in decision.reasons] == ["tacho"]
    points.follow({}, 7, at_rest=False)
    assert points.added_to(NORMAL) is NORMAL


def test_a_pause_of_the_loop_is_no_silence(clock):
    points = Silence({"de": 0.5})
    clock.now_s += 11
    points.restart()
    assert not points.follow({}, 7, at_rest=False)
