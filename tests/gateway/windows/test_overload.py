"""Overload: quiet machines are scored less often, a machine with a sign of a fault never."""

from __future__ import annotations

import numpy as np

from auscult.contract.records import Condition
from auscult.gateway.records import PointId, Window
from auscult.gateway.windows.overload import LATE_S, LOWER_AFTER_S, PAUSES_S, Overload
from auscult.models.records import Decision

HOP_NS = 500_000_000


def windows(machine: str, count: int) -> list[Window]:
    point = PointId(machine, "de")
    samples = np.zeros(4, np.float32)
    return [Window(point, 8.0, "g", i * HOP_NS, (samples,)) for i in range(count)]


def decided(condition: Condition, evidence: float) -> Decision:
    return Decision(None, 0, condition, (), evidence=evidence, warning_level=8.0, alarm_level=12.0)


def late(overload: Overload, seconds: int, begin_s: float = 0.0) -> None:
    for second in range(seconds):
        overload.follow(LATE_S + 1, begin_s + second)


def test_a_gateway_that_keeps_up_scores_every_window():
    overload = Overload(sheds=True)
    overload.follow(LATE_S / 2, 0.0)
    assert len(overload.selected(windows("pump", 20))) == 20
    assert not overload.active
    assert overload.said is None


def test_under_overload_only_quiet_machines_lose_windows_and_each_stays_heard():
    overload = Overload(sheds=True)
    overload.watch("alarming", decided(Condition.ALARM, 0.0))
    overload.watch("rising", decided(Condition.NORMAL, 4.0))
    overload.watch("quiet", decided(Condition.NORMAL, 0.5))
    late(overload, 10)
    assert len(overload.selected(windows("alarming", 40))) == 40
    assert len(overload.selected(windows("rising", 40))) == 40
    kept = overload.selected(windows("quiet", 40))
    assert [window.t0_ns for window in kept] == [0, 5e9, 10e9, 15e9]
    assert overload.skipped == 36
    assert overload.said is not None
    assert "every 5 s" in overload.said.text


def test_levels_rise_one_by_one_and_are_given_back_slowly():
    overload = Overload(sheds=True)
    kept = []
    for second in range(3):
        late(overload, 1, second)
        kept.append(len(overload.selected(windows("pump", 40))))
    assert kept == [20, 10, 4]
    end_s = 2.0
    for _ in PAUSES_S[1:]:
        overload.follow(0.0, end_s + LOWER_AFTER_S / 2)
        assert overload.active
        end_s += LOWER_AFTER_S
        overload.follow(0.0, end_s)
    assert not overload.active


def test_sources_that_wait_lose_nothing():
    overload = Overload(sheds=False)
    late(overload, 10)
    assert len(overload.selected(windows("pump", 40))) == 40
