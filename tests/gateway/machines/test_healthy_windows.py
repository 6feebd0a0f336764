"""Which windows learning from labels counts as healthy."""

from __future__ import annotations

import pytest

from auscult.contract.label import Label, Verdict
from auscult.contract.records import Condition
from tests.gateway.machines.test_planned_work import Bench


def healthy(bench):
    """Healthy windows, and those of them beyond the limit, as an answer reports them."""
    event = bench.machine.open_event
    label = Label(
        label_id="l1", event_id=event.event_id, machine="m", verdict=Verdict.CONFIRMED_FAULT,
        actor="eva", created_ms=1,
    )  # fmt: skip
    found = bench.machine.head_updater.preview(label).before
    return found.healthy_windows, found.healthy_beyond, found.false_alarm_rate


@pytest.mark.parametrize("before", [1, 5, 60])
def test_a_fault_is_not_healthy_before_it_is_noticed(tmp_path, before):
    """It begins weak: its first windows lie beyond the limit before an event opens."""
    bench = Bench(tmp_path)
    bench.run(before)
    for level in (1.1, 1.15, 2.0):
        bench.run(10, level=level)
    assert bench.machine.decision.condition is Condition.ALARM
    windows, beyond, share = healthy(bench)
    assert windows >= 30, "the healthy period's own, half of which tests the heads"
    assert beyond == 0
    assert share == beyond / windows
