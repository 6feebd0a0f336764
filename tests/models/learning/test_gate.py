"""The gate: what a confirmed fault may lose."""

from auscult.models.learning.gate import Replayed, decide


def replayed(evidence, bare):
    return Replayed({"E1": evidence}, {"E1": bare}, {}, {}, 0.0, 0)


def test_a_confirmed_fault_may_lose_a_little():
    assert replayed(3.7, 4.0).faults_lost(replayed(4.0, 4.0)) == []


def test_many_small_steps_do_not_lose_it_either():
    assert replayed(1.4, 4.0).faults_lost(replayed(1.7, 4.0)) == ["E1"]


def test_a_strong_fault_may_weaken_as_long_as_the_alarm_chart_gathers_evidence():
    assert replayed(1.6, 4.0).faults_lost(replayed(4.0, 4.0)) == []


def test_a_weak_fault_keeps_its_evidence():
    assert replayed(1.0, 1.4).faults_lost(replayed(1.4, 1.4)) == []
    assert replayed(0.8, 1.4).faults_lost(replayed(1.4, 1.4)) == ["E1"]


def test_what_is_weaker_from_earlier_does_not_stop_later_updates():
    assert replayed(2.0, 4.0).faults_lost(replayed(2.0, 4.0)) == []


def test_a_fault_that_never_showed_cannot_be_lost():
    assert replayed(0.1, 0.4).faults_lost(replayed(0.3, 0.4)) == []


def with_false_alarm(evidence, fault=4.0):
    return Replayed({"E1": fault}, {"E1": 4.0}, {"E2": evidence}, {}, 0.0, 0)


def test_a_confirmed_fault_outweighs_a_false_alarm_that_was_not_silent():
    before = with_false_alarm(1.8)
    assert decide(before, with_false_alarm(2.0), "E1").accepted
    assert not decide(before, with_false_alarm(2.0), "another").accepted
    returns = decide(with_false_alarm(0.4), with_false_alarm(1.0), "E1")
    assert returns.reason.code == "gate_false_alarm_returns"
